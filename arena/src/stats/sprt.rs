//! The sequential test: after every pair, go on or decide between two hypotheses on the difference in strength.
//!
//! Does not play and does not count; it judges [`Counts`]. Whoever plays must look at it after each unit, in the order
//! of the schedule, and stop at the first decision: the error rates hold for that rule.
//!
//! The same numbers mean different hypotheses in the two [`Model`]s, and the log-likelihood ratios differ accordingly.

use super::likelihood::{cost_of_deviations, cost_of_mean};
use super::{Counts, Moments, NELO_PER_DEVIATION, expected_score};

/// In which Elo the two hypotheses are stated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Model {
    /// Normalized Elo, see [`Counts::nelo`]: the number of matches needed depends on the hypotheses alone.
    #[default]
    Normalized,
    /// Logistic Elo: the usual one, under which the number of matches needed depends on draws and openings too.
    Logistic,
}

/// A generalized sequential probability ratio test of "the difference is `elo0`" against "it is `elo1`".
///
/// Abraham Wald, Sequential Tests of Statistical Hypotheses, Annals of Mathematical Statistics, 1945, for the bounds;
/// Michel Van den Bergh, Comparing the approximations for the GLLR of a multinomial distribution, and Normalized Elo
/// in practice, for the ratio where the frequencies of the scores are unknown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: Model,
}

/// What the test says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The difference is rather `elo0` than `elo1`.
    AcceptH0,
    /// The difference is rather `elo1` than `elo0`.
    AcceptH1,
    /// Too early to say.
    GoOn,
}

/// Why there can be no such test.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
pub enum SprtError {
    /// A hypothesis beyond what can be tested.
    #[error("hypothesis of {found} Elo: expected a number from -{ELO_MAX} to {ELO_MAX}")]
    Elo {
        /// What was asked for.
        found: f64,
    },
    /// The hypotheses in the wrong order, or hardly different.
    #[error("hypotheses of {elo0} and {elo1} Elo: expected elo0 below elo1, by {ELO_GAP_MIN} or more")]
    Order {
        /// The first.
        elo0: f64,
        /// The second.
        elo1: f64,
    },
    /// An error rate that is no probability of an error.
    #[error("{name} of {found}: expected an error rate above 0 and below 0.5, such as 0.05")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was asked for.
        found: f64,
    },
}

/// The largest difference that can be a hypothesis, in the points of either model.
pub const ELO_MAX: f64 = 2000.0;

/// The smallest distance of two hypotheses: a test of less would take more matches than anyone can play.
const ELO_GAP_MIN: f64 = 0.01;

impl Sprt {
    /// A test that wrongly accepts `elo1` at most about `alpha` of the time, and wrongly accepts `elo0` about `beta`.
    ///
    /// # Errors
    /// [`SprtError`] where `elo0` is not below `elo1` by a hundredth, one of them is beyond [`ELO_MAX`], or a rate is not in 0..0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: Model) -> Result<Sprt, SprtError> {
        if let Some(found) = [elo0, elo1].into_iter().find(|elo| !(-ELO_MAX..=ELO_MAX).contains(elo)) {
            return Err(SprtError::Elo { found });
        }
        if elo1 - elo0 < ELO_GAP_MIN {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, found) in [("alpha", alpha), ("beta", beta)] {
            if !(0.0 < found && found < 0.5) {
                return Err(SprtError::Rate { name, found });
            }
        }
        Ok(Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        })
    }

    /// In which Elo the hypotheses are.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The two hypotheses.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// How often it may wrongly accept `elo1`, and `elo0`.
    pub fn rates(&self) -> (f64, f64) {
        (self.alpha, self.beta)
    }

    /// The ratios at which `elo0` and `elo1` are accepted: below and above 0.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// The logarithm of how much likelier `counts` are under `elo1` than under `elo0`, all else chosen to fit best. It is
    /// finite for any counts, and 0 for none.
    pub fn llr(&self, counts: &Counts) -> f64 {
        if counts.total() == 0 {
            return 0.0;
        }
        let classes = counts.regularized();
        let total: f64 = classes.iter().map(|&(_, n)| n).sum();
        let shares: Vec<(f64, f64)> = classes.iter().map(|&(x, n)| (x, n / total)).collect();
        let [cost0, cost1] = [self.elo0, self.elo1].map(|elo| match self.model {
            Model::Logistic => cost_of_mean(&shares, expected_score(elo)),
            Model::Normalized => {
                let match_deviations = elo / NELO_PER_DEVIATION;
                cost_of_deviations(&shares, match_deviations * (counts.unit().matches() as f64).sqrt())
            }
        });
        total * (cost0 - cost1)
    }

    /// Whether to go on.
    pub fn decide(&self, counts: &Counts) -> Verdict {
        let (lower, upper) = self.bounds();
        match self.llr(counts) {
            llr if llr >= upper => Verdict::AcceptH1,
            llr if llr <= lower => Verdict::AcceptH0,
            _ => Verdict::GoOn,
        }
    }

    /// The scores that the hypotheses stand for where a match's score scatters as in `moments`.
    pub(super) fn scores(&self, moments: &Moments) -> (f64, f64) {
        let score = |elo: f64| match self.model {
            Model::Logistic => expected_score(elo),
            Model::Normalized => 0.5 + elo / NELO_PER_DEVIATION * moments.match_deviation(),
        };
        (score(self.elo0), score(self.elo1))
    }
}
