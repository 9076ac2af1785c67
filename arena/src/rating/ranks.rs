//! Which ranks of a bot the data leave open, for all bots at once.
//!
//! Twenty equal bots make 190 pairs, of which plain 95 % intervals call nine different. Here the level of each comparison
//! is such that with probability 95 % none of all pairs is called wrongly: the critical value is the 95 % quantile of the
//! largest standardised difference, found by drawing errors from the fit's covariance (T. Hothorn, F. Bretz and P. Westfall,
//! Simultaneous inference in general parametric models, Biometrical Journal, 2008).
//!
//! With more than [`SIMULATED_MAX`] bots, and where the covariance has no root, it is Bonferroni's bound instead, which is
//! a little wider: 5.4 in place of about 5 standard errors for a thousand bots.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::cholesky::Cholesky;
use super::draws::Draws;
use super::ml::Fit;
use crate::stats::{CONFIDENCE, student_quantile};

/// More bots than this are not simulated: their pairs are too many.
const SIMULATED_MAX: usize = 150;

/// Draws of all errors, as long as [`COMPARISONS`] allows.
const DRAWS: usize = 10_000;

/// Differences looked at in all draws together: some hundredths of a second.
const COMPARISONS: usize = 20_000_000;

/// The same in every run.
const SEED: u64 = 2;

/// The ranks that the data leave open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RankRange {
    /// One more than the bots that are surely better.
    pub best: usize,
    /// All bots but those that are surely worse.
    pub worst: usize,
}

/// By member, its rank among members.
pub(super) fn ranges(fit: &Fit) -> Vec<RankRange> {
    let members = fit.members().len();
    let confidence = confidence_of_each(fit);
    // With fewer degrees of freedom a quantile is larger, and of two members the one with fewer counts.
    let mut known: BTreeMap<u64, f64> = BTreeMap::new();
    let quantile = |member: usize| {
        let freedom = fit.freedom(member);
        *known
            .entry(freedom)
            .or_insert_with(|| student_quantile(confidence, freedom as f64))
    };
    let quantiles: Vec<f64> = (0..members).map(quantile).collect();
    let mut ranges = vec![
        RankRange {
            best: 1,
            worst: members
        };
        members
    ];
    for one in 0..members {
        for other in 0..one {
            let (value, error) = fit.contrast(one, other);
            if value.abs() > quantiles[one].max(quantiles[other]) * error {
                let (better, worse) = if value > 0.0 { (one, other) } else { (other, one) };
                ranges[better].worst -= 1;
                ranges[worse].best += 1;
            }
        }
    }
    ranges
}

/// How sure each single comparison must be for all to hold together.
fn confidence_of_each(fit: &Fit) -> f64 {
    let members = fit.members().len();
    let pairs = members * (members - 1) / 2;
    let bonferroni = 1.0 - (1.0 - CONFIDENCE) / pairs as f64;
    let root = (members <= SIMULATED_MAX).then(|| fit.covariance_root()).flatten();
    let Some(root) = root else { return bonferroni };
    let critical = largest_difference(members, &root, CONFIDENCE);
    normal_confidence(critical).min(bonferroni)
}

/// The quantile at `confidence` of the largest difference between any two of `members` in standard errors, when their
/// errors have this covariance, the last one's being 0 (all are relative to it).
pub(super) fn largest_difference(members: usize, root: &Cholesky, confidence: f64) -> f64 {
    let mut inverse_errors = Vec::new();
    for one in 1..members {
        for other in 0..one {
            inverse_errors.push(1.0 / root.variance_of_difference(one, other).sqrt());
        }
    }
    let number = DRAWS.min(COMPARISONS / inverse_errors.len().max(1));
    let mut draws = Draws::new(SEED);
    let mut largest: Vec<f64> = Vec::with_capacity(number);
    let mut errors = vec![0.0; members];
    for _ in 0..number {
        let mut normal = Vec::with_capacity(members);
        while normal.len() < members - 1 {
            normal.extend(draws.normals());
        }
        for (member, error) in errors[..members - 1].iter_mut().enumerate() {
            *error = root.times(member, &normal);
        }
        let mut inverse = &inverse_errors[..];
        let mut most: f64 = 0.0;
        for one in 1..members {
            let (own, others) = inverse.split_at(one);
            inverse = others;
            most = most.max(largest_ratio(errors[one], &errors[..one], own));
        }
        largest.push(most);
    }
    largest.sort_by(f64::total_cmp);
    largest[((number as f64 * confidence) as usize).min(number - 1)]
}

/// The largest difference between one number and others, each times a factor: in eight maxima, which a processor can have
/// under way together.
fn largest_ratio(one: f64, others: &[f64], factors: &[f64]) -> f64 {
    let mut most = [0.0_f64; 8];
    for (others, factors) in others.chunks(8).zip(factors.chunks(8)) {
        for ((most, other), factor) in most.iter_mut().zip(others).zip(factors) {
            *most = most.max((one - other).abs() * factor);
        }
    }
    most.into_iter().fold(0.0, f64::max)
}

/// How sure a two-sided test is whose critical value, in standard errors of a normal law, is this.
fn normal_confidence(critical: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    1.0 - 2.0 * Normal::standard().sf(critical)
}
