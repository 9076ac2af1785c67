//! Kalah: sow into the own store, move again on a last seed there, capture from an own empty pit.

use crate::{
    Cell, GameInfo, Limits, OptionError, OptionInfo, OptionKind, OptionValue, Options, Outcome, PerSeat, Pit, PitSet,
    PlayError, Row, Ruleset, Seat, View,
};

#[cfg(feature = "wire")]
mod wire;

/// The most pits a row may have.
pub const PITS_MAX: usize = 12;

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
    pits: [[u16; PITS_MAX]; 2],
    stores: [u16; 2],
    to_move: Option<Seat>,
}

impl Ruleset for Kalah {
    type Position = Position;
    type Move = Pit;
    type Moves = PitSet;

    const INFO: &'static GameInfo = &GameInfo {
        name: "kalah",
        title: "Kalah",
        summary: "sow into your store, capture from an empty pit, most seeds wins",
        seats: (2, 2),
        options: &[
            OptionInfo {
                key: "pits",
                kind: OptionKind::Range(1, 12),
                default: OptionValue::Number(6),
                help: "pits a row",
            },
            OptionInfo {
                key: "seeds",
                kind: OptionKind::Range(1, 12),
                default: OptionValue::Number(4),
                help: "seeds a pit",
            },
            OptionInfo {
                key: "empty_capture",
                kind: OptionKind::Switch,
                default: OptionValue::Switch(false),
                help: "capture the last seed also when the facing pit is empty",
            },
            OptionInfo {
                key: "end",
                kind: OptionKind::Words(&["either", "mover"]),
                default: OptionValue::Word("either"),
                help: "the match ends when either row is empty after a move, or when the player to move has none",
            },
        ],
        rules: "",
        points: "seeds in the own store at the end",
        examples: &[],
        sources: &[],
    };

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
        let mut row = [0; PITS_MAX];
        row[..self.pits as usize].fill(self.seeds.into());
        Position {
            pits: [row, row],
            stores: [0, 0],
            to_move: Some(Seat::new(0)),
        }
    }

    fn to_move(&self, position: &Position) -> Option<Seat> {
        position.to_move
    }

    fn legal_moves(&self, position: &Position) -> PitSet {
        let Some(seat) = position.to_move else {
            return PitSet::EMPTY;
        };
        let row = &position.pits[seat.index()];
        PitSet::from_bits((0..self.pits as usize).fold(0, |bits, pit| bits | u32::from(row[pit] > 0) << pit))
    }

    fn check(&self, position: &Position, mv: Pit) -> Result<(), PlayError> {
        let seat = position.to_move.ok_or(PlayError::Over)?;
        if mv.0 >= self.pits {
            return Err(PlayError::NoSuchPit { pits: self.pits.into() });
        }
        if position.pits[seat.index()][mv.index()] == 0 {
            Err(PlayError::EmptyPit)
        } else {
            Ok(())
        }
    }

    fn play(&self, position: &mut Position, mv: Pit) {
        let me = position.to_move.expect("the caller plays a legal move").index();
        let pits = self.pits as usize;
        let mut hand = std::mem::take(&mut position.pits[me][mv.index()]);
        let (mut row, mut at) = (me, mv.index() + 1);
        let mut last = None;
        while hand > 0 {
            if at < pits {
                position.pits[row][at] += 1;
                last = Some((row, at));
                at += 1;
            } else {
                if row != me {
                    (row, at) = (me, 0);
                    continue;
                }
                position.stores[me] += 1;
                last = None;
                (row, at) = (1 - me, 0);
            }
            hand -= 1;
        }
        if let Some((row, pit)) = last {
            let facing = pits - 1 - pit;
            let taken = position.pits[1 - me][facing];
            if row == me && position.pits[me][pit] == 1 && (taken > 0 || self.empty_capture) {
                position.pits[me][pit] = 0;
                position.pits[1 - me][facing] = 0;
                position.stores[me] += taken + 1;
            }
            position.to_move = Some(Seat::new(1 - me));
        }
        let empty = |row: usize| position.pits[row].iter().all(|seeds| *seeds == 0);
        let over = match self.end {
            End::Either => empty(0) || empty(1),
            End::Mover => empty(position.to_move.expect("the match goes on").index()),
        };
        if over {
            self.finish(position);
        }
    }

    fn finish(&self, position: &mut Position) {
        for seat in 0..2 {
            position.stores[seat] += position.pits[seat].iter().sum::<u16>();
            position.pits[seat] = [0; PITS_MAX];
        }
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
        PerSeat::from_fn(2, |seat| {
            u32::from(position.stores[seat.index()] + position.pits[seat.index()].iter().sum::<u16>())
        })
    }

    fn standing(&self, position: &Position) -> PerSeat<i32> {
        PerSeat::from_fn(2, |seat| position.stores[seat.index()].into())
    }

    fn view(&self, position: &Position) -> View {
        let row = |seat: usize| Row {
            cells: position.pits[seat][..self.pits as usize]
                .iter()
                .map(|seeds| Cell {
                    seeds: (*seeds).into(),
                    owner: None,
                })
                .collect(),
            store: position.stores[seat].into(),
            in_play: true,
        };
        View {
            rows: vec![row(0), row(1)],
            to_move: position.to_move,
        }
    }
}
