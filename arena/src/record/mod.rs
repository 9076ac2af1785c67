//! The record of a match: who, what, each ply with its time, how it ended; enough to replay it.

pub mod columns;
mod csv;
mod lines;
mod replay;
#[cfg(test)]
pub mod samples;
mod score;
#[cfg(test)]
mod tests;
mod transcript;

use mancala_arena_protocol::FaultCode;
use mancala_arena_rules::EndReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use columns::PlyColumns;
pub use csv::{csv_field, csv_header, csv_rows};
pub use lines::{LineError, read_line, read_lines, write_line};
pub use replay::{ReplayError, replay, replay_with};
pub use transcript::{Transcript, TranscriptLine, What};

/// The version of the record's form, in every exported line.
pub const RECORD_VERSION: u32 = 1;

/// A match that has been played. Exported as one JSON line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Record {
    /// [`RECORD_VERSION`].
    pub record: u32,
    /// The plan's id.
    pub plan: String,
    /// The match's id: its place in the plan's schedule.
    pub r#match: u64,
    /// The rotation that the match belongs to: matches of one opening with the seats moved round.
    pub rotation: u64,
    /// The game.
    pub game: String,
    /// Its options, all of them.
    pub options: Vec<(String, String)>,
    /// The position before ply 0, in its wire form.
    pub opening: Value,
    /// Who sat where.
    pub seats: Vec<SeatRecord>,
    /// The seed handed to the bots.
    pub seed: u64,
    /// What was played.
    pub plies: Vec<PlyRecord>,
    /// Why the match ended.
    pub end: End,
    /// Places by seat, 1 is best; equal seats share a place.
    pub places: Vec<u8>,
    /// Points by seat, as the game counts them.
    pub points: Vec<u32>,
    /// The faults made, in order.
    pub faults: Vec<FaultRecord>,
    /// Who left before the end, by fault or resignation, in order: with the plies, what a replay needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeaveRecord>,
    /// When the match began, milliseconds since 1970 UTC; 0 when left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub started_ms: u64,
    /// How long it took, microseconds; 0 when left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elapsed_us: u64,
    /// The machine that it was played on, where that is not the one that keeps the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostRecord>,
}

/// A machine of a fleet, as it was when a match ended there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HostRecord {
    /// The worker's own name, unique in the fleet.
    pub worker: String,
    /// The machine's name.
    pub name: String,
    /// How fast it computes: fixed searches a second, on one core, measured when the worker began.
    pub speed: f64,
    /// Processes that wanted to compute, by core, averaged over the last minute.
    pub load: f64,
    /// The factor that its time limits were multiplied by, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits_factor: Option<f64>,
}

/// A match that came to nothing because the arena or its host stood still. It counts for nobody and is played again under
/// its id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct VoidRecord {
    /// The match's id.
    pub r#match: u64,
    /// The seat that was waited for.
    pub seat: u8,
    /// The ply that was waited for.
    pub ply: u32,
    /// What happened.
    pub reason: VoidReason,
    /// How late the answer was, microseconds.
    pub late_us: u64,
    /// For how long nobody could read it, microseconds.
    pub stalled_us: u64,
    /// When it was found, milliseconds since 1970 UTC.
    pub at_ms: u64,
}

/// Why a match is void.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoidReason {
    /// The arena was stopped, or kept off its core.
    Stalled,
    /// The host was suspended.
    Suspended,
    /// The host could not start a bot: it was short of processes, memory or open files.
    HostShort,
}

impl std::fmt::Display for VoidRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "match {} at ply {}: ", self.r#match, self.ply)?;
        match self.reason {
            VoidReason::Stalled => write!(f, "the arena stood still for {} ms", self.stalled_us / 1_000)?,
            VoidReason::Suspended => write!(f, "the host was suspended")?,
            VoidReason::HostShort => {
                let seat = self.seat + 1;
                return write!(
                    f,
                    "the host could not start the bot of seat {seat}: it is short of processes, memory or open files"
                );
            }
        }
        write!(
            f,
            ", what seat {} was asked for came {} ms late",
            self.seat + 1,
            self.late_us / 1_000
        )
    }
}

impl VoidReason {
    /// Its word in the results.
    pub fn as_str(self) -> &'static str {
        match self {
            VoidReason::Stalled => "stalled",
            VoidReason::Suspended => "suspended",
            VoidReason::HostShort => "host_short",
        }
    }
}

/// One seat of a match.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SeatRecord {
    /// The bot's place in the plan's list.
    pub bot: usize,
    /// The bot's name in the plan.
    pub name: String,
    /// The content hash of its program, where there is one.
    pub content: Option<String>,
    /// Lines that were no messages: stray prints.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub log_lines: u64,
    /// Lines that came late or out of turn, and were dropped.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped_lines: u64,
    /// Messages of an unknown type, and fields that the protocol does not know.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unknown: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One ply.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlyRecord {
    /// Who moved.
    pub seat: u8,
    /// The move.
    pub r#move: Value,
    /// The time it took, microseconds; 0 when left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elapsed_us: u64,
    /// What the bot said about it: its last `info` of the turn. The store keeps it up to 100 levels of nesting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
}

/// A seat that left the match before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LeaveRecord {
    /// The seat, 0-based.
    pub seat: u8,
    /// The ply before which it left: the number of plies that had been played.
    pub ply: u32,
    /// Why it left.
    pub by: LeftBy,
}

/// Why a seat left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftBy {
    /// A forfeit: the result of a fault.
    Fault,
    /// The bot resigned.
    Resignation,
}

/// What statistics need of a match: a light row, without the plies. Lists are by seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MatchScore {
    /// The match's id.
    pub r#match: u64,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The bot, by its place in the plan's list.
    pub bots: Vec<usize>,
    /// Places, 1 is best; equal seats share a place.
    pub places: Vec<u8>,
    /// Points, as the game counts them.
    pub points: Vec<u32>,
    /// Whether the seat left by a fault.
    pub forfeits: Vec<bool>,
    /// Why the match ended.
    pub end: End,
    /// How many plies were played.
    pub plies: u32,
    /// How many moves the seat made.
    pub moves: Vec<u32>,
    /// How long its moves took together, microseconds.
    pub time_us: Vec<u64>,
    /// A hash of the opening and the moves: equal in matches that are copies of each other.
    pub fingerprint: u64,
}

/// Why a match ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The game's own end.
    Rules,
    /// The same position too often.
    Repetition,
    /// The game's cap on plies.
    PlyCap,
    /// A bot resigned, and that decided the match.
    Resignation,
    /// A fault decided the match.
    Fault,
}

impl From<EndReason> for End {
    fn from(reason: EndReason) -> End {
        match reason {
            EndReason::Rules => End::Rules,
            EndReason::Repetition => End::Repetition,
            EndReason::PlyCap => End::PlyCap,
            EndReason::Resignation => End::Resignation,
        }
    }
}

impl End {
    /// Every end, in the order of the documentation.
    pub const ALL: [End; 5] = [End::Rules, End::Repetition, End::PlyCap, End::Resignation, End::Fault];

    /// The end that `word` stands for.
    pub fn from_word(word: &str) -> Option<End> {
        End::ALL.into_iter().find(|end| end.as_str() == word)
    }

    /// The word on the wire, in the store and in exports.
    pub const fn as_str(self) -> &'static str {
        match self {
            End::Rules => "rules",
            End::Repetition => "repetition",
            End::PlyCap => "ply_cap",
            End::Resignation => "resignation",
            End::Fault => "fault",
        }
    }
}

/// What has followed a fault that was no forfeit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The process was started again.
    Restarted,
    /// A house bot has played on.
    Substituted,
}

/// A fault as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FaultRecord {
    /// The seat, 0-based.
    pub seat: u8,
    /// The bot's name in the plan.
    pub bot: String,
    /// The ply that was asked for.
    pub ply: u32,
    /// Which kind.
    pub code: FaultCode,
    /// What was found and what was expected.
    pub message: String,
    /// What the bot sent, cut and escaped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub received: Option<String>,
    /// What was legal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Value>,
    /// How late the move was, milliseconds beyond the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<f64>,
    /// How the process ended, in words, when it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// What its author could do about it, where the cause is a common one; a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What followed, where it was no forfeit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Then>,
    /// The last of what the bot wrote to its standard error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}
