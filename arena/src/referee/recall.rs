//! A match on record, played again through the state machine: what a bot was sent is written by the code that wrote it then.
//!
//! It starts nothing and asks nobody. What the record does not hold cannot be told again: whether a bot had announced
//! `observe` is for the caller to say, and with a bank its milliseconds are rounded from those that were kept, so that one
//! may be off by one.

use std::time::Duration;

use mancala_arena_protocol::{FaultCode, ToBot, encode_into};
use mancala_arena_rules::Seat;

use super::{Game, Judged, Machine};
use crate::bot::hello_line;
use crate::config::{Plan, Ponder, TimeControl};
use crate::record::{FaultRecord, LeftBy, PlyRecord, Record, ReplayError, replay};

/// What happens next in a match on record.
#[derive(Clone, Copy, Debug)]
pub enum Next<'r> {
    /// A seat plays.
    Plays(&'r PlyRecord),
    /// A seat makes a fault.
    Faults(&'r FaultRecord),
    /// A seat resigns.
    Resigns(Seat),
}

impl Next<'_> {
    /// Which seat.
    pub fn seat(&self) -> Seat {
        match self {
            Next::Plays(ply) => Seat::new(ply.seat.into()),
            Next::Faults(fault) => Seat::new(fault.seat.into()),
            Next::Resigns(seat) => *seat,
        }
    }

    /// Whether the seat was asked for a move before.
    pub fn is_answer(&self, to_move: Option<Seat>) -> bool {
        let of_start = [
            FaultCode::CannotStart,
            FaultCode::NoHello,
            FaultCode::UnsupportedProtocol,
        ];
        let before_asking = matches!(self, Next::Faults(fault) if of_start.contains(&fault.code));
        to_move == Some(self.seat()) && !before_asking
    }
}

/// A match on record at one of its turns.
#[derive(Debug)]
pub struct Recall<'r> {
    record: &'r Record,
    machine: Machine,
    game: Game,
    may_ponder: bool,
    /// Whether moves on record take the time that they took.
    keeps_times: bool,
    now: Duration,
    faults: usize,
    left: usize,
    /// The line of this turn has been written.
    is_asked: bool,
}

impl<'r> Recall<'r> {
    /// The match before its first ply, with the clocks of its plan.
    ///
    /// # Errors
    /// [`ReplayError`] where the record does not follow the rules.
    pub fn new(record: &'r Record, plan: &Plan) -> Result<Recall<'r>, ReplayError> {
        Recall::with(record, plan, plan.time, true)
    }

    /// The match before its first ply, to judge in it what is answered now, by another time control; moves on record take
    /// no time.
    ///
    /// # Errors
    /// As [`Recall::new`].
    pub fn to_judge(record: &'r Record, plan: &Plan, time: TimeControl) -> Result<Recall<'r>, ReplayError> {
        Recall::with(record, plan, time, false)
    }

    fn with(record: &'r Record, plan: &Plan, time: TimeControl, keeps_times: bool) -> Result<Recall<'r>, ReplayError> {
        replay(record)?;
        let game = mancala_arena_rules::open(&record.game, &record.options)?;
        let names: Vec<String> = record.seats.iter().map(|seat| seat.name.clone()).collect();
        let board = game.start_from(&record.opening.to_string())?;
        Ok(Recall {
            record,
            machine: Machine::new(record.r#match.to_string(), board, time, &names),
            game: Game::new(&*game),
            may_ponder: plan.ponder == Ponder::Allow,
            keeps_times,
            now: Duration::ZERO,
            faults: 0,
            left: 0,
            is_asked: false,
        })
    }

    /// The referee of the match as it stands.
    pub fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }

    /// Appends the line that opens the match for `seat`.
    pub fn write_start(&mut self, seat: Seat, out: &mut Vec<u8>) {
        let (name, options) = (self.game.name(), self.game.options());
        self.machine
            .write_start(seat, name, options, self.record.seed, self.may_ponder, out);
    }

    /// Appends the line of this turn.
    pub fn write_turn(&mut self, out: &mut Vec<u8>) {
        self.machine.write_turn(out);
        self.is_asked = true;
    }

    /// What happens next; `None` at the end.
    pub fn next(&self) -> Option<Next<'r>> {
        let ply = self.machine.ply();
        let leave = self.record.left.get(self.left).filter(|leave| leave.ply == ply);
        let resigns = leave.filter(|leave| leave.by == LeftBy::Resignation);
        let fault = self.record.faults.get(self.faults).filter(|fault| fault.ply == ply);
        // Several things may stand before one ply; whoever is to move is the first of them, but for bots that did not start.
        let to_move = self.machine.to_move().map(Seat::index);
        let fault = fault.filter(|fault| resigns.is_none() || to_move == Some(fault.seat.into()));
        fault
            .map(Next::Faults)
            .or(resigns.map(|leave| Next::Resigns(Seat::new(leave.seat.into()))))
            .or_else(|| self.record.plies.get(ply as usize).map(Next::Plays))
    }

    /// Lets happen what happens next, as it did.
    ///
    /// # Panics
    /// At the end.
    pub fn advance(&mut self) {
        match self.next().expect("the match goes on") {
            Next::Plays(ply) => {
                let took = match self.keeps_times {
                    true => Duration::from_micros(ply.elapsed_us),
                    false => Duration::ZERO,
                };
                let judged = self.answer(&format!("{{\"move\":{}}}", ply.r#move), took);
                assert_eq!(judged, Judged::Moved, "a record that follows the rules is played again");
            }
            Next::Faults(fault) => {
                self.faults += 1;
                self.left += usize::from(self.is_leave(fault));
                self.machine.fault_again(fault);
            }
            Next::Resigns(_) => {
                self.left += 1;
                self.answer(r#"{"type":"resign"}"#, Duration::ZERO);
            }
        }
        self.is_asked = false;
    }

    /// Whether the fault is the reason of the next leave: one made when the match was over already is of none.
    fn is_leave(&self, fault: &FaultRecord) -> bool {
        let leave = self.record.left.get(self.left);
        leave.is_some_and(|leave| (leave.seat, leave.ply, leave.by) == (fault.seat, fault.ply, LeftBy::Fault))
            && fault.then.is_none()
    }

    fn answer(&mut self, line: &str, took: Duration) -> Judged {
        if !self.is_asked {
            self.machine.write_turn(&mut Vec::new());
        }
        self.machine.asked(self.now);
        self.now += took;
        self.machine.line(line.as_bytes(), self.now)
    }
}

/// All lines that the bot in `seat` was sent in a match on record, from `hello` to `quit`, or to the fault for which its
/// process was let go. A bot that `observes` was sent the plies of the others as well.
///
/// # Errors
/// As [`Recall::new`].
pub fn sent(record: &Record, plan: &Plan, seat: Seat, observes: bool) -> Result<Vec<u8>, ReplayError> {
    let mut recall = Recall::new(record, plan)?;
    let mut lines = hello_line().into_bytes();
    recall.write_start(seat, &mut lines);
    while let Some(next) = recall.next() {
        let is_own = next.seat() == seat;
        if is_own && next.is_answer(recall.machine.to_move()) {
            recall.write_turn(&mut lines);
        }
        recall.advance();
        match next {
            Next::Faults(_) if is_own => {
                recall.machine.write_last_fault(&mut lines);
                return Ok(lines);
            }
            Next::Plays(_) if observes && !is_own => recall.machine.write_last_ply(&mut lines),
            _ => {}
        }
    }
    recall.machine.write_end(&mut lines);
    encode_into::<(), ()>(&ToBot::Quit, &mut lines);
    Ok(lines)
}
