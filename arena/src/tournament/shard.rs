//! One part of a schedule, for a batch scheduler that starts the same command many times.
//!
//! Parts are made of whole rotations, so both matches of a pair are played by one machine, and of equally many, to one.
//! A group of bots falls to another part each time, so that no pairing is played by one machine alone.

use std::fmt;
use std::str::FromStr;

use super::Schedule;

/// The most parts: more than any scheduler starts.
const PARTS_MAX: u64 = 1_000_000;

/// A part of a schedule, written `PART/PARTS`, the first being 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// 0-based.
    part: u64,
    parts: u64,
}

/// Why a text is no shard.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShardError {
    /// Not of the form.
    #[error("expected PART/PARTS, such as 3/16")]
    Syntax,
    /// No part of so many.
    #[error("there is no part {part} of {parts}; parts are 1 to {parts}")]
    NoSuchPart {
        /// What was asked for.
        part: u64,
        /// How many there are.
        parts: u64,
    },
    /// Too many parts.
    #[error("{parts} parts; at most {PARTS_MAX} are possible")]
    TooMany {
        /// How many.
        parts: u64,
    },
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let (part, parts) = text.split_once('/').ok_or(ShardError::Syntax)?;
        let number = |text: &str| text.parse::<u64>().map_err(|_| ShardError::Syntax);
        let (part, parts) = (number(part)?, number(parts)?);
        if parts > PARTS_MAX {
            return Err(ShardError::TooMany { parts });
        }
        if part == 0 || part > parts {
            return Err(ShardError::NoSuchPart { part, parts });
        }
        Ok(Shard { part: part - 1, parts })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part + 1, self.parts)
    }
}

impl Shard {
    /// All of a schedule.
    pub const WHOLE: Shard = Shard { part: 0, parts: 1 };

    /// The first match of this part from `id` on; an id past the end of the schedule when there is none.
    pub fn next_from(&self, schedule: &Schedule, id: u64) -> u64 {
        let rotation = id / schedule.rotation_len();
        let mut own = self.rotation(rotation / self.parts);
        if own < rotation {
            own = self.rotation(rotation / self.parts + 1);
        }
        (own * schedule.rotation_len()).max(id)
    }

    /// How many matches of the schedule it has.
    pub fn len(&self, schedule: &Schedule) -> u64 {
        let rotations = schedule.len() / schedule.rotation_len();
        let blocks = rotations / self.parts;
        (blocks + u64::from(self.rotation(blocks) < rotations)) * schedule.rotation_len()
    }

    /// The rotation of this part in a block: each block is as many rotations as there are parts, one for each.
    fn rotation(&self, block: u64) -> u64 {
        // Any turn will do that does not keep step with the rounds: by the golden ratio, as in Fibonacci hashing.
        let turn = (block.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % self.parts;
        block * self.parts + (self.part + turn) % self.parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(shard: Shard, schedule: &Schedule) -> Vec<u64> {
        let mut ids = Vec::new();
        let mut next = shard.next_from(schedule, 0);
        while next < schedule.len() {
            ids.push(next);
            next = shard.next_from(schedule, next + 1);
        }
        ids
    }

    #[test]
    fn the_parts_hold_every_match_once_in_whole_rotations_and_evenly() {
        for (bots, seats, rotations) in [(2, 2, 50), (5, 2, 7), (9, 3, 4), (6, 4, 3)] {
            let schedule = Schedule::new(bots, seats, rotations, true, 1).expect("there are bots enough");
            for parts in [1, 2, 3, 7, 16, 100] {
                let mut all = Vec::new();
                let mut lens = Vec::new();
                for part in 0..parts {
                    let shard = Shard { part, parts };
                    let ids = ids(shard, &schedule);
                    assert_eq!(ids.len() as u64, shard.len(&schedule), "{shard} of {schedule:?}");
                    for rotation in ids.chunks(seats) {
                        assert_eq!(rotation[0] % seats as u64, 0, "{shard}");
                        assert_eq!(rotation.last(), Some(&(rotation[0] + seats as u64 - 1)), "{shard}");
                    }
                    lens.push(ids.len() / seats);
                    all.extend(ids);
                }
                all.sort_unstable();
                assert_eq!(all, (0..schedule.len()).collect::<Vec<_>>(), "{parts} parts");
                assert!(
                    lens.iter().max() <= lens.iter().min().map(|least| least + 1).as_ref(),
                    "{lens:?}"
                );
            }
        }
    }

    #[test]
    fn a_group_of_bots_is_not_played_by_one_part_alone() {
        for (bots, parts) in [(4, 6), (4, 3), (9, 6), (16, 16), (5, 10)] {
            let schedule = Schedule::new(bots, 2, 100, true, 1).expect("there are bots enough");
            let ids = ids(Shard { part: 2, parts }, &schedule);
            let mut groups: Vec<u64> = ids.iter().map(|id| id / 2 % schedule.groups()).collect();
            groups.sort_unstable();
            groups.dedup();
            assert_eq!(groups.len() as u64, schedule.groups(), "{bots} bots in {parts} parts");
        }
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        let shard: Shard = "3/16".parse().expect("it is one");
        assert_eq!(shard.to_string(), "3/16");
        for (text, error) in [
            ("3", ShardError::Syntax),
            ("3/x", ShardError::Syntax),
            ("-1/3", ShardError::Syntax),
            ("0/16", ShardError::NoSuchPart { part: 0, parts: 16 }),
            ("17/16", ShardError::NoSuchPart { part: 17, parts: 16 }),
            ("1/0", ShardError::NoSuchPart { part: 1, parts: 0 }),
            ("1/1000001", ShardError::TooMany { parts: 1_000_001 }),
        ] {
            assert_eq!(text.parse::<Shard>(), Err(error), "{text}");
        }
    }
}
