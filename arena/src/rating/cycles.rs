//! Whether one number for each bot says enough, or some bots beat each other in a circle.
//!
//! Every pair of bots has its own excess: what it scored beyond what the ratings expect. The squares of all excesses in
//! units of their variance are compared with what chance makes of them. That variance is the model's times a dispersion
//! measured between the rotations of each pair, which draws and paired openings change and cycles do not. The deviance,
//! which books give for this, is reported beside it; with few matches a pair it is too large even without cycles, and the
//! sum of squares is not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

use super::ml::Fit;
use super::rotations::{Rotations, Row};

/// With more bots no test is made: hardly a pair would meet often enough.
const BOTS_MAX: usize = 150;

/// The test of a table.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Cycles {
    /// Probability of excesses as large as these if ratings say everything.
    pub p: f64,
    /// Pairs that met, less the ratings fitted.
    pub freedom: usize,
    /// Twice the log-likelihood that a number for each pair would add.
    pub deviance: f64,
    /// Variance between rotations in units of the model's.
    pub dispersion: f64,
    /// Three bots of whom each scored more than expected against the next, and the last against the first.
    pub strongest: Option<Circle>,
}

/// Three bots in a circle.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Circle {
    /// By their place in the plan's list.
    pub bots: [usize; 3],
    /// Probability of a circle as strong as this somewhere in the table (the first step of S. Holm, A simple sequentially
    /// rejective multiple test procedure, Scandinavian Journal of Statistics, 1979).
    pub p: f64,
}

/// What two members scored against each other, seen by the lower.
#[derive(Default)]
struct Pair<'a> {
    rows: Vec<&'a Row>,
    excess: f64,
    information: f64,
    /// Of its rotations: how many, the sum of their excesses, and of the squares of these.
    rotations: f64,
    sum: f64,
    squares: f64,
}

/// The test for the bots of a fit. Absent when every pair that met has met in one rotation only, or when there is no
/// circle to be found.
pub(super) fn cycles(fit: &Fit, rotations: &Rotations, rows: &[Row]) -> Option<Cycles> {
    let members = fit.members();
    if !(3..=BOTS_MAX).contains(&members.len()) {
        return None;
    }
    let place = |bot: usize| members.binary_search(&bot).ok();
    let mut pairs: BTreeMap<(usize, usize), Pair<'_>> = BTreeMap::new();
    for row in rows {
        let (Some(one), Some(other)) = (place(row.bot()), place(row.opponent())) else {
            continue;
        };
        let expected = fit.expected((one, row.seat()), (other, row.opponent_seat()));
        let number = row.number as f64;
        let pair = pairs.entry((one, other)).or_default();
        pair.rows.push(row);
        pair.excess += row.halves as f64 / 2.0 - number * expected;
        pair.information += number * expected * (1.0 - expected);
    }
    let freedom = pairs
        .len()
        .checked_sub(members.len() - 1)
        .filter(|freedom| *freedom > 0)?;

    let mut within: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    rotations.each(|rotation| {
        within.clear();
        for row in rotation.encounters {
            let row = row.by_lower_bot();
            if let (Some(one), Some(other)) = (place(row.bot), place(row.opponent)) {
                let expected = fit.expected((one, row.seat), (other, row.opponent_seat));
                *within.entry((one, other)).or_default() += f64::from(row.halves) / 2.0 - expected;
            }
        }
        for (key, excess) in &within {
            let pair = pairs.get_mut(key).expect("all rows are from these rotations");
            let (number, excess) = (rotation.number as f64, rotation.copies as f64 * excess);
            pair.rotations += number;
            pair.sum += number * excess;
            pair.squares += number * excess * excess;
        }
    });
    let repeated = || pairs.values().filter(|pair| pair.rotations > 1.0);
    let scatter = repeated().map(|pair| {
        let squares = pair.squares - pair.sum * pair.sum / pair.rotations;
        squares * pair.rotations / (pair.rotations - 1.0)
    });
    let dispersion = scatter.sum::<f64>() / repeated().map(|pair| pair.information).sum::<f64>();
    let dispersion_freedom = repeated().map(|pair| pair.rotations - 1.0).sum::<f64>();
    // Not even one repeated pair, or all rotations of each pair ended alike.
    if dispersion.is_nan() || dispersion <= 1e-9 {
        return None;
    }
    let squares: f64 = pairs
        .values()
        .map(|pair| pair.excess * pair.excess / pair.information)
        .sum();
    let law = FisherSnedecor::new(freedom as f64, dispersion_freedom).expect("both are above 0");
    Some(Cycles {
        p: law.sf(squares / dispersion / freedom as f64),
        freedom,
        deviance: pairs.values().map(|pair| deviance(fit, pair)).sum(),
        dispersion,
        strongest: strongest(fit, &pairs, dispersion, dispersion_freedom),
    })
}

/// What a number of its own adds to a pair's likelihood, twice.
fn deviance(fit: &Fit, pair: &Pair<'_>) -> f64 {
    let points: f64 = pair.rows.iter().map(|row| row.halves as f64 / 2.0).sum();
    let number: f64 = pair.rows.iter().map(|row| row.number as f64).sum();
    let logits: Vec<f64> = pair.rows.iter().map(|row| fit.logits(row)).collect();
    let logistic = |logits: f64| 1.0 / (1.0 + (-logits).exp());
    // Both ends of the sum are finite where everything or nothing was scored, since then only one is asked.
    let likelihood = |shift: f64| -> f64 {
        let each = pair.rows.iter().zip(&logits).map(|(row, logits)| {
            let expected = logistic(logits + shift);
            let (scored, lost) = (row.halves as f64 / 2.0, row.number as f64 - row.halves as f64 / 2.0);
            let part = |count: f64, p: f64| if count > 0.0 { count * p.ln() } else { 0.0 };
            part(scored, expected) + part(lost, 1.0 - expected)
        });
        each.sum()
    };
    let saturated = if points <= 0.0 || points >= number {
        0.0
    } else {
        let (mut low, mut high) = (-30.0, 30.0);
        for _ in 0..60 {
            let shift = f64::midpoint(low, high);
            let rows = pair.rows.iter().zip(&logits);
            let expected: f64 = rows
                .map(|(row, logits)| row.number as f64 * logistic(logits + shift))
                .sum();
            if expected < points {
                low = shift;
            } else {
                high = shift;
            }
        }
        likelihood(f64::midpoint(low, high))
    };
    2.0 * (saturated - likelihood(0.0))
}

fn strongest(fit: &Fit, pairs: &BTreeMap<(usize, usize), Pair<'_>>, dispersion: f64, freedom: f64) -> Option<Circle> {
    let members = fit.members();
    // By member and other: how far the one is above what ratings say, in log-odds, and the variance of that.
    let size = members.len();
    let mut excess = vec![None; size * size];
    for (&(one, other), pair) in pairs {
        let (value, variance) = (pair.excess / pair.information, dispersion / pair.information);
        excess[one * size + other] = Some((value, variance));
        excess[other * size + one] = Some((-value, variance));
    }
    let mut triads = 0_u64;
    let mut best: Option<(f64, [usize; 3])> = None;
    for a in 0..size {
        for b in a + 1..size {
            let Some(first) = excess[a * size + b] else { continue };
            for c in b + 1..size {
                let (Some(second), Some(third)) = (excess[b * size + c], excess[c * size + a]) else {
                    continue;
                };
                triads += 1;
                let curl: f64 = first.0 + second.0 + third.0;
                let strength = curl.abs() / (first.1 + second.1 + third.1).sqrt();
                if best.is_none_or(|(most, _)| strength > most) {
                    best = Some((strength, if curl > 0.0 { [a, b, c] } else { [a, c, b] }));
                }
            }
        }
    }
    let (strength, circle) = best?;
    let law = StudentsT::new(0.0, 1.0, freedom).expect("there are repeated pairs");
    Some(Circle {
        bots: circle.map(|member| members[member]),
        p: (2.0 * law.sf(strength) * triads as f64).min(1.0),
    })
}
