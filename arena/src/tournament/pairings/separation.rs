//! Which bots differ for sure, however often one looks: a confidence sequence for each pair.
//!
//! A sequence holds at all times at once with its probability, so a run may stop as soon as one leaves 1/2. It is of the
//! empirical-Bernstein kind with predictable weights (Waudby-Smith and Ramdas, Estimating means of bounded random
//! variables by betting, 2024, section 3): for scores between 0 and 1 of any shape. All pairs share [`ERROR`] evenly, so
//! all that is said of any pair is right together with probability `1 - ERROR`.
//!
//! What it is about is the mean score over the openings and opponents met; no model of ratings is behind it.

/// The probability that anything said is wrong.
pub const ERROR: f64 = 0.05;

/// The sequences of all pairs.
#[derive(Clone, Debug)]
pub struct Separation {
    bots: usize,
    /// The logarithm of 2 over the error of one pair.
    log: f64,
    /// Of the lower against the higher bot.
    pairs: Vec<Sequence>,
}

impl Separation {
    /// Nothing is known of so many bots.
    pub fn new(bots: usize) -> Separation {
        let pairs = (bots * (bots - 1) / 2) as f64;
        Separation {
            bots,
            log: (2.0 * pairs / ERROR).ln(),
            pairs: vec![Sequence::default(); bots * bots],
        }
    }

    /// Takes what `one` scored against `other` in one rotation, from 0 to 1.
    pub fn add(&mut self, one: usize, other: usize, score: f64) {
        if one < other {
            self.pairs[one * self.bots + other].add(score, self.log);
        } else {
            self.pairs[other * self.bots + one].add(1.0 - score, self.log);
        }
    }

    /// Whether `one` is better than `other` for sure.
    pub fn is_above(&self, one: usize, other: usize) -> bool {
        if one < other {
            self.pairs[one * self.bots + other].low > 0.5
        } else {
            self.pairs[other * self.bots + one].high < 0.5
        }
    }
}

/// A mean and the bounds of all times so far.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    count: f64,
    sum: f64,
    squares: f64,
    weights: f64,
    weighted: f64,
    variation: f64,
    low: f64,
    high: f64,
}

impl Default for Sequence {
    fn default() -> Sequence {
        Sequence {
            count: 0.0,
            sum: 0.0,
            squares: 0.0,
            weights: 0.0,
            weighted: 0.0,
            variation: 0.0,
            low: 0.0,
            high: 1.0,
        }
    }
}

impl Sequence {
    /// Mean and variance, with one score of 1/2 and a variance of 1/4 to begin with.
    fn mean(&self) -> f64 {
        (0.5 + self.sum) / (1.0 + self.count)
    }

    fn variance(&self) -> f64 {
        (0.25 + self.squares) / (1.0 + self.count)
    }

    fn add(&mut self, score: f64, log: f64) {
        let (mean, variance) = (self.mean(), self.variance());
        self.count += 1.0;
        self.sum += score;
        self.squares += (score - self.mean()).powi(2);
        let weight = (2.0 * log / (self.count * self.count.ln_1p() * variance))
            .sqrt()
            .min(0.5);
        self.weights += weight;
        self.weighted += weight * score;
        self.variation += (score - mean).powi(2) * (-(-weight).ln_1p() - weight);
        let (centre, half) = (self.weighted / self.weights, (log + self.variation) / self.weights);
        self.low = self.low.max(centre - half);
        self.high = self.high.min(centre + half);
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    use super::*;

    /// Rotations of two matches without ties, each won by the first bot with this probability in percent, until the two
    /// are separated.
    fn rotations_until_apart(percent: u64, most: usize, seed: u8) -> Option<usize> {
        let mut random = ChaCha8Rng::from_seed([seed; 32]);
        let mut separation = Separation::new(2);
        (1..=most).find(|_| {
            let mut won = || f64::from(u8::from(random.next_u64() % 100 < percent));
            separation.add(0, 1, (won() + won()) / 2.0);
            separation.is_above(0, 1) || separation.is_above(1, 0)
        })
    }

    #[test]
    fn equal_bots_are_hardly_ever_separated_by_looking_after_every_rotation() {
        let wrong = (0..100).filter(|seed| rotations_until_apart(50, 500, *seed).is_some());
        assert!(wrong.count() <= 5);
    }

    #[test]
    fn the_better_of_two_is_found() {
        for seed in 0..20 {
            assert!(rotations_until_apart(75, 200, seed).is_some(), "seed {seed}");
        }
    }

    #[test]
    fn it_does_not_matter_from_whose_side_a_score_is_told() {
        let (mut one, mut other) = (Separation::new(3), Separation::new(3));
        for _ in 0..40 {
            one.add(0, 2, 1.0);
            other.add(2, 0, 0.0);
        }
        for separation in [&one, &other] {
            assert!(separation.is_above(0, 2) && !separation.is_above(2, 0) && !separation.is_above(0, 1));
        }
    }

    #[test]
    fn bounds_are_those_of_the_formula() {
        // By hand, for one pair and scores 1 and 1/2. Weights are 1/2 as long as few scores are known.
        let mut sequence = Sequence::default();
        let log = (2.0_f64 / 0.05).ln();
        let psi = -(0.5_f64.ln()) - 0.5;
        sequence.add(1.0, log);
        assert!((sequence.weights - 0.5).abs() < 1e-12);
        assert!((sequence.variation - 0.25 * psi).abs() < 1e-12);
        sequence.add(0.5, log);
        assert!((sequence.weighted - 0.75).abs() < 1e-12);
        assert!((sequence.variation - (0.25 + 0.0625) * psi).abs() < 1e-12);
        assert_eq!((sequence.low, sequence.high), (0.0, 1.0));
    }
}
