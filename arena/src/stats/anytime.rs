//! An interval for a mean score that may be looked at after every match, and stopped at whenever one likes.
//!
//! For scores from 0.0 to 1.0 of any law, draws and whole rotations included. The price is width: with 1,000 matches about
//! twice that of an interval for a number of matches fixed beforehand.

/// A confidence sequence: with the confidence that it was made for, *all* its intervals hold the true mean.
///
/// The predictable plug-in empirical Bernstein sequence: Ian Waudby-Smith and Aaditya Ramdas, Estimating means of bounded
/// random variables by betting, Journal of the Royal Statistical Society B, 2024, theorem 2. Each score is
/// weighed by how much the ones before it scattered. Independence is not needed, only that the mean stays what it is
/// whatever has been; the order of adding matters and has to be fixed beforehand, such as that of a schedule.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AnytimeInterval {
    /// ln (2 / alpha): each end has half of the error.
    reach: f64,
    scores: u64,
    sum: f64,
    /// Squared distances of the scores from the mean of their time.
    squares: f64,
    weights: f64,
    weighted_scores: f64,
    /// Weighted squared distances from what was guessed before, for the lower and the upper end.
    weighted_squares: [f64; 2],
}

/// Mean and variance that count as one score before the first, in the weights.
const PRIOR_MEAN: f64 = 0.5;
const PRIOR_VARIANCE: f64 = 0.25;

/// No score weighs more.
const WEIGHT_MAX: f64 = 0.5;

impl AnytimeInterval {
    /// Without any score yet. `confidence` is above 0 and below 1.
    pub fn new(confidence: f64) -> AnytimeInterval {
        AnytimeInterval {
            reach: (2.0 / (1.0 - confidence)).ln(),
            scores: 0,
            sum: 0.0,
            squares: 0.0,
            weights: 0.0,
            weighted_scores: 0.0,
            weighted_squares: [0.0; 2],
        }
    }

    /// Adds a score from 0.0 to 1.0: of a match, or the mean of a rotation.
    pub fn add(&mut self, score: f64) {
        let before = (self.scores + 1) as f64;
        let variance = (PRIOR_VARIANCE + self.squares) / before;
        let weight = (2.0 * self.reach / (before * before.ln_1p() * variance))
            .sqrt()
            .min(WEIGHT_MAX);
        // Any guess from earlier scores will do. Before the first one each end takes the worst: so does the authors' package
        // confseq, whose numbers these are.
        let guesses = self.mean().map_or([0.0, 1.0], |mean| [mean, mean]);
        for (sum, guess) in self.weighted_squares.iter_mut().zip(guesses) {
            *sum += (score - guess).powi(2) * (-(-weight).ln_1p() - weight);
        }
        self.weights += weight;
        self.weighted_scores += weight * score;
        self.scores += 1;
        self.sum += score;
        self.squares += (score - (PRIOR_MEAN + self.sum) / (before + 1.0)).powi(2);
    }

    /// How many scores were added.
    pub fn scores(&self) -> u64 {
        self.scores
    }

    /// The mean of the scores; absent without any.
    pub fn mean(&self) -> Option<f64> {
        (self.scores > 0).then(|| self.sum / self.scores as f64)
    }

    /// The ends, from 0.0 to 1.0: no bound yet with few scores.
    pub fn interval(&self) -> (f64, f64) {
        if self.scores == 0 {
            return (0.0, 1.0);
        }
        let centre = self.weighted_scores / self.weights;
        let [down, up] = self
            .weighted_squares
            .map(|squares| (self.reach + squares) / self.weights);
        ((centre - down).max(0.0), (centre + up).min(1.0))
    }
}
