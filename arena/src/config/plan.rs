//! The plan of a tournament: the whole of what decides which matches are played, and how.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Everything that decides the matches of a tournament. Stored with the results; the same plan and seed give the same
/// match ids, seats, openings and seeds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The game with all its options.
    pub game: GameChoice,
    /// The bots; a bot's place in this list is its id in schedule and store.
    pub bots: Vec<BotSpec>,
    /// Who meets whom.
    pub format: Format,
    /// Openings that each group of bots plays, each in every rotation of seats.
    pub rotations: u64,
    /// Where openings come from.
    pub openings: OpeningSource,
    /// The seed of everything drawn.
    pub seed: u64,
    /// The clocks.
    pub time: TimeControl,
    /// What follows a fault.
    pub on_fault: OnFault,
    /// Whether bots may think off turn.
    pub ponder: Ponder,
}

/// A game and its options, as [`mancala_arena_rules::open`] takes them, all of them filled in.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GameChoice {
    /// The game's name.
    pub name: String,
    /// Every option with its value, in the game's order.
    pub options: Vec<(String, String)>,
}

/// A bot as the plan names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BotSpec {
    /// The name in every table, unique in the plan.
    pub name: String,
    /// How it is started.
    pub launch: Launch,
    /// The directory it is started in; absent: where the arena runs.
    pub dir: Option<PathBuf>,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// What follows a fault of this bot, where it is not what the plan says of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_fault: Option<OnFault>,
}

/// How a bot is started.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Launch {
    /// A program and its arguments.
    Command(Vec<String>),
    /// A house bot with its parameters.
    House {
        /// Which.
        name: String,
        /// `key=value` pairs.
        params: Vec<(String, String)>,
    },
    /// Nothing is: a person plays by hand.
    Person,
}

/// Who meets whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every group of bots meets equally often.
    RoundRobin,
    /// Every match has exactly one of these bots in it, each equally often.
    Gauntlet {
        /// By their place in the plan's list.
        against: Vec<usize>,
    },
    /// Round by round, bots of about equal points, no two twice while that can be avoided. Two seats.
    Swiss {
        /// How many.
        rounds: u64,
    },
    /// Who loses a tie is out; the bracket is seeded by the plan's list. Two seats.
    Knockout,
    /// The next rotation goes where it tells most about the goal; never more of them than a round robin plays.
    Ladder {
        /// What is to be found out.
        goal: Goal,
        /// A rotation is chosen without knowing the results of so many before it, so that they can be on the board.
        window: u64,
    },
}

impl Format {
    /// Whether who meets whom hangs on earlier results.
    pub fn hangs_on_results(&self) -> bool {
        match self {
            Format::RoundRobin | Format::Gauntlet { .. } => false,
            Format::Swiss { .. } | Format::Knockout | Format::Ladder { .. } => true,
        }
    }
}

/// What a ladder is to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Which bot is the best.
    Best,
    /// The order of all.
    Order,
    /// Which bots are better than this one, by its place in the plan's list, and which are not.
    Bot(usize),
}

/// Where openings come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningSource {
    /// Distinct positions reached by this many random plies; 0: only the start position.
    RandomPlies(u32),
    /// These positions, each the JSON text of its wire form.
    List(Vec<String>),
}

/// The clocks of a match, all in milliseconds. No limit a move and no bank: only `hang_ms_max` ends a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// The most a move may take.
    pub move_ms_max: Option<u64>,
    /// What each seat has for the whole match, with what is added after each move in time.
    pub bank_ms: Option<u64>,
    /// Added to the bank after each move in time; 0 without a bank.
    pub increment_ms: u64,
    /// On top of every limit before a move counts as late.
    pub grace_ms: u64,
    /// For process start, `hello` and `ready`; never on the clock.
    pub start_ms_max: u64,
    /// Ends a move when there is neither limit nor bank.
    pub hang_ms_max: u64,
    /// What limit and bank are measured in.
    #[serde(default, skip_serializing_if = "Clock::is_wall")]
    pub clock: Clock,
    /// The most a move may take by the wall, where processor time is charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_ms_max: Option<u64>,
    /// The speed of the machine that bank and limit a move are meant for, in thousandths of the fixed search that a second has
    /// room for: a fleet gives slower machines more time. Absent: the limits are the same everywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_speed_milli: Option<u64>,
}

/// What a bot is charged for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// The time from asking to answer
    #[default]
    Wall,
    /// The processor time that the bot's processes use from asking to answer: fair also on a busy host
    Cpu,
}

impl Clock {
    fn is_wall(&self) -> bool {
        *self == Clock::Wall
    }
}

impl Default for TimeControl {
    /// 1,000 ms a move.
    fn default() -> TimeControl {
        TimeControl {
            move_ms_max: Some(1_000),
            bank_ms: None,
            increment_ms: 0,
            grace_ms: 20,
            start_ms_max: 10_000,
            hang_ms_max: 60_000,
            clock: Clock::Wall,
            wall_ms_max: None,
            reference_speed_milli: None,
        }
    }
}

/// What follows a fault.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFault {
    /// The seat loses; with 3-4 seats it leaves by the game's resign rule and the others play on.
    #[default]
    Forfeit,
    /// A process that has failed is started again and gets the same turn, while its clock runs on. What it chose itself, a
    /// late or an illegal move or a line that is no message, is a forfeit as ever.
    Restart {
        /// So often in a match at most.
        times: u32,
    },
    /// A house bot plays on in its place, and the result counts.
    Substitute {
        /// `NAME[,key=value]`.
        house: String,
    },
}

impl OnFault {
    /// `forfeit`, `restart[:TIMES]` or `substitute[:HOUSE]`, as people write it.
    ///
    /// # Errors
    /// What was found and what is expected.
    pub fn parse(text: &str) -> Result<OnFault, String> {
        let (word, more) = text
            .split_once(':')
            .map_or((text, None), |(word, more)| (word, Some(more)));
        match (word, more) {
            ("forfeit", None) => Ok(OnFault::Forfeit),
            ("restart", None) => Ok(OnFault::Restart { times: 3 }),
            ("restart", Some(times)) => match times.parse() {
                Ok(times @ 1..=1_000) => Ok(OnFault::Restart { times }),
                _ => Err(format!("`{times}` restarts; expected 1 to 1000")),
            },
            ("substitute", house) => {
                let house = house.unwrap_or("random");
                super::bots::house(house)?;
                Ok(OnFault::Substitute {
                    house: house.to_owned(),
                })
            }
            _ => Err(format!(
                "`{text}`; expected forfeit, restart[:TIMES] or substitute[:HOUSE]"
            )),
        }
    }
}

/// Whether bots may think off turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Ponder {
    /// They may
    #[default]
    Allow,
    /// Their processes are stopped off turn
    Freeze,
}

impl Plan {
    /// The plan's id: 12 hexadecimal digits that change with anything in the plan.
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).expect("a plan has string keys only");
        blake3::hash(text.as_bytes()).to_hex()[..12].to_owned()
    }
}
