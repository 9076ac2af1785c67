//! Mancala basic: sow through every store, never capture, and be the first whose row is empty.
//!
//! Two to four seats in a ring. The one thing a reader would get wrong: a seat can empty its row only by its own
//! sowing (others only add to it), so a seat to move always has a seed, and two rows are never empty at once.
//!
//! Sources: [`INFO.sources`](GameInfo::sources). Every match ends: between two seeds that fall into stores each ply moves
//! seeds forward inside one row, and no seed leaves a store. At most 96 seeds, 5 steps each, make fewer than
//! [`PLIES_MAX`] plies; the limit is never reached.
//!
//! Options: `seats` (2, 3, 4), `pits` a row (2 seats: 6 or 7; 3 or 4 seats: 6 or 4), `seeds` a pit (4 or 3), `all_places`
//! (3 or 4 seats: play on for the other places), `alternate_starter` (seats rotate from match to match). The source
//! lets a number of pits that does not fit the seats fall back to six: see [`Ruleset::notices`]. A number that fits no
//! number of seats is refused.

use std::ops::Range;

use crate::{
    Cell, GameInfo, Limits, OptionError, OptionValue, Options, Outcome, PerSeat, Pit, PitSet, Place, PlayError, Row,
    Ruleset, SEATS_MAX, Seat, Step, View, Watch,
};

mod info;
#[cfg(feature = "wire")]
mod wire;

/// More plies than any match can have.
pub const PLIES_MAX: u32 = 50_000;

/// Places of the ring in memory: a power of two not below 4 * (6 + 1), so that a mask stands in for a bounds check.
const RING: usize = 32;

/// Pits a row when those asked for do not fit the seats.
const PITS_FALL_BACK: u8 = 6;

/// Mancala basic with its options.
#[derive(Clone, Debug)]
pub struct MancalaBasic {
    seats: u8,
    pits: u8,
    /// What was asked for and did not fit the seats.
    pits_unfit: Option<u8>,
    seeds: u8,
    all_places: bool,
    alternate_starter: bool,
}

/// A board of mancala basic.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Row 0, store 0, row 1, store 1 and so on in sowing order; the places after them are not used and stay 0.
    ring: [u8; RING],
    finished: Order,
    left: Order,
    to_move: Option<Seat>,
}

/// Seats in the order in which they went.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Order {
    seats: [u8; SEATS_MAX],
    len: u8,
}

impl Ruleset for MancalaBasic {
    type Position = Position;
    type Move = Pit;
    type Moves = PitSet;

    const INFO: &'static GameInfo = &info::INFO;

    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let seats = options.number("seats") as u8;
        let asked = options.number("pits") as u8;
        let fits = asked == PITS_FALL_BACK || asked == if seats == 2 { 7 } else { 4 };
        Ok(MancalaBasic {
            seats,
            pits: if fits { asked } else { PITS_FALL_BACK },
            pits_unfit: (!fits).then_some(asked),
            seeds: options.number("seeds") as u8,
            all_places: options.switch("all_places"),
            alternate_starter: options.switch("alternate_starter"),
        })
    }

    fn options(&self) -> Options {
        Options::from_values(vec![
            ("seats", OptionValue::Number(self.seats.into())),
            ("pits", OptionValue::Number(self.pits.into())),
            ("seeds", OptionValue::Number(self.seeds.into())),
            ("all_places", OptionValue::Switch(self.all_places)),
            ("alternate_starter", OptionValue::Switch(self.alternate_starter)),
        ])
    }

    fn notices(&self) -> Vec<String> {
        let notice = |asked| {
            format!(
                "mancala-basic: `pits={asked}` does not fit {} seats, so each row has {PITS_FALL_BACK} pits; 2 seats take \
                 6 or 7, 3 and 4 seats take 6 or 4",
                self.seats
            )
        };
        self.pits_unfit.map(notice).into_iter().collect()
    }

    fn seats(&self) -> usize {
        self.seats.into()
    }

    fn rotates_seats(&self) -> bool {
        self.alternate_starter
    }

    fn limits(&self) -> Limits {
        Limits {
            repetitions: None,
            plies: PLIES_MAX,
        }
    }

    fn start(&self) -> Position {
        let mut ring = [0; RING];
        for seat in 0..self.seats() {
            ring[self.row(seat)].fill(self.seeds);
        }
        Position {
            ring,
            finished: Order::default(),
            left: Order::default(),
            to_move: Some(Seat::new(0)),
        }
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
        let row = position.ring[self.row(seat.index())].iter().rev();
        PitSet::from_bits(row.fold(0, |bits, seeds| bits << 1 | u32::from(*seeds > 0)))
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
        let in_store = self.sow(position, me, mv, watch);
        if position.ring[self.row(me)].iter().all(|seeds| *seeds == 0) {
            position.finished.push(me);
            if !self.all_places || self.active_count(position) == 1 {
                position.to_move = None;
            } else {
                position.to_move = Some(Seat::new(self.next_active(position, me)));
            }
        } else if !in_store {
            position.to_move = Some(Seat::new(self.next_active(position, me)));
        }
    }

    /// The seat takes the worst place that is free, and its row, seeds and store leave the ring as they are.
    fn leave(&self, position: &mut Position, seat: Seat) -> bool {
        if self.is_active(position, seat.index()) {
            position.left.push(seat.index());
            if self.active_count(position) == 1 {
                position.to_move = None;
            } else if position.to_move == Some(seat) {
                position.to_move = Some(Seat::new(self.next_active(position, seat.index())));
            }
        }
        true
    }

    fn finish_watched<W: Watch>(&self, position: &mut Position, _watch: &mut W) {
        position.to_move = None;
    }

    /// Seats that finished come first, in that order; then those still on the board, the fewer seeds in the row the better;
    /// then those that left, the first to leave last.
    fn outcome(&self, position: &Position) -> Option<Outcome> {
        if position.to_move.is_some() {
            return None;
        }
        let points = self.points(position);
        let places = PerSeat::from_fn(self.seats(), |seat| {
            if let Some(at) = position.finished.position(seat.index()) {
                return at as u8 + 1;
            }
            if let Some(at) = position.left.position(seat.index()) {
                return self.seats - at as u8;
            }
            let better = (0..self.seats())
                .filter(|other| self.is_active(position, *other) && points[*other] < points[seat.index()]);
            position.finished.len + better.count() as u8 + 1
        });
        Some(Outcome { places, points })
    }

    fn points(&self, position: &Position) -> PerSeat<u32> {
        PerSeat::from_fn(self.seats(), |seat| self.seeds_in_row(position, seat.index()))
    }

    /// The fewer seeds in the row the better; a place already taken is worth a whole board of seeds for each seat behind
    /// it, and leaving costs one.
    fn standing(&self, position: &Position) -> PerSeat<i32> {
        let board = i32::from(self.seats) * i32::from(self.pits) * i32::from(self.seeds);
        PerSeat::from_fn(self.seats(), |seat| {
            if let Some(at) = position.finished.position(seat.index()) {
                return board * (i32::from(self.seats) - 1 - at as i32);
            }
            if position.left.position(seat.index()).is_some() {
                return -board;
            }
            // Seeds are turns in hand: whoever holds more of them keeps the choice of extra turns longer. Tried in
            // leagues of searching bots, where fewer seeds, or seeds by their way to go, chose far worse moves.
            self.seeds_in_row(position, seat.index()) as i32
        })
    }

    fn view(&self, position: &Position) -> View {
        let row = |seat: usize| Row {
            cells: position.ring[self.row(seat)]
                .iter()
                .map(|seeds| Cell::ordinary(*seeds))
                .collect(),
            store: position.ring[self.store(seat)].into(),
            in_play: self.is_active(position, seat),
        };
        View {
            rows: (0..self.seats()).map(row).collect(),
            to_move: position.to_move,
        }
    }
}

impl MancalaBasic {
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

    /// Sows the pit through all rows and stores still on the board, and says whether the last seed fell into a store.
    #[inline]
    fn sow<W: Watch>(&self, position: &mut Position, me: usize, mv: Pit, watch: &mut W) -> bool {
        let mut seat = me;
        let mut at = self.row(me).start + mv.index();
        let mut store = self.store(me);
        // The ring has the places of the board in their order.
        watch.see(Step::Lift(Place(at as u8)));
        for _ in 0..std::mem::take(&mut position.ring[at % RING]) {
            if at == store {
                seat = self.next_active(position, seat);
                at = self.row(seat).start;
                store = self.store(seat);
            } else {
                at += 1;
            }
            position.ring[at % RING] += 1;
            watch.see(Step::Sow(Place(at as u8)));
        }
        at == store
    }

    /// The next seat in sowing order whose row is on the board.
    #[inline]
    fn next_active(&self, position: &Position, seat: usize) -> usize {
        let mut next = seat;
        loop {
            next = if next + 1 == self.seats() { 0 } else { next + 1 };
            if self.is_active(position, next) {
                return next;
            }
        }
    }

    #[inline]
    fn is_active(&self, position: &Position, seat: usize) -> bool {
        position.finished.position(seat).is_none() && position.left.position(seat).is_none()
    }

    fn active_count(&self, position: &Position) -> u8 {
        self.seats - position.finished.len - position.left.len
    }

    fn seeds_in_row(&self, position: &Position, seat: usize) -> u32 {
        position.ring[self.row(seat)].iter().copied().map(u32::from).sum()
    }
}

impl Order {
    fn push(&mut self, seat: usize) {
        self.seats[self.len as usize] = seat as u8;
        self.len += 1;
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.seats[..self.len as usize].iter().map(|seat| *seat as usize)
    }

    /// At which index `seat` stands, if it does.
    #[inline]
    fn position(&self, seat: usize) -> Option<usize> {
        self.iter().position(|other| other == seat)
    }
}
