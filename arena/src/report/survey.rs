//! What a report needs of the matches, gathered in one pass over them: the tally of the standings, how ratings came
//! about, distributions of length and time, faults by kind, the list of matches, and which of them are to be replayed.
//!
//! Memory does not grow with the matches but for the list, which is kept as text of some 20 bytes a match, and for what
//! [`Tally`] keeps. Above [`LISTED_ALL_MAX`] matches only a sample is listed; all that is counted stays exact.

mod distributions;
mod faults;
mod history;
mod list;

pub use distributions::{Bin, TIME_EDGES_US, Times};
pub use faults::FaultKind;
pub use history::History;
pub use list::List;

use crate::rating::Tally;
use crate::record::{End, FaultRecord, MatchScore};

use distributions::Lengths;
use faults::Faults;

/// Up to so many matches all are listed.
pub const LISTED_ALL_MAX: u64 = 150_000;

/// Of more, about so many are.
const LISTED_SAMPLE: u64 = 100_000;

/// Of those with faults, so many are listed beside the sample.
const LISTED_FAULTY_MAX: u64 = 20_000;

/// A match as the survey sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Who, how it ended, points.
    pub score: &'a MatchScore,
    /// How many faults were made.
    pub faults: u64,
    /// How long it took, microseconds.
    pub elapsed_us: u64,
    /// By ply: who moved, 0-based.
    pub seats: &'a [u8],
    /// By ply: the time it took, microseconds.
    pub ply_us: &'a [u64],
}

/// What has been gathered.
#[derive(Debug)]
pub struct Survey {
    /// What ratings need.
    pub tally: Tally,
    /// How the ratings came about.
    pub history: History,
    /// By bot, the times of its moves.
    pub times: Vec<Times>,
    /// By end, in the order of [`End::ALL`], how many matches.
    pub ends: [u64; End::ALL.len()],
    /// The matches that are listed.
    pub list: List,
    lengths: Lengths,
    faults: Faults,
    /// Matches to come in all, as far as is known.
    expected: u64,
    seen: u64,
    faulty_listed: u64,
    /// How many matches are to be replayed beside those with faults, and which were found so far.
    sample: u64,
    sampled: Vec<u64>,
}

impl Survey {
    /// An empty survey for bots 0 to `bots - 1`, of `expected` matches, `sample` of which, spread evenly over all, are to be
    /// replayed.
    pub fn new(bots: usize, expected: u64, sample: u64) -> Survey {
        Survey {
            tally: Tally::new(bots),
            history: History::new(bots, expected),
            times: vec![Times::default(); bots],
            ends: [0; End::ALL.len()],
            list: List::default(),
            lengths: Lengths::default(),
            faults: Faults::default(),
            expected,
            seen: 0,
            faulty_listed: 0,
            sample: sample.min(expected),
            sampled: Vec::new(),
        }
    }

    /// Adds a match. Panics when a bot's number is not below the number of bots.
    pub fn add(&mut self, seen: &Seen<'_>) {
        let score = seen.score;
        self.tally.add(score);
        self.ends[End::ALL
            .iter()
            .position(|end| *end == score.end)
            .expect("all are there")] += 1;
        self.lengths.add(score.plies);
        for (&seat, &us) in seen.seats.iter().zip(seen.ply_us) {
            self.times[score.bots[usize::from(seat)]].add(us);
        }
        if self.is_listed(seen) {
            self.list.push(seen);
        }
        // The middles of as many equal parts as are to be replayed.
        let next = self.sampled.len() as u64;
        if next < self.sample && self.seen >= (2 * next + 1) * self.expected / (2 * self.sample) {
            self.sampled.push(score.r#match);
        }
        self.seen += 1;
        self.history.add(&self.tally);
    }

    /// Adds a fault of a match, in the order of the matches.
    pub fn add_fault(&mut self, number: u64, bot: usize, fault: &FaultRecord) {
        self.faults.add(number, bot, fault);
    }

    fn is_listed(&mut self, seen: &Seen<'_>) -> bool {
        if self.expected <= LISTED_ALL_MAX || self.seen.is_multiple_of(self.expected.div_ceil(LISTED_SAMPLE)) {
            return true;
        }
        let faulty = seen.faults > 0 && self.faulty_listed < LISTED_FAULTY_MAX;
        self.faulty_listed += u64::from(faulty);
        faulty
    }

    /// How many matches were added.
    pub fn matches(&self) -> u64 {
        self.seen
    }

    /// How many matches had how many plies, in at most some thirty bins of equal width.
    pub fn lengths(&self) -> Vec<Bin> {
        self.lengths.bins()
    }

    /// The kinds of faults of each bot, the most frequent first.
    pub fn faults(&self) -> Vec<&FaultKind> {
        self.faults.kinds()
    }

    /// The matches to be replayed: first those with a fault, at most `faulty` of them, the first of each kind before others;
    /// then the sample.
    pub fn replayed(&self, faulty: usize) -> (Vec<u64>, Vec<u64>) {
        let with_faults = self.faults.matches(faulty);
        let sample = self.sampled.iter().copied();
        let sample = sample.filter(|number| !with_faults.contains(number)).collect();
        (with_faults, sample)
    }

    /// How many matches had a fault.
    pub fn faulty(&self) -> u64 {
        self.faults.matches_seen()
    }
}
