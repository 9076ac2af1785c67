//! The schedule: a function from a match's id to who plays, from which opening, with which seed.

use std::fmt;

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
    /// Which opening.
    pub opening: u64,
    /// The seed handed to the bots.
    pub seed: u64,
}
