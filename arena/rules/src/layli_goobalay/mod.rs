//! Layli Goobalay: no stores to sow into, and pits that a capture of three turns into uurs, which only ever grow.
//!
//! Two rulesets. `relay` takes a last seed's pit up and sows on until it falls into an empty pit or an uur; `chain` sows
//! on only after a capture, with what is left in the capturing pit. The one thing a reader would get wrong: an
//! uur lies in both rows and belongs to its maker, so its seeds count for him wherever they lie.
//!
//! Sources: [`INFO.sources`](GameInfo::sources). They are silent on a relay that never ends. Sowing a lap can be undone,
//! so such a relay is a cycle that comes back to the board before the move: after [`LAPS_MAX`] laps the board is put
//! back and the turn passes. They are silent on an endless match too: see [`Ruleset::limits`]. Where the sample game of
//! the Swahili article departs from the article's own rule, the rule is followed: see `rules.md`.
//!
//! Options: `ruleset`, `pits` a row (4, 6, 8, 12), `seeds` a pit (1 to 12), `forced_opening` (of `relay` only).

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

/// Laps after which a relay counts as endless. The longest that ended, in millions of random moves, took 702.
pub const LAPS_MAX: u32 = 10_000;

/// The most pits a row may have.
const PITS_MAX: usize = 12;

/// Places of the ring in memory: a power of two not below 2 * 12, so that a mask stands in for a bounds check.
const RING: usize = 32;

/// Layli Goobalay with its options.
#[derive(Clone, Debug)]
pub struct LayliGoobalay {
    sowing: Sowing,
    pits: u8,
    seeds: u8,
    forced_opening: bool,
}

/// What a last seed in an ordinary pit leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sowing {
    Relay,
    Chain,
}

/// A board of Layli Goobalay.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// Row 0 and row 1 in sowing order; the places after them are not used and stay 0.
    ring: [u16; RING],
    /// The uurs of each seat, one bit a place of the ring.
    uurs: [u32; 2],
    captured: [u16; 2],
    to_move: Option<Seat>,
}

impl Ruleset for LayliGoobalay {
    type Position = Position;
    type Move = Pit;
    type Moves = PitSet;

    const INFO: &'static GameInfo = &info::INFO;

    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let sowing = if options.word("ruleset") == "chain" {
            Sowing::Chain
        } else {
            Sowing::Relay
        };
        let forced_opening = options.switch("forced_opening");
        if forced_opening && sowing == Sowing::Chain {
            return Err(OptionError::Conflict {
                game: Self::INFO.name,
                message: "`forced_opening=on` is a rule of `ruleset=relay`, found `ruleset=chain`; leave one out"
                    .to_owned(),
            });
        }
        Ok(LayliGoobalay {
            sowing,
            pits: options.number("pits") as u8,
            seeds: options.number("seeds") as u8,
            forced_opening,
        })
    }

    fn options(&self) -> Options {
        let word = match self.sowing {
            Sowing::Relay => "relay",
            Sowing::Chain => "chain",
        };
        Options::from_values(vec![
            ("ruleset", OptionValue::Word(word)),
            ("pits", OptionValue::Number(self.pits.into())),
            ("seeds", OptionValue::Number(self.seeds.into())),
            ("forced_opening", OptionValue::Switch(self.forced_opening)),
        ])
    }

    fn seats(&self) -> usize {
        2
    }

    fn limits(&self) -> Limits {
        Limits {
            repetitions: Some(3),
            plies: 1_000,
        }
    }

    fn start(&self) -> Position {
        let mut ring = [0; RING];
        ring[..self.places()].fill(self.seeds.into());
        Position {
            ring,
            uurs: [0, 0],
            captured: [0, 0],
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
        if self.is_forced(position) {
            return PitSet::from_bits(1);
        }
        self.movable(position, seat.index())
    }

    fn check(&self, position: &Position, mv: Pit) -> Result<(), PlayError> {
        let seat = position.to_move.ok_or(PlayError::Over)?;
        if mv.0 >= self.pits {
            return Err(PlayError::NoSuchPit { pits: self.pits.into() });
        }
        let place = self.row(seat.index()).start + mv.index();
        if position.is_uur(place) {
            Err(PlayError::Uur)
        } else if position.ring[place] == 0 {
            Err(PlayError::EmptyPit)
        } else if self.is_forced(position) && mv != Pit(0) {
            Err(PlayError::ForcedOpening { pit: 0 })
        } else {
            Ok(())
        }
    }

    #[inline]
    fn play_watched<W: Watch>(&self, position: &mut Position, mv: Pit, watch: &mut W) {
        let me = position.to_move.expect("the caller plays a legal move").index();
        let from = self.row(me).start + mv.index();
        match self.sowing {
            Sowing::Relay => self.play_relay(position, me, from, watch),
            Sowing::Chain => self.play_chain(position, me, from, watch),
        }
        position.to_move = Some(Seat::new(1 - me));
        if self.movable(position, 1 - me).is_empty() {
            self.finish_watched(position, watch);
        }
    }

    fn finish_watched<W: Watch>(&self, position: &mut Position, watch: &mut W) {
        if W::WATCHES {
            for from in (0..self.places()).filter(|from| position.ring[*from] > 0) {
                let counts_for = position.owner(from).map_or(from / self.pits as usize, Seat::index);
                watch.see(Step::Take {
                    from: self.place(from),
                    to: self.store(counts_for),
                });
            }
        }
        position.captured = [0, 1].map(|seat| self.seeds_of(position, seat));
        position.ring = [0; RING];
        position.to_move = None;
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
        PerSeat::from_fn(2, |seat| self.seeds_of(position, seat.index()).into())
    }

    /// What is captured and what lies in the own uurs: what nobody can take away.
    fn standing(&self, position: &Position) -> PerSeat<i32> {
        PerSeat::from_fn(2, |seat| {
            let uurs = position.uurs[seat.index()];
            let in_uurs = (0..self.places()).filter(|place| uurs >> place & 1 == 1);
            let in_uurs: u16 = in_uurs.map(|place| position.ring[place]).sum();
            (position.captured[seat.index()] + in_uurs).into()
        })
    }

    fn view(&self, position: &Position) -> View {
        let cell = |place: usize| Cell {
            seeds: position.ring[place].into(),
            owner: position.owner(place),
        };
        let row = |seat: usize| Row {
            cells: self.row(seat).map(cell).collect(),
            store: position.captured[seat].into(),
            in_play: true,
        };
        View {
            rows: vec![row(0), row(1)],
            to_move: position.to_move,
        }
    }
}

impl LayliGoobalay {
    /// The place of the board at a place of the ring, which has no stores.
    #[inline]
    fn place(&self, at: usize) -> Place {
        Place((at + at / self.pits as usize) as u8)
    }

    /// Where the captures of `seat` lie.
    #[inline]
    fn store(&self, seat: usize) -> Place {
        Place(((seat + 1) * (self.pits as usize + 1) - 1) as u8)
    }

    /// Pits of both rows.
    #[inline]
    fn places(&self) -> usize {
        2 * self.pits as usize
    }

    /// Where the row of `seat` lies in the ring.
    #[inline]
    fn row(&self, seat: usize) -> Range<usize> {
        let start = seat * self.pits as usize;
        start..start + self.pits as usize
    }

    /// Whether the first move is still to come and prescribed.
    #[inline]
    fn is_forced(&self, position: &Position) -> bool {
        self.forced_opening && *position == self.start()
    }

    /// The pits that `seat` may sow from.
    #[inline]
    fn movable(&self, position: &Position, seat: usize) -> PitSet {
        let row = self.row(seat);
        let uurs = (position.uurs[0] | position.uurs[1]) >> row.start;
        let filled = position.ring[row].iter().rev();
        PitSet::from_bits(filled.fold(0, |bits, seeds| bits << 1 | u32::from(*seeds > 0)) & !uurs)
    }

    #[inline]
    fn play_relay<W: Watch>(&self, position: &mut Position, me: usize, from: usize, watch: &mut W) {
        let before = position.ring;
        let uurs = position.uurs[0] | position.uurs[1];
        let mut at = from;
        for _ in 0..LAPS_MAX {
            at = self.sow(position, at, watch);
            if uurs >> at & 1 == 1 {
                return;
            }
            if position.ring[at % RING] == 1 {
                if self.row(me).contains(&at) {
                    self.capture(position, me, at, watch);
                }
                return;
            }
        }
        position.ring = before;
        watch.see(Step::PutBack);
    }

    /// Ends, because every capture that sows on has taken seeds off the board.
    #[inline]
    fn play_chain<W: Watch>(&self, position: &mut Position, me: usize, from: usize, watch: &mut W) {
        let mut at = from;
        loop {
            at = self.sow(position, at, watch);
            if !self.row(me).contains(&at) || position.is_uur(at) {
                return;
            }
            let captured = self.capture(position, me, at, watch);
            if !captured || position.ring[at % RING] == 0 {
                return;
            }
        }
    }

    /// Sows all seeds of the pit at `at`, one a pit, nothing skipped, and says where the last fell.
    ///
    /// Adds to all pits at once: a loop over the seeds in hand ends in a mispredicted branch on nearly every lap.
    #[inline]
    fn sow<W: Watch>(&self, position: &mut Position, at: usize, watch: &mut W) -> usize {
        if W::WATCHES {
            watch.see(Step::Lift(self.place(at)));
            for ahead in 1..=usize::from(position.ring[at]) {
                watch.see(Step::Sow(self.place((at + ahead) % self.places())));
            }
        }
        let places = self.places() as i16;
        let mut hand = std::mem::take(&mut position.ring[at % RING]) as i16;
        while hand > places {
            self.add_one_each(position);
            hand -= places;
        }
        let first = at as i16 + 1;
        let last = at as i16 + hand;
        for (place, seeds) in (0..).zip(&mut position.ring[..2 * PITS_MAX]) {
            let ahead = (place >= first) & (place <= last);
            let round = place <= last - places;
            *seeds += u16::from((ahead | round) & (place < places));
        }
        (if last >= places { last - places } else { last }) as usize
    }

    #[cold]
    fn add_one_each(&self, position: &mut Position) {
        for seeds in &mut position.ring[..self.places()] {
            *seeds += 1;
        }
    }

    /// What the last seed, sown into the own ordinary pit at `at`, does to the pit that faces it. Says whether the seed
    /// and those facing it have left the board.
    #[inline]
    fn capture<W: Watch>(&self, position: &mut Position, me: usize, at: usize, watch: &mut W) -> bool {
        let facing = self.places() - 1 - at;
        debug_assert!(!position.is_uur(facing), "uurs are made in pairs that face each other");
        match position.ring[facing % RING] {
            0 => false,
            3 => {
                position.ring[facing % RING] -= 1;
                position.ring[at % RING] += 1;
                position.uurs[me] |= 1 << at | 1 << facing;
                if W::WATCHES {
                    watch.see(Step::Lift(self.place(facing)));
                    for to in [at, facing, facing] {
                        watch.see(Step::Sow(self.place(to)));
                    }
                    for made in [at, facing] {
                        watch.see(Step::Mark {
                            place: self.place(made),
                            owner: Seat::new(me),
                        });
                    }
                }
                false
            }
            taken => {
                position.ring[facing % RING] = 0;
                position.ring[at % RING] -= 1;
                position.captured[me] += taken + 1;
                if W::WATCHES {
                    watch.see(Step::Take {
                        from: self.place(facing),
                        to: self.store(me),
                    });
                    // One of the seeds there is captured as well; the others stay in the hand for the next lap.
                    watch.see(Step::Lift(self.place(at)));
                    watch.see(Step::Sow(self.store(me)));
                }
                true
            }
        }
    }

    /// What `seat` has if the match is counted now: captures, own uurs in both rows, ordinary seeds in the own row.
    fn seeds_of(&self, position: &Position, seat: usize) -> u16 {
        let counted = (0..self.places()).filter(|place| match position.owner(*place) {
            Some(owner) => owner.index() == seat,
            None => self.row(seat).contains(place),
        });
        position.captured[seat] + counted.map(|place| position.ring[place]).sum::<u16>()
    }
}

impl Position {
    #[inline]
    fn is_uur(&self, place: usize) -> bool {
        (self.uurs[0] | self.uurs[1]) >> place & 1 == 1
    }

    fn owner(&self, place: usize) -> Option<Seat> {
        let owned = |seat: &usize| self.uurs[*seat] >> place & 1 == 1;
        (0..2).find(owned).map(Seat::new)
    }
}
