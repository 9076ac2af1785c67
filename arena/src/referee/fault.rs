//! What a bot can do wrong. A new way to fail is a new variant here, its test, and its line in SPEC.md.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use mancala_arena_protocol::{FROM_BOT_BYTES_MAX, FaultCode};
use mancala_arena_rules::PlayError;
use rustix::process::Signal;
use serde_json::Value;

use crate::bot::launch::Report;
use crate::bot::{StartError, TURN_BYTES_MAX, exit_text, hint};
use crate::config::{Clock, Limits};

/// A fault, with all its author needs to know.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It did not get as far as `hello`.
    #[error("{0}")]
    Start(StartError),
    /// It announced `ready` and did not send it.
    #[error("no `ready` within the start limit of {limit_ms} ms")]
    NotReady {
        /// The start limit.
        limit_ms: u64,
    },
    /// The process ended while something was asked of it.
    #[error("{} before its move", exit_text(*.0))]
    Exited(ExitStatus),
    /// The kernel ended it for the memory that it used.
    #[error("used more memory than the limit of {mib} MiB")]
    MemoryLimit {
        /// The limit.
        mib: u64,
    },
    /// It ran into another limit of the sandbox, and ended.
    #[error("{what}; {}", exit_text(*.status))]
    OtherLimit {
        /// Which.
        what: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// It closed its output and lives on.
    #[error("closed its output before its move")]
    ClosedOutput,
    /// It closed its input and lives on.
    #[error("closed its input")]
    ClosedInput,
    /// It does not read what it is sent.
    #[error("does not read its input")]
    NotReading,
    /// The move came too late.
    #[error("answered {:.3} ms after the limit of {} ms{}", millis(*.over), millis(*.limit), clock_text(*.clock))]
    Late {
        /// How long after the limit.
        over: Duration,
        /// What it had.
        limit: Duration,
        /// What was measured.
        clock: Clock,
    },
    /// No move came at all.
    #[error("no answer within {} ms{}; {}", millis(*.limit), clock_text(*.clock), instead_text(*.lines, .unfinished))]
    NoAnswer {
        /// What it had.
        limit: Duration,
        /// Lines that came and were no answer.
        lines: u64,
        /// Bytes that came without a newline, cut and escaped.
        unfinished: Option<(usize, String)>,
        /// What the lines or bytes give away.
        hint: Option<&'static str>,
        /// What was measured.
        clock: Clock,
    },
    /// It is charged for processor time, and has waited rather than computed.
    #[error("no answer within the wall limit of {} ms; it used {:.0} ms of processor time", millis(*.limit), millis(*.used))]
    WallLimit {
        /// What it had.
        limit: Duration,
        /// What it used.
        used: Duration,
    },
    /// A line that begins with `{` and is not a message.
    #[error("not a message: {problem}")]
    NotAMessage {
        /// What is wrong.
        problem: String,
        /// The line, cut and escaped.
        received: String,
        /// What the line gives away.
        hint: Option<&'static str>,
    },
    /// It answers a ply that has not been asked for yet.
    #[error("illegal move: it answers ply {answered}, ply {asked} was asked for")]
    WrongPly {
        /// The ply it names.
        answered: u64,
        /// The ply that was asked for.
        asked: u64,
        /// The line, cut and escaped.
        received: String,
    },
    /// A line above the limit.
    #[error("a line of more than {FROM_BOT_BYTES_MAX} bytes")]
    LineTooLong {
        /// Its beginning, cut and escaped.
        received: String,
    },
    /// It writes faster than its output can be dropped.
    #[error("writes without end while it is not its turn")]
    OutputFlood,
    /// It writes more than is taken in one turn.
    #[error("more than {TURN_BYTES_MAX} bytes of output in one turn")]
    TurnFlood,
    /// A move that is not legal.
    #[error("illegal move {mv}: {why}; legal: {}", list_text(.legal))]
    IllegalMove {
        /// The move.
        mv: String,
        /// Why not.
        why: PlayError,
        /// The legal moves.
        legal: Value,
        /// The line, cut and escaped.
        received: String,
    },
}

impl Fault {
    /// Of a process that ended with `status` after the sandbox had reported `reports`, under these limits.
    pub fn of_end(status: ExitStatus, reports: &[Report], limits: &Limits) -> Fault {
        let other = |what: String| Fault::OtherLimit { what, status };
        if reports.contains(&Report::OutOfMemory) {
            return Fault::MemoryLimit { mib: limits.memory_mib };
        }
        if reports.contains(&Report::TooManyProcesses) && !status.success() {
            return other(format!(
                "was refused more than {} processes and threads",
                limits.processes
            ));
        }
        match status.signal().and_then(Signal::from_named_raw) {
            Some(Signal::XFSZ) => other(format!("wrote a file larger than {} MiB", limits.scratch_mib)),
            Some(Signal::SYS) => other("made a system call that the sandbox forbids".to_owned()),
            _ => Fault::Exited(status),
        }
    }

    /// Its kind.
    pub fn code(&self) -> FaultCode {
        match self {
            Fault::Start(error) => match error {
                StartError::CannotStart { .. } | StartError::NoSandbox { .. } => FaultCode::CannotStart,
                StartError::NoHello { .. } | StartError::NotHello { .. } => FaultCode::NoHello,
                StartError::UnsupportedProtocol { .. } => FaultCode::UnsupportedProtocol,
                StartError::Exited(_) => FaultCode::Exited,
                StartError::ClosedOutput => FaultCode::ClosedOutput,
            },
            Fault::NotReady { .. } => FaultCode::NoHello,
            Fault::Exited(_) => FaultCode::Exited,
            Fault::MemoryLimit { .. } => FaultCode::MemoryLimit,
            Fault::OtherLimit { .. } => FaultCode::OtherLimit,
            Fault::ClosedOutput => FaultCode::ClosedOutput,
            Fault::ClosedInput => FaultCode::ClosedInput,
            Fault::NotReading => FaultCode::NotReading,
            Fault::Late { .. } | Fault::NoAnswer { .. } | Fault::WallLimit { .. } => FaultCode::Late,
            Fault::NotAMessage { .. } => FaultCode::NotAMessage,
            Fault::LineTooLong { .. } => FaultCode::LineTooLong,
            Fault::OutputFlood | Fault::TurnFlood => FaultCode::OutputFlood,
            Fault::IllegalMove { .. } | Fault::WrongPly { .. } => FaultCode::IllegalMove,
        }
    }

    /// What the bot sent, cut and escaped, where that is the point.
    pub fn received(&self) -> Option<String> {
        match self {
            Fault::Start(StartError::NotHello { received, .. })
            | Fault::NotAMessage { received, .. }
            | Fault::WrongPly { received, .. }
            | Fault::IllegalMove { received, .. }
            | Fault::LineTooLong { received } => Some(received.clone()),
            Fault::NoAnswer {
                unfinished: Some((_, shown)),
                ..
            } => Some(shown.clone()),
            _ => None,
        }
    }

    /// The moves that were legal, where that is the point.
    pub fn legal(&self) -> Option<&Value> {
        match self {
            Fault::IllegalMove { legal, .. } => Some(legal),
            _ => None,
        }
    }

    /// How long after the limit the move came, in milliseconds.
    pub fn late_ms(&self) -> Option<f64> {
        match self {
            Fault::Late { over, .. } => Some(over.as_secs_f64() * 1_000.0),
            _ => None,
        }
    }

    /// What its author could do about it, where the cause is a common one. Of a bot that did not start it is with the
    /// error.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Fault::Exited(status) => return hint::of_exit(*status),
            Fault::NotAMessage { hint, .. } => *hint,
            Fault::NoAnswer { hint: Some(hint), .. } => Some(*hint),
            Fault::NoAnswer {
                unfinished: Some(_), ..
            } => Some(hint::NEWLINE),
            Fault::NoAnswer { lines: 0, .. } | Fault::NotReady { .. } => Some(hint::FLUSH),
            _ => None,
        };
        hint.map(str::to_owned)
    }

    /// How the process had ended, in words.
    pub fn exit(&self) -> Option<String> {
        match self {
            Fault::Exited(status) | Fault::Start(StartError::Exited(status)) => Some(exit_text(*status)),
            _ => None,
        }
    }
}

/// What a limit is of, where that is not the usual.
fn clock_text(clock: Clock) -> &'static str {
    match clock {
        Clock::Wall => "",
        Clock::Cpu => " of processor time",
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// What came instead of an answer.
fn instead_text(lines: u64, unfinished: &Option<(usize, String)>) -> String {
    match (lines, unfinished) {
        (_, Some((bytes, _))) => format!("{bytes} bytes came without a newline"),
        (0, None) => "nothing was received".to_owned(),
        (lines, None) => format!("lines that were no answer: {lines}"),
    }
}

/// The elements of a JSON array as people list them.
fn list_text(list: &Value) -> String {
    let elements: Vec<String> = list.as_array().into_iter().flatten().map(Value::to_string).collect();
    elements.join(", ")
}
