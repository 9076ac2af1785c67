//! Which match comes next: a state machine without I/O over all formats.
//!
//! [`Pairings::next`] gives out each match once, [`Pairings::settle`] takes what came of it. The matches of a fixed format
//! are a function of their ids, and settling them does nothing. The ids of the others are fixed before play as well; who
//! plays under an id hangs on the results of matches with lower ids, and on nothing else: not on how many matches
//! run side by side, nor on the order in which they end.

mod knockout;
mod ladder;
mod matching;
mod rounds;
mod separation;
mod swiss;
#[cfg(test)]
mod tests;

pub use knockout::{EXTRA_ROTATIONS_MAX, Knockout, winner};
pub use ladder::{LADDER_BOTS_MAX, Ladder};
pub use rounds::{Form, Round, Rounds, Table};
pub use separation::ERROR;
pub use swiss::{Swiss, SwissLine, standings};

use std::ops::RangeInclusive;

use super::schedule::{check_bots, circles, match_seed};
use super::{MATCHES_MAX, MatchId, Schedule, ScheduleError, Scheduled, Shard};
use crate::config::{Format, Goal, Plan};
use crate::store::DoneSet;

/// What comes next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// This match.
    Match(Scheduled),
    /// That hangs on matches that have been given out and are not settled.
    Wait,
    /// Nothing.
    End,
}

/// A result that does not belong to the tournament: the results file is not whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// What it hangs on is missing.
    #[error("match {id} is stored, but not all matches that its pairing hangs on; the results file has lost some")]
    TooEarly {
        /// The match.
        id: MatchId,
    },
    /// Other bots.
    #[error("match {id} is stored with other bots than the matches before it lead to; the results file was changed")]
    Others {
        /// The match.
        id: MatchId,
    },
}

/// The matches of a tournament, given out one by one.
#[derive(Clone, Debug)]
pub struct Pairings {
    kind: Kind,
    done: DoneSet,
}

/// How matches are found.
#[derive(Clone, Debug)]
pub enum Kind {
    /// All are known before play.
    Fixed {
        /// All of them.
        schedule: Schedule,
        /// The next id.
        next: u64,
        /// From this id on none is given out.
        end: u64,
        /// Only the matches of this part are given out.
        shard: Shard,
    },
    /// Round by round.
    Rounds(Box<Rounds>),
    /// Rotation by rotation.
    Ladder(Box<Ladder>),
}

impl Pairings {
    /// The pairings of a plan for a game of so many seats, which change from match to match of a rotation or not.
    ///
    /// # Errors
    /// [`ScheduleError`].
    pub fn new(plan: &Plan, seats: usize, rotates_seats: bool) -> Result<Pairings, ScheduleError> {
        let (bots, rotations, seed) = (plan.bots.len(), plan.rotations, plan.seed);
        let frame = Frame {
            seats,
            rotation_len: if rotates_seats { seats as u64 } else { 1 },
            rotates_seats,
            seed,
        };
        match &plan.format {
            Format::RoundRobin => Schedule::new(bots, seats, rotations, rotates_seats, seed).map(Pairings::fixed),
            Format::Gauntlet { against } => {
                Schedule::gauntlet(against, bots, seats, rotations, rotates_seats, seed).map(Pairings::fixed)
            }
            Format::Swiss { rounds } => {
                Pairings::rounds(frame, Form::Swiss(Swiss::new(bots, *rounds)), bots, rotations)
            }
            Format::Knockout => Pairings::rounds(frame, Form::Knockout(Knockout::new(bots)), bots, rotations),
            Format::Ladder { goal, window } => Pairings::ladder(frame, bots, *goal, *window, rotations),
        }
    }

    /// The matches of a schedule, in the order of their ids.
    pub fn fixed(schedule: Schedule) -> Pairings {
        let end = schedule.len();
        Pairings::of(Kind::Fixed {
            schedule,
            next: 0,
            end,
            shard: Shard::WHOLE,
        })
    }

    fn rounds(frame: Frame, form: Form, bots: usize, rotations: u64) -> Result<Pairings, ScheduleError> {
        check_bots(bots, frame.seats)?;
        if rotations == 0 {
            return Err(ScheduleError::NoRotations);
        }
        let one = Rounds::new(frame, form.clone(), 1);
        // With the further rotations of a knockout, which are kept for each tie.
        let per_rotation = one.matches_max();
        let most = MATCHES_MAX / per_rotation;
        if rotations > most {
            return Err(ScheduleError::TooManyMatches {
                rotations,
                per_round: per_rotation,
                most,
            });
        }
        Ok(Pairings::of(Kind::Rounds(Box::new(Rounds::new(
            frame, form, rotations,
        )))))
    }

    /// A ladder that plays no more rotations than a round robin with so many for each group would.
    fn ladder(frame: Frame, bots: usize, goal: Goal, window: u64, rotations: u64) -> Result<Pairings, ScheduleError> {
        check_bots(bots, frame.seats)?;
        if bots > LADDER_BOTS_MAX {
            return Err(ScheduleError::TooManyForLadder { bots });
        }
        let schedule = Schedule::new(bots, frame.seats, rotations, frame.rotates_seats, frame.seed)?;
        let rotations_max = schedule.len() / frame.rotation_len;
        let ladder = Ladder::new(frame, bots, goal, window, rotations_max);
        Ok(Pairings::of(Kind::Ladder(Box::new(ladder))))
    }

    fn of(kind: Kind) -> Pairings {
        let done = DoneSet::default();
        Pairings { kind, done }
    }

    /// How they are found, and how far that is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The schedule of a fixed format.
    pub fn schedule(&self) -> Option<&Schedule> {
        match &self.kind {
            Kind::Fixed { schedule, .. } => Some(schedule),
            Kind::Rounds(_) | Kind::Ladder(_) => None,
        }
    }

    /// The most matches that may be played.
    pub fn matches_max(&self) -> u64 {
        match &self.kind {
            Kind::Fixed { schedule, shard, .. } => shard.len(schedule),
            Kind::Rounds(rounds) => rounds.matches_max(),
            Kind::Ladder(ladder) => ladder.rotations_max() * ladder.rotation_len(),
        }
    }

    /// The fewest matches that may be played.
    pub fn matches_min(&self) -> u64 {
        match &self.kind {
            Kind::Fixed { schedule, shard, .. } => shard.len(schedule),
            Kind::Rounds(rounds) => rounds.matches_min(),
            Kind::Ladder(ladder) => ladder.rotation_len(),
        }
    }

    /// Matches of a rotation.
    pub fn rotation_len(&self) -> u64 {
        match &self.kind {
            Kind::Fixed { schedule, .. } => schedule.rotation_len(),
            Kind::Rounds(rounds) => rounds.rotation_len(),
            Kind::Ladder(ladder) => ladder.rotation_len(),
        }
    }

    /// The most openings that may be played.
    pub fn openings(&self) -> u64 {
        match &self.kind {
            Kind::Fixed { schedule, .. } => schedule.rounds(),
            Kind::Rounds(rounds) => rounds.openings(),
            Kind::Ladder(ladder) => ladder.rotations_max(),
        }
    }

    /// Whether pairings hang on results, so that stored ones have to be settled before the first call of
    /// [`Pairings::next`].
    pub fn hang_on_results(&self) -> bool {
        self.schedule().is_none()
    }

    /// Gives out only the first `matches` of a schedule; other formats are as long as they are.
    pub fn end_after(&mut self, matches: u64) {
        if let Kind::Fixed { end, .. } = &mut self.kind {
            *end = matches.min(*end);
        }
    }

    /// Gives out only the matches of one part of a schedule. `false`, and nothing has changed, where pairings hang on
    /// results: a part would have to wait for those of the others.
    #[must_use]
    pub fn keep_to(&mut self, part: Shard) -> bool {
        match &mut self.kind {
            Kind::Fixed { shard, .. } => *shard = part,
            Kind::Rounds(_) | Kind::Ladder(_) => return false,
        }
        true
    }

    /// Leaves out the matches that are stored.
    pub fn leave_out(&mut self, done: DoneSet) {
        self.done = done;
    }

    /// Whether the match is left out because it is stored.
    pub fn is_stored(&self, id: MatchId) -> bool {
        self.done.contains(id.0)
    }

    /// How many matches are left out, of those that would be given out otherwise.
    pub fn stored(&self) -> u64 {
        match &self.kind {
            Kind::Fixed { schedule, shard, .. } if *shard != Shard::WHOLE => {
                let of_part = |range: &RangeInclusive<u64>| {
                    let first = shard.next_from(schedule, *range.start());
                    let ids = std::iter::successors(Some(first), |id| Some(shard.next_from(schedule, id + 1)));
                    ids.take_while(|id| id <= range.end()).count() as u64
                };
                self.done.ranges().iter().map(of_part).sum()
            }
            _ => self.done.len(),
        }
    }

    /// The next match that has not been given out and is not stored.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator cannot say that one has to wait"
    )]
    pub fn next(&mut self) -> Next {
        let done = &self.done;
        match &mut self.kind {
            Kind::Fixed {
                schedule,
                next,
                end,
                shard,
            } => loop {
                let id = done.next_open(shard.next_from(schedule, *next));
                if id >= *end {
                    return Next::End;
                }
                *next = id;
                if shard.next_from(schedule, id) == id {
                    *next = id + 1;
                    return Next::Match(schedule.get(MatchId(id)));
                }
            },
            Kind::Rounds(rounds) => match rounds.next(|id| done.contains(id)) {
                Some(scheduled) => Next::Match(scheduled),
                None if rounds.is_over() => Next::End,
                None => Next::Wait,
            },
            Kind::Ladder(ladder) => match ladder.next(|id| done.contains(id)) {
                Some(scheduled) => Next::Match(scheduled),
                None if ladder.is_over() => Next::End,
                None => Next::Wait,
            },
        }
    }

    /// Takes the result of a match, each once, in any order that [`Pairings::next`] allows; stored ones in the order of
    /// their ids. `bots` and `places` are by seat.
    ///
    /// # Errors
    /// [`Misfit`].
    pub fn settle(&mut self, id: MatchId, bots: &[usize], places: &[u8]) -> Result<(), Misfit> {
        match &mut self.kind {
            Kind::Fixed { .. } => Ok(()),
            Kind::Rounds(rounds) => rounds.settle(id, bots, places),
            Kind::Ladder(ladder) => ladder.settle(id, bots, places),
        }
    }
}

/// What all matches of a plan share.
#[derive(Clone, Copy, Debug)]
struct Frame {
    seats: usize,
    /// Matches of a rotation.
    rotation_len: u64,
    rotates_seats: bool,
    seed: u64,
}

impl Frame {
    /// The match with this id between `members`, in whatever order. Who sits first changes from opening to opening.
    fn scheduled(&self, id: MatchId, opening: u64, members: &[usize]) -> Scheduled {
        let (rotation, order) = (id.0 / self.rotation_len, id.0 % self.rotation_len);
        let mut bots = members.to_vec();
        bots.sort_unstable();
        if self.rotates_seats {
            let circles = circles(self.seats);
            let circle = circles[(opening % circles.len() as u64) as usize];
            bots = circle.iter().map(|at| bots[*at]).collect();
            bots.rotate_left(((opening + order) % self.seats as u64) as usize);
        }
        Scheduled {
            id,
            rotation,
            bots,
            opening,
            seed: match_seed(self.seed, id),
        }
    }
}
