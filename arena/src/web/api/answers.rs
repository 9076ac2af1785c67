//! The forms of the answers. Field names and units are those of the exports.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::rating::{Line, Unit};
use crate::record::{FaultRecord, SeatRecord};
use crate::report::{Encounter, Film, MatchRow};
use crate::tournament::live::FleetNow;

/// A request that was refused, or cannot be answered.
#[derive(Serialize, JsonSchema)]
pub struct Refused {
    /// Why, for people.
    pub error: String,
}

/// What was asked for is being computed: ask again in a second.
#[derive(Serialize, JsonSchema)]
pub struct Computing {
    /// How far it is.
    pub computing: Progress,
}

/// How much has been read.
#[derive(Serialize, JsonSchema)]
pub struct Progress {
    /// Matches read so far.
    pub read: u64,
    /// Matches in the file, as far as that is known.
    pub matches: u64,
}

/// The plans of the file.
#[derive(Serialize, JsonSchema)]
pub struct Plans {
    /// In the order in which they were added.
    pub plans: Vec<Plan>,
}

/// A plan.
#[derive(Serialize, JsonSchema)]
pub struct Plan {
    /// Its id.
    pub id: String,
    /// The game.
    pub game: String,
    /// The game's name for people.
    pub title: String,
    /// The game's options, all of them.
    pub options: Vec<(String, String)>,
    /// How many seats a match has.
    pub seats: usize,
    /// Who meets whom: `round-robin`, `gauntlet`, `swiss`, `knockout` or `ladder`.
    pub format: String,
    /// The clocks, in milliseconds.
    pub time: serde_json::Value,
    /// The bots, by their place in the plan.
    pub bots: Vec<PlanBot>,
    /// When it was added, milliseconds since 1970 UTC.
    pub created_ms: u64,
    /// The version of the arena that added it.
    pub arena: String,
    /// How many of its matches are stored.
    pub matches: u64,
    /// How many there will be; null where that hangs on results.
    pub planned: Option<u64>,
    /// Whether it is being played.
    pub running: bool,
}

/// A bot of a plan.
#[derive(Serialize, JsonSchema)]
pub struct PlanBot {
    /// Its name.
    pub name: String,
    /// The content hash of its program, where there is one.
    pub content: Option<String>,
}

/// A part of the list of matches, the newest first.
#[derive(Serialize, JsonSchema)]
pub struct Matches {
    /// The matches.
    pub matches: Vec<MatchRow>,
    /// Where the list goes on: `before` for the next part; null at its end.
    pub next: Option<u64>,
    /// `after` for the part before this one; null at the beginning.
    pub previous: Option<u64>,
    /// How many matches fit in all.
    pub total: u64,
}

/// A match.
#[derive(Serialize, JsonSchema)]
pub struct Match {
    /// Its id.
    pub r#match: u64,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The seed handed to the bots.
    pub seed: u64,
    /// Who sat where.
    pub seats: Vec<SeatRecord>,
    /// The match, ready to be drawn, with its faults.
    pub film: Film,
    /// When it began, milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// How long it took, microseconds.
    pub elapsed_us: u64,
    /// What arena and bots said to each other; null where that was not kept.
    pub transcript: Option<Vec<Said>>,
}

/// A line of a transcript.
#[derive(Serialize, JsonSchema)]
pub struct Said {
    /// When, microseconds since the match began.
    pub us: u64,
    /// The bot's seat, 0-based.
    pub seat: u8,
    /// `to_bot`, `unsent`, `from_bot`, `log`, `dropped`, `unfinished` or `gap`.
    pub what: &'static str,
    /// The line, cut and escaped.
    pub text: String,
}

/// A bot.
#[derive(Serialize, JsonSchema)]
pub struct Bot {
    /// Its name.
    pub name: String,
    /// The content hash of its program, where there is one.
    pub content: Option<String>,
    /// Which table of the standings it is in, from 0, and its line there.
    pub table: usize,
    /// As in the standings.
    pub line: Line,
    /// How many bots the plan has.
    pub bots: usize,
    /// The mean time of its moves, milliseconds.
    pub mean_ms: Option<f64>,
    /// Its results against each that it has met, in the order of the standings.
    pub by_opponent: Vec<Encounter>,
    /// Its last faults, the newest first.
    pub faults: Vec<BotFault>,
}

/// A fault of a bot, and where.
#[derive(Serialize, JsonSchema)]
pub struct BotFault {
    /// The match's id.
    pub r#match: u64,
    /// The fault.
    #[serde(flatten)]
    pub fault: FaultRecord,
}

/// One bot against another.
#[derive(Serialize, JsonSchema)]
pub struct Pair {
    /// The one.
    pub a: String,
    /// The other.
    pub b: String,
    /// Matches in which they met.
    pub matches: u64,
    /// Matches in which `a` ended ahead of `b`.
    pub wins: u64,
    /// Matches in which they tied.
    pub ties: u64,
    /// Matches in which it ended behind.
    pub losses: u64,
    /// The share of `a`, a tie being half; null when they have not met. `low` and `high` are its ends at 95 %.
    pub score: Option<f64>,
    /// The lower end.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// The difference in Elo that the score stands for; null where no number does.
    pub elo: Option<f64>,
    /// Its lower end.
    pub elo_low: Option<f64>,
    /// Its upper end.
    pub elo_high: Option<f64>,
    /// What the ends take as independent of each other.
    pub unit: Option<Unit>,
    /// As in the standings.
    pub line_a: Line,
    /// As in the standings.
    pub line_b: Line,
}

/// What is being played.
#[derive(Serialize, JsonSchema)]
pub struct Live {
    /// Whether the plan is being played.
    pub running: bool,
    /// On which machine.
    pub host: Option<String>,
    /// Matches a second, over the last few seconds.
    pub rate: Option<f64>,
    /// Matches that have been played.
    pub done: u64,
    /// How many there will be; null where that hangs on results.
    pub planned: Option<u64>,
    /// What is on the boards.
    pub boards: Vec<LiveBoard>,
    /// The fleet that plays; null where this machine does.
    pub fleet: Option<FleetNow>,
}

/// A match on a board.
#[derive(Serialize, JsonSchema)]
pub struct LiveBoard {
    /// Its id.
    pub r#match: u64,
    /// The rotation it belongs to.
    pub rotation: u64,
    /// The bots by seat.
    pub names: Vec<String>,
    /// The match so far.
    pub film: Film,
    /// What was left of each seat's bank when the turn began, where there are banks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_ms: Option<Vec<u64>>,
    /// The most a move may take, where there is a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit_ms: Option<u64>,
    /// How long ago the turn began that is being waited for.
    pub turn_began_ms_ago: u64,
}

/// The games.
#[derive(Serialize, JsonSchema)]
pub struct Games {
    /// In the order of `arena games`.
    pub games: Vec<Game>,
}

/// A game.
#[derive(Serialize, JsonSchema)]
pub struct Game {
    /// Its name in commands.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The least and the largest number of seats.
    pub seats: (usize, usize),
    /// Its options.
    pub options: Vec<GameOption>,
    /// What the points count.
    pub points: &'static str,
    /// Its rules, in Markdown.
    pub rules_markdown: &'static str,
    /// Plies that show a rule.
    pub examples: Vec<Example>,
    /// Where the rules come from.
    pub sources: Vec<Source>,
}

/// An option of a game.
#[derive(Serialize, JsonSchema)]
pub struct GameOption {
    /// Its name.
    pub name: &'static str,
    /// `range`, `numbers`, `words` or `switch`.
    pub kind: &'static str,
    /// The least and the largest number, of a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<(u32, u32)>,
    /// All that it takes, of the other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// The value when it is not given.
    pub default: String,
    /// What it does, in one line.
    pub text: &'static str,
}

/// An example of a rule.
#[derive(Serialize, JsonSchema)]
pub struct Example {
    /// What its last ply shows.
    pub title: &'static str,
    /// The options that it is played with.
    pub options: BTreeMap<String, String>,
    /// It, ready to be drawn.
    pub film: Film,
}

/// A source of the rules.
#[derive(Serialize, JsonSchema)]
pub struct Source {
    /// Author, title, year, where.
    pub text: &'static str,
    /// What was taken from it.
    pub used_for: &'static str,
}
