//! The schedule: a function from a match's id to who plays, from which opening, with which seed.
//!
//! Nothing is laid out in advance, so a plan of ten million rotations starts as fast as one of ten. Ids run round by
//! round: a round gives every group of bots one opening in every order of seats, so all pairings advance together, and
//! one opening serves all groups of a round.
//!
//! The matches of a rotation have consecutive ids, and each of its bots sits once in every seat. For three and four
//! seats, who sits behind whom changes from round to round as well.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::pairings::LADDER_BOTS_MAX;
use super::tables::{Tables, pairs_of};

/// The most matches a schedule may have: the largest number that every reader of JSON holds exactly.
pub const MATCHES_MAX: u64 = 1 << 53;

/// The most bots a schedule takes.
pub const BOTS_MAX: usize = 1_000;

/// A match's place in its plan's schedule, fixed before play: its key in store, record and seed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct MatchId(pub u64);

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A match as the schedule fixes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scheduled {
    /// Its id.
    pub id: MatchId,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The bot of each seat, by its place in the plan's list.
    pub bots: Vec<usize>,
    /// Which opening.
    pub opening: u64,
    /// The seed handed to the bots, below 2^53.
    pub seed: u64,
}

/// Why there is no schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// Not enough to fill a table.
    #[error(
        "{bots} {} for a game of {seats} seats; add {}: the same program may be listed again under another name",
        if *bots == 1 { "bot" } else { "bots" }, seats - bots
    )]
    TooFewBots {
        /// How many there are.
        bots: usize,
        /// How many are needed.
        seats: usize,
    },
    /// Not enough beside the named bots of a gauntlet.
    #[error(
        "a gauntlet with {others} {} beside the named ones; a match has one of those and {needed} of the others",
        if *others == 1 { "bot" } else { "bots" }
    )]
    TooFewOthers {
        /// How many there are.
        others: usize,
        /// How many are needed.
        needed: usize,
    },
    /// More than [`BOTS_MAX`].
    #[error("{bots} bots; a schedule takes at most {BOTS_MAX}")]
    TooManyBots {
        /// How many there are.
        bots: usize,
    },
    /// More than a ladder takes.
    #[error("{bots} bots; a ladder takes at most {LADDER_BOTS_MAX}, other formats up to {BOTS_MAX}")]
    TooManyForLadder {
        /// How many there are.
        bots: usize,
    },
    /// Nothing to play.
    #[error("0 rotations leave nothing to play; ask for at least 1")]
    NoRotations,
    /// More than [`MATCHES_MAX`].
    #[error(
        "{rotations} rotations of {per_round} matches are more than {MATCHES_MAX} matches; at most {most} rotations fit"
    )]
    TooManyMatches {
        /// Rotations asked for.
        rotations: u64,
        /// Matches that each adds.
        per_round: u64,
        /// The most that fit.
        most: u64,
    },
}

/// Every match of a tournament, each computed when it is asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    tables: Tables,
    bots: usize,
    seats: usize,
    rounds: u64,
    rotates_seats: bool,
    seed: u64,
}

impl Schedule {
    /// The schedule in which each group of bots plays `rotations` openings.
    ///
    /// With `rotates_seats` each opening is played in as many matches as there are seats, each bot once in each seat;
    /// without, in one match, the bots seated in the plan's order.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn new(
        bots: usize,
        seats: usize,
        rotations: u64,
        rotates_seats: bool,
        seed: u64,
    ) -> Result<Schedule, ScheduleError> {
        check_bots(bots, seats)?;
        let tables = Tables::new(bots, seats);
        Schedule::of(tables, bots, seats, rotations, rotates_seats, seed)
    }

    /// As [`Schedule::new`], of the groups that have exactly one of the `named` bots in them.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn gauntlet(
        named: &[usize],
        bots: usize,
        seats: usize,
        rotations: u64,
        rotates_seats: bool,
        seed: u64,
    ) -> Result<Schedule, ScheduleError> {
        check_bots(bots, seats)?;
        let (others, needed) = (bots - named.len(), seats - 1);
        if others < needed {
            return Err(ScheduleError::TooFewOthers { others, needed });
        }
        let tables = Tables::gauntlet(named, bots, seats);
        Schedule::of(tables, bots, seats, rotations, rotates_seats, seed)
    }

    fn of(
        tables: Tables,
        bots: usize,
        seats: usize,
        rotations: u64,
        rotates_seats: bool,
        seed: u64,
    ) -> Result<Schedule, ScheduleError> {
        if rotations == 0 {
            return Err(ScheduleError::NoRotations);
        }
        let schedule = Schedule {
            tables,
            bots,
            seats,
            rounds: rotations,
            rotates_seats,
            seed,
        };
        let per_round = schedule.groups() * schedule.rotation_len();
        let most = MATCHES_MAX / per_round;
        if rotations > most {
            return Err(ScheduleError::TooManyMatches {
                rotations,
                per_round,
                most,
            });
        }
        Ok(schedule)
    }

    /// The number of matches; ids are `0..len()`.
    #[expect(clippy::len_without_is_empty, reason = "a schedule has at least one match")]
    pub fn len(&self) -> u64 {
        self.rounds * self.groups() * self.rotation_len()
    }

    /// Rounds, each with an opening of its own.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Groups of bots in a round.
    pub fn groups(&self) -> u64 {
        self.tables.per_round()
    }

    /// Matches of a rotation.
    pub fn rotation_len(&self) -> u64 {
        if self.rotates_seats { self.seats as u64 } else { 1 }
    }

    /// The match with this id.
    ///
    /// # Panics
    /// When `id` is not below [`Schedule::len`].
    pub fn get(&self, id: MatchId) -> Scheduled {
        assert!(id.0 < self.len(), "match {id} of a schedule of {} matches", self.len());
        let (rotation, order) = (id.0 / self.rotation_len(), id.0 % self.rotation_len());
        let (round, group) = (rotation / self.groups(), rotation % self.groups());
        let mut bots = self.neighbours(round, group);
        if self.rotates_seats {
            bots.rotate_left(((round + order) % self.seats as u64) as usize);
        }
        Scheduled {
            id,
            rotation,
            bots,
            opening: round,
            seed: match_seed(self.seed, id),
        }
    }

    /// The bots of a group in the order in which they sit round the board, whoever sits first.
    fn neighbours(&self, round: u64, group: u64) -> Vec<usize> {
        let members = self.tables.members(round, group);
        if !self.rotates_seats {
            return members;
        }
        let circles = circles(self.seats);
        // When the groups come again, they sit in another circle.
        let period = self.tables.period();
        let turn = round / period + round % period + group;
        let circle = circles[(turn % circles.len() as u64) as usize];
        circle.iter().map(|&at| members[at]).collect()
    }

    /// How evenly the matches are spread, counted.
    pub fn balance(&self) -> Balance {
        let (bots, seats) = (self.bots, self.seats);
        let mut plays = vec![0; bots];
        let mut meets = vec![0; bots * bots];
        let mut sits = vec![0; bots * seats];
        let mut follows = vec![0; bots * bots];
        // Rounds of one class seat the same neighbours.
        let classes = self.tables.period() * circles(seats).len() as u64;
        for class in 0..classes.min(self.rounds) {
            let rounds = self.rounds / classes + u64::from(class < self.rounds % classes);
            for group in 0..self.groups() {
                let circle = self.neighbours(class, group);
                let matches = rounds * self.rotation_len();
                for (seat, &bot) in circle.iter().enumerate() {
                    plays[bot] += matches;
                    follows[bot * bots + circle[(seat + 1) % seats]] += matches;
                    if self.rotates_seats {
                        (0..seats).for_each(|seat| sits[bot * seats + seat] += rounds);
                    } else {
                        sits[bot * seats + seat] += rounds;
                    }
                }
                for (a, b) in pairs_of(&circle) {
                    meets[a.min(b) * bots + a.max(b)] += matches;
                }
            }
        }
        let named: &[usize] = match &self.tables {
            Tables::Gauntlet { named, .. } => named,
            _ => &[],
        };
        let (named, others): (Vec<usize>, Vec<usize>) = (0..bots).partition(|bot| named.contains(bot));
        // In a gauntlet two of the others need not meet, and two of the named never do.
        let pairs = || {
            let pairs = (0..bots).flat_map(|a| (a + 1..bots).map(move |b| (a, b)));
            pairs.filter(|(a, b)| named.is_empty() || named.contains(a) != named.contains(b))
        };
        let ordered = || (0..bots * bots).filter(|at| at / bots != at % bots);
        Balance {
            bots: self.bots,
            matches: self.len(),
            per_named: (!named.is_empty()).then(|| Spread::of(named.iter().map(|bot| plays[*bot]))),
            per_bot: Spread::of(others.iter().map(|bot| plays[*bot])),
            per_pair: Spread::of(pairs().map(|(a, b)| meets[a * bots + b])),
            per_seat: Spread::of(
                others
                    .iter()
                    .flat_map(|bot| &sits[bot * seats..(bot + 1) * seats])
                    .copied(),
            ),
            per_neighbour: (seats > 2 && named.is_empty()).then(|| Spread::of(ordered().map(|at| follows[at]))),
        }
    }
}

pub(super) fn check_bots(bots: usize, seats: usize) -> Result<(), ScheduleError> {
    if bots < seats {
        return Err(ScheduleError::TooFewBots { bots, seats });
    }
    if bots > BOTS_MAX {
        return Err(ScheduleError::TooManyBots { bots });
    }
    Ok(())
}

/// How evenly a schedule spreads its matches. Reads as a sentence for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Balance {
    /// Bots.
    pub bots: usize,
    /// Matches.
    pub matches: u64,
    /// Matches of a named bot, in a gauntlet. What follows is then of the other bots.
    pub per_named: Option<Spread>,
    /// Matches of a bot.
    pub per_bot: Spread,
    /// Matches in which two bots sit together; in a gauntlet, a named one and another.
    pub per_pair: Spread,
    /// Matches of a bot in one seat.
    pub per_seat: Spread,
    /// Matches in which one bot moves right after another; absent with two seats, where it says nothing new, and in a
    /// gauntlet.
    pub per_neighbour: Option<Spread>,
}

/// The least and the most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread {
    /// The least.
    pub min: u64,
    /// The most.
    pub max: u64,
}

impl Spread {
    fn of(counts: impl Iterator<Item = u64>) -> Spread {
        let start = Spread { min: u64::MAX, max: 0 };
        counts.fold(start, |spread, count| Spread {
            min: spread.min.min(count),
            max: spread.max.max(count),
        })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (1, 1) => f.write_str("once"),
            (min, max) if min == max => write!(f, "{min} times"),
            (min, max) => write!(f, "{min} to {max} times"),
        }
    }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(per_named) = self.per_named {
            return write!(
                f,
                "{} matches of {} bots: each named bot plays {per_named} and meets each other bot {}; each of those plays \
                 {} and takes each seat {}",
                self.matches, self.bots, self.per_pair, self.per_bot, self.per_seat
            );
        }
        write!(
            f,
            "{} matches of {} bots: each bot plays {}, each pair meets {}, each bot takes each seat {}",
            self.matches, self.bots, self.per_bot, self.per_pair, self.per_seat
        )?;
        match self.per_neighbour {
            Some(spread) => write!(f, ", each bot moves right after each other {spread}"),
            None => Ok(()),
        }
    }
}

/// The ways to sit round a board, an order next to its reverse, so that two rounds already even out.
pub(super) fn circles(seats: usize) -> &'static [&'static [usize]] {
    match seats {
        2 => &[&[0, 1]],
        3 => &[&[0, 1, 2], &[0, 2, 1]],
        _ => &[
            &[0, 1, 2, 3],
            &[0, 3, 2, 1],
            &[0, 2, 1, 3],
            &[0, 3, 1, 2],
            &[0, 2, 3, 1],
            &[0, 1, 3, 2],
        ],
    }
}

/// 53 bits, so that every reader of JSON holds the seed exactly.
pub(super) fn match_seed(plan_seed: u64, id: MatchId) -> u64 {
    let bytes = draw("match seed", plan_seed, id.0);
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")) >> 11
}

/// 32 bytes that depend on all of: what they are for, the plan's seed, an index.
pub(super) fn draw(purpose: &str, plan_seed: u64, index: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key(&format!("mancala arena 1: {purpose}"));
    hasher.update(&plan_seed.to_le_bytes());
    hasher.update(&index.to_le_bytes());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests;
