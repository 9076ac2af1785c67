//! Whole matches, position by position, against matches played by other code and by people.

use mancala_arena_rules::{AnyMatch, PerSeat, open, open_text};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("a golden file is JSON")
}

fn position(playing: &dyn AnyMatch) -> Value {
    let mut text = String::new();
    playing.write_position(&mut text);
    json(&text)
}

fn legal(playing: &dyn AnyMatch) -> Value {
    let mut text = String::new();
    playing.write_legal(&mut text);
    json(&text)
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("`{key}` is a list"))
}

fn play(playing: &mut dyn AnyMatch, seat: &Value, pit: &Value) {
    let mover = playing.to_move().expect("the match is not over");
    assert_eq!(*seat, mover.index());
    let index = playing.find(pit).expect("the golden move is legal");
    playing.play_nth(index);
}

/// `layli-relay:m=12` in the golden file's words is `layli-goobalay` with `ruleset=relay`, `pits=12` in ours.
fn translated(game: &str) -> (&'static str, Vec<(String, String)>) {
    let (name, rest) = game.split_once(':').unwrap_or((game, ""));
    let (name, first) = match name {
        "layli-relay" => ("layli-goobalay", Some(("ruleset", "relay"))),
        "layli-chain" => ("layli-goobalay", Some(("ruleset", "chain"))),
        "kalah" => ("kalah", None),
        "basic" => ("mancala-basic", None),
        other => panic!("unknown game `{other}`"),
    };
    let rest = rest.split(',').filter(|part| !part.is_empty()).map(|part| {
        let (key, value) = part.split_once('=').expect("an option is key=value");
        let switch = if value == "1" { "on" } else { "off" };
        match key {
            "m" | "pits" => ("pits", value),
            "n" | "seeds" => ("seeds", value),
            "players" => ("seats", value),
            "empty" => ("empty_capture", switch),
            "all" => ("all_places", switch),
            other => panic!("unknown option `{other}`"),
        }
    });
    let options = first.into_iter().chain(rest);
    (
        name,
        options.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    )
}

#[test]
fn every_position_and_every_legal_list_of_the_playthroughs_is_ours() {
    let golden = json(include_str!("golden/playthroughs.json"));
    for game in list(&golden, "games") {
        let title = game["game"].as_str().expect("game is text");
        let (name, options) = translated(title);
        let mut playing = open(name, &options).expect("the golden options are in range").start();
        assert_eq!(position(&*playing), game["start"], "{title}");
        for (ply, golden) in list(game, "plies").iter().enumerate() {
            assert_eq!(legal(&*playing), golden["legal"], "{title}, ply {ply}");
            play(&mut *playing, &golden["seat"], &golden["pit"]);
            let mut after = golden["after"].clone();
            let places = after.as_object_mut().and_then(|after| after.remove("places"));
            assert_eq!(position(&*playing), after, "{title}, ply {ply}");
            if let Some(places) = places {
                let outcome = playing.outcome().expect("places are given when the match is over");
                assert_eq!(places, Value::from(outcome.places.to_vec()), "{title}");
            }
        }
        assert!(playing.ended().is_some(), "{title} is over");
    }
}

/// At move 3 the article leaves the capturing seed on the board; the match goes on from the board it prints.
#[test]
fn sample_game_of_the_chain_rules_ends_29_to_19() {
    let golden = json(include_str!("golden/layli-chain-sample-game.json"));
    let game = open_text("layli-goobalay:ruleset=chain").expect("a game of the list");
    let mut playing = game.start();
    assert_eq!(position(&*playing), golden["start"]);
    let mut slips = 0;
    for mv in list(&golden, "moves") {
        play(&mut *playing, &mv["seat"], &mv["pit"]);
        if let Some(printed) = mv.get("article_goes_on_from") {
            assert_eq!(position(&*playing), mv["rule_gives"]);
            playing = game
                .start_from(&printed.to_string())
                .expect("the printed board is possible");
            slips += 1;
        } else {
            assert_eq!(position(&*playing), mv["after"], "move {}", mv["move"]);
        }
    }
    assert_eq!(slips, 1);
    let outcome = playing.outcome().expect("the match is over");
    assert_eq!(*outcome.points, [29, 19]);
    assert_eq!(*outcome.places, [1, 2]);
}

#[test]
fn published_first_moves_of_the_relay_rules_capture_what_the_sources_say() {
    let golden = json(include_str!("golden/layli-relay-anchors.json"));
    let [marin, gering] = &list(&golden, "cases")[..] else {
        panic!("two cases");
    };
    let mut playing = open_text("layli-goobalay").expect("a game of the list").start();
    play(&mut *playing, &Value::from(0), &marin["pit"]);
    assert_eq!(position(&*playing), marin["after"]);

    let mut playing = open_text("layli-goobalay:pits=12").expect("a game of the list").start();
    for mv in list(gering, "moves_seat_pit_captured") {
        let before = captured(&*playing);
        play(&mut *playing, &mv[0], &mv[1]);
        let seat = mv[0].as_u64().expect("a seat") as usize;
        assert_eq!(
            mv[2],
            captured(&*playing)[seat] - before[seat],
            "pit {} of seat {seat}",
            mv[1]
        );
    }
}

fn captured(playing: &dyn AnyMatch) -> PerSeat<u32> {
    let view = playing.view();
    PerSeat::from_fn(view.rows.len(), |seat| view.rows[seat.index()].store)
}
