//! The standard normal law, also where its tail is too thin for a number.

use std::f64::consts::TAU;

use statrs::distribution::{ContinuousCDF, Normal};

/// The probability of a value below `x`, exact to about 1e-10.
pub fn normal_cdf(x: f64) -> f64 {
    Normal::standard().cdf(x)
}

/// The logarithm of [`normal_cdf`], finite for every finite `x`.
pub(super) fn ln_normal_cdf(x: f64) -> f64 {
    // Below this the first terms of the asymptotic series are exact to 1e-8, and the probability itself would soon be 0.
    const TAIL: f64 = -20.0;
    if x > TAIL {
        normal_cdf(x).ln()
    } else {
        let square = x * x;
        -square / 2.0 - TAU.ln() / 2.0 - (-x).ln() + (-1.0 / square + 3.0 / square.powi(2)).ln_1p()
    }
}
