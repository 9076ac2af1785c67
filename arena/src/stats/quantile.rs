//! Quantiles of the two laws that intervals need.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The half-width, in standard errors, of a two-sided interval at `confidence` for a normal estimate: 1.96 at 0.95.
pub fn normal_quantile(confidence: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + confidence / 2.0)
}

/// As [`normal_quantile`], for a standard error that is itself estimated with `freedom` degrees of freedom (Student,
/// The probable error of a mean, Biometrika, 1908).
pub fn student_quantile(confidence: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom)
        .expect("callers give at least one degree of freedom")
        .inverse_cdf(0.5 + confidence / 2.0)
}
