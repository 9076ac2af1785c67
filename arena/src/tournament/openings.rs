//! Openings: a function from an opening's number to a start position, its own for each seed.
//!
//! Random plies: all distinct positions at that depth are found, shuffled, and taken in turn, so none repeats before
//! all have been played. Where they are too many to find, the deepest level that can be found is shuffled and taken in
//! turn, and the plies that are left are random: two openings can then be the same only where different moves lead to
//! one position, or after a whole turn through that level.
//!
//! An opening becomes ply 0 of its match: what was played to reach it does not count against the game's limits.

use std::collections::HashSet;
use std::sync::Arc;

use mancala_arena_rules::{AnyGame, AnyMatch};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::schedule::draw;
use crate::config::OpeningSource;

/// The most positions that are found and kept; with Kalah's usual board all openings of 5 plies.
const POSITIONS_MAX: usize = 20_000;

/// How many random walks say whether matches last long enough, and how many of them must.
const TRIALS: (u64, usize) = (64, 16);

/// Why there are no openings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningError {
    /// Matches are over too early.
    #[error(
        "{plies} opening plies: {} of {game} are over before that; ask for fewer, 4 for example",
        if *all { "all matches" } else { "most matches" }
    )]
    TooDeep {
        /// Plies asked for.
        plies: u32,
        /// The game.
        game: &'static str,
        /// Whether no match lasts as long.
        all: bool,
    },
    /// A list without entries.
    #[error("the list of openings is empty; give at least one position")]
    Empty,
    /// A position of the list that cannot be played from.
    #[error("opening {number}: {reason}")]
    Position {
        /// Its number in the list, from 1.
        number: usize,
        /// What is wrong.
        reason: String,
    },
}

/// The openings of a tournament.
#[derive(Debug)]
pub struct Openings {
    game: Arc<dyn AnyGame>,
    /// Distinct positions, in the order in which they are taken.
    positions: Vec<Box<dyn AnyMatch>>,
    /// Random plies from one of them to the opening.
    plies_left: u32,
    seed: u64,
}

impl Openings {
    /// The openings of a plan.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn new(game: &Arc<dyn AnyGame>, source: &OpeningSource, seed: u64) -> Result<Openings, OpeningError> {
        let (positions, plies_left) = match source {
            OpeningSource::RandomPlies(plies) => {
                let (mut positions, depth) = level(game.as_ref(), *plies);
                if positions.is_empty() {
                    return Err(too_deep(game.as_ref(), *plies, true));
                }
                shuffle(&mut positions, &mut generator(seed, None));
                (positions, plies - depth)
            }
            OpeningSource::List(list) => (listed(game.as_ref(), list)?, 0),
        };
        let openings = Openings {
            game: game.clone(),
            positions: positions.iter().map(|text| start_from(game.as_ref(), text)).collect(),
            plies_left,
            seed,
        };
        if let OpeningSource::RandomPlies(plies) = *source
            && plies_left > 0
        {
            let lasting = (0..TRIALS.0).filter(|&index| openings.walk(index, 0).is_some());
            match lasting.count() {
                0 => return Err(too_deep(game.as_ref(), plies, true)),
                lasting if lasting < TRIALS.1 => return Err(too_deep(game.as_ref(), plies, false)),
                _ => {}
            }
        }
        Ok(openings)
    }

    /// The match from the opening with this number, which is the same for the same game, source and seed.
    pub fn get(&self, index: u64) -> Box<dyn AnyMatch> {
        // Most walks last, as `new` has made sure.
        let start = (0..).find_map(|attempt| self.walk(index, attempt));
        let start = start.expect("there is no end of attempts");
        if self.plies_left == 0 {
            start
        } else {
            // The plies that lead to an opening are no plies of the match.
            start_from(self.game.as_ref(), &position_of(start.as_ref()))
        }
    }

    /// How many different openings there are; `None` when they are too many to count.
    pub fn distinct(&self) -> Option<u64> {
        (self.plies_left == 0).then_some(self.positions.len() as u64)
    }

    /// What a user should know before playing `rotations` openings.
    pub fn notice(&self, rotations: u64) -> Option<String> {
        let distinct = self.distinct().filter(|distinct| *distinct < rotations)?;
        Some(match distinct {
            1 => format!(
                "all {rotations} rotations start from the same position: bots that do not vary their moves will \
                 repeat themselves"
            ),
            _ => format!("{rotations} rotations share {distinct} different openings, taken in turn"),
        })
    }

    /// The match that the random plies of an attempt lead to, unless it is over by then. A first attempt begins at the
    /// position whose turn it is, another one anywhere.
    fn walk(&self, index: u64, attempt: u64) -> Option<Box<dyn AnyMatch>> {
        let turn = (index % self.positions.len() as u64) as usize;
        if self.plies_left == 0 {
            return Some(self.positions[turn].boxed_clone());
        }
        let mut random = generator(self.seed, Some(index));
        random.set_stream(attempt);
        let from = if attempt == 0 {
            turn
        } else {
            below(&mut random, self.positions.len())
        };
        let mut playing = self.positions[from].boxed_clone();
        for _ in 0..self.plies_left {
            if playing.ended().is_some() {
                return None;
            }
            playing.play_nth(below(&mut random, playing.legal_len()));
        }
        playing.ended().is_none().then_some(playing)
    }
}

fn start_from(game: &dyn AnyGame, position: &str) -> Box<dyn AnyMatch> {
    let start = game.start_from(position);
    start.expect("the game reads the positions it has written")
}

fn too_deep(game: &dyn AnyGame, plies: u32, all: bool) -> OpeningError {
    OpeningError::TooDeep {
        plies,
        game: game.info().name,
        all,
    }
}

/// The positions at ply `plies` that are not over, or those of the deepest ply before it that are few enough, and which
/// ply that is. Ordered, for the order of a hash set differs from run to run.
fn level(game: &dyn AnyGame, plies: u32) -> (Vec<String>, u32) {
    let mut level = vec![game.start()];
    for ply in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for playing in &level {
            for index in 0..playing.legal_len() {
                let mut child = playing.boxed_clone();
                child.play_nth(index);
                if child.ended().is_none() && seen.insert(position_of(child.as_ref())) {
                    next.push(child);
                }
            }
            if next.len() > POSITIONS_MAX {
                return (positions_of(&level), ply);
            }
        }
        if next.is_empty() {
            return (Vec::new(), ply);
        }
        level = next;
    }
    (positions_of(&level), plies)
}

fn positions_of(level: &[Box<dyn AnyMatch>]) -> Vec<String> {
    level.iter().map(|playing| position_of(playing.as_ref())).collect()
}

fn position_of(playing: &dyn AnyMatch) -> String {
    let mut text = String::new();
    playing.write_position(&mut text);
    text
}

/// The list in the game's own spelling.
fn listed(game: &dyn AnyGame, list: &[String]) -> Result<Vec<String>, OpeningError> {
    let read = |(index, text): (usize, &String)| {
        read_opening(game, text).map_err(|reason| OpeningError::Position {
            number: index + 1,
            reason,
        })
    };
    let positions = list.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
    if positions.is_empty() {
        Err(OpeningError::Empty)
    } else {
        Ok(positions)
    }
}

/// A position as the game itself writes it, or why no match can start from it.
pub(crate) fn read_opening(game: &dyn AnyGame, text: &str) -> Result<String, String> {
    let start = game.start_from(text).map_err(|error| error.to_string())?;
    if start.ended().is_some() {
        return Err("the match is over in this position; give one with a move to play".to_owned());
    }
    Ok(position_of(start.as_ref()))
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], random: &mut ChaCha8Rng) {
    for at in (1..items.len()).rev() {
        items.swap(at, below(random, at + 1));
    }
}

/// The generator of opening `index`, or of the order of all.
fn generator(seed: u64, index: Option<u64>) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(match index {
        Some(index) => draw("opening", seed, index),
        None => draw("order of openings", seed, 0),
    })
}

/// A number below `bound`. Favours none by more than `bound` in 2^64.
pub(super) fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests;
