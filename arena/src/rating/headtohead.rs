//! Two bots against each other, all else left aside.

use super::tally::Tally;
use crate::stats::{CONFIDENCE, ScoreInterval, wilson_phi};

/// One bot's results against another.
#[derive(Clone, PartialEq, Debug)]
pub struct HeadToHead {
    /// Matches in which it ended ahead of the other.
    pub wins: u64,
    /// Matches in which they tied.
    pub draws: u64,
    /// Matches in which it ended behind.
    pub losses: u64,
    /// Its score with the interval.
    pub score: ScoreInterval,
    /// What the interval takes as independent.
    pub unit: Unit,
}

/// What an interval takes as independent of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Whole rotations: what an opening gives to a seat cancels within them, which narrows the interval.
    Rotation,
    /// Single matches, since too few rotations are complete.
    Match,
}

/// The results of every ordered pair of bots: row against column, absent where they have not met.
///
/// The interval of [`wilson_phi`] on complete rotations when these hold nine tenths of the matches, else on matches; copies
/// of a rotation count once in it.
pub fn head_to_head(tally: &Tally) -> Vec<Vec<Option<HeadToHead>>> {
    let bots = tally.bot_count();
    let seats = tally.seats().max(1);
    let mut pairs = vec![Pair::new(seats); bots * bots];
    let mut halves = std::collections::BTreeMap::new();
    tally.rotations().each(|rotation| {
        halves.clear();
        for row in rotation.encounters {
            for (bot, opponent, scored) in [
                (row.bot, row.opponent, row.halves),
                (row.opponent, row.bot, 2 - row.halves),
            ] {
                let pair = &mut pairs[bot * bots + opponent];
                pair.matches[usize::from(scored)] += rotation.copies * rotation.number;
                pair.distinct[usize::from(scored)] += rotation.number;
                let (number, sum) = halves.entry((bot, opponent)).or_insert((0, 0));
                *number += 1;
                *sum += usize::from(scored);
            }
        }
        for (&(bot, opponent), &(number, sum)) in &halves {
            if number == seats {
                pairs[bot * bots + opponent].rotations[sum] += rotation.number;
            }
        }
    });
    pairs
        .chunks_exact(bots.max(1))
        .map(|row| row.iter().map(Pair::summary).collect())
        .collect()
}

#[derive(Clone)]
struct Pair {
    /// Losses, draws, wins.
    matches: [u64; 3],
    /// The same without copies of whole rotations.
    distinct: [u64; 3],
    /// Complete rotations, copies left out, by the half-points scored in them.
    rotations: Vec<u64>,
}

impl Pair {
    fn new(seats: usize) -> Pair {
        Pair {
            matches: [0; 3],
            distinct: [0; 3],
            rotations: vec![0; 2 * seats + 1],
        }
    }

    fn summary(&self) -> Option<HeadToHead> {
        let [losses, draws, wins] = self.matches;
        let seats = (self.rotations.len() - 1) as u64 / 2;
        let in_rotations = self.rotations.iter().sum::<u64>() * seats;
        let (unit, counts) = if 10 * in_rotations >= 9 * self.distinct.iter().sum::<u64>() {
            (Unit::Rotation, &self.rotations[..])
        } else {
            (Unit::Match, &self.distinct[..])
        };
        let top = (counts.len() - 1) as f64;
        let classes: Vec<_> = counts
            .iter()
            .enumerate()
            .map(|(i, &count)| (i as f64 / top, count))
            .collect();
        let score = wilson_phi(&classes, CONFIDENCE)?;
        Some(HeadToHead {
            wins,
            draws,
            losses,
            score,
            unit,
        })
    }
}
