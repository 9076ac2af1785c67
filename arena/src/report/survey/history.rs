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
    /// By point and bot; absent while no number fits. Of each point 0 is the mean of those rated then.
    ratings: Vec<Vec<Option<f64>>>,
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

    /// By point and bot, all points on one scale: that of the last. A bot that is rated from some point on would else push all
    /// others up or down there; so each point is shifted until the mean of those who are rated at all points is what it is
    /// at the last. Absent while no number fits.
    pub fn ratings(&self) -> Vec<Vec<Option<f64>>> {
        let rated = self.ratings.iter().filter(|point| point.iter().any(Option::is_some));
        let always: Vec<usize> = (0..self.names.len())
            .filter(|bot| rated.clone().all(|point| point[*bot].is_some()))
            .collect();
        let mean = |point: &[Option<f64>]| {
            let sum: f64 = always.iter().filter_map(|bot| point[*bot]).sum();
            sum / always.len().max(1) as f64
        };
        let last = self.ratings.last().map_or(0.0, |point| mean(point));
        let shifted = |point: &Vec<Option<f64>>| {
            let shift = last - mean(point);
            point.iter().map(|rating| rating.map(|value| value + shift)).collect()
        };
        self.ratings.iter().map(shifted).collect()
    }
}
