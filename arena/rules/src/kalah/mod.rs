//! Kalah: sow into the own store, move again on a last seed there, capture from an own empty pit.
//!
//! The one thing a reader would get wrong: a sowing of exactly one round (2 * `pits` + 1 seeds) ends in the pit that it
//! began with, which was emptied, and so captures.
//!
//! Sources: [`INFO.sources`](GameInfo::sources). They differ on a last seed whose facing pit is empty, which
//! `empty_capture` decides, and on when the match ends, which `end` decides.
//!
//! Options: `pits` a row and `seeds` a pit (1 to 12), `empty_capture`, `end`.

use std::ops::Range;

use crate::{
    Cell, GameInfo, Limits, Moves, OptionError, OptionValue, Options, Outcome, PerSeat, Pit, PitSet, Place, PlayError,
    Row, Ruleset, Seat, Step, View, Watch,
};

mod info;
#[cfg(test)]
mod tests;
#[cfg(feature = "wire")]
mod wire;

/// Places of the ring in memory: a power of two not below 2 * (12 + 1), so that a mask stands in for a bounds check.
const RING: usize = 32;

/// Kalah with its options.
#[derive(Clone, Debug)]
pub struct Kalah {
    pits: u8,
    seeds: u8,
    empty_capture: bool,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Either,
    Mover,
}

/// A Kalah board.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Row 0, store 0, row 1, store 1 in sowing order; the places after them are not used and stay 0.
    ring: [u16; RING],
    /// The places that hold seeds, one bit each: what legal moves and the end look at.
    filled: u32,
    to_move: Option<Seat>,
}

impl Ruleset for Kalah {
    type Position = Position;
    type Move = Pit;
    type Moves = PitSet;

    const INFO: &'static GameInfo = &info::INFO;

    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(Kalah {
            pits: options.number("pits") as u8,
            seeds: options.number("seeds") as u8,
            empty_capture: options.switch("empty_capture"),
            end: if options.word("end") == "mover" {
                End::Mover
            } else {
                End::Either
            },
        })
    }

    fn options(&self) -> Options {
        Options::from_values(vec![
            ("pits", OptionValue::Number(self.pits.into())),
            ("seeds", OptionValue::Number(self.seeds.into())),
            ("empty_capture", OptionValue::Switch(self.empty_capture)),
            (
                "end",
                OptionValue::Word(if self.end == End::Mover { "mover" } else { "either" }),
            ),
        ])
    }

    fn seats(&self) -> usize {
        2
    }

    fn limits(&self) -> Limits {
        Limits {
            repetitions: None,
            plies: 10_000,
        }
    }

    fn start(&self) -> Position {
        let mut ring = [0; RING];
        for seat in 0..2 {
            ring[self.row(seat)].fill(self.seeds.into());
        }
        Position::new(ring, Some(Seat::new(0)))
    }

    #[inline]
    fn to_move(&self, position: &Position) -> Option<Seat> {
        position.to_move
    }

    #[inline]
    fn legal_moves(&self, position: &Position) -> PitSet {
        let Some(seat) = position.to_move else {
            return PitSet::EMPTY;
        };
        PitSet::from_bits((position.filled & self.row_bits(seat.index())) >> self.row(seat.index()).start)
    }

    fn check(&self, position: &Position, mv: Pit) -> Result<(), PlayError> {
        let seat = position.to_move.ok_or(PlayError::Over)?;
        if mv.0 >= self.pits {
            return Err(PlayError::NoSuchPit { pits: self.pits.into() });
        }
        if position.ring[self.row(seat.index())][mv.index()] == 0 {
            Err(PlayError::EmptyPit)
        } else {
            Ok(())
        }
    }

    #[inline]
    fn play_watched<W: Watch>(&self, position: &mut Position, mv: Pit, watch: &mut W) {
        let me = position.to_move.expect("the caller plays a legal move").index();
        let other = 1 - me;
        let (own, own_store, other_store) = (self.row(me), self.store(me), self.store(other));
        let places = self.places();
        let ring = &mut position.ring;
        let mut at = own.start + mv.index();
        let mut filled = position.filled & !(1 << at);
        watch.see(Step::Lift(place(at)));
        for _ in 0..std::mem::take(&mut ring[at % RING]) {
            at += 1;
            if at == other_store {
                at += 1;
            }
            if at == places {
                at = 0;
            }
            ring[at % RING] += 1;
            filled |= 1 << (at % RING);
            watch.see(Step::Sow(place(at)));
        }
        if at != own_store {
            if own.contains(&at) && ring[at % RING] == 1 {
                // With the stores counted, an own pit and the one that faces it add up to the other's last pit.
                let facing = places - 2 - at;
                let taken = ring[facing % RING];
                if taken > 0 || self.empty_capture {
                    ring[at % RING] = 0;
                    ring[facing % RING] = 0;
                    ring[own_store % RING] += taken + 1;
                    filled = filled & !(1 << at | 1 << facing) | 1 << own_store;
                    for from in [facing, at] {
                        watch.see(Step::Take {
                            from: place(from),
                            to: place(own_store),
                        });
                    }
                }
            }
            position.to_move = Some(Seat::new(other));
        }
        position.filled = filled;
        let over = match self.end {
            End::Either => position.filled & self.row_bits(me) == 0 || position.filled & self.row_bits(other) == 0,
            End::Mover => self.legal_moves(position).is_empty(),
        };
        if over {
            self.finish_watched(position, watch);
        }
    }

    fn finish_watched<W: Watch>(&self, position: &mut Position, watch: &mut W) {
        if W::WATCHES {
            for seat in 0..2 {
                for from in self.row(seat).filter(|from| position.ring[*from] > 0) {
                    watch.see(Step::Take {
                        from: place(from),
                        to: place(self.store(seat)),
                    });
                }
            }
        }
        let mut ring = [0; RING];
        for seat in 0..2 {
            ring[self.store(seat)] = position.ring[self.store(seat)] + self.seeds_in_row(position, seat);
        }
        *position = Position::new(ring, None);
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        if position.to_move.is_some() {
            return None;
        }
        let points = self.points(position);
        Some(Outcome {
            places: Outcome::places_by(&points),
            points,
        })
    }

    fn points(&self, position: &Position) -> PerSeat<u32> {
        PerSeat::from_fn(2, |seat| {
            let store = position.ring[self.store(seat.index())];
            (store + self.seeds_in_row(position, seat.index())).into()
        })
    }

    fn standing(&self, position: &Position) -> PerSeat<i32> {
        PerSeat::from_fn(2, |seat| position.ring[self.store(seat.index())].into())
    }

    fn view(&self, position: &Position) -> View {
        let row = |seat: usize| Row {
            cells: position.ring[self.row(seat)]
                .iter()
                .map(|seeds| Cell::ordinary(*seeds))
                .collect(),
            store: position.ring[self.store(seat)].into(),
            in_play: true,
        };
        View {
            rows: vec![row(0), row(1)],
            to_move: position.to_move,
        }
    }
}

/// The ring has the places of the board in their order.
#[inline]
fn place(at: usize) -> Place {
    Place(at as u8)
}

impl Kalah {
    /// Where the row of `seat` lies in the ring.
    #[inline]
    fn row(&self, seat: usize) -> Range<usize> {
        let start = seat * (self.pits as usize + 1);
        start..start + self.pits as usize
    }

    /// Where the store of `seat` lies in the ring.
    #[inline]
    fn store(&self, seat: usize) -> usize {
        self.row(seat).end
    }

    /// Pits and stores together.
    #[inline]
    fn places(&self) -> usize {
        2 * (self.pits as usize + 1)
    }

    /// The pits of `seat` as bits of `filled`.
    #[inline]
    fn row_bits(&self, seat: usize) -> u32 {
        ((1 << self.pits) - 1) << self.row(seat).start
    }

    fn seeds_in_row(&self, position: &Position, seat: usize) -> u16 {
        position.ring[self.row(seat)].iter().sum()
    }
}

impl Position {
    fn new(ring: [u16; RING], to_move: Option<Seat>) -> Position {
        let filled = ring
            .iter()
            .rev()
            .fold(0, |bits, seeds| bits << 1 | u32::from(*seeds > 0));
        Position { ring, filled, to_move }
    }
}
