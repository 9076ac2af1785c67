//! How much likelihood it costs to demand something of the mean of a law that is otherwise free.
//!
//! Works on shares: each possible score with the share of the results that had it, all above 0 and together 1. The
//! likeliest law under a demand gives other shares; the cost is the logarithm of the likelihood lost for each result, 0
//! where the shares meet the demand already.
//!
//! Everything here ends after a bounded number of steps. A demand on mean over deviation bounds a set that is not
//! convex, and the usual fixed-point iteration for it need not settle; here it is a search along one line instead.

/// The cost of a mean of `mean`, which lies between the lowest score and the highest.
///
/// Michel Van den Bergh, The MLE for the multinomial distribution with known expectation value, Proposition 1.1.
pub(super) fn cost_of_mean(shares: &[(f64, f64)], mean: f64) -> f64 {
    cost(shares, |x| x - mean).unwrap_or(f64::MAX)
}

/// The cost of a mean that is `t` standard deviations above 1/2; scores are symmetric around 1/2.
///
/// For t > 0 the deviation, which is concave in the law, is the least of (s + E(x - m)^2 / s) / 2 over all s > 0 and m.
/// So laws with a mean of t deviations or more make up a union of half-spaces, and those with t or less an intersection
/// of their complements; it is enough to take m = 1/2 + t s. Where the demand is for more than the shares have, the cost
/// is therefore the least of the costs of single half-spaces, and where it is for less, the greatest.
pub(super) fn cost_of_deviations(shares: &[(f64, f64)], t: f64) -> f64 {
    if t == 0.0 {
        return cost_of_mean(shares, 0.5);
    }
    if t < 0.0 {
        let mirrored: Vec<(f64, f64)> = shares.iter().rev().map(|&(x, share)| (1.0 - x, share)).collect();
        return cost_of_deviations(&mirrored, -t);
    }
    let mean: f64 = shares.iter().map(|&(x, share)| x * share).sum();
    let square: f64 = shares.iter().map(|&(x, share)| (x - mean).powi(2) * share).sum();
    let too_low = mean - 0.5 < t * square.sqrt();
    // The half-space with deviation s, as a demand on a mean.
    let demand = |s: f64| {
        let m = 0.5 + t * s;
        move |x: f64| x - 0.5 - t / 2.0 * (s + (x - m).powi(2) / s)
    };
    if too_low {
        // A half-space without any law costs more than all others; the one at the upper end of the line has some.
        least(t, |s| cost(shares, demand(s)).unwrap_or(f64::MAX))
    } else {
        -least(t, |s| {
            let met = shares.iter().map(|&(x, share)| demand(s)(x) * share).sum::<f64>() <= 0.0;
            if met {
                0.0
            } else {
                -cost(shares, demand(s)).unwrap_or(0.0)
            }
        })
    }
}

/// The least value of `cost` over the deviations that a law can have whose mean is `t` of them above 1/2.
fn least(t: f64, cost: impl Fn(f64) -> f64) -> f64 {
    const GRID: i32 = 60;
    const REFINEMENTS: usize = 30;
    // On [0, 1] no deviation is above 1/2, and no mean further than that from the middle. Even steps in the logarithm.
    let highest = 0.5_f64.min(0.5 / t).ln();
    let step = 16.0 / f64::from(GRID);
    let at = |logarithm: f64| cost(logarithm.exp());
    let grid = (0..=GRID).map(|i| highest - step * f64::from(i));
    let (best, mut value) = grid
        .map(|logarithm| (logarithm, at(logarithm)))
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .expect("the grid has points");
    // Golden section around the best point of the grid.
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (best - step, (best + step).min(highest));
    for _ in 0..REFINEMENTS {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        let (at_left, at_right) = (at(left), at(right));
        value = value.min(at_left).min(at_right);
        if at_left < at_right {
            high = right;
        } else {
            low = left;
        }
    }
    value
}

/// The cost of a mean of 0 for `value`; absent where it has the same sign for every score, so that no law has that mean.
///
/// The likeliest law has shares divided by 1 + theta value; theta is the root of a function that falls from plus to minus
/// infinity between two poles. Newton's steps, and the middle where one would leave the bracket.
fn cost(shares: &[(f64, f64)], value: impl Fn(f64) -> f64) -> Option<f64> {
    const STEPS_MAX: usize = 100;
    let terms: Vec<(f64, f64)> = shares.iter().map(|&(x, share)| (value(x), share)).collect();
    let smallest = terms.iter().map(|&(value, _)| value).fold(f64::INFINITY, f64::min);
    let largest = terms.iter().map(|&(value, _)| value).fold(f64::NEG_INFINITY, f64::max);
    if smallest >= 0.0 || largest <= 0.0 {
        return None;
    }
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mut theta = 0.0;
    for _ in 0..STEPS_MAX {
        let (mut height, mut fall) = (0.0, 0.0);
        for &(value, share) in &terms {
            let scaled = value / (1.0 + theta * value);
            height += share * scaled;
            fall += share * scaled * scaled;
        }
        if height > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
        let newton = theta + height / fall;
        let next = if low < newton && newton < high {
            newton
        } else {
            low.midpoint(high)
        };
        let settled = (next - theta).abs() <= 1e-12 * theta.abs();
        theta = next;
        if settled {
            break;
        }
    }
    Some(
        terms
            .iter()
            .map(|&(value, share)| share * (theta * value).ln_1p())
            .sum(),
    )
}
