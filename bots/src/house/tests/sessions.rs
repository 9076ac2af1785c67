//! Every house bot, in every game with every number of seats, over lines as the arena writes them.

use mancala_arena_protocol::{Control, Hello, Start, ToBot, Turn, encode};
use mancala_arena_rules::{AnyGame, OptionValue, infos, open};
use serde_json::{Map, Value, from_str};

use super::super::{HOUSE, run_on};
use super::Dice;

/// The lines of a match of random moves that asks one bot for every move, and the legal moves of each of its turns.
fn lines(game: &dyn AnyGame, seed: u64) -> (String, Vec<Vec<Value>>) {
    let mut playing = game.start();
    let json = |text: String| from_str::<Value>(&text).unwrap();
    let position = |playing: &dyn mancala_arena_rules::AnyMatch| {
        let mut text = String::new();
        playing.write_position(&mut text);
        json(text)
    };
    let option = |value| match value {
        OptionValue::Number(number) => Value::from(number),
        OptionValue::Word(word) => Value::from(word),
        OptionValue::Switch(on) => Value::from(on),
    };
    let options: Map<_, _> = game
        .options()
        .iter()
        .map(|(key, value)| (key.to_owned(), option(value)))
        .collect();
    let id = "r1-01".to_owned();
    let mut lines = encode::<Value, Vec<Value>>(&ToBot::Start(Start {
        r#match: id.clone(),
        game: game.info().name.to_owned(),
        options,
        seat: 0,
        seats: game.seats() as u8,
        names: vec!["bot".to_owned(); game.seats()],
        position: position(&*playing),
        time: Control::default(),
        seed,
        ponder: false,
    }));
    let mut turns = Vec::new();
    let mut dice = Dice::new(seed, 0);
    while let Some(seat) = playing.to_move() {
        let mut legal = String::new();
        playing.write_legal(&mut legal);
        let legal: Vec<Value> = from_str(&legal).unwrap();
        turns.push(legal.clone());
        lines += &encode(&ToBot::Turn(Turn {
            r#match: id.clone(),
            ply: playing.ply(),
            seat: seat.index() as u8,
            position: position(&*playing),
            legal,
            since: Vec::new(),
            move_ms_max: None,
            bank_ms: None,
            increment_ms: None,
            last_ms: None,
        }));
        playing.play_nth(dice.below(playing.legal_len()));
    }
    (lines, turns)
}

/// Plays two matches in one process with every bot, few playouts and little depth.
fn all_play(game: &dyn AnyGame) {
    let hello = encode::<Value, Vec<Value>>(&ToBot::Hello(Hello {
        protocols: vec![1],
        arena: "arena 0.1.0".to_owned(),
    }));
    let (first, mut turns) = lines(game, 1);
    let (second, more) = lines(game, 2);
    turns.extend(more);
    let input = hello + &first + &second + "{\"type\":\"quit\"}\n";

    for bot in HOUSE {
        let limit = bot.params.iter().find(|param| param.key == "nodes");
        let params: Vec<_> = limit
            .iter()
            .map(|param| (param.key.to_owned(), "60".to_owned()))
            .collect();
        let mut output = Vec::new();
        run_on(bot.name, &params, &mut input.as_bytes(), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let mut said = output.lines().map(|line| from_str::<Value>(line).unwrap());
        let hello = said.next().unwrap();
        assert_eq!(hello["protocol"], 1);
        assert_eq!(hello["name"], bot.name);
        let moves: Vec<Value> = said.map(|answer| answer["move"].clone()).collect();
        assert_eq!(moves.len(), turns.len());
        for (mv, legal) in moves.iter().zip(&turns) {
            assert!(legal.contains(mv), "{} plays {mv}, legal: {legal:?}", bot.name);
        }
    }
}

#[test]
fn every_bot_plays_legal_moves_in_every_game() {
    for info in infos() {
        for seats in info.seats.0..=info.seats.1 {
            let has_seats = info.options.iter().any(|option| option.key == "seats");
            let options = has_seats.then(|| ("seats".to_owned(), seats.to_string()));
            let game = open(info.name, options.as_slice()).unwrap();
            assert_eq!(game.seats(), seats);
            all_play(&*game);
        }
    }
}
