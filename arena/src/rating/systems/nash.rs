//! Nash averaging: each bot's score against the mixture of bots that nobody can exploit.
//!
//! The payoff is the share of points less a half (not log-odds, which give other mixtures): a game in which two people
//! choose a bot each. It is fair, so its equilibrium has value 0; of all equilibria the one with the highest entropy is
//! taken, which is unique and shares weight evenly among copies of one bot. A bot's value is its expected lead over the
//! mixture: 0 for those that the mixture is made of, below 0 for the others. Adding copies of a bot, or weak bots,
//! changes nobody's value.
//!
//! The mixture is found from the side of the dual, with a barrier (S. Boyd and L. Vandenberghe, Convex Optimization,
//! 2004, section 11.3): exact to about 1e-7. Source: D. Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018; agrees
//! with OpenSpiel.

use super::payoff::{Ahead, payoff};
use super::results::Results;
use super::{Column, Group, Info, Report, System, Unrated};
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "nash",
    summary: "score against the mixture nobody exploits: for circles and copies",
    notes: &[
        "Value: expected lead (share of points less 1/2) over the mixture; weight: the",
        "bot's part of it, highest entropy among equals. Blind to copies and weak bots; a",
        "slight lead by chance takes all the weight, and no bar says so. Pairs must meet.",
        "Source: D. Balduzzi et al., NeurIPS 2018; agrees with OpenSpiel",
    ],
    takes: &[],
    start: |bots, _| {
        Box::new(Nash {
            results: Results::new(bots),
        })
    },
};

const COLUMNS: &[Column] = &[Column::new("value", "value", 4), Column::new("weight", "weight", 4)];

/// What a bot may gain on the mixture, beside the largest payoff: a little, so that there is room around an
/// equilibrium.
const SLACK: f64 = 1e-8;

/// Where the barrier that keeps prices above 0 ends.
const BARRIER_MIN: f64 = 1e-10;

/// Prices are settled when they could be bettered by no more than this share of the barrier.
const SETTLED: f64 = 1e-6;

/// Rounds of Newton's method for one barrier; it needs about ten.
const ROUNDS_MAX: usize = 300;

/// Weights and values below this are 0.
const NOTHING: f64 = 1e-6;

struct Nash {
    results: Results,
}

impl System for Nash {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let (payoff, mut unrated) = payoff(&self.results);
        let mut groups = Vec::new();
        if let Some((members, ahead)) = payoff {
            match mixture(&ahead) {
                Some(weights) => {
                    let rounded = |number: f64| if number.abs() < NOTHING { 0.0 } else { number };
                    let values = members.iter().zip(values(&ahead, &weights)).zip(&weights);
                    let values = values.map(|((&bot, value), &weight)| (bot, vec![rounded(value), rounded(weight)]));
                    groups.push(Group::ranked(values, 0.0));
                }
                None => unrated.extend(members.into_iter().map(|bot| (bot, Unrated::NoFit))),
            }
        }
        unrated.sort_unstable_by_key(|&(bot, _)| bot);
        Report {
            columns: COLUMNS,
            groups,
            unrated,
        }
    }
}

/// By bot, its expected lead over a mixture.
pub(super) fn values(ahead: &Ahead, weights: &[f64]) -> Vec<f64> {
    ahead.iter().map(|row| dot(row, weights)).collect()
}

/// The equilibrium with the highest entropy of an antisymmetric game.
///
/// Of all `p` on which no row gains more than [`Dual::slack`], the one with the highest entropy is proportional to
/// `exp(game prices)`; the prices of the rows, all above 0, are those with the lowest [`Dual::cost`] when the weight of
/// their logarithms goes to 0. Absent when that does not settle.
pub(super) fn mixture(ahead: &Ahead) -> Option<Vec<f64>> {
    let size = ahead.len();
    let largest = ahead.iter().flatten().fold(0.0, |most: f64, lead| most.max(lead.abs()));
    if largest == 0.0 {
        return Some(vec![1.0 / size as f64; size]);
    }
    let game = ahead.iter().map(|row| row.iter().map(|lead| lead / largest).collect());
    let mut dual = Dual {
        game: game.collect(),
        barrier: 1.0,
    };
    let mut prices = vec![1.0; size];
    while dual.barrier > BARRIER_MIN {
        dual.barrier /= 4.0;
        dual.settle(&mut prices)?;
    }
    let weights = dual.weights(&prices);
    let gained = values(&dual.game, &weights).into_iter().fold(0.0, f64::max);
    (gained <= NOTHING).then_some(weights)
}

/// The search for the prices of the rows.
struct Dual {
    game: Ahead,
    /// What a logarithm of a price weighs.
    barrier: f64,
}

impl Dual {
    /// What a row may gain. More as long as the barrier is high, so that prices stay of the order of 1.
    fn slack(&self) -> f64 {
        SLACK.max(self.barrier)
    }

    fn weights(&self, prices: &[f64]) -> Vec<f64> {
        let logs = values(&self.game, prices);
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
        let whole: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / whole).collect()
    }

    /// What is to be as low as can be; convex.
    fn cost(&self, prices: &[f64]) -> f64 {
        let logs = values(&self.game, prices);
        let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let whole = top + logs.iter().map(|log| (log - top).exp()).sum::<f64>().ln();
        let each = prices
            .iter()
            .map(|price| self.slack() * price - self.barrier * price.ln());
        whole + each.sum::<f64>()
    }

    /// Newton's method; a step is halved until the cost falls.
    fn settle(&self, prices: &mut Vec<f64>) -> Option<()> {
        let size = prices.len();
        for _ in 0..ROUNDS_MAX {
            let weights = self.weights(prices);
            let gains = values(&self.game, &weights);
            // The game is antisymmetric: its transpose is its negative. Right sides are the slopes downwards.
            let mut equations = vec![vec![0.0; size + 1]; size];
            for i in 0..size {
                for j in 0..size {
                    let both = (0..size).map(|k| weights[k] * self.game[k][i] * self.game[k][j]);
                    equations[i][j] = both.sum::<f64>() - gains[i] * gains[j];
                }
                equations[i][i] += self.barrier / prices[i].powi(2);
                equations[i][size] = gains[i] - self.slack() + self.barrier / prices[i];
            }
            let down: Vec<f64> = equations.iter().map(|row| row[size]).collect();
            let step = solve(equations)?;
            let fall = dot(&down, &step);
            if fall <= SETTLED * self.barrier {
                return Some(());
            }
            let mut length = reach(prices, &step);
            let now = self.cost(prices);
            *prices = loop {
                let next: Vec<f64> = prices.iter().zip(&step).map(|(at, step)| at + length * step).collect();
                if self.cost(&next) <= now - 0.1 * length * fall {
                    break next;
                }
                // Near the lowest point the cost moves by less than its rounding.
                if length * fall < 1e-14 * (1.0 + now.abs()) {
                    return Some(());
                }
                length /= 2.0;
            };
        }
        None
    }
}

/// The longest part of a step, at most all, that keeps everything above 0.
fn reach(at: &[f64], step: &[f64]) -> f64 {
    let down = at.iter().zip(step).filter(|(_, step)| **step < 0.0);
    down.map(|(at, step)| 0.99 * at / -step).fold(1.0, f64::min)
}

/// The solution of linear equations, each a row with its right side last; absent where there is none.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column];
        if pivot[column] == 0.0 || !pivot[column].is_finite() {
            return None;
        }
        for row in below {
            let factor = row[column] / pivot[column];
            for (value, other) in row[column..].iter_mut().zip(&pivot[column..]) {
                *value -= factor * other;
            }
        }
    }
    let mut solution = vec![0.0; size];
    for i in (0..size).rev() {
        let known = dot(&rows[i][i + 1..size], &solution[i + 1..]);
        solution[i] = (rows[i][size] - known) / rows[i][i];
    }
    Some(solution)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
