//! The logistic curve between rating differences and expected scores.

/// Elo points in one unit of log-odds: 400 points are a factor of ten in the odds.
pub const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;

/// Expected score of a bot rated `difference` Elo above its opponent: from 0.0 (sure loss) to 1.0 (sure win).
///
/// Source: Arpad Elo, The Rating of Chessplayers, Past and Present, 1978, in the logistic form that the chess
/// federations and rating programs use. `expected_score(d) + expected_score(-d) == 1`.
pub fn expected_score(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference / ELO_PER_LOGIT).exp())
}

/// The difference in Elo at which `score` is expected: the inverse of [`expected_score`].
///
/// `score` is from 0.0 to 1.0; at these two ends the result is minus or plus infinity, which callers turn into
/// "no bound" and never print.
pub fn elo_of_score(score: f64) -> f64 {
    ELO_PER_LOGIT * (score / (1.0 - score)).ln()
}
