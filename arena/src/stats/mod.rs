//! Intervals and conversions: pure functions on counts and numbers.
//!
//! Knows nothing of matches, pools or ratings of many bots; that is [`crate::rating`]. An Elo here is always a
//! difference: it means nothing until somebody says to what.

mod elo;
mod quantile;
#[cfg(test)]
mod tests;
mod wilson;

pub use elo::{ELO_PER_LOGIT, elo_of_score, expected_score};
pub use quantile::{normal_quantile, student_quantile};
pub use wilson::{ScoreInterval, wilson_phi};

/// How sure every interval is that the arena prints.
pub const CONFIDENCE: f64 = 0.95;
