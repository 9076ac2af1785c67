//! What is told of a fleet that plays the tournament: plain numbers and words, for the screen and the page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tournament::ParkedMatches;

/// A fleet at one moment.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FleetNow {
    /// The workers that are heard of.
    pub workers: Vec<FleetWorker>,
    /// Matches that are out.
    pub out: u64,
    /// Of those, the ones that a worker has begun on.
    pub claimed: u64,
    /// Matches that no worker could finish, with the causes.
    pub parked: Vec<ParkedMatches>,
    /// Results that were refused because their lease had run out.
    pub refused: u64,
    /// Results that were stored already.
    pub repeated: u64,
    /// Whether the server cannot be reached.
    pub server_away: bool,
}

/// A worker of a fleet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FleetWorker {
    /// Its own name.
    pub worker: String,
    /// Its machine's name.
    pub host: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Matches side by side.
    pub jobs: usize,
    /// The matches on its boards.
    pub on_board: Vec<u64>,
    /// Matches that it has played since it began.
    pub played: u64,
    /// Matches whose results it could not send yet.
    pub unsent: u64,
    /// Fixed searches a second.
    pub speed: f64,
    /// Processes that want to compute, by core.
    pub load: f64,
    /// For how long nothing has happened on its boards, milliseconds.
    pub still_ms: u64,
    /// Whether that is longer than its leases: others get its matches.
    pub stuck: bool,
    /// Why it does not play, where it could.
    pub idle: Option<String>,
}
