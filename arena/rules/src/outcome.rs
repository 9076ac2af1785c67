//! How a match came out.

use crate::PerSeat;

/// Per seat, the place and the points. Never "winner or none".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Standard competition places, 1 is best; equal seats share the better place (1, 2, 2, 4). Places decide.
    pub places: PerSeat<u8>,
    /// The game's own points, whose meaning the game documents. They inform; they do not decide.
    pub points: PerSeat<u32>,
}

impl Outcome {
    /// Ranks seats by a value of which more is better, equal values sharing the better place.
    pub fn places_by<T: Copy + Ord>(values: &PerSeat<T>) -> PerSeat<u8> {
        PerSeat::from_fn(values.len(), |seat| {
            1 + values.iter().filter(|other| **other > values[seat.index()]).count() as u8
        })
    }
}

/// Why a match has ended as far as the rules are concerned. Faults are the referee's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EndReason {
    /// The game's own end.
    Rules,
    /// The same position too often: counted as at a normal end.
    Repetition,
    /// The game's cap on plies: counted as at a normal end.
    PlyCap,
    /// So many seats have left that the others' places are decided.
    Resignation,
}
