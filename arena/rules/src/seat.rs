//! Seats, and small arrays with one entry per seat.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// The most seats any game here has.
pub const SEATS_MAX: usize = 4;

/// A place at the board, 0-based. People count from 1: see [`Seat::number`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Seat(u8);

impl Seat {
    /// The seat with this 0-based index.
    ///
    /// # Panics
    /// When `index` is not below [`SEATS_MAX`].
    pub const fn new(index: usize) -> Seat {
        assert!(index < SEATS_MAX, "a seat's index is below SEATS_MAX");
        Seat(index as u8)
    }

    /// The 0-based index, for arrays and for the wire.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number people see: 1 for the first seat.
    pub const fn number(self) -> usize {
        self.0 as usize + 1
    }
}

/// One value per seat, without allocation. Reads as a slice.
#[derive(Clone, Copy)]
pub struct PerSeat<T> {
    values: [T; SEATS_MAX],
    seats: u8,
}

impl<T: Copy> PerSeat<T> {
    /// `seats` copies of `value`.
    ///
    /// # Panics
    /// When `seats` is above [`SEATS_MAX`].
    pub fn filled(seats: usize, value: T) -> PerSeat<T> {
        assert!(seats <= SEATS_MAX, "at most SEATS_MAX seats");
        PerSeat {
            values: [value; SEATS_MAX],
            seats: seats as u8,
        }
    }

    /// The value of `make` for each of `seats` seats.
    pub fn from_fn(seats: usize, mut make: impl FnMut(Seat) -> T) -> PerSeat<T> {
        assert!((1..=SEATS_MAX).contains(&seats), "between 1 and SEATS_MAX seats");
        let mut all = PerSeat::filled(seats, make(Seat::new(0)));
        for index in 1..seats {
            all.values[index] = make(Seat::new(index));
        }
        all
    }
}

impl<T> Deref for PerSeat<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.values[..self.seats as usize]
    }
}

impl<T> DerefMut for PerSeat<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[..self.seats as usize]
    }
}

impl<T: PartialEq> PartialEq for PerSeat<T> {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl<T: Eq> Eq for PerSeat<T> {}

impl<T: fmt::Debug> fmt::Debug for PerSeat<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
