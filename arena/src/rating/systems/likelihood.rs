//! The top of a likelihood by Newton's method, and the errors that go with it.
//!
//! For concave likelihoods. Errors are the model's: as if all matches were independent of each other, which those of
//! one rotation or of one deterministic pair are not; [`Standings`](crate::rating::Standings) does better.

use std::collections::BTreeMap;

use crate::rating::cholesky::Cholesky;

/// Newton's method needs fewer than ten rounds, or does not end.
const ROUNDS_MAX: usize = 100;

/// Largest step with which a fit counts as settled.
const STEP_MAX: f64 = 1e-10;

/// A seat worth more than this, in log-odds (about 2,000 Elo), has no finite advantage.
const SEAT_MAX: f64 = 12.0;

/// A propensity to tie beyond this, as a logarithm, has no finite value. Where a fit runs away although its bots scored
/// against each other, this is what runs: the limit that it runs to has matches that are won or tied, never lost.
const TIE_MAX: f64 = 20.0;

/// Parameters with their factors.
pub(super) type Terms = Vec<(usize, f64)>;

/// A concave function of parameters.
pub(super) trait Likelihood {
    /// Its logarithm.
    fn value(&self, at: &[f64]) -> f64;

    /// Adds its first derivatives, and its negative second ones in the lower triangle of a square.
    fn add_slopes(&self, at: &[f64], gradient: &mut [f64], information: &mut [f64]);
}

/// Which parameter is whose: bots, then seats, then ties. The last bot and the last seat are held at 0, since only
/// differences count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub members: usize,
    /// 1: seats are left out.
    pub seats: usize,
    pub ties: usize,
}

impl Layout {
    pub fn size(self) -> usize {
        self.tie(0) + self.ties
    }

    pub fn bot(self, member: usize) -> Option<usize> {
        (member + 1 < self.members).then_some(member)
    }

    pub fn seat(self, seat: usize) -> Option<usize> {
        (seat + 1 < self.seats).then_some(self.members - 1 + seat)
    }

    pub fn tie(self, tie: usize) -> usize {
        self.members - 1 + self.seats - 1 + tie
    }

    fn holds(self, at: &[f64]) -> bool {
        let (seats, ties) = at[self.members - 1..].split_at(self.seats - 1);
        seats.iter().all(|seat| seat.abs() <= SEAT_MAX) && ties.iter().all(|&tie| tie <= TIE_MAX)
    }

    /// Newton's method from `start`; a step is halved until the likelihood does not fall. Absent when there is no top,
    /// or when a parameter says nothing that others do not.
    pub fn maximise(self, likelihood: &impl Likelihood, start: Vec<f64>) -> Option<Top> {
        let mut at = start;
        let mut reached = likelihood.value(&at);
        for _ in 0..ROUNDS_MAX {
            let mut step = vec![0.0; at.len()];
            let mut information = vec![0.0; at.len() * at.len()];
            likelihood.add_slopes(&at, &mut step, &mut information);
            let information = Cholesky::of(information, at.len(), 0.0)?;
            information.solve(&mut step);
            let mut scale = 1.0;
            at = loop {
                let next: Vec<f64> = at.iter().zip(&step).map(|(old, step)| old + scale * step).collect();
                let now = likelihood.value(&next);
                // Close to the top the likelihood moves by less than its rounding.
                if now >= reached - 1e-12 * reached.abs() {
                    reached = now;
                    break next;
                }
                if scale < 1e-6 {
                    return None;
                }
                scale /= 2.0;
            };
            if !self.holds(&at) {
                return None;
            }
            if step.iter().all(|step| step.abs() <= STEP_MAX) {
                return Some(Top {
                    covariance: information.inverse(),
                    value: reached,
                    at,
                });
            }
        }
        None
    }
}

/// Where a likelihood is highest.
#[derive(Clone, Debug)]
pub(super) struct Top {
    pub at: Vec<f64>,
    /// Of the parameters, both triangles.
    pub covariance: Vec<f64>,
    /// The logarithm of the likelihood.
    pub value: f64,
}

impl Top {
    /// The standard error of a parameter.
    pub fn error(&self, parameter: usize) -> f64 {
        self.covariance(parameter, parameter).sqrt()
    }

    /// Each parameter relative to the mean of all those given, with its standard error. An absent one is held at 0.
    pub fn about_mean(&self, parameters: &[Option<usize>]) -> Vec<(f64, f64)> {
        let number = parameters.len() as f64;
        let mean = parameters.iter().flatten().map(|&p| self.at[p]).sum::<f64>() / number;
        let shared = |one: Option<usize>| {
            let each = parameters.iter().flatten();
            one.map_or(0.0, |one| {
                each.map(|&other| self.covariance(one, other)).sum::<f64>() / number
            })
        };
        let all = parameters.iter().map(|&one| shared(one)).sum::<f64>() / number;
        let each = parameters.iter().map(|&one| {
            let variance = one.map_or(0.0, |one| self.covariance(one, one)) - 2.0 * shared(one) + all;
            (one.map_or(0.0, |one| self.at[one]) - mean, variance.max(0.0).sqrt())
        });
        each.collect()
    }

    fn covariance(&self, one: usize, other: usize) -> f64 {
        self.covariance[one * self.at.len() + other]
    }
}

/// A likelihood made of choices: one option is taken each time, with a chance proportional to the exponential of its
/// weight.
#[derive(Clone, Debug)]
pub(super) struct Choices(pub Vec<Vec<Choice>>);

/// One option of a choice.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// How often it was taken.
    pub taken: f64,
    pub weight: Terms,
    /// The part of its weight that is not fitted.
    pub fixed: f64,
}

impl Likelihood for Choices {
    fn value(&self, at: &[f64]) -> f64 {
        let each = self.0.iter().flat_map(|options| {
            let shares = log_shares(options, at);
            options.iter().zip(shares).map(|(option, share)| option.taken * share)
        });
        each.sum()
    }

    fn add_slopes(&self, at: &[f64], gradient: &mut [f64], information: &mut [f64]) {
        let size = at.len();
        for options in &self.0 {
            let number: f64 = options.iter().map(|option| option.taken).sum();
            let shares: Vec<f64> = log_shares(options, at).into_iter().map(f64::exp).collect();
            let mut mean: BTreeMap<usize, f64> = BTreeMap::new();
            for (option, share) in options.iter().zip(&shares) {
                for &(parameter, factor) in &option.weight {
                    *mean.entry(parameter).or_default() += share * factor;
                }
            }
            for (option, share) in options.iter().zip(&shares) {
                let mut apart = mean.clone();
                apart.values_mut().for_each(|factor| *factor = -*factor);
                for &(parameter, factor) in &option.weight {
                    *apart.entry(parameter).or_default() += factor;
                }
                for (&i, a) in &apart {
                    gradient[i] += option.taken * a;
                    for (&j, b) in apart.range(..=i) {
                        information[i * size + j] += number * share * a * b;
                    }
                }
            }
        }
    }
}

/// The logarithms of the options' chances.
fn log_shares(options: &[Choice], at: &[f64]) -> Vec<f64> {
    let weights: Vec<f64> = options
        .iter()
        .map(|option| option.fixed + sum(&option.weight, at))
        .collect();
    let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let whole = top + weights.iter().map(|weight| (weight - top).exp()).sum::<f64>().ln();
    weights.into_iter().map(|weight| weight - whole).collect()
}

/// The value of terms.
pub(super) fn sum(terms: &Terms, at: &[f64]) -> f64 {
    terms.iter().map(|&(parameter, factor)| factor * at[parameter]).sum()
}
