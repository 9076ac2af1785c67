//! Openings: the start positions of a tournament, distinct and none finished.
//!
//! Random openings are drawn once, before the first match, from a generator of their own: ChaCha8 (D. J. Bernstein 2008),
//! keyed from the plan's seed. Where the positions at the wanted depth are few, all of them are found and shuffled;
//! otherwise random plies are played until enough distinct ones are there.

use std::collections::HashSet;
use std::sync::Arc;

use mancala_arena_rules::{AnyGame, AnyMatch};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::schedule::seed_of;
use crate::config::OpeningSource;

/// Up to this many positions of one depth all of them are looked for.
const POSITIONS_SEARCHED: usize = 5_000;

/// A tournament never has more openings than this; a longer one goes through them again.
const OPENINGS_MAX: u64 = 10_000;

/// Random matches tried for each opening that is wanted.
const TRIES: u64 = 100;

/// The openings of a tournament.
#[derive(Debug)]
pub struct Openings {
    game: Arc<dyn AnyGame>,
    positions: Vec<String>,
}

/// Why there are no openings.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OpeningError {
    /// Every match is over sooner.
    #[error("no opening after {plies} random plies: every match is over by then; use fewer opening plies")]
    TooDeep {
        /// How many were asked for.
        plies: u32,
    },
    /// A position of the list is none.
    #[error("opening {number}: {problem}")]
    Bad {
        /// Its place in the list, from 1.
        number: usize,
        /// What is wrong.
        problem: String,
    },
    /// An empty list.
    #[error("the list of openings is empty")]
    Empty,
}

impl Openings {
    /// The openings for `rotations` rounds.
    ///
    /// # Errors
    /// [`OpeningError`].
    pub fn new(
        game: &Arc<dyn AnyGame>,
        source: &OpeningSource,
        rotations: u64,
        seed: u64,
    ) -> Result<Openings, OpeningError> {
        let positions = match source {
            OpeningSource::List(positions) => {
                for (index, position) in positions.iter().enumerate() {
                    check(&**game, position).map_err(|problem| OpeningError::Bad {
                        number: index + 1,
                        problem,
                    })?;
                }
                positions.clone()
            }
            OpeningSource::RandomPlies(0) => vec![text(&*game.start())],
            OpeningSource::RandomPlies(plies) => {
                let wanted = rotations.min(OPENINGS_MAX) as usize;
                let mut rng = ChaCha8Rng::seed_from_u64(seed_of(seed, "openings", 0));
                let found = match all_at_depth(&**game, *plies) {
                    Some(mut all) => {
                        shuffle(&mut all, &mut rng);
                        all.truncate(wanted);
                        all
                    }
                    None => draw(&**game, *plies, wanted, &mut rng),
                };
                if found.is_empty() {
                    return Err(OpeningError::TooDeep { plies: *plies });
                }
                found
            }
        };
        if positions.is_empty() {
            return Err(OpeningError::Empty);
        }
        Ok(Openings {
            game: Arc::clone(game),
            positions,
        })
    }

    /// How many distinct openings there are; later rounds go through them again.
    pub fn distinct(&self) -> u64 {
        self.positions.len() as u64
    }

    /// The match from the opening with this index.
    pub fn get(&self, index: u64) -> Box<dyn AnyMatch> {
        let position = &self.positions[(index % self.distinct()) as usize];
        self.game
            .start_from(position)
            .expect("the position was checked or written by the rules")
    }
}

/// Whether a match can be played from `position`.
///
/// # Errors
/// What is wrong with it, in words.
pub fn check(game: &dyn AnyGame, position: &str) -> Result<(), String> {
    let start = game.start_from(position).map_err(|error| error.to_string())?;
    if start.ended().is_some() {
        Err("the match is over in this position".to_owned())
    } else {
        Ok(())
    }
}

/// Every distinct position that goes on after exactly `plies` plies; `None` when there are too many on the way.
fn all_at_depth(game: &dyn AnyGame, plies: u32) -> Option<Vec<String>> {
    let mut level = vec![game.start()];
    for _ in 0..plies {
        let mut seen = HashSet::new();
        let mut next = Vec::new();
        for position in &level {
            for index in 0..position.legal_len() {
                let mut after = position.boxed_clone();
                after.play_nth(index);
                if after.ended().is_none() && seen.insert(text(&*after)) {
                    next.push(after);
                }
            }
            if next.len() > POSITIONS_SEARCHED {
                return None;
            }
        }
        level = next;
    }
    Some(level.iter().map(|position| text(&**position)).collect())
}

/// Up to `wanted` distinct positions after exactly `plies` random plies.
fn draw(game: &dyn AnyGame, plies: u32, wanted: usize, rng: &mut ChaCha8Rng) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for _ in 0..TRIES * wanted as u64 {
        if found.len() == wanted {
            break;
        }
        let mut position = game.start();
        for _ in 0..plies {
            if position.ended().is_none() {
                position.play_nth(below(rng, position.legal_len()));
            }
        }
        if position.ended().is_none() && seen.insert(text(&*position)) {
            found.push(text(&*position));
        }
    }
    found
}

fn text(position: &dyn AnyMatch) -> String {
    let mut text = String::new();
    position.write_position(&mut text);
    text
}

/// R. Durstenfeld's form (1964) of the Fisher-Yates shuffle.
fn shuffle(values: &mut [String], rng: &mut ChaCha8Rng) {
    for last in (1..values.len()).rev() {
        values.swap(last, below(rng, last + 1));
    }
}

/// A number below `bound`; the bias of one in 2^64 over `bound` does not matter here.
fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    ((u128::from(rng.next_u64()) * bound as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn openings(game: &str, plies: u32, rotations: u64, seed: u64) -> Result<Openings, OpeningError> {
        let game = mancala_arena_rules::open_text(game).unwrap();
        Openings::new(&game, &OpeningSource::RandomPlies(plies), rotations, seed)
    }

    #[test]
    fn openings_are_distinct_unfinished_and_the_same_for_the_same_seed() {
        for info in mancala_arena_rules::infos() {
            for plies in [1, 4, 9] {
                let (one, two) = (
                    openings(info.name, plies, 50, 3).unwrap(),
                    openings(info.name, plies, 50, 3).unwrap(),
                );
                assert_eq!(one.positions, two.positions);
                let distinct: HashSet<_> = one.positions.iter().collect();
                assert_eq!(distinct.len(), one.positions.len());
                assert!(plies == 1 || one.distinct() == 50, "{}: {}", info.name, one.distinct());
                assert!((0..one.distinct()).all(|index| one.get(index).ended().is_none()));
                assert!(plies == 1 || one.positions != openings(info.name, plies, 50, 4).unwrap().positions);
            }
        }
    }

    #[test]
    fn a_long_tournament_goes_through_its_openings_again() {
        let few = openings("kalah", 1, 10_000_000, 1).unwrap();
        assert_eq!(few.distinct(), 6);
        let mut texts = [String::new(), String::new()];
        few.get(1).write_position(&mut texts[0]);
        few.get(7).write_position(&mut texts[1]);
        assert_eq!(texts[0], texts[1]);
    }

    #[test]
    fn without_random_plies_there_is_the_start_position() {
        let only = openings("kalah", 0, 50, 1).unwrap();
        assert_eq!((only.distinct(), only.get(3).ply()), (1, 0));
    }

    #[test]
    fn openings_that_cannot_be_are_refused() {
        let error = openings("kalah:pits=1,seeds=1", 4, 1, 1).unwrap_err();
        assert_eq!(error, OpeningError::TooDeep { plies: 4 });
        let game = mancala_arena_rules::open_text("kalah").unwrap();
        let list = |positions: &[&str]| {
            let positions = positions.iter().map(|text| (*text).to_owned()).collect();
            Openings::new(&game, &OpeningSource::List(positions), 1, 1).map(|_| ())
        };
        assert_eq!(list(&[]), Err(OpeningError::Empty));
        let over = r#"{"pits":[[0,0,0,0,0,0],[0,0,0,0,0,0]],"stores":[24,24],"to_move":null}"#;
        let problem = "the match is over in this position".to_owned();
        assert_eq!(list(&[over]), Err(OpeningError::Bad { number: 1, problem }));
        assert!(matches!(list(&["{}"]), Err(OpeningError::Bad { number: 1, .. })));
    }
}
