//! A match as a row of a list, as plain data.

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::End;
use crate::store::MatchSummary;

/// A match in a list. Lists are by seat.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct MatchRow {
    /// The plan's id.
    pub plan: String,
    /// The match's id.
    pub r#match: u64,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The bots by name.
    pub bots: Vec<String>,
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
    /// How many faults were made.
    pub faults: u64,
    /// How many moves the seat made.
    pub moves: Vec<u32>,
    /// How long its moves took together, microseconds.
    pub time_us: Vec<u64>,
    /// When it began, milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// How long it took, microseconds.
    pub elapsed_us: u64,
    /// A hash of the opening and the moves: equal in matches that are copies of each other.
    pub fingerprint: String,
}

impl MatchRow {
    /// Of a match of the plan `plan`, with the bots that `name` gives by their place in it.
    pub fn new(plan: &str, row: &MatchSummary, name: impl Fn(usize) -> String) -> MatchRow {
        let score = &row.score;
        MatchRow {
            plan: plan.to_owned(),
            r#match: score.r#match,
            rotation: score.rotation,
            bots: score.bots.iter().map(|bot| name(*bot)).collect(),
            places: score.places.clone(),
            points: score.points.clone(),
            forfeits: score.forfeits.clone(),
            end: score.end,
            plies: score.plies,
            faults: row.faults,
            moves: score.moves.clone(),
            time_us: score.time_us.clone(),
            started_ms: row.started_ms,
            elapsed_us: row.elapsed_us,
            fingerprint: format!("{:016x}", score.fingerprint),
        }
    }
}
