//! The referee of one match as a state machine: events and times in, judgements out, no I/O and no clock.
//!
//! Times are measured from the start of the match. The clock of a turn starts when its line has been written and stops
//! when the newline of the move has been read; both instants come from the driver, which moves the second one to where the
//! clock would be if only what the bot is charged had passed. Whatever is judged first stands: once
//! a seat has been judged in a turn, later events of that turn change nothing.

use std::time::Duration;

use mancala_arena_protocol::{
    Control, Decoded, End as EndMessage, Fault as FaultMessage, FaultCode, FromBot, Observed, SeatFault, Start, ToBot,
    TurnLine, decode, encode_into, excerpt,
};
use mancala_arena_rules::{AnyMatch, Seat};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Fault, Relief};
use crate::bot::{EXCERPT_CHARS, hint};
use crate::config::TimeControl;
use crate::record::{End, FaultRecord, LeaveRecord, LeftBy, PlyRecord, Then};

/// The referee of one match.
#[derive(Debug)]
pub struct Machine {
    id: String,
    /// The id as JSON text.
    id_json: String,
    board: Box<dyn AnyMatch>,
    time: TimeControl,
    seats: Vec<SeatState>,
    plies: Vec<PlyRecord>,
    faults: Vec<FaultRecord>,
    left: Vec<LeaveRecord>,
    /// The turn that is being waited for.
    asked: Option<Asked>,
    /// The turn that is asked for next was asked before: its clock has been running.
    resumes: bool,
    info: Option<Value>,
    position: String,
    legal: String,
}

#[derive(Debug)]
struct SeatState {
    name: String,
    bank: Option<Duration>,
    last: Option<Duration>,
    /// Its last answer named its ply: a line from an earlier turn gives itself away.
    names_plies: bool,
    /// Plies that this seat has been told of.
    told: usize,
    log_lines: u64,
    dropped_lines: u64,
    unknown: u64,
    in_match: bool,
    /// What follows its next fault.
    relief: Relief,
}

#[derive(Clone, Copy, Debug)]
struct Asked {
    at: Duration,
    limit: Duration,
    /// When no answer is waited for any more.
    until: Duration,
    /// Lines that came and were no answer.
    lines: u64,
    /// What a stray print among them gives away.
    hint: Option<&'static str>,
}

/// What a line meant for the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Nothing yet: go on reading until the same deadline.
    Wait,
    /// Nothing, and it is not for this turn: as [`Judged::Wait`].
    Dropped,
    /// A move; it has been played.
    Moved,
    /// The seat has resigned.
    Resigned,
    /// The seat has made a fault, and has left.
    Faulted,
    /// The seat has made a fault and stays, with a process or a bot that is new.
    Relieved(Then),
}

/// What is left when the match is over, for the record.
#[derive(Debug)]
pub struct Report {
    /// What was played.
    pub plies: Vec<PlyRecord>,
    /// Why it ended.
    pub end: End,
    /// Places by seat.
    pub places: Vec<u8>,
    /// Points by seat.
    pub points: Vec<u32>,
    /// The faults, in order.
    pub faults: Vec<FaultRecord>,
    /// Who left the match by fault or resignation, and before which ply.
    pub left: Vec<LeaveRecord>,
    /// By seat: lines that were no messages, lines that were dropped, unknown types and fields.
    pub counts: Vec<(u64, u64, u64)>,
}

impl SeatState {
    /// Somebody sits down who knows nothing of the match, after so many plies. The position in `start` is the one on the
    /// board then, and what is told later follows on that.
    fn begins_after(&mut self, plies: usize) {
        (self.told, self.names_plies, self.last) = (plies, false, None);
    }
}

impl Machine {
    /// A match from where `board` stands.
    pub fn new(id: String, board: Box<dyn AnyMatch>, time: TimeControl, names: &[String]) -> Machine {
        assert_eq!(names.len(), board.seats(), "one name per seat");
        let seat = |name: &String| SeatState {
            name: name.clone(),
            bank: time.bank_ms.map(Duration::from_millis),
            last: None,
            names_plies: false,
            told: 0,
            log_lines: 0,
            dropped_lines: 0,
            unknown: 0,
            in_match: true,
            relief: Relief::None,
        };
        Machine {
            id_json: Value::from(id.as_str()).to_string(),
            id,
            seats: names.iter().map(seat).collect(),
            board,
            time,
            plies: Vec::with_capacity(64),
            faults: Vec::new(),
            left: Vec::new(),
            asked: None,
            resumes: false,
            info: None,
            position: String::new(),
            legal: String::new(),
        }
    }

    /// Whose turn it is; `None` when the match is over.
    pub fn to_move(&self) -> Option<Seat> {
        self.board.to_move()
    }

    /// The board.
    pub fn board(&self) -> &dyn AnyMatch {
        &*self.board
    }

    /// The number of the ply that is to be played next.
    pub fn ply(&self) -> u32 {
        self.plies.len() as u32
    }

    /// The last ply played.
    pub fn last_ply(&self) -> Option<&PlyRecord> {
        self.plies.last()
    }

    /// The plies so far.
    pub fn plies(&self) -> &[PlyRecord] {
        &self.plies
    }

    /// Who has left so far.
    pub fn left(&self) -> &[LeaveRecord] {
        &self.left
    }

    /// What is left of each seat's bank; `None` when there are none.
    pub fn banks_ms(&self) -> Option<Vec<u64>> {
        self.time.bank_ms?;
        let bank = |seat: &SeatState| seat.bank.unwrap_or_default().as_millis() as u64;
        Some(self.seats.iter().map(bank).collect())
    }

    /// Appends the line that opens the match for `seat`.
    pub fn write_start(
        &mut self,
        seat: Seat,
        game: &str,
        options: &serde_json::Map<String, Value>,
        seed: u64,
        ponder: bool,
        out: &mut Vec<u8>,
    ) {
        self.position.clear();
        self.board.write_position(&mut self.position);
        let start = Start {
            r#match: self.id.clone(),
            game: game.to_owned(),
            options: options.clone(),
            seat: seat.index() as u8,
            seats: self.seats.len() as u8,
            names: self.seats.iter().map(|seat| seat.name.clone()).collect(),
            position: raw(&self.position),
            time: Control {
                move_ms_max: self.time.move_ms_max,
                bank_ms: self.time.bank_ms,
                increment_ms: self.time.bank_ms.map(|_| self.time.increment_ms),
                wall_ms_max: self.time.wall_ms_max,
                grace_ms: self.time.grace_ms,
            },
            seed,
            ponder,
        };
        encode_into::<_, ()>(&ToBot::Start(start), out);
    }

    /// Appends the line that asks the seat to move for its move.
    ///
    /// # Panics
    /// When the match is over.
    pub fn write_turn(&mut self, out: &mut Vec<u8>) {
        let seat = self.to_move().expect("the match goes on");
        self.position.clear();
        self.board.write_position(&mut self.position);
        self.legal.clear();
        self.board.write_legal(&mut self.legal);
        let state = &self.seats[seat.index()];
        let since = self.plies[state.told..].iter().zip(state.told as u32..);
        let banks = self.banks_ms();
        TurnLine {
            r#match: &self.id_json,
            ply: self.ply(),
            seat: seat.index() as u8,
            position: &self.position,
            legal: &self.legal,
            since: since.map(|(ply, number)| (number, ply.seat, &ply.r#move)),
            move_ms_max: self.time.move_ms_max,
            bank_ms: banks.as_deref(),
            increment_ms: self.time.bank_ms.map(|_| self.time.increment_ms),
            last_us: state.last.map(|last| last.as_micros() as u64),
        }
        .encode_into(out);
        self.seats[seat.index()].told = self.plies.len();
    }

    /// The turn's line has been written: starts the clock. Gives the instant after which no answer is waited for.
    pub fn asked(&mut self, at: Duration) -> Duration {
        let seat = self.to_move().expect("the match goes on");
        if std::mem::take(&mut self.resumes)
            && let Some(asked) = self.asked
        {
            return asked.until;
        }
        let limit = self.limit(seat);
        let until = at + limit + Duration::from_millis(self.time.grace_ms);
        self.asked = Some(Asked {
            at,
            limit,
            until,
            lines: 0,
            hint: None,
        });
        self.info = None;
        until
    }

    /// A line came from the seat that was asked; its newline had been read at `at`.
    pub fn line(&mut self, line: &[u8], at: Duration) -> Judged {
        let judged = self.judge(line, at);
        if matches!(judged, Judged::Wait | Judged::Dropped) {
            let asked = self.asked.as_mut().expect("a line is judged after asking");
            asked.lines += 1;
            if at > asked.until {
                // Lines without an end do not put off the end of the turn.
                return self.no_answer(b"");
            }
        }
        judged
    }

    fn judge(&mut self, line: &[u8], at: Duration) -> Judged {
        let seat = self.to_move().expect("a line is judged while its seat is to move");
        let state = &mut self.seats[seat.index()];
        let (message, unknown_fields) = match decode(line, false) {
            Ok(Decoded::Blank) => return Judged::Wait,
            Ok(Decoded::Log) => {
                state.log_lines += 1;
                if let Some(asked) = &mut self.asked {
                    asked.hint = asked.hint.or_else(|| hint::of_line(line));
                }
                return Judged::Wait;
            }
            Ok(Decoded::Message {
                message,
                unknown_fields,
            }) => (message, unknown_fields),
            Err(error) => {
                let received = excerpt(line, EXCERPT_CHARS);
                return self.fault(
                    seat,
                    &Fault::NotAMessage {
                        problem: error.to_string(),
                        received,
                        hint: hint::of_line(line),
                    },
                );
            }
        };
        state.unknown += unknown_fields.len() as u64;
        match message {
            FromBot::Info(info) => self.info = Some(Value::Object(info)),
            FromBot::Unknown { .. } => state.unknown += 1,
            FromBot::Hello(_) | FromBot::Ready => {
                state.dropped_lines += 1;
                return Judged::Dropped;
            }
            FromBot::Resign => {
                self.leave(seat, LeftBy::Resignation);
                return Judged::Resigned;
            }
            FromBot::Move { mv, ply } => {
                let asked = u64::from(self.ply());
                self.seats[seat.index()].names_plies = ply.is_some();
                match ply {
                    Some(ply) if ply < asked => {
                        self.seats[seat.index()].dropped_lines += 1;
                        return Judged::Dropped;
                    }
                    Some(ply) if ply > asked => {
                        let received = excerpt(line, EXCERPT_CHARS);
                        return self.fault(
                            seat,
                            &Fault::WrongPly {
                                answered: ply,
                                asked,
                                received,
                            },
                        );
                    }
                    _ => return self.play(seat, &mv, line, at),
                }
            }
        }
        Judged::Wait
    }

    /// The seat that was asked, or any seat before the first ply, has made a fault that is not in a line.
    pub fn fault(&mut self, seat: Seat, fault: &Fault) -> Judged {
        let state = &self.seats[seat.index()];
        self.faults.push(FaultRecord {
            seat: seat.index() as u8,
            bot: state.name.clone(),
            ply: self.ply(),
            code: fault.code(),
            message: fault.to_string(),
            received: fault.received(),
            legal: fault.legal().cloned(),
            late_ms: fault.late_ms(),
            exit: fault.exit(),
            hint: fault.hint(),
            then: None,
            stderr: None,
        });
        let Some(then) = self.relieve(seat, fault.code()) else {
            self.leave(seat, LeftBy::Fault);
            self.asked = None;
            return Judged::Faulted;
        };
        self.faults.last_mut().expect("one was added").then = Some(then);
        Judged::Relieved(then)
    }

    /// A fault that is on record is made again, with what followed it then.
    pub fn fault_again(&mut self, fault: &FaultRecord) {
        let seat = Seat::new(fault.seat.into());
        self.faults.push(fault.clone());
        self.asked = None;
        match fault.then {
            None => self.leave(seat, LeftBy::Fault),
            Some(_) => {
                let plies = self.plies.len();
                self.seats[seat.index()].begins_after(plies);
            }
        }
    }

    /// The seat's next turn tells of all plies.
    pub fn tell_all_again(&mut self, seat: Seat) {
        self.seats[seat.index()].begins_after(0);
    }

    /// What a seat is granted beside a forfeit when it makes a fault.
    pub fn grant(&mut self, seat: Seat, relief: Relief) {
        self.seats[seat.index()].relief = relief;
    }

    /// What follows a fault of this kind, if it is no forfeit; a newcomer knows nothing of the match.
    fn relieve(&mut self, seat: Seat, code: FaultCode) -> Option<Then> {
        let state = &mut self.seats[seat.index()];
        let then = match &mut state.relief {
            Relief::Restarts(left) if *left > 0 && is_failure(code) => {
                *left -= 1;
                self.resumes = self.asked.is_some();
                Then::Restarted
            }
            Relief::Substitute(_) => {
                state.relief = Relief::None;
                self.asked = None;
                Then::Substituted
            }
            _ => return None,
        };
        state.begins_after(self.plies.len());
        Some(then)
    }

    /// The deadline has passed without a whole line; `unfinished` are the bytes without a newline.
    pub fn no_answer(&mut self, unfinished: &[u8]) -> Judged {
        let seat = self.to_move().expect("the match goes on");
        let asked = self.asked.expect("an answer is waited for after asking");
        let shown = (!unfinished.is_empty()).then(|| (unfinished.len(), excerpt(unfinished, EXCERPT_CHARS)));
        self.fault(
            seat,
            &Fault::NoAnswer {
                limit: asked.limit,
                lines: asked.lines,
                unfinished: shown,
                hint: asked.hint.or_else(|| hint::of_line(unfinished)),
                clock: self.time.clock,
            },
        )
    }

    /// Adds what is known only after the fault: how the process ended, a hint that is better than the fault's own, and its
    /// last words.
    pub fn add_to_last_fault(&mut self, exit: Option<String>, hint: Option<String>, stderr: Option<String>) {
        if let Some(fault) = self.faults.last_mut() {
            fault.exit = fault.exit.take().or(exit);
            fault.hint = hint.or(fault.hint.take());
            fault.stderr = stderr;
        }
    }

    /// The last fault made.
    pub fn last_fault(&self) -> Option<&FaultRecord> {
        self.faults.last()
    }

    /// Appends the line that tells others of the last ply.
    ///
    /// # Panics
    /// When none has been played.
    pub fn write_last_ply(&self, out: &mut Vec<u8>) {
        let ply = self.plies.last().expect("a ply has been played");
        let observed = Observed {
            r#match: self.id.clone(),
            ply: self.ply() - 1,
            seat: ply.seat,
            r#move: ply.r#move.clone(),
        };
        encode_into::<(), ()>(&ToBot::Ply(observed), out);
    }

    /// Appends the line that tells a bot of its fault, the last one made.
    ///
    /// # Panics
    /// When none has been made.
    pub fn write_last_fault(&self, out: &mut Vec<u8>) {
        let fault = self.faults.last().expect("a fault has been made");
        let message = FaultMessage {
            code: fault.code,
            message: fault.message.clone(),
            received: fault.received.clone(),
            legal: fault.legal.clone(),
        };
        encode_into::<(), _>(&ToBot::Error(message), out);
    }

    /// Whether what the seat wrote unasked has to be dropped before its turn, because its lines cannot be told apart.
    pub fn must_drop_unasked(&self, seat: Seat) -> bool {
        !self.seats[seat.index()].names_plies
    }

    /// Lines of a seat were dropped because nobody had asked.
    pub fn dropped(&mut self, seat: Seat, lines: u64) {
        self.seats[seat.index()].dropped_lines += lines;
    }

    /// Whether the seat still takes part: it has made no fault and has not resigned.
    pub fn is_in_match(&self, seat: Seat) -> bool {
        self.seats[seat.index()].in_match
    }

    /// Ends the bookkeeping of a match that is over.
    ///
    /// # Panics
    /// When the match goes on.
    pub fn into_report(self) -> Report {
        let outcome = self.board.outcome().expect("the match is over");
        let end = self.end();
        Report {
            plies: self.plies,
            end,
            places: outcome.places.to_vec(),
            points: outcome.points.to_vec(),
            faults: self.faults,
            left: self.left,
            counts: self
                .seats
                .iter()
                .map(|seat| (seat.log_lines, seat.dropped_lines, seat.unknown))
                .collect(),
        }
    }

    /// Appends the line that tells a bot how the match ended.
    ///
    /// # Panics
    /// When the match goes on.
    pub fn write_end(&self, out: &mut Vec<u8>) {
        let outcome = self.board.outcome().expect("the match is over");
        let fault = |fault: &FaultRecord| SeatFault {
            seat: fault.seat,
            ply: fault.ply,
            code: fault.code,
            message: fault.message.clone(),
        };
        let end = EndMessage {
            r#match: self.id.clone(),
            places: outcome.places.to_vec(),
            points: outcome.points.to_vec(),
            reason: self.end().as_str().to_owned(),
            faults: self.faults.iter().map(fault).collect(),
        };
        encode_into::<(), ()>(&ToBot::End(end), out);
    }

    /// Why the match is over: a fault where the last to leave made one.
    fn end(&self) -> End {
        let end = End::from(self.board.ended().expect("the match is over"));
        let by_fault = self.left.last().is_some_and(|left| left.by == LeftBy::Fault);
        if end == End::Resignation && by_fault {
            End::Fault
        } else {
            end
        }
    }

    fn limit(&self, seat: Seat) -> Duration {
        let moves = self.time.move_ms_max.map(Duration::from_millis);
        let limit = [moves, self.seats[seat.index()].bank].into_iter().flatten().min();
        limit.unwrap_or(Duration::from_millis(self.time.hang_ms_max))
    }

    fn play(&mut self, seat: Seat, mv: &Value, line: &[u8], at: Duration) -> Judged {
        let asked = self.asked.take().expect("an answer is judged after asking");
        let elapsed = at.saturating_sub(asked.at);
        let over = elapsed.saturating_sub(asked.limit);
        if over > Duration::from_millis(self.time.grace_ms) {
            return self.fault(
                seat,
                &Fault::Late {
                    over,
                    limit: asked.limit,
                    clock: self.time.clock,
                },
            );
        }
        let index = match self.board.find(mv) {
            Ok(index) => index,
            Err(why) => {
                let legal = serde_json::from_str(&self.legal).expect("the legal moves are JSON");
                let mv = excerpt(mv.to_string().as_bytes(), EXCERPT_CHARS);
                let received = excerpt(line, EXCERPT_CHARS);
                return self.fault(
                    seat,
                    &Fault::IllegalMove {
                        mv,
                        why,
                        legal,
                        received,
                    },
                );
            }
        };
        let mv = self.board.nth_to_wire(index).expect("the index is of a legal move");
        self.board.play_nth(index);
        let state = &mut self.seats[seat.index()];
        state.last = Some(elapsed);
        if let Some(bank) = &mut state.bank {
            *bank = bank.saturating_sub(elapsed) + Duration::from_millis(self.time.increment_ms);
        }
        self.plies.push(PlyRecord {
            seat: seat.index() as u8,
            r#move: mv,
            elapsed_us: elapsed.as_micros() as u64,
            info: self.info.take(),
        });
        Judged::Moved
    }

    fn leave(&mut self, seat: Seat, by: LeftBy) {
        self.seats[seat.index()].in_match = false;
        if self.board.ended().is_none() {
            self.left.push(LeaveRecord {
                seat: seat.index() as u8,
                ply: self.ply(),
                by,
            });
            self.board.leave(seat);
        }
    }
}

/// Whether a process has failed, rather than a bot chosen badly.
fn is_failure(code: FaultCode) -> bool {
    match code {
        FaultCode::CannotStart
        | FaultCode::NoHello
        | FaultCode::Exited
        | FaultCode::ClosedOutput
        | FaultCode::ClosedInput
        | FaultCode::NotReading
        | FaultCode::MemoryLimit
        | FaultCode::OtherLimit => true,
        FaultCode::UnsupportedProtocol
        | FaultCode::Late
        | FaultCode::NotAMessage
        | FaultCode::LineTooLong
        | FaultCode::OutputFlood
        | FaultCode::IllegalMove => false,
    }
}

/// JSON that we have written ourselves, to be put into a message as it is.
fn raw(text: &str) -> &RawValue {
    serde_json::from_str(text).expect("the rules write JSON")
}
