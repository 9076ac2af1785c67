//! A match being played: a position with what needs its history.

use std::collections::HashMap;

use crate::{EndReason, Outcome, PerSeat, Ruleset, Seat, Watch};

/// Why a move is illegal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayError {
    /// The match is over.
    #[error("the match is over")]
    Over,
    /// The move names no pit of the row.
    #[error("the row has pits 0 to {}", pits - 1)]
    NoSuchPit {
        /// Pits in the row.
        pits: usize,
    },
    /// There is nothing to sow.
    #[error("that pit is empty")]
    EmptyPit,
    /// An uur is never sown from.
    #[error("that pit is an uur")]
    Uur,
    /// The very first move is prescribed.
    #[error("the first move must be pit {pit}")]
    ForcedOpening {
        /// The prescribed pit.
        pit: u8,
    },
    /// Not even of the form of a move.
    #[error("expected {expected}")]
    NotAMove {
        /// The form of a move.
        expected: &'static str,
    },
}

/// One match in progress: the position, and what the position alone cannot say.
#[derive(Clone, Debug)]
pub struct Match<R: Ruleset> {
    ruleset: R,
    position: R::Position,
    ply: u32,
    seen: HashMap<R::Position, u8>,
    ended: Option<EndReason>,
    /// The seat whose leaving ended the match.
    leaver: Option<Seat>,
}

impl<R: Ruleset> Match<R> {
    /// A match from the start position.
    pub fn new(ruleset: R) -> Match<R> {
        let position = ruleset.start();
        Match::from_position(ruleset, position)
    }

    /// A match from `position`, which becomes ply 0.
    pub fn from_position(ruleset: R, position: R::Position) -> Match<R> {
        let ended = ruleset.to_move(&position).is_none().then_some(EndReason::Rules);
        let mut playing = Match {
            ruleset,
            position,
            ply: 0,
            seen: HashMap::new(),
            ended,
            leaver: None,
        };
        playing.note_position();
        playing
    }

    /// The rules in force.
    pub fn ruleset(&self) -> &R {
        &self.ruleset
    }

    /// The position now.
    pub fn position(&self) -> &R::Position {
        &self.position
    }

    /// The number of plies played, which is the number of the next ply.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Who is to move; `None` when the match is over.
    pub fn to_move(&self) -> Option<Seat> {
        if self.ended.is_some() {
            None
        } else {
            self.ruleset.to_move(&self.position)
        }
    }

    /// Why the match is over; `None` while it is not.
    pub fn ended(&self) -> Option<EndReason> {
        self.ended
    }

    /// Plays `mv` for the seat to move.
    ///
    /// # Errors
    /// [`PlayError`] when it is illegal; nothing has changed then.
    pub fn play(&mut self, mv: R::Move) -> Result<(), PlayError> {
        self.play_watched(mv, &mut ())
    }

    /// Plays `mv` as [`play`](Self::play) does, and tells `watch` of every step.
    ///
    /// # Errors
    /// [`PlayError`] when it is illegal; nothing has changed then.
    pub fn play_watched<W: Watch>(&mut self, mv: R::Move, watch: &mut W) -> Result<(), PlayError> {
        if self.ended.is_some() {
            return Err(PlayError::Over);
        }
        self.ruleset.check(&self.position, mv)?;
        self.ruleset.play_watched(&mut self.position, mv, watch);
        self.ply += 1;
        if self.ruleset.to_move(&self.position).is_none() {
            self.ended = Some(EndReason::Rules);
        } else if self.note_position() {
            self.finish(EndReason::Repetition, watch);
        } else if self.ply >= self.ruleset.limits().plies {
            self.finish(EndReason::PlyCap, watch);
        }
        Ok(())
    }

    /// Takes `seat` out, by resignation or forfeit. No effect when the match is over.
    pub fn leave(&mut self, seat: Seat) {
        if self.ended.is_some() {
            return;
        }
        if !self.ruleset.leave(&mut self.position, seat) {
            self.leaver = Some(seat);
            self.ended = Some(EndReason::Resignation);
        } else if self.ruleset.to_move(&self.position).is_none() {
            self.ended = Some(EndReason::Resignation);
        }
    }

    /// Places and points, once the match is over.
    pub fn outcome(&self) -> Option<Outcome> {
        self.ended?;
        match self.leaver {
            Some(leaver) => {
                let stayed = PerSeat::from_fn(self.ruleset.seats(), |seat| seat != leaver);
                Some(Outcome {
                    places: Outcome::places_by(&stayed),
                    points: self.ruleset.points(&self.position),
                })
            }
            None => self.ruleset.outcome(&self.position),
        }
    }

    fn finish<W: Watch>(&mut self, reason: EndReason, watch: &mut W) {
        self.ruleset.finish_watched(&mut self.position, watch);
        self.ended = Some(reason);
    }

    /// Counts the position, and says whether it has occurred too often.
    fn note_position(&mut self) -> bool {
        let Some(limit) = self.ruleset.limits().repetitions else {
            return false;
        };
        if self.ended.is_some() {
            return false;
        }
        let times = self.seen.entry(self.position.clone()).or_insert(0);
        *times += 1;
        *times >= limit
    }
}
