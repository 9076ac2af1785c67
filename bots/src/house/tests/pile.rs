//! A game for tests, of two to four seats: take one to three tokens from a pile, each of a value of its own; who takes
//! three moves again; most value wins.

use mancala_arena_rules::{
    GameInfo, Limits, OptionError, Options, Outcome, PerSeat, Pit, PitSet, PlayError, Ruleset, Seat, View, Watch,
};

#[derive(Clone, Debug)]
pub struct Pile {
    pub seats: usize,
    pub tokens: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    left: u8,
    taken: [u8; 4],
    to_move: u8,
}

impl Ruleset for Pile {
    type Position = Position;
    type Move = Pit;
    type Moves = PitSet;

    const INFO: &'static GameInfo = &GameInfo {
        name: "pile",
        title: "Pile",
        summary: "take tokens",
        seats: (2, 4),
        options: &[],
        rules: "",
        points: "value taken",
        examples: &[],
        sources: &[],
    };

    fn from_options(_: &Options) -> Result<Self, OptionError> {
        Ok(Pile { seats: 3, tokens: 20 })
    }

    fn options(&self) -> Options {
        Options::from_values(Vec::new())
    }

    fn seats(&self) -> usize {
        self.seats
    }

    fn limits(&self) -> Limits {
        Limits {
            repetitions: None,
            plies: 100,
        }
    }

    fn start(&self) -> Position {
        Position {
            left: self.tokens,
            taken: [0; 4],
            to_move: 0,
        }
    }

    fn to_move(&self, position: &Position) -> Option<Seat> {
        (position.left > 0).then(|| Seat::new(position.to_move.into()))
    }

    fn legal_moves(&self, position: &Position) -> PitSet {
        PitSet::from_bits((1 << position.left.min(3)) - 1)
    }

    fn check(&self, position: &Position, mv: Pit) -> Result<(), PlayError> {
        if mv.0 < position.left.min(3) {
            Ok(())
        } else {
            Err(PlayError::EmptyPit)
        }
    }

    fn play_watched<W: Watch>(&self, position: &mut Position, mv: Pit, _watch: &mut W) {
        for _ in 0..=mv.0 {
            position.taken[position.to_move as usize] += position.left * 7 % 5;
            position.left -= 1;
        }
        if mv.0 < 2 {
            position.to_move = (position.to_move + 1) % self.seats as u8;
        }
    }

    fn finish_watched<W: Watch>(&self, position: &mut Position, _watch: &mut W) {
        position.left = 0;
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        let points = self.points(position);
        (position.left == 0).then(|| Outcome {
            places: Outcome::places_by(&points),
            points,
        })
    }

    fn points(&self, position: &Position) -> PerSeat<u32> {
        PerSeat::from_fn(self.seats, |seat| position.taken[seat.index()].into())
    }

    fn standing(&self, position: &Position) -> PerSeat<i32> {
        PerSeat::from_fn(self.seats, |seat| position.taken[seat.index()].into())
    }

    fn view(&self, _: &Position) -> View {
        View {
            rows: Vec::new(),
            to_move: None,
        }
    }
}
