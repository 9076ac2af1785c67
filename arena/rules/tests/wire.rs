//! The JSON form of positions and moves, over every game.

mod support;

use mancala_arena_rules::{AnyGame, AnyMatch, PlayError, Row, Seat, infos, open, open_text};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Random, games};

fn position(playing: &dyn AnyMatch) -> String {
    let mut text = String::new();
    playing.write_position(&mut text);
    text
}

fn legal(playing: &dyn AnyMatch) -> Vec<u64> {
    let mut text = String::new();
    playing.write_legal(&mut text);
    serde_json::from_str(&text).expect("the legal list is a list of pits")
}

/// Calls `check` for every position of one random match of every game.
fn for_every_position(mut check: impl FnMut(&dyn AnyGame, &dyn AnyMatch, &str)) {
    for (index, (name, options)) in games().iter().enumerate() {
        let Ok(game) = open(name, options) else { continue };
        let mut random = Random::new(index as u64 * 104_729);
        let mut playing = game.start();
        loop {
            check(&*game, &*playing, &format!("{name} {options:?}"));
            if playing.ended().is_some() {
                break;
            }
            playing.play_nth(random.below(playing.legal_len()));
        }
    }
}

#[test]
fn every_position_travels_and_comes_back_the_same() {
    for_every_position(|game, playing, title| {
        let text = position(playing);
        let again = game
            .start_from(&text)
            .unwrap_or_else(|error| panic!("{title}: {text}: {error}"));
        assert_eq!(position(&*again), text, "{title}");
        assert_eq!(again.view(), playing.view(), "{title}");
        assert_eq!(legal(&*again), legal(playing), "{title}");
        assert!(!text.contains([' ', '\n']), "{title}: {text}");
    });
}

#[test]
fn the_legal_list_and_the_check_agree_on_every_pit() {
    for_every_position(|_, playing, title| {
        let legal = legal(playing);
        assert_eq!(legal.len(), playing.legal_len(), "{title}");
        assert!(legal.is_sorted(), "{title}");
        for pit in 0..20 {
            let found = playing.find(&json!(pit));
            assert_eq!(
                found.ok(),
                legal.iter().position(|other| *other == pit),
                "{title}, pit {pit}"
            );
        }
    });
}

#[test]
fn a_seat_that_left_stays_away_when_the_position_travels() {
    let game = open_text("mancala-basic:seats=4,pits=4").expect("a game of the list");
    let mut playing = game.start();
    assert!(!position(&*playing).contains("left"));
    playing.leave(Seat::new(2));
    playing.leave(Seat::new(0));
    let text = position(&*playing);
    assert!(
        text.contains(r#""active":[1,3],"finished":[],"left":[2,0],"to_move":1"#),
        "{text}"
    );
    let mut again = game.start_from(&text).expect("the position is possible");
    assert_eq!(again.view(), playing.view());
    again.leave(Seat::new(1));
    assert_eq!(*again.outcome().expect("one seat is left").places, [3, 2, 4, 1]);
}

#[test]
fn whole_numbers_name_a_pit_however_they_are_written() {
    for info in infos() {
        let playing = open(info.name, &[]).expect("defaults are valid").start();
        for text in ["2", "2.0", "2e0", "0.2e1", "20e-1"] {
            let value: Value = serde_json::from_str(text).expect("a number");
            assert_eq!(playing.find(&value), Ok(2), "{}: {text}", info.name);
        }
        let zero: Value = serde_json::from_str("-0.0").expect("a number");
        assert_eq!(playing.find(&zero), Ok(0), "{}", info.name);
    }
}

#[test]
fn what_is_not_a_whole_number_is_not_a_move() {
    for info in infos() {
        let playing = open(info.name, &[]).expect("defaults are valid").start();
        for text in [
            "2.5",
            "-2.5",
            "1e-3",
            "\"2\"",
            "true",
            "null",
            "[2]",
            "{}",
            "{\"pit\":2}",
            "[]",
            "\"\"",
        ] {
            let value: Value = serde_json::from_str(text).expect("JSON");
            assert!(
                matches!(playing.find(&value), Err(PlayError::NotAMove { .. })),
                "{}: {text}",
                info.name
            );
        }
    }
}

#[test]
fn numbers_outside_the_row_are_refused_and_never_wrapped() {
    for info in infos() {
        let playing = open(info.name, &[]).expect("defaults are valid").start();
        let pits = playing.view().rows[0].cells.len();
        let far = [
            "6",
            "-1",
            "-1.0",
            "1e300",
            "-1e300",
            "255",
            "256",
            "258",
            "65538",
            "4294967298",
            "18446744073709551615",
            "18446744073709551618",
            "-18446744073709551614",
            "9007199254740993",
            "340282366920938463463374607431768211458",
        ];
        for text in far {
            let value: Value = serde_json::from_str(text).expect("a number");
            assert_eq!(
                playing.find(&value),
                Err(PlayError::NoSuchPit { pits }),
                "{}: {text}",
                info.name
            );
        }
    }
}

/// Each text is a position of the game with one thing wrong.
fn refuses(game: &str, positions: &[&str]) {
    let game = open_text(game).expect("a game of the list");
    for text in positions {
        assert!(game.start_from(text).is_err(), "{text} is refused");
    }
}

#[test]
fn impossible_positions_of_kalah_are_refused() {
    refuses(
        "kalah:pits=3,seeds=2",
        &[
            "",
            "[]",
            r#"{"pits":[[2,2,2],[2,2,2]],"stores":[0,0]"#,
            r#"{"pits":[[2,2,2],[2,2,2]],"to_move":0}"#,
            r#"{"pits":[[2,2,2]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,2],[0,0,0]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2,0],[2,2,2]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2]],"stores":[2,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,3]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,1]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,-1]],"stores":[3,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,65538]],"stores":[0,0],"to_move":0}"#,
            r#"{"pits":[[2,2,2],[2,2,2]],"stores":[0,0],"to_move":2}"#,
            r#"{"pits":[[2,2,2],[2,2,2]],"stores":[0,0],"to_move":256}"#,
            r#"{"pits":[[2,2,2],[2,2,2]],"stores":[0,0],"to_move":null}"#,
            r#"{"pits":[[0,0,0],[2,2,2]],"stores":[6,0],"to_move":0}"#,
            r#"{"pits":[[0,0,0],[2,2,2]],"stores":[6,0],"to_move":1}"#,
            r#"{"pits":[[0,0,0],[0,0,0]],"stores":[6,6],"to_move":1}"#,
        ],
    );
    let mover = open_text("kalah:pits=3,seeds=2,end=mover").expect("a game of the list");
    assert!(
        mover
            .start_from(r#"{"pits":[[0,0,0],[2,2,2]],"stores":[6,0],"to_move":1}"#)
            .is_ok()
    );
}

#[test]
fn impossible_positions_of_layli_goobalay_are_refused() {
    let text = |pits: &str, uurs: &str, captured: &str, to_move: &str| {
        format!(r#"{{"pits":{pits},"uur_owner":{uurs},"captured":{captured},"to_move":{to_move}}}"#)
    };
    let none = "[[null,null,null,null],[null,null,null,null]]";
    let pair = "[[null,null,1,null],[null,1,null,null]]";
    let game = open_text("layli-goobalay:pits=4,seeds=2").expect("a game of the list");
    assert!(
        game.start_from(&text("[[2,2,2,2],[2,2,2,2]]", none, "[0,0]", "0"))
            .is_ok()
    );
    assert!(
        game.start_from(&text("[[2,2,2,2],[2,2,2,2]]", pair, "[0,0]", "1"))
            .is_ok()
    );
    assert!(
        game.start_from(&text("[[0,0,0,0],[0,0,0,0]]", pair, "[9,7]", "null"))
            .is_ok()
    );
    for wrong in [
        text("[[2,2,2,2],[2,2,2]]", none, "[2,0]", "0"),
        text(
            "[[2,2,2,2],[2,2,2,2]]",
            "[[null,null,null,null],[null,null,null]]",
            "[0,0]",
            "0",
        ),
        text("[[2,2,2,2],[2,2,2,2]]", none, "[1,0]", "0"),
        text("[[2,2,2,2],[2,2,2,2]]", none, "[0]", "0"),
        text("[[2,2,2,2],[2,2,2,2]]", none, "[0,0]", "null"),
        text("[[2,2,2,2],[2,2,2,2]]", none, "[0,0]", "2"),
        text("[[0,0,0,0],[2,2,2,2]]", none, "[8,0]", "0"),
        text("[[0,0,8,0],[2,2,2,2]]", pair, "[0,0]", "0"),
        text("[[0,0,0,0],[0,0,0,0]]", none, "[8,8]", "0"),
        text(
            "[[2,2,2,2],[2,2,2,2]]",
            "[[null,null,1,null],[null,0,null,null]]",
            "[0,0]",
            "0",
        ),
        text(
            "[[2,2,2,2],[2,2,2,2]]",
            "[[null,null,1,null],[null,null,null,null]]",
            "[0,0]",
            "0",
        ),
        text(
            "[[2,2,2,2],[2,2,2,2]]",
            "[[null,null,2,null],[null,2,null,null]]",
            "[0,0]",
            "0",
        ),
        text("[[2,2,1,2],[2,3,2,2]]", pair, "[0,0]", "0"),
    ] {
        assert!(game.start_from(&wrong).is_err(), "{wrong} is refused");
    }
}

#[test]
fn impossible_positions_of_mancala_basic_are_refused() {
    let text = |pits: &str, stores: &str, seats: &str, to_move: &str| {
        format!(r#"{{"pits":{pits},"stores":{stores},{seats},"to_move":{to_move}}}"#)
    };
    let game = open_text("mancala-basic:seats=3,pits=4,seeds=3").expect("a game of the list");
    let full = "[[3,3,3,3],[3,3,3,3],[3,3,3,3]]";
    let all = r#""active":[0,1,2],"finished":[]"#;
    assert!(game.start_from(&text(full, "[0,0,0]", all, "0")).is_ok());
    let left = r#""active":[0,1],"finished":[],"left":[2]"#;
    assert!(game.start_from(&text(full, "[0,0,0]", left, "0")).is_ok());
    for wrong in [
        text("[[3,3,3,3],[3,3,3,3]]", "[12,0,0]", all, "0"),
        text(full, "[0,0]", all, "0"),
        text("[[3,3,3,3],[3,3,3,3],[3,3,3]]", "[3,0,0]", all, "0"),
        text(full, "[0,1,0]", all, "0"),
        text("[[3,3,3,259],[3,3,3,3],[3,3,3,3]]", "[0,0,0]", all, "0"),
        text(full, "[0,0,0]", all, "3"),
        text(full, "[0,0,0]", all, "null"),
        text(full, "[0,0,0]", left, "2"),
        text(full, "[0,0,0]", r#""active":[0,1],"finished":[]"#, "0"),
        text(full, "[0,0,0]", r#""active":[1,0,2],"finished":[]"#, "0"),
        text(full, "[0,0,0]", r#""active":[0,1,2],"finished":[2]"#, "0"),
        text(full, "[0,0,0]", r#""active":[0,1],"finished":[2]"#, "0"),
        text(full, "[0,0,0]", r#""active":[0,1],"finished":[],"left":[3]"#, "0"),
        text(full, "[0,0,0]", r#""active":[0],"finished":[],"left":[2,1]"#, "0"),
        text("[[0,0,0,0],[3,3,3,3],[3,3,3,3]]", "[12,0,0]", all, "1"),
        text(
            "[[0,0,0,0],[3,3,3,3],[3,3,3,3]]",
            "[12,0,0]",
            r#""active":[1,2],"finished":[0]"#,
            "0",
        ),
    ] {
        assert!(game.start_from(&wrong).is_err(), "{wrong} is refused");
    }
    let first = open_text("mancala-basic:seats=3,pits=4,seeds=3,all_places=off").expect("a game of the list");
    let one = text(
        "[[0,0,0,0],[3,3,3,3],[3,3,3,3]]",
        "[12,0,0]",
        r#""active":[1,2],"finished":[0]"#,
        "1",
    );
    assert!(game.start_from(&one).is_ok());
    assert!(first.start_from(&one).is_err());
}

#[test]
fn every_example_leads_to_the_board_it_shows() {
    for info in infos() {
        for example in info.examples {
            let game =
                open_text(&format!("{}:{}", info.name, example.options)).expect("an example's options are valid");
            let mut playing = game.start();
            for pit in example.moves {
                let index = playing
                    .find(&json!(pit))
                    .unwrap_or_else(|error| panic!("{}: {error}", example.caption));
                playing.play_nth(index);
            }
            let row = |row: &Row| {
                let cells: Vec<_> = row.cells.iter().map(|cell| cell.seeds.to_string()).collect();
                cells.join(",")
            };
            let rows: Vec<_> = playing.view().rows.iter().map(row).collect();
            assert_eq!(rows.join("/"), example.rows_after, "{}: {}", info.name, example.caption);
        }
    }
}

#[test]
fn first_empty_row_ends_the_match_without_all_places_and_equal_rows_share_a_place() {
    let text = r#"{"pits":[[0,0,0,1],[1,0,0,0],[0,1,0,0],[2,0,0,0]],"stores":[43,0,0,0],"active":[0,1,2,3],"finished":[],"to_move":0}"#;
    let off = open_text("mancala-basic:seats=4,pits=4,seeds=3,all_places=off").expect("a game of the list");
    let mut playing = off.start_from(text).expect("the position is possible");
    playing.play_nth(0);
    let outcome = playing.outcome().expect("a row is empty");
    assert_eq!(*outcome.places, [1, 2, 2, 4]);
    assert_eq!(*outcome.points, [0, 1, 1, 2]);

    let on = open_text("mancala-basic:seats=4,pits=4,seeds=3").expect("a game of the list");
    let mut playing = on.start_from(text).expect("the position is possible");
    playing.play_nth(0);
    assert_eq!(
        playing.to_move(),
        Some(Seat::new(1)),
        "a last seed in the store gives no extra turn to who has finished"
    );
}

/// Every number, and every null that stands for a seat.
fn numbers(value: &mut Value) -> Vec<&mut Value> {
    match value {
        Value::Array(items) => items.iter_mut().flat_map(numbers).collect(),
        Value::Object(fields) => fields.values_mut().flat_map(numbers).collect(),
        Value::Number(_) | Value::Null => vec![value],
        _ => Vec::new(),
    }
}

proptest! {
    /// Seeds are moved about, uurs and seats replaced: what comes of it is refused, or it can be played to its end.
    #[test]
    fn a_changed_position_is_refused_or_can_be_played(
        game in 0..games().len(),
        plies in 0..60_usize,
        seed: u64,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4_u64), 1..4),
    ) {
        let (name, options) = &games()[game];
        let Ok(game) = open(name, options) else { return Ok(()) };
        let mut random = Random::new(seed);
        let mut playing = game.start();
        for _ in 0..plies {
            if playing.ended().is_none() {
                playing.play_nth(random.below(playing.legal_len()));
            }
        }
        let mut changed: Value = serde_json::from_str(&position(&*playing)).expect("a position is JSON");
        for (from, to, amount) in changes {
            let mut places = numbers(&mut changed);
            let (from, to) = (from.index(places.len()), to.index(places.len()));
            let moved = places[from].as_u64().unwrap_or(0).min(amount);
            if let Some(before) = places[from].as_u64() {
                *places[from] = Value::from(before - moved);
            }
            *places[to] = Value::from(places[to].as_u64().unwrap_or(0) + moved);
        }
        let Ok(mut changed) = game.start_from(&changed.to_string()) else { return Ok(()) };
        while changed.ended().is_none() {
            prop_assert!(changed.legal_len() > 0);
            changed.play_nth(random.below(changed.legal_len()));
        }
        prop_assert!(changed.outcome().is_some());
    }
}
