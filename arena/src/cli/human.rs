//! What a person types at the board: understood the same on the screen and line by line.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use mancala_arena_protocol::Turn;
use mancala_arena_rules::AnyGame;
use serde_json::Value;

use crate::bot::by_hand::Choice;

/// What can be typed.
pub const HELP: &str = "
  a number      plays that pit of your own row, as numbered beside the board
  resign        you leave the match; with two seats that ends it
  quit          ends the match for all, without a result
  ?  help       this text; `arena rules GAME` tells the rules
";

/// What was typed.
#[derive(Clone, PartialEq, Debug)]
pub enum Said {
    /// What to do with the turn.
    Choice(Choice),
    /// The match is to end without a result.
    Quit,
    /// The help is wanted.
    Help,
    /// It is nothing that can be done; why, and what can.
    Wrong(String),
}

/// Understands `text` as the answer to `turn`.
pub fn understand(text: &str, turn: &Turn<Value>, game: &dyn AnyGame) -> Said {
    let text = text.trim();
    match text.to_lowercase().as_str() {
        "?" | "help" | "h" => return Said::Help,
        "quit" | "exit" | "q" => return Said::Quit,
        "resign" => return Said::Choice(Choice::Resign),
        _ => {}
    }
    let legal = legal_text(turn);
    let Ok(number) = text.parse::<i64>() else {
        let found = match text {
            "" => "nothing typed".to_owned(),
            text => format!("`{}` is no pit", mancala_arena_protocol::excerpt(text.as_bytes(), 20)),
        };
        return Said::Wrong(format!("{found}; type one of {legal}, or ? for help"));
    };
    let mv = Value::from(number);
    if turn.legal.contains(&mv) {
        return Said::Choice(Choice::Move(mv));
    }
    let why = game
        .start_from(&turn.position.to_string())
        .ok()
        .and_then(|playing| playing.find(&mv).err());
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    Said::Wrong(format!("{number} cannot be played{why}; type one of {legal}"))
}

/// The legal moves as a list.
pub fn legal_text(turn: &Turn<Value>) -> String {
    let moves: Vec<String> = turn.legal.iter().map(Value::to_string).collect();
    moves.join(", ")
}

/// Asks line by line: the question goes to standard error, the answer comes from standard input. Nothing when the match is
/// to end, as it is at the end of the input.
pub fn ask(turn: &Turn<Value>, name: &str, game: &Arc<dyn AnyGame>) -> Option<Choice> {
    let mut stderr = anstream::stderr();
    let mut line = String::new();
    loop {
        let _ = write!(
            stderr,
            "seat {} {name}, your move ({}; ? for help): ",
            turn.seat + 1,
            legal_text(turn)
        );
        let _ = stderr.flush();
        line.clear();
        let read = io::stdin().lock().read_line(&mut line);
        if !io::stdin().is_terminal() {
            // Nobody has pressed Enter where the question is shown.
            let _ = writeln!(stderr);
        }
        if !matches!(read, Ok(1..)) {
            let _ = writeln!(stderr, "the input has ended, and with it the match");
            return None;
        }
        match understand(&line, turn, &**game) {
            Said::Choice(choice) => return Some(choice),
            Said::Quit => return None,
            Said::Help => {
                let _ = writeln!(stderr, "{}", HELP.trim_start_matches('\n').trim_end());
            }
            Said::Wrong(why) => {
                let _ = writeln!(stderr, "{why}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::open_text;
    use serde_json::json;

    use super::*;

    fn said(text: &str) -> Said {
        let game = open_text("kalah:pits=3").expect("it is a game of ours");
        let position = json!({"pits": [[0, 4, 4], [4, 4, 4]], "stores": [4, 0], "to_move": 0});
        let turn = json!({"match": "0", "ply": 0, "seat": 0, "position": position, "legal": [1, 2], "since": []});
        understand(text, &serde_json::from_value(turn).expect("it is a turn"), &*game)
    }

    #[test]
    fn a_legal_pit_is_a_move() {
        assert_eq!(said(" 2\n"), Said::Choice(Choice::Move(json!(2))));
    }

    #[test]
    fn words_are_understood_in_any_case() {
        assert_eq!(said("Resign"), Said::Choice(Choice::Resign));
        assert_eq!(said("QUIT"), Said::Quit);
        assert_eq!(said("?"), Said::Help);
    }

    #[test]
    fn what_cannot_be_played_is_told_why_and_what_can() {
        for (text, expected) in [
            ("0", "0 cannot be played: that pit is empty; type one of 1, 2"),
            ("two", "`two` is no pit; type one of 1, 2, or ? for help"),
            ("", "nothing typed; type one of 1, 2, or ? for help"),
        ] {
            assert_eq!(said(text), Said::Wrong(expected.to_owned()));
        }
        assert!(matches!(said("-1"), Said::Wrong(_)));
        assert!(matches!(said("99999999999999999999"), Said::Wrong(_)));
    }
}
