//! What a ply does to the board, seed by seed: for whoever draws a move, not for whoever plays it.
//!
//! A game tells a [`Watch`] while it plays; `()` watches nothing and costs nothing. Steps say what happens to seeds and
//! special pits; who is to move, and which rows have left, the position says.

use crate::{Seat, View};

/// A pit or store of the board by number: `seat * (pits + 1) + pit`, the store of a seat being its pit number `pits`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place(pub u8);

/// One thing that a ply does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// All seeds of a place are taken in hand.
    Lift(Place),
    /// One seed of the hand falls into a place.
    Sow(Place),
    /// All seeds of a place go to another: a capture, or the count at the end.
    Take {
        /// Where they lay.
        from: Place,
        /// Where they go.
        to: Place,
    },
    /// A place becomes a special pit.
    Mark {
        /// Which.
        place: Place,
        /// Whose.
        owner: Seat,
    },
    /// The board is put back as it was before the ply.
    PutBack,
}

/// Whoever is told of the steps of a ply.
pub trait Watch {
    /// Whether steps are looked at: a game leaves out what it does for them alone otherwise.
    const WATCHES: bool = true;
    /// Takes the next step.
    fn see(&mut self, step: Step);
}

/// Nobody watches.
impl Watch for () {
    const WATCHES: bool = false;
    #[inline(always)]
    fn see(&mut self, _step: Step) {}
}

impl Watch for Vec<Step> {
    fn see(&mut self, step: Step) {
        self.push(step);
    }
}

/// A board on which steps are carried out one by one, and the hand that does it.
#[derive(Clone, Debug)]
pub struct Hand {
    board: View,
    before: View,
    seeds: u32,
}

impl Hand {
    /// An empty hand over `board`, before a ply.
    pub fn over(board: &View) -> Hand {
        Hand {
            board: board.clone(),
            before: board.clone(),
            seeds: 0,
        }
    }

    /// The board as it is now.
    pub fn board(&self) -> &View {
        &self.board
    }

    /// Seeds in the hand.
    pub fn seeds(&self) -> u32 {
        self.seeds
    }

    /// Carries out a step.
    ///
    /// # Panics
    /// When the step is none of this board: it names no place of it, or sows from an empty hand.
    pub fn apply(&mut self, step: Step) {
        match step {
            Step::Lift(from) => self.seeds += std::mem::take(self.at(from)),
            Step::Sow(to) => {
                self.seeds = self.seeds.checked_sub(1).expect("only what is in the hand is sown");
                *self.at(to) += 1;
            }
            Step::Take { from, to } => {
                let taken = std::mem::take(self.at(from));
                *self.at(to) += taken;
            }
            Step::Mark { place, owner } => {
                let (seat, pit) = self.split(place);
                self.board.rows[seat].cells[pit].owner = Some(owner);
            }
            Step::PutBack => *self = Hand::over(&self.before),
        }
    }

    fn at(&mut self, place: Place) -> &mut u32 {
        let (seat, pit) = self.split(place);
        let row = &mut self.board.rows[seat];
        match row.cells.get_mut(pit) {
            Some(cell) => &mut cell.seeds,
            None => &mut row.store,
        }
    }

    /// Row and pit; the store is the pit after the last.
    fn split(&self, place: Place) -> (usize, usize) {
        let places = self.board.rows[0].cells.len() + 1;
        (usize::from(place.0) / places, usize::from(place.0) % places)
    }
}
