//! Intervals, tests and conversions: pure functions on counts and numbers.
//!
//! Knows nothing of matches, pools or ratings of many bots; that is [`crate::rating`]. An Elo here is always a
//! difference: it means nothing until somebody says to what.

mod anytime;
mod clusters;
mod counts;
mod elo;
mod holm;
mod likelihood;
mod normal;
mod outliers;
mod planning;
mod quantile;
mod sprt;
mod stopped;
mod strata;
#[cfg(test)]
mod tests;
mod wilson;

pub use anytime::AnytimeInterval;
pub use clusters::{ClusteredMean, clustered_mean};
pub use counts::{Counts, Estimate, Moments, NELO_PER_DEVIATION, Pairs, Scored, Unit};
pub use elo::{ELO_PER_LOGIT, elo_of_score, expected_score};
pub use holm::holm;
use normal::ln_normal_cdf;
pub use normal::normal_cdf;
pub use outliers::{median, modified_z_scores};
pub use planning::{Forecast, matches_needed, power};
pub use quantile::{normal_quantile, student_quantile};
pub use sprt::{ELO_MAX, Model, Sprt, SprtError, Verdict};
pub use stopped::{ELO_RANGE, StoppedEstimate};
pub use strata::{MarkedStratum, MeanScore, Stratum, marked_test, mean_score_test};
pub use wilson::{ScoreInterval, wilson_phi};

/// How sure every interval is that the arena prints.
pub const CONFIDENCE: f64 = 0.95;
