//! Knockout: who loses a tie is out.
//!
//! The bracket is seeded by the plan's order: the first meets the last, and the first two could only meet in the final.
//! Where the number of bots is no power of two, the first of the plan pass the first round without a match. A tie that
//! is level after its rotations plays further ones, one at a time, at most [`EXTRA_ROTATIONS_MAX`]; level still, the bot
//! that stands higher in the plan goes on.

use super::rounds::{Round, Table};

/// Further rotations of a level tie.
pub const EXTRA_ROTATIONS_MAX: u64 = 8;

/// A bracket.
#[derive(Clone, Copy, Debug)]
pub struct Knockout {
    bots: usize,
}

impl Knockout {
    /// A bracket of so many bots, at least 2.
    pub fn new(bots: usize) -> Knockout {
        Knockout { bots }
    }

    /// Rounds.
    pub fn rounds(&self) -> u64 {
        u64::from(self.places().ilog2())
    }

    /// Ties of a round.
    pub fn tables(&self, round: u64) -> u64 {
        match round {
            0 => (self.bots - self.places() / 2) as u64,
            _ => (self.places() >> (round + 1)) as u64,
        }
    }

    /// Places of the bracket, taken or not.
    fn places(&self) -> usize {
        self.bots.next_power_of_two()
    }

    /// The ties of the round after those played, in the bracket's order.
    pub fn pair(&self, played: &[Round]) -> Vec<[usize; 2]> {
        let in_it = self.survivors(played);
        in_it
            .chunks_exact(2)
            .filter_map(|two| Some([two[0]?, two[1]?]))
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect()
    }

    /// Who won the final, if it is over.
    pub fn winner(&self, played: &[Round]) -> Option<usize> {
        match self.survivors(played)[..] {
            [winner] => winner,
            _ => None,
        }
    }

    /// Who is in it after the rounds played, in the bracket's order; in the first round a place can be empty.
    fn survivors(&self, played: &[Round]) -> Vec<Option<usize>> {
        let mut in_it: Vec<Option<usize>> = bracket(self.places())
            .into_iter()
            .map(|seed| (seed < self.bots).then_some(seed))
            .collect();
        for round in played {
            let mut winners = round.tables.iter().map(winner);
            in_it = in_it
                .chunks_exact(2)
                .map(|two| match (two[0], two[1]) {
                    (Some(_), Some(_)) => winners.next(),
                    (one, other) => one.or(other),
                })
                .collect();
        }
        in_it
    }
}

/// Who goes on from a tie that is over.
pub fn winner(tie: &Table) -> usize {
    match tie.results() {
        [2, _] => tie.bots[0],
        [0, _] => tie.bots[1],
        _ => tie.bots[0].min(tie.bots[1]),
    }
}

/// The seeds by their place in a bracket: whoever is better of two neighbours, of two pairs of neighbours, and so on, the
/// sum of the seeds is the same everywhere.
fn bracket(places: usize) -> Vec<usize> {
    let mut seeds = vec![0];
    while seeds.len() < places {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_two_can_only_meet_in_the_final() {
        assert_eq!(bracket(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    }

    #[test]
    fn the_first_of_the_plan_pass_the_first_round_where_places_are_empty() {
        assert_eq!(Knockout::new(8).pair(&[]), [[0, 7], [3, 4], [1, 6], [2, 5]]);
        assert_eq!(Knockout::new(6).pair(&[]), [[3, 4], [2, 5]]);
        assert_eq!(Knockout::new(5).pair(&[]), [[3, 4]]);
        assert_eq!(Knockout::new(2).pair(&[]), [[0, 1]]);
    }
}
