//! Nash averaging: each bot's score against the mixture of bots that nobody can exploit.
//!
//! The payoff is the share of points less a half (not log-odds, which give other mixtures): a game in which two people choose
//! a bot each. It is fair, so its equilibrium has value 0; of all equilibria the one with the highest entropy is taken, which
//! is unique and shares weight evenly among copies of one bot. A bot's value is its expected lead over the mixture: 0 for
//! those that the mixture is made of, below 0 for the others. Adding copies of a bot, or weak bots, changes nobody's value.
//!
//! The mixture is found by a primal-dual interior-point method (S. Boyd and L. Vandenberghe, Convex Optimization, 2004,
//! section 11.7). Source: D. Balduzzi et al., Re-evaluating evaluation, NeurIPS 2018; agrees with OpenSpiel.

use super::payoff::{Ahead, payoff};
use super::results::Results;
use super::{Column, Group, Info, Report, System, Unrated};
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "nash",
    summary: "score against the mixture of bots that nobody exploits: where there are circles or copies",
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

/// What a bot may gain on the mixture, beside the largest payoff: a little, so that there is room around an equilibrium.
const SLACK: f64 = 1e-10;

/// A mixture whose equations are off by no more has been found.
const SETTLED: f64 = 1e-9;

const ROUNDS_MAX: usize = 300;

/// Weights and values below this are 0.
const NOTHING: f64 = 1e-7;

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
/// Minimises the sum of `p ln p` where no row of `ahead` gains more than [`SLACK`] on `p`, `p` sums up to 1. Absent when
/// that does not settle.
pub(super) fn mixture(ahead: &Ahead) -> Option<Vec<f64>> {
    let size = ahead.len();
    let largest = ahead.iter().flatten().fold(0.0, |most: f64, lead| most.max(lead.abs()));
    if largest == 0.0 {
        return Some(vec![1.0 / size as f64; size]);
    }
    let game: Ahead = ahead
        .iter()
        .map(|row| row.iter().map(|lead| lead / largest).collect())
        .collect();
    let mut weights = vec![1.0 / size as f64; size];
    // Of every row: its price, and how much room it leaves.
    let (mut prices, mut room) = (vec![1.0; size], vec![1.0; size]);
    let mut level = 0.0;
    for _ in 0..ROUNDS_MAX {
        let gap = dot(&prices, &room) / size as f64;
        // The game is antisymmetric: its transpose is its negative.
        let priced = values(&game, &prices);
        let entropy: Vec<f64> = (0..size).map(|i| weights[i].ln() + 1.0 - priced[i] + level).collect();
        let gain = values(&game, &weights);
        let feasible: Vec<f64> = (0..size).map(|i| gain[i] - SLACK + room[i]).collect();
        let whole = weights.iter().sum::<f64>() - 1.0;
        let off = entropy.iter().chain(&feasible).chain([&whole, &gap]);
        if off.fold(0.0, |most: f64, off| most.max(off.abs())) <= SETTLED && gap <= SLACK * SETTLED {
            return Some(weights.iter().map(|weight| weight / (1.0 + whole)).collect());
        }

        let aim = 0.1 * gap;
        let pushed: Vec<f64> = (0..size)
            .map(|i| (aim - prices[i] * room[i] + prices[i] * feasible[i]) / room[i])
            .collect();
        let mut equations = vec![vec![0.0; size + 2]; size + 1];
        for (k, row) in game.iter().enumerate() {
            let stiffness = prices[k] / room[k];
            for i in 0..size {
                for j in 0..size {
                    equations[i][j] += stiffness * row[i] * row[j];
                }
            }
        }
        let back = values(&game, &pushed);
        for i in 0..size {
            equations[i][i] += 1.0 / weights[i];
            equations[i][size] = 1.0;
            equations[size][i] = 1.0;
            equations[i][size + 1] = back[i] - entropy[i];
        }
        equations[size][size + 1] = -whole;
        let step = solve(equations)?;
        let moved = values(&game, &step[..size]);
        let room_step: Vec<f64> = (0..size).map(|i| -feasible[i] - moved[i]).collect();
        let price_step: Vec<f64> = (0..size).map(|i| pushed[i] + prices[i] / room[i] * moved[i]).collect();
        let length = [(&weights, &step[..size]), (&room, &room_step), (&prices, &price_step)]
            .into_iter()
            .map(|(at, step)| reach(at, step))
            .fold(1.0, f64::min);
        go(&mut weights, &step[..size], length);
        go(&mut room, &room_step, length);
        go(&mut prices, &price_step, length);
        level += length * step[size];
    }
    None
}

/// The longest part of a step, at most all, that keeps everything above 0.
fn reach(at: &[f64], step: &[f64]) -> f64 {
    let each = at.iter().zip(step).filter(|(_, step)| **step < 0.0);
    each.map(|(at, step)| 0.99 * at / -step).fold(1.0, f64::min)
}

fn go(at: &mut [f64], step: &[f64], length: f64) {
    for (at, step) in at.iter_mut().zip(step) {
        *at += length * step;
    }
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
