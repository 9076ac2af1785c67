//! Figures of the page on statistics that no program prints.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::stats::{CONFIDENCE, normal_quantile};

const PAGE: &str = include_str!("../../../STATISTICS.md");

/// The share of matches of two equals, in percent, in which somebody who looks from the `first`-th match on, every `every`
/// matches, sees the score leave the interval for a fixed number of matches at one of the looks.
fn false_alarms(first: u64, every: u64) -> f64 {
    const RUNS: u64 = 20_000;
    let reach = normal_quantile(CONFIDENCE);
    let mut draws = ChaCha8Rng::seed_from_u64(1);
    let alarm = |draws: &mut ChaCha8Rng| {
        let (mut lead, mut seen) = (0_i64, false);
        let mut bits = 0;
        for number in 1..=1_000_u64 {
            if number % 64 == 1 {
                bits = draws.next_u64();
            }
            lead += if bits & 1 == 1 { 1 } else { -1 };
            bits >>= 1;
            seen |= number >= first && number % every == 0 && lead.abs() as f64 > reach * (number as f64).sqrt();
        }
        seen
    };
    let alarms = (0..RUNS).filter(|_| alarm(&mut draws)).count();
    100.0 * alarms as f64 / RUNS as f64
}

#[test]
fn looking_again_and_again_finds_differences_between_equals_as_often_as_the_page_says() {
    for (looking, first, every) in [
        ("once, at the end", 1_000, 1_000),
        ("every 100 matches", 20, 100),
        ("every 10 matches", 20, 10),
        ("after every match", 20, 1),
    ] {
        let line = format!("| {looking} | {:.0} % |", false_alarms(first, every));
        assert!(PAGE.contains(&line), "the page has another figure than {line}");
    }
}
