//! Alpha-rank: how often a population that copies successful bots is found playing each of them.
//!
//! A population of [`POPULATION`] all play one bot; now and then one of them tries another, which takes over or dies
//! out, the likelier the better it scores against the first; α says how much scores matter. A bot's mass is the share
//! of time that the population spends with it. Copes with cycles, which have no order of strength. Without a given α it
//! is doubled until the masses settle, which is the limit in which the slightest lead decides.
//!
//! Who is to be copied is decided by how the two bots score against each other (OpenSpiel's "local selection", its
//! default), not against the whole population. The stationary distribution is found in logarithms and without a
//! subtraction (W. K. Grassmann, M. I. Taksar and D. P. Heyman, Operations Research 33, 1985): chances of 10^-1000 are
//! ordinary here, and equations solved with plain numbers then have no answer. Source: S. Omidshafiei et al., α-Rank:
//! multi-agent evaluation by evolution, Scientific Reports 9, 2019; agrees with OpenSpiel.

use super::payoff::{Ahead, Game, payoff};
use super::results::Results;
use super::{Column, Group, Info, Parameter, Report, Setting, System};
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "alpha-rank",
    summary: "share of an evolving population: for bots that win in circles",
    notes: &[
        "Mass: the share of time that a population of 50, which copies who scores better,",
        "plays the bot. Without --alpha the limit in which the slightest lead decides, be",
        "it chance or not: no bar says so; play many matches. Every pair must have met.",
        "Source: S. Omidshafiei et al., Scientific Reports 9, 2019; agrees with OpenSpiel",
    ],
    takes: &[Setting::Alpha],
    start: |bots, settings| {
        Box::new(AlphaRank {
            results: Results::new(bots),
            alpha: settings.alpha,
        })
    },
};

const COLUMNS: &[Column] = &[Column::new("mass", "mass", 4)];

/// Size of the population; OpenSpiel's default.
pub(super) const POPULATION: f64 = 50.0;

/// Where α starts when it is raised, and where it ends at the latest.
const ALPHA_MIN: f64 = 0.1;
const ALPHA_MAX: f64 = 1e12;

/// Masses that move by no more than this when α is doubled have settled; masses no further apart are equal.
const SETTLED: f64 = 1e-9;

struct AlphaRank {
    results: Results,
    alpha: Option<f64>,
}

impl System for AlphaRank {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let (payoff, unrated) = payoff(&self.results);
        let group = |(members, ahead): Game| {
            let (alpha, masses) = match self.alpha {
                Some(alpha) => (alpha, masses(&ahead, alpha)),
                None => settled(&ahead),
            };
            let values = members.into_iter().zip(masses.into_iter().map(|mass| vec![mass]));
            Group {
                parameters: vec![
                    Parameter::new("alpha", alpha, None),
                    Parameter::new("population", POPULATION, None),
                ],
                ..Group::ranked(values, SETTLED)
            }
        };
        Report {
            columns: COLUMNS,
            groups: payoff.map(group).into_iter().collect(),
            unrated,
        }
    }
}

/// The masses when α no longer matters, and that α.
pub(super) fn settled(ahead: &Ahead) -> (f64, Vec<f64>) {
    let mut alpha = ALPHA_MIN;
    let mut found = masses(ahead, alpha);
    loop {
        let next = masses(ahead, 2.0 * alpha);
        let moved = next.iter().zip(&found).map(|(one, other)| (one - other).abs());
        let still = moved.fold(0.0, f64::max) <= SETTLED;
        (alpha, found) = (2.0 * alpha, next);
        if still || alpha >= ALPHA_MAX {
            return (alpha, found);
        }
    }
}

/// The stationary distribution of the population for one α.
pub(super) fn masses(ahead: &Ahead, alpha: f64) -> Vec<f64> {
    let size = ahead.len();
    // By bot that is played and bot that is tried; who is tried is drawn evenly, which changes nothing.
    let mut taken_over: Vec<Vec<f64>> = (0..size)
        .map(|played| {
            (0..size)
                .map(|tried| log_fixation(alpha, ahead[tried][played]))
                .collect()
        })
        .collect();
    // From the last bot down, take it out of the chain: whoever moved to it moves on to where it would have left for.
    for out in (1..size).rev() {
        let leaves = taken_over[out][..out].iter().copied().fold(f64::NEG_INFINITY, log_add);
        for from in 0..out {
            taken_over[from][out] -= leaves;
            for to in (0..out).filter(|&to| to != from) {
                taken_over[from][to] = log_add(taken_over[from][to], taken_over[from][out] + taken_over[out][to]);
            }
        }
    }
    let mut log_mass = vec![0.0; size];
    for bot in 1..size {
        log_mass[bot] = (0..bot)
            .map(|from| log_mass[from] + taken_over[from][bot])
            .fold(f64::NEG_INFINITY, log_add);
    }
    let whole = log_mass.iter().copied().fold(f64::NEG_INFINITY, log_add);
    log_mass.into_iter().map(|mass| (mass - whole).exp()).collect()
}

/// The logarithm of the chance that a bot tried by one takes over a population that plays another, whom it leads by
/// `lead`.
fn log_fixation(alpha: f64, lead: f64) -> f64 {
    // The difference between the two bots' shares of their points is twice the lead.
    let u = alpha * 2.0 * lead;
    if u.abs() < 1e-14 {
        -POPULATION.ln()
    } else if u > 0.0 {
        (-(-u).exp_m1()).ln() - (-(-POPULATION * u).exp_m1()).ln()
    } else {
        (1.0 - POPULATION) * -u + (-u.exp_m1()).ln() - (-(POPULATION * u).exp_m1()).ln()
    }
}

/// `ln(exp(a) + exp(b))`.
fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == f64::NEG_INFINITY {
        high
    } else {
        high + (low - high).exp().ln_1p()
    }
}
