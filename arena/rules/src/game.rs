//! What a game is.

use std::fmt::Debug;
use std::hash::Hash;

use crate::{Moves, OptionError, OptionInfo, Options, Outcome, PerSeat, PlayError, Seat, Watch};

/// A ruleset of a game with its option values: pure functions over its positions.
///
/// Implemented in the same order of items in every game.
pub trait Ruleset: Clone + Debug + Send + Sync + Sized + 'static {
    /// All that is on the board, and who is to move. Holds no history: see [`Match`](crate::Match).
    type Position: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// A choice of the seat to move.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// A list of moves, held by value.
    type Moves: Moves<Move = Self::Move>;

    /// Name, options, rules text and sources.
    const INFO: &'static GameInfo;

    /// The ruleset with these options, which have been checked one by one against [`GameInfo::options`].
    ///
    /// # Errors
    /// [`OptionError`] where options do not fit together.
    fn from_options(options: &Options) -> Result<Self, OptionError>;

    /// The options in force, all of them, in the order of [`GameInfo::options`].
    fn options(&self) -> Options;

    /// What a user should be told about the options in force: a documented fall-back that has taken place.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many seats there are, 2 to [`SEATS_MAX`](crate::SEATS_MAX).
    fn seats(&self) -> usize;

    /// Whether the bots of a group change seats from match to match, so that everyone starts equally often.
    fn rotates_seats(&self) -> bool {
        true
    }

    /// What ends a match that the rules do not end.
    fn limits(&self) -> Limits;

    /// The position before the first ply.
    fn start(&self) -> Self::Position;

    /// Who is to move; `None` when the match is over.
    fn to_move(&self, position: &Self::Position) -> Option<Seat>;

    /// The legal moves of the seat to move, in ascending order; empty exactly when the match is over. Allocates nothing.
    fn legal_moves(&self, position: &Self::Position) -> Self::Moves;

    /// Whether `mv` is legal.
    ///
    /// # Errors
    /// [`PlayError`], which says why not.
    fn check(&self, position: &Self::Position, mv: Self::Move) -> Result<(), PlayError>;

    /// Plays a legal move. Allocates nothing.
    ///
    /// An illegal move gives an unspecified position or a panic: [`Match::play`](crate::Match::play) checks first.
    fn play(&self, position: &mut Self::Position, mv: Self::Move) {
        self.play_watched(position, mv, &mut ());
    }

    /// Plays a legal move as [`play`](Self::play) does, and tells `watch` of every step.
    fn play_watched<W: Watch>(&self, position: &mut Self::Position, mv: Self::Move, watch: &mut W);

    /// Takes `seat` out of the match by resignation or forfeit, and says whether the rest play on. `false`: the match
    /// is over, `seat` is last. A game of two seats needs no more than this default.
    fn leave(&self, _position: &mut Self::Position, _seat: Seat) -> bool {
        false
    }

    /// Ends the match now and counts it as at a normal end.
    fn finish(&self, position: &mut Self::Position) {
        self.finish_watched(position, &mut ());
    }

    /// Ends the match as [`finish`](Self::finish) does, and tells `watch` of every step.
    fn finish_watched<W: Watch>(&self, position: &mut Self::Position, watch: &mut W);

    /// Places and points, once the match is over.
    fn outcome(&self, position: &Self::Position) -> Option<Outcome>;

    /// The points of each seat if the match were counted as it stands.
    fn points(&self, position: &Self::Position) -> PerSeat<u32>;

    /// A rough measure of how well each seat stands, more is better, in seeds. No part of the rules: it is what
    /// a simple bot looks at.
    fn standing(&self, position: &Self::Position) -> PerSeat<i32>;

    /// The board as it is drawn.
    fn view(&self, position: &Self::Position) -> View;
}

/// What is known of a game without building it.
#[derive(Debug)]
pub struct GameInfo {
    /// The name in commands and on the wire: lower case, words joined by `-`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The least and the largest number of seats.
    pub seats: (usize, usize),
    /// Every option, with its range and default.
    pub options: &'static [OptionInfo],
    /// The rules for a player, in Markdown.
    pub rules: &'static str,
    /// What the points of an outcome count.
    pub points: &'static str,
    /// Plies that show a rule, played by tests and drawn for people.
    pub examples: &'static [Example],
    /// Where the rules come from.
    pub sources: &'static [Source],
}

/// A written source of a game's rules.
#[derive(Debug)]
pub struct Source {
    /// Author, title, year, where.
    pub text: &'static str,
    /// What we took from it.
    pub used_for: &'static str,
}

/// Plies from the start position, the last of which shows something.
#[derive(Debug)]
pub struct Example {
    /// What the last ply shows.
    pub caption: &'static str,
    /// The game's options as on a command line, without the name: `pits=4,seeds=3`.
    pub options: &'static str,
    /// The plies, as pits of the mover's row.
    pub moves: &'static [u8],
    /// Each row after the last ply, for the test: `4,4,0,5/5,5,5,4`.
    pub rows_after: &'static str,
}

/// What ends a match that the rules do not end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The occurrence of one position that ends the match; `None` where the rules make repetition impossible.
    pub repetitions: Option<u8>,
    /// Plies after which the match ends.
    pub plies: u32,
}

/// The board as it is drawn: rows by seat, each pit in sowing order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// One row per seat.
    pub rows: Vec<Row>,
    /// Who is to move.
    pub to_move: Option<Seat>,
}

/// One seat's part of the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The pits in sowing order.
    pub cells: Vec<Cell>,
    /// Seeds in the store, or captured.
    pub store: u32,
    /// `false` once the row has left the board.
    pub in_play: bool,
}

/// One pit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Seeds in it.
    pub seeds: u32,
    /// Whose special pit it is (an uur of Layli Goobalay).
    pub owner: Option<Seat>,
}

impl Cell {
    /// A pit that is nobody's special pit.
    pub fn ordinary(seeds: impl Into<u32>) -> Cell {
        Cell {
            seeds: seeds.into(),
            owner: None,
        }
    }
}
