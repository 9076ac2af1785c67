//! The running Elo number with a K factor: changes after every match, so it depends on their order, and has no error.
//!
//! For watching, not for ranking: bots do not change while they play, so the last matches weigh more than they should.

use crate::record::MatchScore;
use crate::stats::expected_score;

/// What every bot starts with.
pub const START: f64 = 1500.0;

/// The running numbers of all bots.
#[derive(Clone, Debug)]
pub struct Running {
    k: f64,
    ratings: Vec<f64>,
}

impl Running {
    /// Everybody at [`START`].
    pub fn new(bots: usize, k: f64) -> Running {
        Running {
            k,
            ratings: vec![START; bots],
        }
    }

    /// The K factor.
    pub fn k(&self) -> f64 {
        self.k
    }

    /// A bot's number now.
    pub fn rating(&self, bot: usize) -> f64 {
        self.ratings[bot]
    }

    /// Takes the next match into account.
    pub fn add(&mut self, score: &MatchScore) {
        let before: Vec<f64> = score.bots.iter().map(|&bot| self.ratings[bot]).collect();
        let after = update(&before, &score.places, self.k);
        for (seat, &bot) in score.bots.iter().enumerate() {
            self.ratings[bot] += after[seat] - before[seat];
        }
    }
}

/// The ratings after one match, from those before it and the places (1 is best), both by seat.
///
/// With two seats `r + k (s - e)` (Arpad Elo, The Rating of Chessplayers, Past and Present, 1978). With n seats each
/// pair counts as a match with `2 k / n` in place of `k`, all from the ratings before the match: the linear form of the
/// Python package multielo.
pub fn update(ratings: &[f64], places: &[u8], k: f64) -> Vec<f64> {
    let share = 2.0 * k / ratings.len() as f64;
    let seats = 0..ratings.len();
    let change = |seat: usize| -> f64 {
        let others = seats.clone().filter(|&other| other != seat);
        others
            .map(|other| {
                let score = match places[seat].cmp(&places[other]) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
                score - expected_score(ratings[seat] - ratings[other])
            })
            .sum()
    };
    seats.clone().map(|seat| ratings[seat] + share * change(seat)).collect()
}
