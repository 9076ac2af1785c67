//! A match as a bot can follow it: what the arena tells must agree with the rules, ply for ply.

use mancala_arena_rules::{AnyMatch, open};
use serde_json::{Value, json};

/// One seat's own account of a match.
///
/// Messages are plain JSON here, read by the words of SPEC.md and not by the types that wrote them.
#[derive(Debug)]
pub struct Account {
    board: Box<dyn AnyMatch>,
    seat: usize,
    /// The number of the ply that the account begins with; `None` until it is told.
    begins_at: Option<u64>,
    /// Plies told of by `ply` messages that no `since` has told of yet.
    observed: Vec<Value>,
}

impl Account {
    /// The account that begins with this `start`.
    ///
    /// # Errors
    /// What is wrong with it, here and below.
    pub fn new(start: &Value) -> Result<Account, String> {
        let options = start["options"].as_object().ok_or("a start has options")?;
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let options: Vec<_> = options.iter().map(|(key, value)| (key.clone(), text(value))).collect();
        let game = open(start["game"].as_str().unwrap_or_default(), &options).map_err(|error| error.to_string())?;
        let board = game.start_from(&start["position"].to_string());
        Ok(Account {
            board: board.map_err(|error| error.to_string())?,
            seat: start["seat"].as_u64().ok_or("a start names the seat")? as usize,
            begins_at: Some(0),
            observed: Vec::new(),
        })
    }

    /// The account of a match that may have begun before this `start`.
    #[must_use]
    pub fn of_some_ply(self) -> Account {
        Account {
            begins_at: None,
            ..self
        }
    }

    /// The board as far as it has been told of.
    pub fn board(&self) -> &dyn AnyMatch {
        &*self.board
    }

    /// The bot's seat.
    pub fn seat(&self) -> usize {
        self.seat
    }

    /// A `ply` message: it must come again in the next `since`.
    ///
    /// # Errors
    /// When it is the bot's own move.
    pub fn observe(&mut self, ply: &Value) -> Result<(), String> {
        if ply["seat"] == self.seat {
            return Err(format!("told of its own move as somebody else's: {ply}"));
        }
        let ply = json!({"ply": ply["ply"], "seat": ply["seat"], "move": ply["move"]});
        self.observed.push(ply);
        Ok(())
    }

    /// A `turn`: plays what has happened since the last one, after which its position and its legal moves are the board's.
    ///
    /// # Errors
    /// Where it is otherwise.
    pub fn check(&mut self, turn: &Value) -> Result<(), String> {
        let since = turn["since"].as_array().ok_or("a turn has `since`")?;
        let first = since.first().unwrap_or(turn)["ply"].as_u64();
        let begins_at = *self.begins_at.get_or_insert(first.ok_or("a ply has a number")?);
        for ply in since {
            let expected = begins_at + u64::from(self.board.ply());
            if ply["ply"] != expected {
                return Err(format!("expected ply {expected}, told of {ply}"));
            }
            self.pass_over_to(&ply["seat"])?;
            let index = self.board.find(&ply["move"]).map_err(|why| format!("{why}: {ply}"))?;
            self.board.play_nth(index);
        }
        self.pass_over_to(&turn["seat"])?;
        let others = since.iter().filter(|ply| ply["seat"] != self.seat);
        let observed = std::mem::take(&mut self.observed);
        if !observed.is_empty() && !others.eq(observed.iter()) {
            return Err(format!("`ply` messages tell {observed:?}, `since` tells {since:?}"));
        }
        let (mut position, mut legal) = (String::new(), String::new());
        self.board.write_position(&mut position);
        self.board.write_legal(&mut legal);
        let expected = [
            ("position", position),
            ("legal", legal),
            ("ply", (begins_at + u64::from(self.board.ply())).to_string()),
        ];
        for (field, expected) in expected {
            let expected: Value = serde_json::from_str(&expected).expect("the rules write JSON");
            if turn[field] != expected {
                return Err(format!("`{field}` is {}, by the rules {expected}", turn[field]));
            }
        }
        Ok(())
    }

    /// Takes out every seat that was to move before `seat` and did not: no message tells a bot that another one has left, and
    /// in a match that has begun a seat only leaves while it is to move. The position tells whether that is the truth.
    fn pass_over_to(&mut self, seat: &Value) -> Result<(), String> {
        loop {
            let to_move = self.board.to_move().ok_or("the match is over by the rules")?;
            if *seat == to_move.index() {
                return Ok(());
            }
            self.board.leave(to_move);
        }
    }
}
