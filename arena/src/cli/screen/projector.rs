//! Shows a film: which board is seen at which frame and seed. Knows neither time nor terminal.

use mancala_arena_rules::{Hand, Place, Seat, Step, View};

use crate::report::{Film, Frame};

/// A film, and how far it has been shown.
#[derive(Debug)]
pub(in crate::cli) struct Projector {
    hand: Hand,
    /// Frames that have been shown whole.
    frames: usize,
    /// Steps of the next that have been.
    steps: usize,
    /// Where the last step was.
    hot: Option<Place>,
}

impl Projector {
    /// At the beginning of `film`.
    pub fn new(film: &Film) -> Projector {
        Projector {
            hand: Hand::over(&film.start.view()),
            frames: 0,
            steps: 0,
            hot: None,
        }
    }

    /// The board that is seen now.
    pub fn view(&self) -> &View {
        self.hand.board()
    }

    /// Seeds in the hand that moves now.
    pub fn in_hand(&self) -> u32 {
        self.hand.seeds()
    }

    /// What the last step touched, while a frame is being shown.
    pub fn hot(&self) -> Option<Place> {
        self.hot
    }

    /// Frames that have been shown whole.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether a frame has been begun.
    pub fn is_amid(&self) -> bool {
        self.steps > 0
    }

    /// Whether there is nothing more.
    pub fn is_at_end(&self, film: &Film) -> bool {
        self.frames == film.frames.len()
    }

    /// The frame that is being shown, or else was last.
    pub fn frame<'a>(&self, film: &'a Film) -> Option<&'a Frame> {
        let at = if self.is_amid() {
            self.frames
        } else {
            self.frames.checked_sub(1)?
        };
        film.frames.get(at)
    }

    /// Seat and pit of the last move.
    pub fn last(&self, film: &Film) -> Option<(Seat, usize)> {
        let frame = self.frame(film)?;
        Some((Seat::new(frame.seat.into()), frame.r#move.as_ref()?.as_u64()? as usize))
    }

    /// Shows the next step. The one after the last of a frame brings the board to what it is after it.
    pub fn step(&mut self, film: &Film) {
        let Some(frame) = film.frames.get(self.frames) else {
            return;
        };
        match frame.steps.get(self.steps) {
            Some(step) => {
                self.hand.apply(*step);
                self.hot = touched(*step);
                self.steps += 1;
            }
            None => self.complete(frame),
        }
    }

    /// Shows the rest of the frame that has been begun, or all of the next.
    pub fn forward(&mut self, film: &Film) {
        let before = self.frames;
        while self.frames == before && !self.is_at_end(film) {
            self.step(film);
        }
    }

    /// Goes to where so many frames have been shown.
    pub fn seek(&mut self, film: &Film, frames: usize) {
        *self = Projector::new(film);
        while self.frames < frames.min(film.frames.len()) {
            self.forward(film);
        }
    }

    fn complete(&mut self, frame: &Frame) {
        let mut view = self.hand.board().clone();
        view.to_move = frame.to_move.map(|seat| Seat::new(seat.into()));
        for seat in frame.out.iter().flatten() {
            view.rows[usize::from(*seat)].in_play = false;
        }
        self.hand = Hand::over(&view);
        self.frames += 1;
        self.steps = 0;
        self.hot = None;
    }
}

fn touched(step: Step) -> Option<Place> {
    match step {
        Step::Lift(place) | Step::Sow(place) | Step::Mark { place, .. } | Step::Take { to: place, .. } => Some(place),
        Step::PutBack => None,
    }
}

#[cfg(test)]
mod tests {
    use mancala_arena_rules::open_text;

    use super::*;
    use crate::record::samples::{self, Leaving};
    use crate::report::Board;

    fn films() -> Vec<Film> {
        let games = ["kalah", "layli-goobalay:pits=12", "mancala-basic:seats=3"];
        let film = |game| {
            let plan = samples::plan(&*open_text(game).expect("it is a game of ours"), 3);
            let record = samples::played(&plan, 0, Leaving::Sometimes);
            Film::of(&record).expect("a sample is a match by the rules")
        };
        games.into_iter().map(film).collect()
    }

    #[test]
    fn a_film_ends_with_the_board_of_its_end() {
        for film in films() {
            let mut projector = Projector::new(&film);
            while !projector.is_at_end(&film) {
                projector.step(&film);
            }
            let ending = film.ending.as_ref().expect("the match is over");
            assert_eq!(Board::of(projector.view(), None), ending.end);
        }
    }

    #[test]
    fn going_to_a_frame_shows_what_stepping_there_shows() {
        for film in films() {
            let (mut stepped, mut sought) = (Projector::new(&film), Projector::new(&film));
            for frames in 1..=film.frames.len() {
                stepped.forward(&film);
                sought.seek(&film, frames);
                assert_eq!(stepped.view(), sought.view());
            }
            sought.seek(&film, usize::MAX);
            assert!(sought.is_at_end(&film));
        }
    }

    #[test]
    fn amid_a_frame_the_seeds_of_the_board_and_of_the_hand_are_all_there() {
        for film in films() {
            let mut projector = Projector::new(&film);
            let all = |projector: &Projector| {
                let rows = projector.view().rows.iter();
                let rows = rows.map(|row| row.store + row.cells.iter().map(|cell| cell.seeds).sum::<u32>());
                rows.sum::<u32>() + projector.in_hand()
            };
            let before = all(&projector);
            while !projector.is_at_end(&film) {
                projector.step(&film);
                assert_eq!(all(&projector), before);
            }
        }
    }
}
