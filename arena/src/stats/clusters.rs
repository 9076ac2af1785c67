//! The mean of values that come in clusters, within which they depend on each other.

use super::{Estimate, student_quantile};

/// A mean with its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClusteredMean {
    /// The mean over all values.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// How many clusters.
    pub clusters: u64,
}

/// The mean of all values, given for each cluster their sum and their number. Absent with fewer than two clusters, as one
/// says nothing of how they differ.
///
/// The standard error is that of a regression on a constant with errors clustered: only sums over whole clusters are
/// compared, so that it holds whatever the dependence within. K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using
/// generalized linear models, Biometrika, 1986; with the factor G / (G - 1) and Student's law of G - 1 degrees of freedom for
/// G clusters, as A. C. Cameron and D. L. Miller recommend, A practitioner's guide to cluster-robust inference, Journal of
/// Human Resources, 2015.
pub fn clustered_mean(clusters: impl IntoIterator<Item = (f64, f64)> + Clone) -> Option<ClusteredMean> {
    let (mut sum, mut number, mut count) = (0.0, 0.0, 0_u64);
    for (of_cluster, values) in clusters.clone() {
        sum += of_cluster;
        number += values;
        count += 1;
    }
    if count < 2 || number <= 0.0 {
        return None;
    }
    let mean = sum / number;
    let residuals = clusters.into_iter().map(|(sum, number)| (sum - number * mean).powi(2));
    let factor = count as f64 / (count as f64 - 1.0);
    Some(ClusteredMean {
        mean,
        error: (factor * residuals.sum::<f64>()).sqrt() / number,
        clusters: count,
    })
}

impl ClusteredMean {
    /// The mean with its interval.
    pub fn interval(&self, confidence: f64) -> Estimate {
        let reach = self.error * student_quantile(confidence, self.clusters as f64 - 1.0);
        Estimate {
            value: self.mean,
            low: self.mean - reach,
            high: self.mean + reach,
        }
    }
}
