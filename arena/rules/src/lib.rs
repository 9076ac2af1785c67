//! The rules of mancala games as pure functions on plain data.
//!
//! No I/O, no clock, no randomness, no logging; without the feature `wire` no serde either. A game implements
//! [`Ruleset`]; [`Match`] adds what needs the history of a match (repetition, the cap on plies, resignation); [`AnyGame`]
//! and [`AnyMatch`] are the same with the game chosen at run time. What is written once per game and what is shared:
//!
//! | a game's folder | everyone's |
//! |---|---|
//! | its position, its moves, [`Ruleset`], its wire form, its rules text and examples | seats, pit sets, options, outcomes, [`Match`] |
//!
//! Adding a game is its folder and its line in [`games!`](self#games) below.
//!
//! Seats and pits are 0-based. A row's pits are numbered in sowing order: from that player's left to right, the row's
//! last pit next to its store.
#![warn(missing_docs)]

mod any;
mod game;
mod moves;
mod options;
mod outcome;
mod play;
mod seat;
mod steps;
#[cfg(feature = "wire")]
pub mod wire;

pub mod kalah;
pub mod layli_goobalay;
pub mod mancala_basic;

pub use any::{AnyGame, AnyMatch, GameError, Listed, Visitor};
pub use game::{Cell, Example, GameInfo, Limits, Row, Ruleset, Source, View};
pub use moves::{Moves, Pit, PitSet};
pub use options::{OptionError, OptionInfo, OptionKind, OptionValue, Options};
pub use outcome::{EndReason, Outcome};
pub use play::{Match, PlayError};
pub use seat::{PerSeat, SEATS_MAX, Seat};
pub use steps::{Hand, Place, Step, Watch};

/// Makes the list of games: `infos`, and `visit`, which builds one by name.
macro_rules! games {
    ($($game:ty),+ $(,)?) => {
        /// What is known of every game, in the order of the list.
        pub fn infos() -> Vec<&'static GameInfo> {
            vec![$(<$game as Ruleset>::INFO),+]
        }

        /// Builds the game called `name` with `options` and hands it to `visitor`.
        ///
        /// # Errors
        /// [`GameError`] for an unknown name, an unknown option, or a value out of range.
        pub fn visit<V: Visitor>(
            name: &str,
            options: &[(String, String)],
            visitor: V,
        ) -> Result<V::Output, GameError> {
            $(if name == <$game as Ruleset>::INFO.name {
                let options = Options::parse(<$game as Ruleset>::INFO, options)?;
                return Ok(visitor.visit(<$game as Ruleset>::from_options(&options)?));
            })+
            Err(GameError::UnknownGame {
                name: name.to_owned(),
                known: infos().iter().map(|info| info.name).collect(),
            })
        }
    };
}

games![layli_goobalay::LayliGoobalay, mancala_basic::MancalaBasic, kalah::Kalah];

/// Builds the game called `name` for use behind [`AnyGame`].
///
/// # Errors
/// As [`visit`].
pub fn open(name: &str, options: &[(String, String)]) -> Result<std::sync::Arc<dyn AnyGame>, GameError> {
    struct Open;
    impl Visitor for Open {
        type Output = std::sync::Arc<dyn AnyGame>;
        fn visit<R: Listed>(self, ruleset: R) -> Self::Output {
            std::sync::Arc::new(ruleset)
        }
    }
    visit(name, options, Open)
}

/// Splits `NAME[:key=value,...]`, the way a game is written on a command line, and builds the game.
///
/// # Errors
/// As [`visit`], and [`GameError::Syntax`] where `=` is missing.
pub fn open_text(text: &str) -> Result<std::sync::Arc<dyn AnyGame>, GameError> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    let options = rest
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| match part.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
            None => Err(GameError::Syntax { part: part.to_owned() }),
        })
        .collect::<Result<Vec<_>, _>>()?;
    open(name.trim(), &options)
}
