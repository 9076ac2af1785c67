//! How many matches a question takes, before or while it is put.
//!
//! All are approximations for small differences: they plan a run, they do not judge it.

use super::{Counts, Moments, NELO_PER_DEVIATION, Sprt, normal_cdf, normal_quantile};

/// What to expect of a sequential test.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// The probability that it accepts H1.
    pub accept_h1: f64,
    /// The mean number of units still to play.
    pub units: f64,
}

impl Sprt {
    /// What to expect where scores are as in `moments` and the log-likelihood ratio is `llr` now: 0 before the first unit.
    ///
    /// A Brownian motion with drift between the bounds, as fishtest plans with. Wald's formulas: Abraham Wald,
    /// Sequential Tests of Statistical Hypotheses, 1945. `moments` must have a variance above 0.
    pub fn forecast(&self, moments: &Moments, llr: f64) -> Forecast {
        let (score0, score1) = self.scores(moments);
        let (lower, upper) = self.bounds();
        let (down, up) = ((lower - llr).min(0.0), (upper - llr).max(0.0));
        let variance = (score1 - score0).powi(2) / moments.variance;
        // Twice the drift over the variance.
        let h = (2.0 * moments.mean - score0 - score1) / (score1 - score0);
        let (accept_h1, time) = if (h * (up - down)).abs() < 1e-6 {
            (-down / (up - down), -down * up)
        } else {
            // The one formula in two forms, of which neither can overflow.
            let accept_h1 = if h > 0.0 {
                (h * down).exp_m1() / (h * (down - up)).exp_m1()
            } else {
                (h * up).exp() * (-h * down).exp_m1() / (h * (up - down)).exp_m1()
            };
            let end = up * accept_h1 + down * (1.0 - accept_h1);
            (accept_h1, 2.0 / h * end)
        };
        Forecast {
            accept_h1,
            units: (time / variance).max(0.0),
        }
    }

    /// What to expect if it goes on as it has begun; absent where the scores do not differ yet.
    pub fn forecast_from(&self, counts: &Counts) -> Option<Forecast> {
        let moments = counts.moments().filter(|moments| moments.variance > 0.0)?;
        Some(self.forecast(&moments, self.llr(counts)))
    }
}

/// How many matches tell a difference of `nelo` normalized Elo from none with probability `power`, two-sided at `alpha`.
///
/// The usual formula for a normal mean. `nelo` is not 0; matches of pairs count as two.
pub fn matches_needed(nelo: f64, power: f64, alpha: f64) -> f64 {
    // A quantile for the middle part `c` leaves (1 - c) / 2 on each side.
    let reach = normal_quantile(1.0 - alpha) + normal_quantile(2.0 * power - 1.0);
    (reach / (nelo / NELO_PER_DEVIATION)).powi(2)
}

/// The probability that `matches` matches tell a difference of `nelo` normalized Elo from none: [`matches_needed`] reversed.
pub fn power(nelo: f64, matches: f64, alpha: f64) -> f64 {
    normal_cdf(nelo.abs() / NELO_PER_DEVIATION * matches.sqrt() - normal_quantile(1.0 - alpha))
}
