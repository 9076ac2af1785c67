//! The estimate after a sequential test, which the plain one would miss: a test that stops early stops on luck.
//!
//! Holds for the outcome of one [`Sprt`] looked at after each unit. The log-likelihood ratio is taken for a Brownian
//! motion between the two bounds, and outcomes are put in order: accepted H0 early, late, still going on by ratio,
//! accepted H1 late, early. The estimate is the difference under which a worse outcome is as likely as a better one;
//! the ends of the interval are those under which only so much is worse or better. So does fishtest, by Van den Bergh;
//! the ordering is David Siegmund's, Estimation following sequential tests, Biometrika, 1978.

use super::{Counts, Moments, Sprt, elo_of_score, expected_score, ln_normal_cdf};

/// What a stopped test says about the difference, in logistic Elo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoppedEstimate {
    /// The median-unbiased estimate; absent where it would be beyond [`ELO_RANGE`].
    pub elo: Option<f64>,
    /// The lower end of the interval; absent where there is no bound within [`ELO_RANGE`].
    pub low: Option<f64>,
    /// The upper end, likewise.
    pub high: Option<f64>,
    /// How likely a worse outcome is between equals: what [`Counts::los`] is to a run of fixed length.
    pub los: f64,
}

/// Estimates are looked for between minus and plus this many Elo.
pub const ELO_RANGE: f64 = 1000.0;

impl Sprt {
    /// The estimate with an interval at `confidence`, from the counts at which the test stopped, or has got to.
    ///
    /// Absent where the scores do not differ: without any scatter there is no motion to go by.
    pub fn estimate(&self, counts: &Counts, confidence: f64) -> Option<StoppedEstimate> {
        counts.moments().filter(|moments| moments.variance > 0.0)?;
        let outcome = Outcome::new(self, counts);
        let tail = (1.0 - confidence) / 2.0;
        Some(StoppedEstimate {
            elo: outcome.elo_at(0.5),
            low: outcome.elo_at(1.0 - tail),
            high: outcome.elo_at(tail),
            los: outcome.worse(0.0),
        })
    }
}

/// Where the log-likelihood ratio has got to.
struct Outcome {
    /// The scores of the hypotheses.
    scores: (f64, f64),
    bounds: (f64, f64),
    moments: Moments,
    /// After how many units it is at `llr`; where it has gone beyond a bound, when it is taken to have met it.
    time: f64,
    llr: f64,
}

impl Outcome {
    fn new(sprt: &Sprt, counts: &Counts) -> Outcome {
        let classes = counts.regularized();
        let moments = Moments::of(&classes, counts.unit());
        let mut outcome = Outcome {
            scores: sprt.scores(&moments),
            bounds: sprt.bounds(),
            moments,
            time: classes.iter().map(|&(_, n)| n).sum(),
            llr: 0.0,
        };
        let (slope, _) = outcome.drift(moments.mean);
        outcome.llr = (slope * outcome.time).clamp(outcome.bounds.0, outcome.bounds.1);
        if slope != 0.0 {
            outcome.time = outcome.llr / slope;
        }
        outcome
    }

    /// Drift and variance of the ratio in a unit where the true mean score is `score`: Van den Bergh, GSPRT approximation.
    fn drift(&self, score: f64) -> (f64, f64) {
        let (score0, score1) = self.scores;
        let drift = (score - f64::midpoint(score0, score1)) * (score1 - score0) / self.moments.variance;
        (drift, (score1 - score0).powi(2) / self.moments.variance)
    }

    /// How likely a worse outcome is where the true difference is `elo`.
    fn worse(&self, elo: f64) -> f64 {
        let (drift, variance) = self.drift(expected_score(elo));
        let (lower, upper) = self.bounds;
        let motion = Motion {
            start: -lower,
            width: upper - lower,
            drift,
            variance,
        };
        motion.below(self.time, self.llr - lower)
    }

    /// The difference under which a worse outcome has the probability `worse`; absent when beyond the range.
    fn elo_at(&self, worse: f64) -> Option<f64> {
        const HALVINGS: usize = 60;
        let (mut low, mut high) = (expected_score(-ELO_RANGE), expected_score(ELO_RANGE));
        if self.worse(-ELO_RANGE) < worse || self.worse(ELO_RANGE) > worse {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            if self.worse(elo_of_score(middle)) > worse {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(elo_of_score(low.midpoint(high)))
    }
}

/// A Brownian motion that ends where it meets 0 or `width`.
struct Motion {
    start: f64,
    width: f64,
    drift: f64,
    /// In one unit of time.
    variance: f64,
}

impl Motion {
    /// The probability that by `time` it has met 0, or is still on its way and not above `level`; with `level` at
    /// `width`: that it has not met that.
    ///
    /// Method of images: a motion without ends, plus what mirrored motions take away, their starts 2 widths apart. All
    /// terms are between -1 and 1, and fall off as a normal law does.
    fn below(&self, time: f64, level: f64) -> f64 {
        const PAIRS_MAX: u32 = 100_000;
        const NEGLIGIBLE: f64 = 1e-14;
        let deviation = (self.variance * time).sqrt();
        let rate = self.drift / self.variance;
        // The weight of an image by where it starts, times the probability to be below the level. From images on the left
        // the probability to be above is taken away instead, so that at the beginning there is nothing of them.
        let image = |from: f64| {
            let z = (level - from - self.drift * time) / deviation;
            let weight = rate * (from - self.start);
            if from < 0.0 {
                -(weight + ln_normal_cdf(-z)).exp()
            } else {
                (weight + ln_normal_cdf(z)).exp()
            }
        };
        let mut sum = image(self.start) - image(-self.start);
        for pair in 1..=PAIRS_MAX {
            let shift = 2.0 * f64::from(pair) * self.width;
            let terms = [
                image(shift + self.start),
                -image(shift - self.start),
                image(-shift + self.start),
                -image(-shift - self.start),
            ];
            sum += terms.iter().sum::<f64>();
            if terms.iter().all(|term| term.abs() < NEGLIGIBLE) {
                break;
            }
        }
        sum.clamp(0.0, 1.0)
    }
}
