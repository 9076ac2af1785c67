//! Positions that a search has seen, with what it found there.
//!
//! Known by a 64-bit key, not by the whole position: two positions of one key would be taken for one another, once in some
//! 10^11 searches of a million nodes. The key of a position is the same on every little-endian machine.

use std::hash::{Hash, Hasher};

/// What an entry's value is to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What was found at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// To the side to move.
    pub(super) value: i32,
    pub(super) bound: Bound,
    /// Plies looked ahead, at most 127.
    pub(super) depth: u32,
    /// Whether no line that the value rests on was cut off by the depth.
    pub(super) settled: bool,
    /// The index of the best move, its lowest 8 bits: where a list is longer, another move may be meant. It is a hint.
    pub(super) best: u8,
}

impl Bound {
    /// Of a value found with this window.
    pub(super) fn of(value: i32, alpha: i32, beta: i32) -> Bound {
        if value <= alpha {
            Bound::AtMost
        } else if value >= beta {
            Bound::AtLeast
        } else {
            Bound::Exact
        }
    }
}

impl Entry {
    /// Whether it answers a search to `depth` with this window as that search would.
    pub(super) fn holds(&self, depth: u32, alpha: i32, beta: i32) -> bool {
        (self.depth == depth || self.settled && self.depth < depth)
            && match self.bound {
                Bound::Exact => true,
                Bound::AtLeast => self.value >= beta,
                Bound::AtMost => self.value <= alpha,
            }
    }
}

/// Buckets of two: the first keeps the deepest entry of the turn, the second the latest.
pub(super) struct Table {
    /// Two entries of key and [`pack`]ed value.
    buckets: Vec<[u64; 4]>,
    /// Marks the entries of the turn; 0 marks none.
    turn: u8,
}

impl Table {
    /// A table of at most `mb` MiB. Memory is taken as it is first used.
    pub(super) fn new(mb: u64) -> Table {
        let buckets = (mb as usize * (1 << 20) / size_of::<[u64; 4]>()).max(1);
        Table {
            buckets: vec![[0; 4]; buckets],
            turn: 1,
        }
    }

    /// Forgets everything.
    pub(super) fn forget(&mut self) {
        if self.turn == u8::MAX {
            self.buckets.fill([0; 4]);
            self.turn = 0;
        }
        self.turn += 1;
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        let bucket = &self.buckets[self.index(key)];
        let mut entries = bucket
            .chunks_exact(2)
            .filter(|entry| entry[0] == key && self.is_fresh(entry[1]));
        entries.next().map(|entry| unpack(entry[1]))
    }

    pub(super) fn put(&mut self, key: u64, entry: Entry) {
        let index = self.index(key);
        let packed = pack(entry, self.turn);
        let kept = self.buckets[index][1];
        let replaces = !self.is_fresh(kept) || entry.depth >= unpack(kept).depth;
        let bucket = &mut self.buckets[index];
        if replaces {
            if bucket[0] != key {
                bucket.copy_within(0..2, 2);
            }
            bucket[..2].copy_from_slice(&[key, packed]);
        } else {
            bucket[2..].copy_from_slice(&[key, packed]);
        }
    }

    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize
    }

    fn is_fresh(&self, packed: u64) -> bool {
        packed as u8 == self.turn
    }
}

/// From the lowest byte up: turn, best move, settled (1 bit) and depth (7 bits), bound, value (4 bytes).
fn pack(entry: Entry, turn: u8) -> u64 {
    let depth = (entry.depth as u8) << 1 | u8::from(entry.settled);
    let [v0, v1, v2, v3] = entry.value.to_le_bytes();
    u64::from_le_bytes([turn, entry.best, depth, entry.bound as u8, v0, v1, v2, v3])
}

fn unpack(packed: u64) -> Entry {
    let [_, best, depth, bound, v0, v1, v2, v3] = packed.to_le_bytes();
    Entry {
        value: i32::from_le_bytes([v0, v1, v2, v3]),
        bound: match bound {
            0 => Bound::Exact,
            1 => Bound::AtLeast,
            _ => Bound::AtMost,
        },
        depth: (depth >> 1).into(),
        settled: depth & 1 == 1,
        best,
    }
}

/// The key of a position, seen from the side to move.
pub(super) fn key<P: Hash>(position: &P, own: bool) -> u64 {
    let mut hasher = Folding(if own {
        0x9E37_79B9_7F4A_7C15
    } else {
        0xC2B2_AE3D_27D4_EB4F
    });
    position.hash(&mut hasher);
    hasher.finish()
}

/// Multiplies each word into the state and folds the 128 bits of the product: quick, and good enough for keys that nobody
/// chooses to collide.
struct Folding(u64);

impl Folding {
    #[inline]
    fn add(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * 0xA076_1D64_78BD_642F_u128;
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(0xE703_7ED1_A0B4_28DB);
    }
}

impl Hasher for Folding {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(last));
        }
    }
    #[inline]
    fn write_u8(&mut self, word: u8) {
        self.add(word.into());
    }
    #[inline]
    fn write_u16(&mut self, word: u16) {
        self.add(word.into());
    }
    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.add(word.into());
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }
    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
    #[inline]
    fn write_isize(&mut self, word: isize) {
        self.add(word as u64);
    }
    #[inline]
    fn finish(&self) -> u64 {
        let mut last = Folding(self.0);
        last.add(0);
        last.0
    }
}
