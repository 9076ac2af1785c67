//! Random numbers that depend on the match, the bot's `seed` and the ply, and on nothing else.
//!
//! ChaCha with 8 rounds as `rand_chacha` defines it, whose stream is the same on every machine. Key: the match's seed and
//! the bot's seed, 8 bytes each, the least significant first, then 16 zeros. Stream number: the ply. A bot that is
//! started again in mid-match therefore chooses as it would have chosen.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The random numbers of one bot in one match.
#[derive(Debug)]
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(match_seed: u64, bot_seed: u64) -> Dice {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&match_seed.to_le_bytes());
        key[8..16].copy_from_slice(&bot_seed.to_le_bytes());
        Dice(ChaCha8Rng::from_seed(key))
    }

    /// Goes to the beginning of the ply's stream.
    pub(super) fn turn_to(&mut self, ply: u32) {
        self.0.set_stream(ply.into());
        self.0.set_word_pos(0);
    }

    /// A number below `count`: the next 32-bit word times `count`, divided by 2^32. The bias, below `count` / 2^32, is
    /// nothing to a list of moves.
    pub(super) fn below(&mut self, count: usize) -> usize {
        ((u64::from(self.0.next_u32()) * count as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_chacha8() {
        // The first words of the key stream for a key of zeros, as in the test vectors of Strombergson (2013), TC1.
        let mut dice = Dice::new(0, 0);
        dice.turn_to(0);
        assert_eq!(dice.below(1 << 32), 0x2fef_003e);
        assert_eq!(dice.below(1 << 32), 0xd640_5f89);
    }

    #[test]
    fn every_number_comes_about_equally_often() {
        let mut dice = Dice::new(1, 2);
        let mut counts = [0; 6];
        for _ in 0..6000 {
            counts[dice.below(6)] += 1;
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }
}
