//! Games and matches with the game chosen at run time.
//!
//! The referee and the commands use these; a bot that searches uses [`Visitor`] and stays with the game's own types.

use std::fmt::Debug;

#[cfg(feature = "wire")]
use crate::PlayError;
use crate::{
    EndReason, GameInfo, Match, Moves, OptionError, Options, Outcome, PerSeat, Ruleset, Seat, Step, View, Watch,
};

/// What a game in the list implements: the rules, and with the feature `wire` its wire form.
#[cfg(not(feature = "wire"))]
pub trait Listed: Ruleset {}
#[cfg(not(feature = "wire"))]
impl<R: Ruleset> Listed for R {}

/// What a game in the list implements: the rules and the wire form.
#[cfg(feature = "wire")]
pub trait Listed: Ruleset + crate::wire::Wire {}
#[cfg(feature = "wire")]
impl<R: Ruleset + crate::wire::Wire> Listed for R {}

/// Code that works for any game, with the game's own types.
pub trait Visitor {
    /// What it gives.
    type Output;
    /// Called with the game that was asked for.
    fn visit<R: Listed>(self, ruleset: R) -> Self::Output;
}

/// Why a game cannot be built.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    /// No game of that name.
    #[error("unknown game `{name}`; known games: {}", known.join(", "))]
    UnknownGame {
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// Not of the form `key=value`.
    #[error("`{part}` is not `key=value`; write a game as NAME or NAME:key=value,key=value")]
    Syntax {
        /// The part that is not.
        part: String,
    },
    /// Its options are wrong.
    #[error(transparent)]
    Options(#[from] OptionError),
}

/// A ruleset, the game chosen at run time.
pub trait AnyGame: Debug + Send + Sync {
    /// Name, options, texts.
    fn info(&self) -> &'static GameInfo;
    /// The options in force.
    fn options(&self) -> Options;
    /// What a user should be told about the options in force.
    fn notices(&self) -> Vec<String>;
    /// The number of seats.
    fn seats(&self) -> usize;
    /// Whether the bots of a group change seats.
    fn rotates_seats(&self) -> bool;
    /// A match from the start position.
    fn start(&self) -> Box<dyn AnyMatch>;
    /// A match from a position in its wire form.
    ///
    /// # Errors
    /// [`WireError`](crate::wire::WireError): not of the form, or impossible under these rules.
    #[cfg(feature = "wire")]
    fn start_from(&self, position: &str) -> Result<Box<dyn AnyMatch>, crate::wire::WireError>;
}

/// A match in progress, the game chosen at run time.
pub trait AnyMatch: Debug + Send + Sync {
    /// Plies played.
    fn ply(&self) -> u32;
    /// The number of seats.
    fn seats(&self) -> usize;
    /// Who is to move; `None` when the match is over.
    fn to_move(&self) -> Option<Seat>;
    /// How many legal moves there are.
    fn legal_len(&self) -> usize;
    /// Plays the legal move at `index` of the list.
    ///
    /// # Panics
    /// When there is no such move.
    fn play_nth(&mut self, index: usize);
    /// Plays the legal move at `index` of the list, and says what it did.
    ///
    /// # Panics
    /// When there is no such move.
    fn play_nth_in_steps(&mut self, index: usize) -> Vec<Step>;
    /// See [`Match::leave`].
    fn leave(&mut self, seat: Seat);
    /// See [`Match::ended`].
    fn ended(&self) -> Option<EndReason>;
    /// See [`Match::outcome`].
    fn outcome(&self) -> Option<Outcome>;
    /// Points as the match stands.
    fn points(&self) -> PerSeat<u32>;
    /// The board as it is drawn.
    fn view(&self) -> View;
    /// A copy with its history.
    fn boxed_clone(&self) -> Box<dyn AnyMatch>;

    /// Appends the position in its wire form, JSON without blanks.
    #[cfg(feature = "wire")]
    fn write_position(&self, out: &mut String);
    /// Appends the legal moves as a JSON array without blanks.
    #[cfg(feature = "wire")]
    fn write_legal(&self, out: &mut String);
    /// Which legal move `value` is.
    ///
    /// # Errors
    /// [`PlayError`] when it is none of them.
    #[cfg(feature = "wire")]
    fn find(&self, value: &serde_json::Value) -> Result<usize, PlayError>;
    /// The legal move at `index` in its wire form.
    #[cfg(feature = "wire")]
    fn nth_to_wire(&self, index: usize) -> Option<serde_json::Value>;
}

impl<R: Listed> AnyGame for R {
    fn info(&self) -> &'static GameInfo {
        R::INFO
    }
    fn options(&self) -> Options {
        Ruleset::options(self)
    }
    fn notices(&self) -> Vec<String> {
        Ruleset::notices(self)
    }
    fn seats(&self) -> usize {
        Ruleset::seats(self)
    }
    fn rotates_seats(&self) -> bool {
        Ruleset::rotates_seats(self)
    }
    fn start(&self) -> Box<dyn AnyMatch> {
        Box::new(Match::new(self.clone()))
    }
    #[cfg(feature = "wire")]
    fn start_from(&self, position: &str) -> Result<Box<dyn AnyMatch>, crate::wire::WireError> {
        let position = crate::wire::read_position(self, position)?;
        Ok(Box::new(Match::from_position(self.clone(), position)))
    }
}

impl<R: Listed> AnyMatch for Match<R> {
    fn ply(&self) -> u32 {
        Match::ply(self)
    }
    fn seats(&self) -> usize {
        self.ruleset().seats()
    }
    fn to_move(&self) -> Option<Seat> {
        Match::to_move(self)
    }
    fn legal_len(&self) -> usize {
        if Match::ended(self).is_some() {
            0
        } else {
            self.ruleset().legal_moves(self.position()).len()
        }
    }
    fn play_nth(&mut self, index: usize) {
        play_nth(self, index, &mut ());
    }
    fn play_nth_in_steps(&mut self, index: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        play_nth(self, index, &mut steps);
        steps
    }
    fn leave(&mut self, seat: Seat) {
        Match::leave(self, seat);
    }
    fn ended(&self) -> Option<EndReason> {
        Match::ended(self)
    }
    fn outcome(&self) -> Option<Outcome> {
        Match::outcome(self)
    }
    fn points(&self) -> PerSeat<u32> {
        self.ruleset().points(self.position())
    }
    fn view(&self) -> View {
        self.ruleset().view(self.position())
    }
    fn boxed_clone(&self) -> Box<dyn AnyMatch> {
        Box::new(self.clone())
    }
    #[cfg(feature = "wire")]
    fn write_position(&self, out: &mut String) {
        crate::wire::write_position(self.ruleset(), self.position(), out);
    }
    #[cfg(feature = "wire")]
    fn write_legal(&self, out: &mut String) {
        crate::wire::write_legal(self, out);
    }
    #[cfg(feature = "wire")]
    fn find(&self, value: &serde_json::Value) -> Result<usize, PlayError> {
        crate::wire::find(self, value)
    }
    #[cfg(feature = "wire")]
    fn nth_to_wire(&self, index: usize) -> Option<serde_json::Value> {
        let moves = self.ruleset().legal_moves(self.position());
        moves.get(index).map(|mv| self.ruleset().move_to_wire(mv))
    }
}

fn play_nth<R: Listed, W: Watch>(playing: &mut Match<R>, index: usize, watch: &mut W) {
    let moves = playing.ruleset().legal_moves(playing.position());
    let mv = moves.get(index).expect("the caller asks for a legal move");
    playing
        .play_watched(mv, watch)
        .expect("a move of the legal list is legal");
}
