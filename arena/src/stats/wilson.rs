//! The interval for a mean score: Wilson's, scaled by how much the scores really scatter.

use super::{elo_of_score, normal_quantile};

/// A mean score with its interval, all from 0.0 to 1.0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ScoreInterval {
    /// The mean.
    pub score: f64,
    /// The lower end; 0 when no match was scored in.
    pub low: f64,
    /// The upper end; 1 when nothing was lost.
    pub high: f64,
    /// The scatter of the scores relative to wins and losses only: 1 without draws, less with them.
    pub dispersion: f64,
}

impl ScoreInterval {
    /// The difference in Elo that the mean stands for; absent for a perfect or empty score, which no number fits.
    pub fn elo(&self) -> Option<f64> {
        (0.0 < self.score && self.score < 1.0).then(|| elo_of_score(self.score))
    }

    /// Both ends in Elo; absent where there is no bound on that side.
    pub fn elo_ends(&self) -> (Option<f64>, Option<f64>) {
        let low = (self.low > 0.0).then(|| elo_of_score(self.low));
        let high = (self.high < 1.0).then(|| elo_of_score(self.high));
        (low, high)
    }
}

/// The interval for the mean of independent scores, given how often each possible score came up. Absent without any.
///
/// `counts` names every score that is possible, also those that never came up: win, draw and loss of a match, or the
/// five results of a pair. E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal
/// of the American Statistical Association, 1927, with its variance scaled by the observed dispersion (half a count is
/// added to each class before that is measured, so that it is never zero). Wald's interval, which most match tools
/// print, is far too narrow for one-sided results and undefined for perfect ones; this one is never empty and never
/// undefined.
pub fn wilson_phi(counts: &[(f64, u64)], confidence: f64) -> Option<ScoreInterval> {
    let moments = |extra: f64| {
        let total: f64 = counts.iter().map(|&(_, count)| count as f64 + extra).sum();
        let mean = counts.iter().map(|&(x, count)| x * (count as f64 + extra)).sum::<f64>() / total;
        let square = counts
            .iter()
            .map(|&(x, count)| (x - mean).powi(2) * (count as f64 + extra));
        (total, mean, square.sum::<f64>() / total)
    };
    let (total, mean, _) = moments(0.0);
    if total == 0.0 {
        return None;
    }
    let (_, smooth_mean, smooth_variance) = moments(0.5);
    let dispersion = smooth_variance / (smooth_mean * (1.0 - smooth_mean));
    let kappa = normal_quantile(confidence).powi(2) * dispersion / total;
    let centre = mean + kappa / 2.0;
    let reach = (kappa * mean * (1.0 - mean) + kappa * kappa / 4.0).sqrt();
    Some(ScoreInterval {
        score: mean,
        low: if mean <= 0.0 {
            0.0
        } else {
            (centre - reach) / (1.0 + kappa)
        },
        high: if mean >= 1.0 {
            1.0
        } else {
            (centre + reach) / (1.0 + kappa)
        },
        dispersion,
    })
}
