//! How the ratings came about: the likeliest ratings of the first so many matches, fitted anew at some points.
//!
//! Not a running number with a K factor: that depends on the order of the matches and never settles, while a bot that does
//! not change has one strength. Each point is what `arena standings` would have said then, without its interval. The order
//! is that of the schedule, in which all pairings advance together.

use crate::rating::ml::{Method, Settings};
use crate::rating::{Rating, Standings, Tally};

/// Points at most.
const POINTS: u64 = 50;

/// With more bots than this there is no history: a fit costs more, and so many lines say nothing.
const BOTS_MAX: usize = 64;

/// Ratings at some points.
#[derive(Clone, PartialEq, Debug)]
pub struct History {
    names: Vec<String>,
    expected: u64,
    /// Matches played by then.
    pub at: Vec<u64>,
    /// By point and bot; absent while no number fits.
    pub ratings: Vec<Vec<Option<f64>>>,
}

impl History {
    pub(super) fn new(bots: usize, expected: u64) -> History {
        History {
            // A fit needs names for its table, which nobody will read.
            names: vec![String::new(); bots],
            expected: if bots <= BOTS_MAX { expected } else { 0 },
            at: Vec::new(),
            ratings: Vec::new(),
        }
    }

    /// Rates when a point has been reached; `tally` is of all matches so far.
    pub(super) fn add(&mut self, tally: &Tally) {
        let points = POINTS.min(self.expected);
        let next = self.at.len() as u64 + 1;
        if next > points || tally.matches() * points < next * self.expected {
            return;
        }
        let settings = Settings {
            // Only the values are wanted, which all methods share; this one is the cheapest.
            method: Method::Naive,
            ..Settings::default()
        };
        let standings = Standings::fitted(&self.names, tally, None, None, &settings);
        let mut ratings = vec![None; self.names.len()];
        for line in standings.tables.iter().flat_map(|table| &table.lines) {
            if let Rating::Fitted { value, .. } = line.rating {
                ratings[line.bot] = Some(value);
            }
        }
        self.at.push(tally.matches());
        self.ratings.push(ratings);
    }
}
