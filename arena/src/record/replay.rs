//! Playing a record again by the rules: is every ply legal, is its end the end that the rules give.
//!
//! It does not ask whether the opening and the seats are those of the schedule: that is for whoever has the plan.

use mancala_arena_rules::wire::WireError;
use mancala_arena_rules::{AnyMatch, EndReason, GameError, PlayError, Seat};
use serde_json::Value;

use super::{End, LeaveRecord, LeftBy, PlyRecord, Record};

/// Why a record is not a match that was played by the rules.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The game or its options are unknown.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The opening is no position of the game.
    #[error("its opening is {0}")]
    Opening(#[from] WireError),
    /// A list by seat has not one entry for each.
    #[error("it has {found} {what}, expected {expected}: one for each seat")]
    Seats {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many seats the game has.
        expected: usize,
    },
    /// A fault or a leave names what is not there.
    #[error("a {what} of seat index {seat} at ply {ply}, in a match of {seats} seats and {plies} plies")]
    Nowhere {
        /// `fault` or `leave`.
        what: &'static str,
        /// The seat that it names.
        seat: u8,
        /// The ply that it names.
        ply: u32,
        /// The seats that there are.
        seats: usize,
        /// The plies that there are.
        plies: usize,
    },
    /// The seats that left are not in the order of plies, or one left twice.
    #[error("the seats that left are out of order, or one left twice")]
    LeftOrder,
    /// A ply after the end.
    #[error("ply {ply} was played after the end of the match")]
    AfterEnd {
        /// Which.
        ply: usize,
    },
    /// A ply of a seat that was not to move.
    #[error("ply {ply} was played by seat {found}, to move was seat {expected}", found = usize::from(*found) + 1, expected = expected.number())]
    NotToMove {
        /// Which.
        ply: usize,
        /// Who played, 0-based.
        found: u8,
        /// Who was to move.
        expected: Seat,
    },
    /// An illegal move.
    #[error("ply {ply} is an illegal move {mv}: {why}")]
    Illegal {
        /// Which.
        ply: usize,
        /// The move.
        mv: Value,
        /// Why.
        why: PlayError,
    },
    /// The match goes on after the last ply.
    #[error("the match is not over after its {plies} plies")]
    NotOver {
        /// How many.
        plies: usize,
    },
    /// Another end.
    #[error("it says that it ended by `{found}`, by the rules it ended by `{expected}`", found = found.as_str(), expected = expected.as_str())]
    End {
        /// In the record.
        found: End,
        /// By the rules.
        expected: End,
    },
    /// Other places.
    #[error("its places are {found:?}, by the rules they are {expected:?}")]
    Places {
        /// In the record.
        found: Vec<u8>,
        /// By the rules.
        expected: Vec<u8>,
    },
    /// Other points.
    #[error("its points are {found:?}, by the rules they are {expected:?}")]
    Points {
        /// In the record.
        found: Vec<u32>,
        /// By the rules.
        expected: Vec<u32>,
    },
}

/// Plays `record` again and gives the match at its end.
///
/// # Errors
/// The first [`ReplayError`].
pub fn replay(record: &Record) -> Result<Box<dyn AnyMatch>, ReplayError> {
    replay_with(record, |_, _| {})
}

/// Plays `record` again, and calls `before_ply` with the match before each ply.
///
/// # Errors
/// The first [`ReplayError`].
pub fn replay_with(
    record: &Record,
    mut before_ply: impl FnMut(&dyn AnyMatch, &PlyRecord),
) -> Result<Box<dyn AnyMatch>, ReplayError> {
    let game = mancala_arena_rules::open(&record.game, &record.options)?;
    check_lists(record, game.seats())?;
    let mut playing = game.start_from(&record.opening.to_string())?;
    let mut left = record.left.iter().peekable();
    let mut decided_by = None;
    for (at, ply) in record.plies.iter().enumerate() {
        while let Some(leave) = left.next_if(|leave| leave.ply as usize == at) {
            decided_by = apply(&mut *playing, leave).or(decided_by);
        }
        let expected = playing.to_move().ok_or(ReplayError::AfterEnd { ply: at })?;
        if usize::from(ply.seat) != expected.index() {
            return Err(ReplayError::NotToMove {
                ply: at,
                found: ply.seat,
                expected,
            });
        }
        before_ply(&*playing, ply);
        let index = playing.find(&ply.r#move).map_err(|why| ReplayError::Illegal {
            ply: at,
            mv: ply.r#move.clone(),
            why,
        })?;
        playing.play_nth(index);
    }
    for leave in left {
        decided_by = apply(&mut *playing, leave).or(decided_by);
    }
    check_end(record, &*playing, decided_by)?;
    Ok(playing)
}

/// Takes the seat out; gives why it left when that ended the match. Several may leave before one ply: when the first has
/// ended the match, the others change nothing.
fn apply(playing: &mut dyn AnyMatch, leave: &LeaveRecord) -> Option<LeftBy> {
    let going_on = playing.ended().is_none();
    playing.leave(Seat::new(leave.seat.into()));
    (going_on && playing.ended().is_some()).then_some(leave.by)
}

fn check_lists(record: &Record, seats: usize) -> Result<(), ReplayError> {
    let lists = [
        ("bots", record.seats.len()),
        ("places", record.places.len()),
        ("points", record.points.len()),
    ];
    if let Some((what, found)) = lists.into_iter().find(|(_, found)| *found != seats) {
        return Err(ReplayError::Seats {
            what,
            found,
            expected: seats,
        });
    }
    let plies = record.plies.len();
    let faults = record.faults.iter().map(|fault| ("fault", fault.seat, fault.ply));
    let leaves = record.left.iter().map(|leave| ("leave", leave.seat, leave.ply));
    for (what, seat, ply) in faults.chain(leaves) {
        if usize::from(seat) >= seats || ply as usize > plies {
            return Err(ReplayError::Nowhere {
                what,
                seat,
                ply,
                seats,
                plies,
            });
        }
    }
    let ordered = record.left.is_sorted_by_key(|leave| leave.ply);
    let twice = record
        .left
        .iter()
        .enumerate()
        .any(|(at, leave)| record.left[..at].iter().any(|other| other.seat == leave.seat));
    if ordered && !twice {
        Ok(())
    } else {
        Err(ReplayError::LeftOrder)
    }
}

fn check_end(record: &Record, playing: &dyn AnyMatch, decided_by: Option<LeftBy>) -> Result<(), ReplayError> {
    let (Some(reason), Some(outcome)) = (playing.ended(), playing.outcome()) else {
        return Err(ReplayError::NotOver {
            plies: record.plies.len(),
        });
    };
    let expected = match (reason, decided_by) {
        (EndReason::Resignation, Some(LeftBy::Fault)) => End::Fault,
        (reason, _) => End::from(reason),
    };
    if record.end != expected {
        return Err(ReplayError::End {
            found: record.end,
            expected,
        });
    }
    if record.places != outcome.places[..] {
        return Err(ReplayError::Places {
            found: record.places.clone(),
            expected: outcome.places.to_vec(),
        });
    }
    if record.points != outcome.points[..] {
        return Err(ReplayError::Points {
            found: record.points.clone(),
            expected: outcome.points.to_vec(),
        });
    }
    Ok(())
}
