//! The schedule: a function from a match's id to who plays, from which opening, with which seed.
//!
//! Nothing is laid out in memory but the groups of a round with three or four seats, so a schedule of any length begins
//! at once. Rounds come one after another and every group plays once in each, so all pairings advance together. A round
//! has one opening for all its groups. A group plays it once for each seat order: that is a rotation.

use std::fmt;

use super::tables;

/// A match's place in its plan's schedule, fixed before play: its key in store, record and seed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct MatchId(pub u64);

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A match as the schedule fixes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// Its id.
    pub id: MatchId,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The bot of each seat, by its place in the plan's list.
    pub bots: Vec<usize>,
    /// Which opening: the same for a whole round.
    pub opening: u64,
    /// The seed handed to the bots; below 2^53, so that every JSON reader keeps it whole.
    pub seed: u64,
}

/// Why there is no schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ScheduleError {
    /// Not enough bots for the table.
    #[error(
        "{bots} bots for a game of {seats} seats; at least {seats} are needed (a bot may be listed twice under two names)"
    )]
    TooFewBots {
        /// How many there are.
        bots: usize,
        /// How many seats the game has.
        seats: usize,
    },
    /// Nothing to play.
    #[error("0 rotations; at least 1 is needed")]
    NoRotations,
    /// More matches than can be counted.
    #[error("{rotations} rotations of {groups} groups are more matches than can be counted")]
    TooMany {
        /// Rotations asked for.
        rotations: u64,
        /// Groups in a round.
        groups: u64,
    },
}

/// Which matches a round-robin has.
#[derive(Clone, Debug)]
pub struct Schedule {
    groups: Groups,
    seats: usize,
    /// Seat orders in which a group plays an opening.
    orders: u64,
    rotations: u64,
    seed: u64,
}

/// The groups of bots that meet in a round.
#[derive(Clone, Debug)]
enum Groups {
    /// Every pair, computed.
    Pairs { bots: usize },
    /// Tables of three or four, each in a row of `seats`.
    Tables { bots: usize, members: Vec<u32> },
}

/// How evenly the schedule treats bots and pairs: least and most over a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Balance {
    /// Rotations in which a bot takes part.
    pub bot: (u64, u64),
    /// Rotations in which two bots meet.
    pub pair: (u64, u64),
    /// Whether every bot sits in every seat equally often.
    pub seats_even: bool,
}

impl Schedule {
    /// The schedule of a round-robin.
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
        if bots < seats {
            return Err(ScheduleError::TooFewBots { bots, seats });
        }
        if rotations == 0 {
            return Err(ScheduleError::NoRotations);
        }
        let groups = match seats {
            2 => Groups::Pairs { bots },
            _ => Groups::Tables {
                bots,
                members: tables::tables(bots, seats),
            },
        };
        let schedule = Schedule {
            groups,
            seats,
            orders: if rotates_seats { seats as u64 } else { 1 },
            rotations,
            seed,
        };
        let groups = schedule.groups();
        let matches = groups
            .checked_mul(schedule.orders)
            .and_then(|round| round.checked_mul(rotations));
        matches
            .map(|_| schedule)
            .ok_or(ScheduleError::TooMany { rotations, groups })
    }

    /// The number of matches.
    pub fn len(&self) -> u64 {
        self.rotations * self.groups() * self.orders
    }

    /// Whether there is none; there always is one.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Groups that meet in a round.
    pub fn groups(&self) -> u64 {
        match &self.groups {
            Groups::Pairs { bots } => *bots as u64 * (*bots as u64 - 1) / 2,
            Groups::Tables { members, .. } => (members.len() / self.seats) as u64,
        }
    }

    /// Matches of one rotation.
    pub fn rotation_len(&self) -> u64 {
        self.orders
    }

    /// The match with this id.
    ///
    /// # Panics
    /// When there is no such match.
    pub fn get(&self, id: MatchId) -> Scheduled {
        assert!(
            id.0 < self.len(),
            "match {id} is beyond the schedule's {} matches",
            self.len()
        );
        let (rotation, order) = (id.0 / self.orders, (id.0 % self.orders) as usize);
        let (round, group) = (rotation / self.groups(), rotation % self.groups());
        let mut bots = match &self.groups {
            Groups::Pairs { bots } => tables::pair(*bots, group).to_vec(),
            Groups::Tables { members, .. } => {
                let at = group as usize * self.seats;
                members[at..at + self.seats].iter().map(|bot| *bot as usize).collect()
            }
        };
        // Who sits after whom evens out over the rounds; with two seats there is only one way round.
        tables::arrange(&mut bots[1..], round + group);
        bots.rotate_left(order);
        Scheduled {
            id,
            rotation,
            bots,
            opening: round,
            seed: seed_of(self.seed, "match", id.0) >> 11,
        }
    }

    /// How evenly bots and pairs are treated, counted over a round.
    pub fn balance(&self) -> Balance {
        let (bots, members) = match &self.groups {
            Groups::Pairs { bots } => {
                let each = *bots as u64 - 1;
                return Balance {
                    bot: (each, each),
                    pair: (1, 1),
                    seats_even: self.orders > 1,
                };
            }
            Groups::Tables { bots, members } => (*bots, members),
        };
        let mut per_bot = vec![0; bots];
        let mut per_pair = vec![0; bots * bots];
        for table in members.chunks(self.seats) {
            for (at, bot) in table.iter().enumerate() {
                per_bot[*bot as usize] += 1;
                for other in &table[at + 1..] {
                    let (low, high) = (bot.min(other), bot.max(other));
                    per_pair[*low as usize * bots + *high as usize] += 1;
                }
            }
        }
        let pairs = (0..bots)
            .flat_map(|low| (low + 1..bots).map(move |high| low * bots + high))
            .map(|at| per_pair[at]);
        let span = |counts: &mut dyn Iterator<Item = u64>| counts.fold((u64::MAX, 0), |(a, b), n| (a.min(n), b.max(n)));
        Balance {
            bot: span(&mut per_bot.into_iter()),
            pair: span(&mut pairs.into_iter()),
            seats_even: self.orders > 1,
        }
    }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |(least, most): (u64, u64)| {
            if least == most {
                format!("{least}")
            } else {
                format!("{least} to {most}")
            }
        };
        write!(
            f,
            "each bot plays {} rotations a round, each two bots meet in {}, {}",
            span(self.bot),
            span(self.pair),
            if self.seats_even {
                "each in every seat equally often"
            } else {
                "always in the seats as listed"
            }
        )
    }
}

/// A seed for one purpose, drawn from the plan's.
pub fn seed_of(plan: u64, purpose: &str, index: u64) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(purpose.as_bytes())
        .update(&plan.to_le_bytes())
        .update(&index.to_le_bytes());
    let hash = hasher.finalize();
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn all(schedule: &Schedule) -> impl Iterator<Item = Scheduled> + '_ {
        (0..schedule.len()).map(|id| schedule.get(MatchId(id)))
    }

    #[test]
    fn every_pair_meets_and_every_seat_is_taken_equally_often() {
        for seats in 2..=4 {
            for bots in seats..=9 {
                let schedule = Schedule::new(bots, seats, 2, true, 1).unwrap();
                let mut seat_counts = HashMap::new();
                let mut pair_counts = HashMap::new();
                for scheduled in all(&schedule) {
                    assert_eq!(scheduled.bots.len(), seats);
                    for (seat, bot) in scheduled.bots.iter().enumerate() {
                        *seat_counts.entry((*bot, seat)).or_insert(0) += 1;
                        for other in scheduled.bots.iter().filter(|other| bot < other) {
                            *pair_counts.entry((*bot, *other)).or_insert(0) += 1;
                        }
                    }
                }
                assert_eq!(seat_counts.len(), bots * seats);
                assert_eq!(pair_counts.len(), bots * (bots - 1) / 2);
                let even = |counts: Vec<i32>| counts.iter().all(|count| *count == counts[0]);
                assert!(even(seat_counts.into_values().collect()), "{bots} bots, {seats} seats");
                assert!(even(pair_counts.into_values().collect()), "{bots} bots, {seats} seats");
            }
        }
    }

    #[test]
    fn a_rotation_is_one_opening_with_every_bot_in_every_seat() {
        let schedule = Schedule::new(5, 3, 4, true, 7).unwrap();
        let matches: Vec<_> = all(&schedule).collect();
        for (index, rotation) in matches.chunks(3).enumerate() {
            assert!(
                rotation
                    .iter()
                    .all(|m| m.rotation == index as u64 && m.opening == rotation[0].opening)
            );
            for seat in 0..3 {
                let mut bots: Vec<_> = rotation.iter().map(|m| m.bots[seat]).collect();
                bots.sort_unstable();
                let mut group = rotation[0].bots.clone();
                group.sort_unstable();
                assert_eq!(bots, group);
            }
        }
    }

    #[test]
    fn who_sits_after_whom_evens_out_over_the_rounds() {
        let schedule = Schedule::new(4, 4, 6, true, 1).unwrap();
        let mut after = HashMap::new();
        for scheduled in all(&schedule) {
            for seat in 0..4 {
                *after
                    .entry((scheduled.bots[seat], scheduled.bots[(seat + 1) % 4]))
                    .or_insert(0) += 1;
            }
        }
        assert_eq!(after.len(), 12);
        assert!(after.values().all(|count| *count == 8), "{after:?}");
    }

    #[test]
    fn large_tables_are_cut_to_a_balanced_part() {
        for (bots, seats) in [(22, 4), (40, 3), (60, 4), (101, 4)] {
            let schedule = Schedule::new(bots, seats, 1, true, 1).unwrap();
            let balance = schedule.balance();
            assert_eq!(balance.bot.0, balance.bot.1);
            assert!(
                balance.pair.0 >= 1 && balance.pair.1 <= 6,
                "{bots} bots, {seats} seats: {balance:?}"
            );
            assert!(
                schedule.groups() <= bots as u64 * bots as u64 / 4,
                "{bots} bots: {}",
                schedule.groups()
            );
        }
    }

    #[test]
    fn ten_million_rotations_are_there_at_once_and_a_prefix_is_fair() {
        let schedule = Schedule::new(4, 2, 10_000_000, true, 1).unwrap();
        assert_eq!(schedule.len(), 120_000_000);
        assert_eq!(schedule.get(MatchId(119_999_999)).opening, 9_999_999);
        // After any whole round every pair has met equally often, in both orders.
        let mut met = HashMap::new();
        for id in 0..24 {
            *met.entry(schedule.get(MatchId(id)).bots).or_insert(0) += 1;
        }
        assert_eq!(met.len(), 12);
        assert!(met.values().all(|count| *count == 2));
    }

    #[test]
    fn seeds_are_what_they_were() {
        let schedule = Schedule::new(3, 2, 2, true, 1).unwrap();
        let seeds: Vec<_> = all(&schedule).take(2).map(|m| m.seed).collect();
        assert_eq!(seeds, [seed_of(1, "match", 0) >> 11, seed_of(1, "match", 1) >> 11]);
        assert_eq!(seed_of(1, "match", 0), PINNED);
    }

    const PINNED: u64 = 10_901_933_650_411_924_695;

    #[test]
    fn a_schedule_that_cannot_be_is_refused() {
        let error = Schedule::new(2, 3, 1, true, 1).unwrap_err().to_string();
        assert_eq!(
            error,
            "2 bots for a game of 3 seats; at least 3 are needed (a bot may be listed twice under two names)"
        );
        assert_eq!(Schedule::new(2, 2, 0, true, 1).unwrap_err(), ScheduleError::NoRotations);
        assert!(matches!(
            Schedule::new(9, 2, u64::MAX, true, 1).unwrap_err(),
            ScheduleError::TooMany { .. }
        ));
    }

    #[test]
    fn without_rotation_a_group_plays_once_in_its_order() {
        let schedule = Schedule::new(3, 2, 1, false, 1).unwrap();
        assert_eq!(schedule.len(), 3);
        assert!(
            schedule
                .balance()
                .to_string()
                .ends_with("always in the seats as listed")
        );
    }
}
