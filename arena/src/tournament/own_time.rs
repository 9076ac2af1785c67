//! The arena's own time a ply, as a distribution: what a ply costs beside the bots' thinking.
//!
//! From the stamp of an answer to the instant that the next turn's line is written: judging, playing, telling observers,
//! and the worker's other matches in between. What it cannot see is the way of a line through its pipe. Counting costs a
//! few instructions: the instants are taken anyway, and the counters are a fixed array.

use std::time::Duration;

/// Counters for each factor of two: steps of 9 to 13 %.
const STEPS: usize = 8;

/// Factors of two above [`STEPS`] nanoseconds that are told apart: up to 2 minutes.
const OCTAVES: usize = 34;

/// How often the arena's own time a ply was how long.
#[derive(Clone, Debug)]
pub struct OwnTime {
    counts: [u64; STEPS * OCTAVES],
    plies: u64,
}

impl Default for OwnTime {
    fn default() -> OwnTime {
        OwnTime {
            counts: [0; STEPS * OCTAVES],
            plies: 0,
        }
    }
}

impl OwnTime {
    /// Counts a ply.
    pub fn add(&mut self, own: Duration) {
        self.counts[place(own.as_nanos() as u64)] += 1;
        self.plies += 1;
    }

    /// Counts all plies of `other`.
    pub fn merge(&mut self, other: &OwnTime) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.plies += other.plies;
    }

    /// The plies counted.
    pub fn plies(&self) -> u64 {
        self.plies
    }

    /// What this share of the plies, from 0.0 to 1.0, did not exceed, rounded up by at most 13 %; `None` before the
    /// first ply.
    pub fn quantile(&self, share: f64) -> Option<Duration> {
        let rank = (share * self.plies as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let reached = |count: &u64| {
            seen += count;
            seen >= rank
        };
        let place = self.counts.iter().position(reached)?;
        Some(Duration::from_nanos(end(place)))
    }
}

/// The counter of so many nanoseconds: the number of its highest bit, and the three bits after it.
fn place(nanos: u64) -> usize {
    let nanos = nanos.max(STEPS as u64);
    let octave = nanos.ilog2() - STEPS.ilog2();
    let step = (nanos >> octave) as usize - STEPS;
    (octave as usize * STEPS + step).min(STEPS * OCTAVES - 1)
}

/// The most nanoseconds that are counted at `place`.
fn end(place: usize) -> u64 {
    ((STEPS + place % STEPS + 1) as u64) << (place / STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_ends_where_the_next_one_begins() {
        for at in 0..STEPS * OCTAVES - 1 {
            assert_eq!((place(end(at) - 1), place(end(at))), (at, at + 1));
        }
        assert_eq!((place(0), place(u64::MAX)), (0, STEPS * OCTAVES - 1));
    }

    #[test]
    fn quantiles_are_right_within_the_step() {
        let (mut one, mut other) = (OwnTime::default(), OwnTime::default());
        assert_eq!(one.quantile(0.5), None);
        (1..=500).for_each(|micros| one.add(Duration::from_micros(micros)));
        (501..=1_000).for_each(|micros| other.add(Duration::from_micros(micros)));
        one.merge(&other);
        assert_eq!(one.plies(), 1_000);
        for (share, exact) in [(0.001, 1.0), (0.5, 500.0), (0.99, 990.0), (1.0, 1_000.0)] {
            let found = one.quantile(share).expect("there are plies").as_secs_f64() * 1e6;
            assert!((exact..=1.13 * exact).contains(&found), "{share}: {found}");
        }
    }
}
