//! A match ready to be drawn: the board at the start, and what each ply does to it, seed by seed.
//!
//! Whoever draws it needs no rules. The one thing a reader would get wrong: places of the board are numbered through all
//! rows with their stores ([`Place`]) and written as letters, 0 to 25 as `A` to `Z`, 26 to 51 as `a` to `z`.

use mancala_arena_rules::{AnyGame, AnyMatch, Cell, Place, Row, Seat, Step, View, open};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::record::{End, FaultRecord, LeaveRecord, LeftBy, PlyRecord, Record, ReplayError, replay};

/// A match, or the part of it that has been played.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Film {
    /// The game's name.
    pub game: String,
    /// Its name for people.
    pub title: &'static str,
    /// Its options, all of them.
    pub options: Vec<(String, String)>,
    /// How many seats there are.
    pub seats: usize,
    /// Pits in a row.
    pub pits: usize,
    /// The bots by seat.
    pub names: Vec<String>,
    /// The board before the first frame.
    pub start: Board,
    /// What happened, in order.
    pub frames: Vec<Frame>,
    /// What is known once the match is over.
    #[serde(flatten)]
    pub ending: Option<Ending>,
}

/// How a match ended.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Ending {
    /// The board after the last frame.
    pub end: Board,
    /// Places by seat, 1 is best.
    pub places: Vec<u8>,
    /// Points by seat, as the game counts them.
    pub points: Vec<u32>,
    /// Why it ended.
    pub reason: End,
    /// The faults made, in order.
    pub faults: Vec<FaultRecord>,
}

/// A board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Board {
    /// Its rows by seat.
    pub rows: Vec<BoardRow>,
    /// Who is to move, 0-based; nobody once the match is over.
    pub to_move: Option<u8>,
}

/// One seat's part of a board.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct BoardRow {
    /// Seeds by pit, in sowing order.
    pub seeds: Vec<u32>,
    /// Whose special pit each is.
    pub owners: Vec<Option<u8>>,
    /// Seeds in the store, or captured.
    pub store: u32,
    /// `false` once the row has left the board.
    pub in_play: bool,
}

/// A ply, or a seat that leaves.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Frame {
    /// The ply's number; of a seat that leaves, that of the next ply.
    pub ply: u32,
    /// Who moved or left, 0-based.
    pub seat: u8,
    /// The move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#move: Option<Value>,
    /// The time it took, microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub us: Option<u64>,
    /// What the bot said about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
    /// Why the seat left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<LeftBy>,
    /// What happens on the board. Written as a text: `^X` the seeds of place X are taken in hand, `X` one of them falls into
    /// X, `*XY` the seeds of X go to Y, `!XS` X becomes the special pit of seat S (a digit), `~` the board is put back as
    /// before.
    #[serde(serialize_with = "write_steps")]
    #[schemars(with = "String")]
    pub steps: Vec<Step>,
    /// Who is to move then, 0-based; nobody once the match is over.
    pub to_move: Option<u8>,
    /// The seats whose rows have left the board, all of them, where that has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<Vec<u8>>,
}

/// A film that is being made, ply by ply.
#[derive(Debug)]
pub struct Filming {
    playing: Box<dyn AnyMatch>,
    out: Vec<u8>,
    film: Film,
}

impl Film {
    /// The film of a match that has been played.
    ///
    /// # Errors
    /// [`ReplayError`] when the record is no match by the rules.
    pub fn of(record: &Record) -> Result<Film, ReplayError> {
        let end = replay(record)?;
        let game = open(&record.game, &record.options)?;
        let names = record.seats.iter().map(|seat| seat.name.clone()).collect();
        let mut filming = Filming::new(&*game, game.start_from(&record.opening.to_string())?, names);
        filming.go_on(&record.plies, &record.left);
        let mut film = filming.film;
        film.ending = Some(Ending {
            end: Board::of(&end.view(), None),
            places: record.places.clone(),
            points: record.points.clone(),
            reason: record.end,
            faults: record.faults.clone(),
        });
        Ok(film)
    }
}

impl Filming {
    /// A film that begins with `opening`.
    pub fn new(game: &dyn AnyGame, opening: Box<dyn AnyMatch>, names: Vec<String>) -> Filming {
        let view = opening.view();
        let film = Film {
            game: game.info().name.to_owned(),
            title: game.info().title,
            options: game.options().to_texts(),
            seats: game.seats(),
            pits: view.rows[0].cells.len(),
            names,
            start: Board::of(&view, opening.to_move()),
            frames: Vec::new(),
            ending: None,
        };
        Filming {
            out: rows_out(&view),
            playing: opening,
            film,
        }
    }

    /// The next ply.
    ///
    /// # Panics
    /// When it is illegal: only what the referee has played is filmed.
    pub fn ply(&mut self, ply: &PlyRecord) {
        let number = self.playing.ply();
        let index = self.playing.find(&ply.r#move).expect("what was played is legal");
        let steps = self.playing.play_nth_in_steps(index);
        self.push(Frame {
            ply: number,
            seat: ply.seat,
            r#move: Some(ply.r#move.clone()),
            us: Some(ply.elapsed_us),
            info: ply.info.clone(),
            left: None,
            steps,
            to_move: None,
            out: None,
        });
    }

    /// A seat leaves.
    pub fn leave(&mut self, leave: &LeaveRecord) {
        let number = self.playing.ply();
        self.playing.leave(Seat::new(leave.seat.into()));
        self.push(Frame {
            ply: number,
            seat: leave.seat,
            r#move: None,
            us: None,
            info: None,
            left: Some(leave.by),
            steps: Vec::new(),
            to_move: None,
            out: None,
        });
    }

    /// All that has been played since the film began, in its order.
    ///
    /// # Panics
    /// As [`ply`](Self::ply).
    pub fn go_on(&mut self, plies: &[PlyRecord], left: &[LeaveRecord]) {
        let mut left = left.iter().peekable();
        for (at, ply) in plies.iter().enumerate() {
            while let Some(leave) = left.next_if(|leave| leave.ply as usize <= at) {
                self.leave(leave);
            }
            self.ply(ply);
        }
        left.for_each(|leave| self.leave(leave));
    }

    /// The match as it stands.
    pub fn board(&self) -> &dyn AnyMatch {
        &*self.playing
    }

    /// The film as far as it has been made.
    pub fn film(&self) -> &Film {
        &self.film
    }

    /// The film as far as it has been made.
    pub fn into_film(self) -> Film {
        self.film
    }

    fn push(&mut self, mut frame: Frame) {
        frame.to_move = self.playing.to_move().map(number);
        let out = rows_out(&self.playing.view());
        if out != self.out {
            frame.out = Some(out.clone());
            self.out = out;
        }
        self.film.frames.push(frame);
    }
}

impl Board {
    /// A board as it is drawn.
    pub fn of(view: &View, to_move: Option<Seat>) -> Board {
        let rows = view.rows.iter().map(|row| BoardRow {
            seeds: row.cells.iter().map(|cell| cell.seeds).collect(),
            owners: row.cells.iter().map(|cell| cell.owner.map(number)).collect(),
            store: row.store,
            in_play: row.in_play,
        });
        Board {
            rows: rows.collect(),
            to_move: to_move.map(number),
        }
    }

    /// The board as the rules give it to be drawn.
    pub fn view(&self) -> View {
        let seat = |number: u8| Seat::new(number.into());
        let rows = self.rows.iter().map(|row| Row {
            cells: row
                .seeds
                .iter()
                .zip(&row.owners)
                .map(|(&seeds, owner)| Cell {
                    seeds,
                    owner: owner.map(seat),
                })
                .collect(),
            store: row.store,
            in_play: row.in_play,
        });
        View {
            rows: rows.collect(),
            to_move: self.to_move.map(seat),
        }
    }
}

fn number(seat: Seat) -> u8 {
    seat.index() as u8
}

fn rows_out(view: &View) -> Vec<u8> {
    let out = view.rows.iter().enumerate().filter(|(_, row)| !row.in_play);
    out.map(|(seat, _)| seat as u8).collect()
}

fn write_steps<S: Serializer>(steps: &[Step], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&steps_text(steps))
}

/// Steps as they are written in a [`Frame`].
fn steps_text(steps: &[Step]) -> String {
    let mut text = String::with_capacity(steps.len() + 2);
    for step in steps {
        match *step {
            Step::Lift(from) => text.extend(['^', letter(from)]),
            Step::Sow(to) => text.push(letter(to)),
            Step::Take { from, to } => text.extend(['*', letter(from), letter(to)]),
            Step::Mark { place, owner } => text.extend(['!', letter(place), char::from(b'0' + number(owner))]),
            Step::PutBack => text.push('~'),
        }
    }
    text
}

fn letter(place: Place) -> char {
    char::from(match place.0 {
        small @ 0..26 => b'A' + small,
        large => b'a' + large - 26,
    })
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::open_text;

    use super::*;
    use crate::record::samples::{self, Leaving};

    /// Carries the frames out as a page would, from their text alone.
    fn shown_to_the_end(film: &Film) -> Board {
        let mut board = film.start.clone();
        for frame in &film.frames {
            show(frame, &mut board, film.pits + 1);
        }
        board
    }

    fn show(frame: &Frame, board: &mut Board, places: usize) {
        let before = board.clone();
        let mut hand = 0;
        let steps = steps_text(&frame.steps);
        let mut letters = steps.bytes();
        let place = |letter: u8| {
            let number = usize::from(if letter < b'a' {
                letter - b'A'
            } else {
                letter - b'a' + 26
            });
            (number / places, number % places)
        };
        fn at(board: &mut Board, (seat, pit): (usize, usize)) -> &mut u32 {
            let row = &mut board.rows[seat];
            row.seeds.get_mut(pit).unwrap_or(&mut row.store)
        }
        while let Some(next) = letters.next() {
            let mut operand = || letters.next().expect("an operand follows");
            match next {
                b'^' => hand += std::mem::take(at(board, place(operand()))),
                b'*' => {
                    let taken = std::mem::take(at(board, place(operand())));
                    *at(board, place(operand())) += taken;
                }
                b'!' => {
                    let (seat, pit) = place(operand());
                    board.rows[seat].owners[pit] = Some(operand() - b'0');
                }
                b'~' => {
                    *board = before.clone();
                    hand = 0;
                }
                letter => {
                    hand -= 1;
                    *at(board, place(letter)) += 1;
                }
            }
        }
        assert_eq!(hand, 0, "{frame:?}");
        board.to_move = frame.to_move;
        for seat in frame.out.iter().flatten() {
            board.rows[usize::from(*seat)].in_play = false;
        }
    }

    #[test]
    fn the_frames_lead_from_the_start_to_the_end_of_matches_of_every_game() {
        for game in [
            "kalah",
            "layli-goobalay:ruleset=relay",
            "layli-goobalay:ruleset=chain,pits=12",
            "mancala-basic:seats=2,pits=7",
            "mancala-basic:seats=3",
            "mancala-basic:seats=4,pits=4",
        ] {
            let plan = samples::plan(&*open_text(game).expect("it is a game of ours"), 7);
            for id in 0..30 {
                let record = samples::played(&plan, id, Leaving::Sometimes);
                let film = Film::of(&record).expect("a sample is a match by the rules");
                let ending = film.ending.as_ref().expect("a record has an end");
                assert_eq!(shown_to_the_end(&film), ending.end, "{game}, match {id}");
                assert_eq!(
                    film.frames.len(),
                    record.plies.len() + record.left.len(),
                    "{game}, match {id}"
                );
            }
        }
    }

    #[test]
    fn places_are_letters_through_all_rows_and_stores() {
        let steps = [
            Step::Lift(Place(2)),
            Step::Sow(Place(3)),
            Step::Take {
                from: Place(25),
                to: Place(26),
            },
            Step::Mark {
                place: Place(51),
                owner: Seat::new(1),
            },
            Step::PutBack,
        ];
        assert_eq!(steps_text(&steps), "^CD*Za!z1~");
    }
}
