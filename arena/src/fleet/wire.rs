//! What coordinator, workers and players say to each other: JSON, a line or a message each.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::config::{Limits, Plan, Sandbox, Transcripts};
use crate::record::{HostRecord, VoidRecord};
use crate::store::{Common, StoredBot};
use crate::tournament::{ParkedMatches, Scheduled};

/// What a worker says of itself, and a league may ask for: `KEY=VALUE`.
pub type Labels = BTreeMap<String, String>;

/// All that a worker has to know of a plan.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Descriptor {
    /// The version of the arena that referees: a worker of another one does not play.
    pub arena: String,
    /// The plan.
    pub plan: Plan,
    /// What its bots are, by their place in the plan.
    pub bots: Vec<Shipped>,
    /// How bots are confined.
    pub sandbox: Sandbox,
    /// What each of them may use.
    pub limits: Limits,
    /// Cores that a match needs.
    pub threads: usize,
    /// The matches whose transcripts are wanted.
    pub transcripts: Transcripts,
    /// Whether a late move is void when the worker stood still.
    pub guard: bool,
    /// How long a match may be without a ply before it is given to another worker, milliseconds.
    pub lease_ms: u64,
    /// The labels that a worker must have.
    pub only: Labels,
    /// After so many failures a rotation is given up.
    pub tries_max: u64,
    /// Bots that no worker could start, by their place: their matches are not sent out.
    pub parked_bots: Vec<usize>,
}

impl Descriptor {
    /// What the records of the plan have in common where it is played.
    pub fn common(&self) -> Common {
        let bots = self.plan.bots.iter().zip(&self.bots);
        Common {
            plan_id: self.plan.id(),
            game: self.plan.game.clone(),
            bots: bots
                .map(|(spec, shipped)| StoredBot {
                    name: spec.name.clone(),
                    content: shipped.content.clone(),
                })
                .collect(),
        }
    }
}

/// A bot, as workers get it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shipped {
    /// The content hash of its program where the coordinator runs.
    pub content: Option<String>,
    /// The hash of its archive, which is also its name; absent: a house bot.
    pub archive: Option<String>,
}

/// Whole rotations, all to be played by one worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// Its number, new each time that matches are sent out.
    pub issue: u64,
    /// The matches.
    pub matches: Vec<Scheduled>,
}

/// A worker says that it has begun on a batch.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Claim {
    /// The batch.
    pub issue: u64,
    /// How often it has been delivered: the number of the lease.
    pub lease: u64,
    /// The worker's name.
    pub worker: String,
}

/// The first line of a message of results: who sends it. Further lines are [`Item`]s.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sender {
    /// The plan that was played. Its id is a hash of all that it says.
    pub plan: String,
    /// The worker and its machine.
    pub host: HostRecord,
    /// The archives of the plan's bots, by place: results of other programs are not wanted.
    pub archives: Vec<Option<String>>,
}

/// What has become of work.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Item {
    /// A match has ended: the next line is its record, [`Packed`](crate::store::Packed).
    Ended {
        /// Its batch.
        issue: u64,
        /// The lease that it was played under.
        lease: u64,
    },
    /// A match was void, and is played again by the same worker.
    Void(VoidRecord),
    /// The rest of a batch has come to nothing, through the worker.
    Failed {
        /// The batch.
        issue: u64,
        /// The lease.
        lease: u64,
        /// The matches that were on the board, where that is known.
        on_board: Vec<u64>,
        /// For so many tries.
        tries: u64,
        /// What has happened, in words.
        cause: String,
    },
    /// The rest of a batch will not be played by this worker, which leaves.
    GaveBack {
        /// The batch.
        issue: u64,
        /// The lease.
        lease: u64,
    },
    /// The worker cannot play the plan.
    Unfit {
        /// The bot that it cannot start, where it is one.
        bot: Option<String>,
        /// Why.
        why: String,
    },
    /// The programs of some bots are others there: an interpreter of another version, a build by another compiler.
    Differs {
        /// Their names.
        bots: Vec<String>,
    },
}

/// What a worker tells of itself, about once a second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WorkerReport {
    /// It and its machine.
    pub host: HostRecord,
    /// The version of its arena.
    pub arena: String,
    /// Its labels.
    pub labels: Labels,
    /// Matches side by side.
    pub jobs: usize,
    /// The plan that it plays.
    pub plan: Option<String>,
    /// The matches on its boards.
    pub on_board: Vec<u64>,
    /// Matches that it has played since it began.
    pub played: u64,
    /// Matches whose results it could not send yet.
    pub unsent: u64,
    /// For how long nothing has happened on its boards, while matches are there, milliseconds.
    pub still_ms: u64,
    /// Whether that is longer than its leases.
    pub stuck: bool,
    /// Why it does not play, where it could.
    pub idle: Option<String>,
}

/// What a coordinator tells of its run, about once a second.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunReport {
    /// The plan.
    pub plan: String,
    /// Its game.
    pub game: String,
    /// The machine that the coordinator runs on.
    pub host: String,
    /// Matches stored.
    pub done: u64,
    /// How many there will be, where that is known.
    pub planned: Option<u64>,
    /// Matches a second.
    pub rate: Option<f64>,
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
}

/// To a player: first what it plays.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Assignment {
    /// The plan.
    pub descriptor: Descriptor,
    /// Where the bots' directories are, by their place in the plan.
    pub dirs: Vec<Option<std::path::PathBuf>>,
    /// Matches side by side.
    pub jobs: usize,
    /// Whether matches stay on cores of their own.
    pub pin: bool,
    /// How bots are confined, where the worker decides that itself.
    pub sandbox: Option<Sandbox>,
    /// What time limits are multiplied by.
    pub limits_factor: Option<f64>,
    /// Where the worker keeps results that it could not send: no bot can read there.
    pub private: std::path::PathBuf,
}

/// To a player, after that.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Play these.
    Play(Batch),
    /// Finish what is on the boards, and end.
    Finish,
}

/// From a player.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// All bots can be started; those with other programs than where the plan was made are named.
    Ready {
        /// Their names.
        differs: Vec<String>,
    },
    /// It cannot play the plan.
    Unfit {
        /// The bot that cannot be started, where it is one.
        bot: Option<String>,
        /// Why.
        why: String,
    },
    /// A match has ended: the next line is its record, [`Packed`](crate::store::Packed).
    Ended {
        /// Its batch.
        issue: u64,
        /// Its id.
        r#match: u64,
    },
    /// A match was void, and is played again.
    Void(VoidRecord),
    /// What is on the boards, with a count of what has happened there.
    Steps(Vec<(u64, u64)>),
    /// It ends, by itself where there is a reason.
    Over {
        /// The reason.
        why: Option<String>,
    },
}

/// One line of JSON.
pub fn line(value: &impl Serialize) -> String {
    let mut line = serde_json::to_string(value).expect("what is sent has string keys only");
    line.push('\n');
    line
}

/// More than any message of ours has.
const UNPACKED_MAX: u32 = 64 << 20;

/// A message of results as it travels: records are alike, and it is the server's bytes that cost most.
pub fn pack(text: &[u8]) -> Bytes {
    lz4_flex::compress_prepend_size(text).into()
}

/// The text of a message of results; `None` where it is none.
pub fn unpack(message: &[u8]) -> Option<String> {
    let size = u32::from_le_bytes(*message.first_chunk()?);
    if size > UNPACKED_MAX {
        return None;
    }
    String::from_utf8(lz4_flex::decompress_size_prepended(message).ok()?).ok()
}
