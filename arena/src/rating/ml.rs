//! Elo by maximum likelihood: the ratings under which the results of all matches are likeliest, whatever their order.
//!
//! Every pair of seats of a match is one result: win 1, tie 1/2, loss 0, so a match with placements counts as all its
//! pairs. The expected score of a pair is logistic in the difference of the bots' ratings plus the difference of the
//! seats' advantages (R. A. Bradley and M. E. Terry, Rank analysis of incomplete block designs, Biometrika, 1952; the
//! term for the seat as in R. R. Davidson and R. J. Beaver, Biometrics, 1977). Draws as halves make it a
//! quasi-likelihood: the ratings stay consistent, but the errors that a binomial model gives are wrong, too wide with
//! draws and too narrow with placements. So the errors come from how the results of whole rotations scatter.
//!
//! Does not ask whether ratings exist: that is decided before, see [`Standings`](super::Standings).

use std::collections::BTreeMap;

use super::cholesky::{Cholesky, product};
use super::tally::{Encounter, Tally};
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, student_quantile};

/// Newton's method needs five or six rounds; this many mean that there is no maximum.
const ROUNDS_MAX: usize = 60;

/// Largest step, in log-odds, with which a fit counts as settled.
const STEP_MAX: f64 = 1e-10;

/// A seat worth more than this, in log-odds (about 2,000 Elo), has no finite advantage: everything that could be won
/// from it was won.
const SEAT_LOGITS_MAX: f64 = 12.0;

/// Of what a rotation says, this much at least must be said by others too, or its scatter cannot be told from its pull.
const LEVERAGE_LEFT_MIN: f64 = 1e-8;

/// A value in Elo with its interval at [`CONFIDENCE`].
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Half the width of its interval, which is symmetric.
    pub margin: f64,
    /// The standard error.
    pub error: f64,
}

/// Where the errors come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Errors {
    /// From the scatter of whole rotations (CR3).
    Rotations,
    /// Some bot's rating hangs on a single rotation, so scatter cannot be measured: from the model, as if all matches
    /// of a rotation had to end alike. Wide, and never too small.
    Model,
}

/// Whether the advantage of seats is in the fit.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Seats {
    /// By seat: its advantage in Elo over the mean of all seats.
    Fitted(Vec<Estimate>),
    /// No: bots did not change seats enough to tell seat from bot.
    Fixed,
    /// No: one seat won everything that the bots' ratings leave open, which no number fits.
    Unbounded,
    /// No: left out on request.
    LeftOut,
}

/// Ratings of bots that can be rated together.
#[derive(Clone, Debug)]
pub struct Fit {
    members: Vec<usize>,
    /// By member, in log-odds, mean 0.
    ratings: Vec<f64>,
    variance: Variance,
    /// By member: the variance of its rating relative to the mean.
    about_mean: Vec<f64>,
    /// By member: its parameter; absent for the one held at 0.
    parameters: Vec<Option<usize>>,
    /// By member: rotations it played in.
    rotations: Vec<u64>,
    /// Rotations in all.
    pub clusters: u64,
    /// Where the errors come from.
    pub errors: Errors,
    /// Whether the advantage of seats is in the fit.
    pub seats: Seats,
}

impl Fit {
    /// The bots, in the order of every index below.
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// A member's rating relative to the mean of all members.
    pub fn rating(&self, member: usize) -> Estimate {
        estimate(self.ratings[member], self.about_mean[member], self.rotations[member])
    }

    /// How much higher one member is rated than another; its error is less than those of two ratings together suggest.
    pub fn difference(&self, member: usize, other: usize) -> Estimate {
        let variance = self
            .variance
            .of_difference(self.parameters[member], self.parameters[other]);
        let rotations = self.rotations[member].min(self.rotations[other]);
        estimate(self.ratings[member] - self.ratings[other], variance, rotations)
    }
}

/// From log-odds to Elo. Student's quantile on one degree of freedom less than there are rotations: with few of them
/// the error itself is uncertain.
fn estimate(logits: f64, variance: f64, rotations: u64) -> Estimate {
    let error = variance.max(0.0).sqrt() * ELO_PER_LOGIT;
    let freedom = rotations.saturating_sub(1).max(1);
    Estimate {
        value: logits * ELO_PER_LOGIT,
        margin: error * student_quantile(CONFIDENCE, freedom as f64),
        error,
    }
}

/// Rates `members`, all of whom must be linked by matches both won and lost; see [`Standings`](super::Standings).
///
/// With `seat_term`, advantages of seats are fitted where the matches allow; [`Fit::seats`] tells.
pub fn fit(tally: &Tally, members: &[usize], seat_term: bool) -> Fit {
    let mut index = vec![None; tally.bot_count()];
    for (position, &bot) in members.iter().enumerate() {
        index[bot] = Some(position);
    }
    let pool = Pool { tally, index };
    let Counts { rows, rotations, total } = pool.count(members.len());
    let without = Design {
        members: members.len(),
        seats: 1,
    };
    let with = Design {
        members: members.len(),
        seats: tally.seats().max(1),
    };
    let (design, theta, left_out) = if seat_term && with.seats > 1 {
        match with.maximise(&rows) {
            Ok(theta) => (with, theta, None),
            Err(reason) => (without, without.settled(&rows), Some(reason)),
        }
    } else {
        (without, without.settled(&rows), Some(Seats::LeftOut))
    };

    let (variance, errors) = design.covariance(&pool, total as f64, &rows, &theta);
    let parameters: Vec<_> = (0..members.len()).map(|member| design.bot(member)).collect();
    let seats = left_out.unwrap_or_else(|| {
        let parameters: Vec<_> = (0..design.seats).map(|seat| design.seat(seat)).collect();
        let advantages = centred(&parameters, &theta)
            .into_iter()
            .zip(variance.about_mean(&parameters));
        Seats::Fitted(
            advantages
                .map(|(value, variance)| estimate(value, variance, total))
                .collect(),
        )
    });
    Fit {
        members: members.to_vec(),
        ratings: centred(&parameters, &theta),
        about_mean: variance.about_mean(&parameters),
        variance,
        parameters,
        rotations,
        clusters: total,
        errors,
        seats,
    }
}

/// What has been played among members. Rotations are unpacked anew at each pass, since all of them at once would take
/// ten times the memory of the tally.
struct Pool<'a> {
    tally: &'a Tally,
    /// By bot, its place among the members.
    index: Vec<Option<usize>>,
}

/// Sums over all rotations.
struct Counts {
    rows: Vec<Row>,
    /// By member: rotations it played in.
    rotations: Vec<u64>,
    /// Rotations in all.
    total: u64,
}

/// Encounters of the same bots in the same seats.
struct Row {
    like: Encounter,
    number: f64,
    points: f64,
}

impl Pool<'_> {
    /// Each rotation's encounters between members, bots numbered among these, with how often the like happened.
    fn clusters(&self) -> impl Iterator<Item = (Vec<Encounter>, u64)> {
        let among = |row: Encounter| {
            Some(Encounter {
                bot: self.index[row.bot]?,
                opponent: self.index[row.opponent]?,
                ..row
            })
        };
        let clusters = self.tally.clusters().map(move |(matches, count)| {
            let rows: Vec<Encounter> = matches.into_iter().flatten().filter_map(among).collect();
            (rows, count)
        });
        clusters.filter(|(rows, _)| !rows.is_empty())
    }

    fn count(&self, members: usize) -> Counts {
        let mut counts: BTreeMap<Encounter, (u64, u64)> = BTreeMap::new();
        let mut rotations = vec![0; members];
        let mut total = 0;
        for (rows, count) in self.clusters() {
            total += count;
            let mut bots: Vec<usize> = rows.iter().flat_map(|row| [row.bot, row.opponent]).collect();
            bots.sort_unstable();
            bots.dedup();
            for bot in bots {
                rotations[bot] += count;
            }
            for row in rows {
                let (number, halves) = counts.entry(Encounter { halves: 0, ..row }).or_default();
                *number += count;
                *halves += count * u64::from(row.halves);
            }
        }
        let rows = counts.into_iter().map(|(like, (number, halves))| Row {
            like,
            number: number as f64,
            points: halves as f64 / 2.0,
        });
        Counts {
            rows: rows.collect(),
            rotations,
            total,
        }
    }
}

/// Which parameter is whose. The last bot and the last seat are held at 0, since only differences count.
#[derive(Clone, Copy)]
struct Design {
    members: usize,
    seats: usize,
}

/// Parameters of one encounter with their factors, 1 or -1.
type Terms = Vec<(usize, f64)>;

impl Design {
    fn size(self) -> usize {
        self.members - 1 + self.seats - 1
    }

    fn bot(self, member: usize) -> Option<usize> {
        (member + 1 < self.members).then_some(member)
    }

    fn seat(self, seat: usize) -> Option<usize> {
        (seat + 1 < self.seats).then_some(self.members - 1 + seat)
    }

    fn terms(self, row: &Encounter) -> Terms {
        let plus = [self.bot(row.bot), self.seat(row.seat)];
        let minus = [self.bot(row.opponent), self.seat(row.opponent_seat)];
        let plus = plus.into_iter().flatten().map(|parameter| (parameter, 1.0));
        plus.chain(minus.into_iter().flatten().map(|parameter| (parameter, -1.0)))
            .collect()
    }

    /// The maximum without a term for seats, which exists for members linked both ways.
    fn settled(self, rows: &[Row]) -> Vec<f64> {
        self.maximise(rows)
            .expect("members have all scored against each other, directly or through others")
    }

    /// Newton's method from 0; a step is halved until the likelihood does not fall.
    fn maximise(self, rows: &[Row]) -> Result<Vec<f64>, Seats> {
        let terms: Vec<Terms> = rows.iter().map(|row| self.terms(&row.like)).collect();
        let likelihood = |theta: &[f64]| -> f64 {
            let each = rows.iter().zip(&terms).map(|(row, terms)| {
                let logits = value(terms, theta);
                row.points * logits - row.number * softplus(logits)
            });
            each.sum()
        };
        let mut theta = vec![0.0; self.size()];
        let mut reached = likelihood(&theta);
        for round in 0..ROUNDS_MAX {
            let mut step = vec![0.0; self.size()];
            for (row, terms) in rows.iter().zip(&terms) {
                let residual = row.points - row.number * logistic(value(terms, &theta));
                for &(parameter, factor) in terms {
                    step[parameter] += factor * residual;
                }
            }
            let Some(information) = Cholesky::of(self.information(rows, &theta), self.size(), 0.0) else {
                return Err(if round == 0 { Seats::Fixed } else { Seats::Unbounded });
            };
            information.solve(&mut step);
            let mut scale = 1.0;
            let next = loop {
                let next: Vec<f64> = theta.iter().zip(&step).map(|(old, step)| old + scale * step).collect();
                let now = likelihood(&next);
                // Close to the maximum the likelihood moves by less than its rounding.
                if now >= reached - 1e-12 * reached.abs() || scale < 1e-6 {
                    reached = now;
                    break next;
                }
                scale /= 2.0;
            };
            theta = next;
            let seats = &theta[self.members - 1..];
            if seats.iter().any(|advantage| advantage.abs() > SEAT_LOGITS_MAX) {
                return Err(Seats::Unbounded);
            }
            if step.iter().all(|step| step.abs() <= STEP_MAX) {
                return Ok(theta);
            }
        }
        Err(Seats::Unbounded)
    }

    /// The negative second derivative of the likelihood; only its lower triangle.
    fn information(self, rows: &[Row], theta: &[f64]) -> Vec<f64> {
        let size = self.size();
        let mut matrix = vec![0.0; size * size];
        for row in rows {
            let terms = self.terms(&row.like);
            let expected = logistic(value(&terms, theta));
            let weight = row.number * expected * (1.0 - expected);
            for &(i, a) in &terms {
                for &(j, b) in &terms {
                    if j <= i {
                        matrix[i * size + j] += weight * a * b;
                    }
                }
            }
        }
        matrix
    }

    /// The covariance of the parameters, from how the results of `count` rotations scatter.
    ///
    /// CR3, the cluster being the rotation: R. M. Bell and D. F. McCaffrey, Bias reduction in standard errors for linear
    /// regression with multi-stage samples, Survey Methodology, 2002, in the form of R's `sandwich::vcovCL` with `type =
    /// "HC3", cadjust = FALSE` (A. Zeileis, S. Köll and N. Graham, Various versatile variances, Journal of Statistical
    /// Software, 2020).
    fn covariance(self, pool: &Pool<'_>, count: f64, rows: &[Row], theta: &[f64]) -> (Variance, Errors) {
        let size = self.size();
        let model = Cholesky::of(self.information(rows, theta), size, 0.0)
            .expect("the fit has just solved with this matrix")
            .inverse();
        let encounters: f64 = rows.iter().map(|row| row.number).sum();
        let per_cluster = encounters / count;
        let mut meat = vec![0.0; size * size];
        for (cluster, number) in pool.clusters() {
            let Some(pull) = self.pull(&cluster, theta, &model) else {
                let variance = Variance {
                    counted: scaled(&model, per_cluster),
                    floor: vec![0.0; size * size],
                    size,
                };
                return (variance, Errors::Model);
            };
            for &(i, a) in &pull {
                for &(j, b) in &pull {
                    meat[i * size + j] += number as f64 * a * b;
                }
            }
        }
        let robust = product(&product(&model, &meat, size), &model, size);
        // Where all rotations ended alike their scatter is nothing, or nearly. The least that is believed is what one
        // more rotation that went the other way would bring: the most that the model allows, times 1 in `count`.
        let least = per_cluster / (count + per_cluster);
        let variance = Variance {
            counted: scaled(&robust, (count - 1.0) / count),
            floor: scaled(&model, least),
            size,
        };
        (variance, Errors::Rotations)
    }

    /// What a rotation adds to the score equations, corrected for having drawn the fit towards itself: `Z' (I - Z C Z'
    /// W)⁻¹ e`. Absent when some parameter hangs on this rotation alone.
    fn pull(self, cluster: &[Encounter], theta: &[f64], model: &[f64]) -> Option<Terms> {
        let (size, rows) = (self.size(), cluster.len());
        let terms: Vec<Terms> = cluster.iter().map(|row| self.terms(row)).collect();
        let expected: Vec<f64> = terms.iter().map(|terms| logistic(value(terms, theta))).collect();
        let root: Vec<f64> = expected
            .iter()
            .map(|p| (p * (1.0 - p)).max(f64::MIN_POSITIVE).sqrt())
            .collect();
        // Made symmetric with the root of the weights on both sides.
        let mut kept = vec![0.0; rows * rows];
        for i in 0..rows {
            for j in 0..=i {
                let mut leverage = 0.0;
                for &(p, a) in &terms[i] {
                    for &(q, b) in &terms[j] {
                        leverage += a * b * model[p * size + q];
                    }
                }
                kept[i * rows + j] = f64::from(u8::from(i == j)) - root[i] * leverage * root[j];
            }
        }
        let residuals = cluster
            .iter()
            .zip(&expected)
            .map(|(row, p)| f64::from(row.halves) / 2.0 - p);
        let mut corrected: Vec<f64> = residuals.zip(&root).map(|(residual, root)| residual * root).collect();
        Cholesky::of(kept, rows, LEVERAGE_LEFT_MIN)?.solve(&mut corrected);
        let mut pull: BTreeMap<usize, f64> = BTreeMap::new();
        for ((terms, corrected), root) in terms.iter().zip(corrected).zip(root) {
            for &(parameter, factor) in terms {
                *pull.entry(parameter).or_default() += factor * corrected / root;
            }
        }
        Some(pull.into_iter().collect())
    }
}

fn scaled(matrix: &[f64], factor: f64) -> Vec<f64> {
    matrix.iter().map(|element| element * factor).collect()
}

fn value(terms: &Terms, theta: &[f64]) -> f64 {
    terms.iter().map(|&(parameter, factor)| factor * theta[parameter]).sum()
}

fn logistic(logits: f64) -> f64 {
    1.0 / (1.0 + (-logits).exp())
}

/// `ln(1 + exp(x))` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// Values of parameters, a parameter held at 0 included, minus their mean.
fn centred(parameters: &[Option<usize>], theta: &[f64]) -> Vec<f64> {
    let values: Vec<f64> = parameters
        .iter()
        .map(|parameter| parameter.map_or(0.0, |p| theta[p]))
        .collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.into_iter().map(|value| value - mean).collect()
}

/// The covariance of all parameters of a design, in log-odds.
#[derive(Clone, Debug)]
struct Variance {
    counted: Vec<f64>,
    /// The least that is believed of any difference.
    floor: Vec<f64>,
    size: usize,
}

impl Variance {
    /// Of a difference between two parameters.
    fn of_difference(&self, one: Option<usize>, other: Option<usize>) -> f64 {
        let of = |matrix: &[f64]| {
            self.at(matrix, one, one) + self.at(matrix, other, other) - 2.0 * self.at(matrix, one, other)
        };
        of(&self.counted).max(of(&self.floor))
    }

    /// Of each parameter relative to the mean of all those given.
    fn about_mean(&self, parameters: &[Option<usize>]) -> Vec<f64> {
        let of = |matrix: &[f64]| -> Vec<f64> {
            let number = parameters.len() as f64;
            let row_mean = |&one: &Option<usize>| {
                parameters.iter().map(|&other| self.at(matrix, one, other)).sum::<f64>() / number
            };
            let means: Vec<f64> = parameters.iter().map(row_mean).collect();
            let grand = means.iter().sum::<f64>() / number;
            let each = parameters.iter().zip(&means);
            each.map(|(&one, mean)| self.at(matrix, one, one) - 2.0 * mean + grand)
                .collect()
        };
        let floor = of(&self.floor);
        of(&self.counted)
            .into_iter()
            .zip(floor)
            .map(|(counted, floor)| counted.max(floor))
            .collect()
    }

    fn at(&self, matrix: &[f64], one: Option<usize>, other: Option<usize>) -> f64 {
        one.zip(other)
            .map_or(0.0, |(one, other)| matrix[one * self.size + other])
    }
}
