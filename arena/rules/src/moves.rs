//! Moves and lists of legal moves that need no allocation.

use std::fmt;

/// A pit of the mover's own row, 0-based in sowing order: the move of every game here so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Pit(pub u8);

impl Pit {
    /// The 0-based index in the row.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A list of legal moves in a fixed order, held by value.
pub trait Moves: Clone + fmt::Debug {
    /// What it lists.
    type Move: Copy;
    /// How many there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The move at `index`, if there are that many.
    fn get(&self, index: usize) -> Option<Self::Move>;
    /// All of them, in order.
    fn iter(&self) -> impl Iterator<Item = Self::Move>;
}

/// A set of pits of one row, listed in ascending order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PitSet(u32);

impl PitSet {
    /// No pit.
    pub const EMPTY: PitSet = PitSet(0);

    /// The pits whose bits are set, bit 0 for pit 0.
    pub const fn from_bits(bits: u32) -> PitSet {
        PitSet(bits)
    }

    /// Adds `pit`.
    pub fn insert(&mut self, pit: Pit) {
        self.0 |= 1 << pit.0;
    }

    /// Whether `pit` is in the set.
    pub const fn contains(self, pit: Pit) -> bool {
        pit.0 < 32 && self.0 >> pit.0 & 1 == 1
    }
}

/// The places of the bits set in each byte, in ascending order.
static BITS_OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut len, mut bit) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][len] = bit;
                len += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

impl Moves for PitSet {
    type Move = Pit;

    #[inline]
    fn len(&self) -> usize {
        self.0.count_ones() as usize
    }

    /// Looks the pit up byte by byte: a loop over the pits before it costs a mispredicted branch in every random move.
    #[inline]
    fn get(&self, index: usize) -> Option<Pit> {
        let mut index = index;
        for (at, byte) in self.0.to_le_bytes().into_iter().enumerate() {
            let len = byte.count_ones() as usize;
            if index < len {
                return Some(Pit(at as u8 * 8 + BITS_OF_BYTE[byte as usize][index]));
            }
            index -= len;
        }
        None
    }

    #[inline]
    fn iter(&self) -> impl Iterator<Item = Pit> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let pit = (bits != 0).then(|| Pit(bits.trailing_zeros() as u8));
            bits &= bits.wrapping_sub(1);
            pit
        })
    }
}

impl fmt::Debug for PitSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|pit| pit.0)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pits_are_listed_and_looked_up_in_ascending_order() {
        let pits = [0, 3, 7, 8, 15, 16, 31];
        let mut set = PitSet::EMPTY;
        for pit in pits.into_iter().rev() {
            set.insert(Pit(pit));
        }
        assert_eq!(set.len(), pits.len());
        assert!(set.iter().eq(pits.map(Pit)));
        for (index, pit) in pits.into_iter().enumerate() {
            assert_eq!(set.get(index), Some(Pit(pit)));
        }
        assert_eq!(set.get(pits.len()), None);
        assert_eq!(PitSet::EMPTY.get(0), None);
        for pit in 0..=255 {
            assert_eq!(set.contains(Pit(pit)), pits.contains(&pit), "pit {pit}");
        }
    }
}
