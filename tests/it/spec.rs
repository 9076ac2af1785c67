//! The sessions that the protocol's documents show are matches by the real rules.

use std::path::{Path, PathBuf};

use mancala_arena_rules::{AnyMatch, Seat};
use mancala_arena_tests::Account;
use serde_json::{Value, json};

fn protocol() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol")
}

/// The fenced block of SPEC.md with this label.
pub fn block(label: &str) -> String {
    let spec = std::fs::read_to_string(protocol().join("SPEC.md")).expect("SPEC.md is there");
    let (_, rest) = spec
        .split_once(&format!("\n```{label}\n"))
        .expect("SPEC.md has the block");
    let (text, _) = rest.split_once("\n```").expect("the block ends");
    format!("{text}\n")
}

/// A line of a session.
enum Line {
    ToBot(Value),
    FromBot(Value),
}

/// Plays a session: every `turn` must be what the rules make of it, every `end` too. Gives the number of turns and ends.
fn check(name: &str, session: impl Iterator<Item = Line>) -> (u32, u32) {
    let mut account: Option<Account> = None;
    let (mut turns, mut ends) = (0, 0);
    // The board after the bot's answer, or what its fault has made of it.
    let mut board: Option<Box<dyn AnyMatch>> = None;
    for line in session {
        let (to_bot, message) = match line {
            Line::ToBot(message) => (true, message),
            Line::FromBot(message) => (false, message),
        };
        let wrong = |what: String| -> ! { panic!("{name}: {what}\n{message}") };
        let kind = message["type"].as_str().unwrap_or("move");
        match (to_bot, kind) {
            (true, "start") => {
                let begun = Account::new(&message).unwrap_or_else(|what| wrong(what));
                board = Some(begun.board().boxed_clone());
                account = Some(begun);
            }
            (true, "turn") => {
                let account = account.as_mut().expect("a turn is part of a match");
                account.check(&message).unwrap_or_else(|what| wrong(what));
                board = Some(account.board().boxed_clone());
                turns += 1;
            }
            (true, "ply") => {
                let account = account.as_mut().expect("a ply is part of a match");
                account.observe(&message).unwrap_or_else(|what| wrong(what));
            }
            (false, "move") => {
                let board = board.as_mut().expect("a move answers a turn");
                if let Ok(index) = board.find(&message["move"]) {
                    board.play_nth(index);
                }
            }
            (true, "end") => {
                let mut board = board.take().expect("a match has begun");
                for fault in message["faults"].as_array().expect("an end lists faults") {
                    board.leave(Seat::new(fault["seat"].as_u64().expect("a fault has a seat") as usize));
                }
                let last = account.take().expect("a match has begun").seat();
                if !can_end(&*board, last, &message, 6) {
                    wrong("the match cannot end so".to_owned());
                }
                ends += 1;
            }
            _ => {}
        }
    }
    (turns, ends)
}

/// Whether the match ends with these places and points, when only others than `seat` move until then.
fn can_end(board: &dyn AnyMatch, seat: usize, end: &Value, plies: u32) -> bool {
    if let Some(outcome) = board.outcome() {
        return json!(outcome.places[..]) == end["places"] && json!(outcome.points[..]) == end["points"];
    }
    let others_move = board.to_move().is_some_and(|mover| mover.index() != seat);
    others_move
        && plies > 0
        && (0..board.legal_len()).any(|index| {
            let mut next = board.boxed_clone();
            next.play_nth(index);
            can_end(&*next, seat, end, plies - 1)
        })
}

#[test]
fn the_match_that_the_spec_shows_is_one() {
    let text = block("text transcript");
    let lines = text.lines().map(|line| {
        let (mark, message) = line.split_at(2);
        let message = serde_json::from_str(message).expect("a line is JSON");
        if mark == "> " {
            Line::ToBot(message)
        } else {
            Line::FromBot(message)
        }
    });
    assert_eq!(check("SPEC.md", lines), (3, 1));
}

#[test]
fn the_example_sessions_are_matches() {
    let mut seen = 0;
    for entry in std::fs::read_dir(protocol().join("examples")).expect("there are examples") {
        let path = entry.expect("the directory can be read").path();
        let text = std::fs::read_to_string(&path).expect("an example is text");
        let lines = text.lines().filter_map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
            let message = line["message"].take();
            if line.get("to").is_some() {
                return Some(Line::ToBot(message));
            }
            (!message.is_null()).then_some(Line::FromBot(message))
        });
        let (turns, ends) = check(&path.display().to_string(), lines);
        assert!(turns > 0 && ends > 0, "{} shows a match", path.display());
        seen += 1;
    }
    assert_eq!(seen, 4);
}
