//! Which bots differ for sure, however often one looks: a confidence sequence for each pair.
//!
//! A sequence holds at all times at once with its probability, so a run may stop as soon as one leaves 1/2. All pairs
//! share [`ERROR`] evenly, so all that is said of any pair is right together with probability `1 - ERROR`.
//!
//! What it is about is the mean score over the openings and opponents met; no model of ratings is behind it.

use crate::stats::AnytimeInterval;

/// The probability that anything said is wrong.
pub const ERROR: f64 = 0.05;

/// The sequences of all pairs.
#[derive(Clone, Debug)]
pub struct Separation {
    bots: usize,
    /// Of the lower against the higher bot.
    pairs: Vec<Bounds>,
}

/// A pair's sequence, and the bounds of all times so far.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    sequence: AnytimeInterval,
    low: f64,
    high: f64,
}

impl Separation {
    /// Nothing is known of so many bots.
    pub fn new(bots: usize) -> Separation {
        let pairs = (bots * (bots - 1) / 2) as f64;
        let nothing = Bounds {
            sequence: AnytimeInterval::new(1.0 - ERROR / pairs),
            low: 0.0,
            high: 1.0,
        };
        Separation {
            bots,
            pairs: vec![nothing; bots * bots],
        }
    }

    /// Takes what `one` scored against `other` in one rotation, from 0 to 1.
    pub fn add(&mut self, one: usize, other: usize, score: f64) {
        if one < other {
            self.pairs[one * self.bots + other].add(score);
        } else {
            self.pairs[other * self.bots + one].add(1.0 - score);
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

impl Bounds {
    fn add(&mut self, score: f64) {
        self.sequence.add(score);
        let (low, high) = self.sequence.interval();
        self.low = self.low.max(low);
        self.high = self.high.min(high);
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
}
