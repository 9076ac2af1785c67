//! Two bots against each other: by their own matches, all else left aside, and by the ratings of the whole pool.
//!
//! The two answer different questions and may differ. [`Residual`] says by how much, which is no fault of either: a
//! rating is one number, and a bot may have a favourite victim.

use std::collections::BTreeMap;

use super::cholesky::Cholesky;
use super::cycles::cycles;
use super::groups::strong_components;
use super::ml::{self, Estimate, Fit, Settings};
use super::rotations::Row;
use super::tally::Tally;
use crate::stats::{CONFIDENCE, ScoreInterval, normal_cdf, wilson_phi};

/// Of a pair's excess, this share at least must be left over by the fit, or it has no error to be measured in: two bots
/// whose only link is their own matches are rated so that nothing is left over.
const LEFT_OVER_MIN: f64 = 1e-6;

/// One bot's results against another.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadToHead {
    /// Matches in which it ended ahead of the other.
    pub wins: u64,
    /// Matches in which they tied.
    pub draws: u64,
    /// Matches in which it ended behind.
    pub losses: u64,
    /// Its score with the interval.
    pub score: ScoreInterval,
    /// What the interval takes as independent.
    pub unit: Unit,
}

impl HeadToHead {
    /// Their matches.
    pub fn matches(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// The score over all matches, which differs from that of whole rotations while some are incomplete.
    pub fn share(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.matches() as f64
    }
}

/// What an interval takes as independent of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Whole rotations: what an opening gives to a seat cancels within them, which narrows the interval.
    Rotation,
    /// Single matches, since too few rotations are complete.
    Match,
}

/// Who scored what against whom; of pairs that have not met it has nothing.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CrossTable(BTreeMap<(usize, usize), HeadToHead>);

impl CrossTable {
    /// What a bot scored against another, both by their place in the plan's list.
    pub fn get(&self, bot: usize, opponent: usize) -> Option<&HeadToHead> {
        self.0.get(&(bot, opponent))
    }
}

/// The results of every bot against every other that it has met.
///
/// The interval of [`wilson_phi`] on complete rotations when these hold nine tenths of the matches, else on matches; copies
/// of a rotation count once in it.
pub fn head_to_head(tally: &Tally) -> CrossTable {
    let seats = tally.seats().max(1);
    let mut pairs = BTreeMap::new();
    let mut halves = BTreeMap::new();
    tally.rotations().each(|rotation| {
        halves.clear();
        for row in rotation.encounters {
            for (bot, opponent, scored) in [
                (row.bot, row.opponent, row.halves),
                (row.opponent, row.bot, 2 - row.halves),
            ] {
                let pair = pairs.entry((bot, opponent)).or_insert_with(|| Pair::new(seats));
                pair.matches[usize::from(scored)] += rotation.copies * rotation.number;
                pair.distinct[usize::from(scored)] += rotation.number;
                let (number, sum) = halves.entry((bot, opponent)).or_insert((0, 0));
                *number += 1;
                *sum += usize::from(scored);
            }
        }
        for (bots, &(number, sum)) in &halves {
            if number == seats {
                let pair = pairs.get_mut(bots).expect("they have met");
                pair.rotations[sum] += rotation.number;
            }
        }
    });
    let met = pairs.iter().filter_map(|(&bots, pair)| Some((bots, pair.summary()?)));
    CrossTable(met.collect())
}

struct Pair {
    /// Losses, draws, wins.
    matches: [u64; 3],
    /// The same without copies of whole rotations.
    distinct: [u64; 3],
    /// Complete rotations, copies left out, by the half-points scored in them.
    rotations: Vec<u64>,
}

impl Pair {
    fn new(seats: usize) -> Pair {
        Pair {
            matches: [0; 3],
            distinct: [0; 3],
            rotations: vec![0; 2 * seats + 1],
        }
    }

    fn summary(&self) -> Option<HeadToHead> {
        let [losses, draws, wins] = self.matches;
        let seats = (self.rotations.len() - 1) as u64 / 2;
        let in_rotations = self.rotations.iter().sum::<u64>() * seats;
        let (unit, counts) = if 10 * in_rotations >= 9 * self.distinct.iter().sum::<u64>() {
            (Unit::Rotation, &self.rotations[..])
        } else {
            (Unit::Match, &self.distinct[..])
        };
        let top = (counts.len() - 1) as f64;
        let classes: Vec<_> = counts
            .iter()
            .enumerate()
            .map(|(i, &count)| (i as f64 / top, count))
            .collect();
        let score = wilson_phi(&classes, CONFIDENCE)?;
        Some(HeadToHead {
            wins,
            draws,
            losses,
            score,
            unit,
        })
    }
}

/// One bot beside another, by the ratings of the pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatedPair {
    /// How much higher it is rated.
    pub difference: Estimate,
    /// Likelihood of superiority: the probability that errors alone leave the difference lower than it is, if both are
    /// equal. Not the probability that it is the stronger, which depends on what was known beforehand.
    pub superiority: f64,
    /// What they scored against each other; absent when they have not met.
    pub residual: Option<Residual>,
}

/// What a bot scored against another beyond what the ratings expect.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Residual {
    /// Matches in which they met.
    pub matches: u64,
    /// Its points from them, a tie being half.
    pub scored: f64,
    /// What the ratings expect it to score, seats included.
    pub expected: f64,
    /// The excess in units of its error. Absent when the ratings cannot but agree, and when no pair met in two rotations
    /// that ended differently.
    pub z: Option<f64>,
}

impl Residual {
    /// Points beyond what is expected, below 0 where they fall short.
    pub fn excess(&self) -> f64 {
        self.scored - self.expected
    }

    /// The same seen by the opponent.
    fn turned(self) -> Residual {
        Residual {
            scored: self.matches as f64 - self.scored,
            expected: self.matches as f64 - self.expected,
            z: self.z.map(|z| -z),
            ..self
        }
    }
}

/// Every ordered pair of bots by ratings: row against column, absent where they are not rated together.
pub fn rated_pairs(tally: &Tally) -> Vec<Vec<Option<RatedPair>>> {
    let bots = tally.bot_count();
    let rotations = tally.rotations();
    let rows = rotations.rows();
    let mut pairs = vec![vec![None; bots]; bots];
    for members in rated_together(bots, &rows) {
        let fit = ml::Pool::new(tally, &rotations, &rows, &members).fit(&Settings::default());
        let dispersion = cycles(&fit, &rotations, &rows).map(|cycles| cycles.dispersion);
        let residuals = residuals(&fit, &rows, dispersion);
        for (one, &bot) in members.iter().enumerate() {
            for (other, &opponent) in members.iter().enumerate().filter(|&(other, _)| other != one) {
                let (value, error) = fit.contrast(one, other);
                let residual = if one < other {
                    residuals.get(&(one, other)).copied()
                } else {
                    residuals.get(&(other, one)).map(|residual| residual.turned())
                };
                pairs[bot][opponent] = Some(RatedPair {
                    difference: fit.difference(one, other),
                    superiority: normal_cdf(value / error),
                    residual,
                });
            }
        }
    }
    pairs
}

/// Groups of two bots and more whose ratings exist; see [`groups`](super::groups).
pub(super) fn rated_together(bots: usize, rows: &[Row]) -> Vec<Vec<usize>> {
    let scored = rows.iter().flat_map(|row| {
        let one = (row.halves > 0).then_some((row.bot(), row.opponent()));
        let other = (row.halves < 2 * row.number).then_some((row.opponent(), row.bot()));
        one.into_iter().chain(other)
    });
    let mut groups = strong_components(bots, &scored.collect::<Vec<_>>());
    groups.retain(|members| members.len() > 1);
    groups
}

/// By two members, the lower first, what the lower scored. `dispersion` is the variance between rotations in units of
/// the model's, as for the test of cycles.
///
/// A fit draws itself towards what it is fitted to, so that a residual varies less than the results do: by the leverage
/// of the pair (P. McCullagh and J. A. Nelder, Generalized Linear Models, 1989, section 12.5, standardised residuals).
/// What a pair weighs in the seats' advantages is left out of it: all pairs share these.
fn residuals(fit: &Fit, rows: &[Row], dispersion: Option<f64>) -> BTreeMap<(usize, usize), Residual> {
    let place = |bot: usize| fit.members().binary_search(&bot).ok();
    let mut pairs: BTreeMap<(usize, usize), (Residual, f64)> = BTreeMap::new();
    for row in rows {
        let (Some(one), Some(other)) = (place(row.bot()), place(row.opponent())) else {
            continue;
        };
        let expected = fit.expected((one, row.seat()), (other, row.opponent_seat()));
        let number = row.number as f64;
        let (residual, information) = pairs.entry((one, other)).or_default();
        residual.matches += row.number;
        residual.scored += row.halves as f64 / 2.0;
        residual.expected += number * expected;
        *information += number * expected * (1.0 - expected);
    }
    // The covariance that the model gives to the ratings, the last of which is held at 0.
    let size = fit.members().len() - 1;
    let mut total = vec![0.0; size * size];
    for (&(one, other), (_, information)) in &pairs {
        total[one * size + one] += information;
        if other < size {
            total[other * size + other] += information;
            total[other * size + one] -= information;
        }
    }
    let covariance = Cholesky::of(total, size, 0.0).map(|total| total.inverse());
    let each = pairs.into_iter().map(|(key, (mut residual, information))| {
        residual.z = dispersion
            .zip(covariance.as_ref())
            .and_then(|(dispersion, covariance)| {
                let at = |i: usize, j: usize| if i.max(j) < size { covariance[i * size + j] } else { 0.0 };
                let (one, other) = key;
                let leverage = information * (at(one, one) + at(other, other) - 2.0 * at(one, other));
                let left = 1.0 - leverage;
                (left > LEFT_OVER_MIN).then(|| residual.excess() / (dispersion * information * left).sqrt())
            });
        (key, residual)
    });
    each.collect()
}
