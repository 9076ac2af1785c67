//! From a plan to stored results: which matches there are, and the runner that plays them.

mod comparison;
mod files;
pub mod live;
mod openings;
mod own_time;
pub mod pairings;
mod runner;
mod schedule;
mod shard;
mod tables;
mod voids;

pub use comparison::{Answer, Comparison, Rule};
pub use files::{TooFewFiles, reserve_files};
pub use live::Live;
pub(crate) use openings::read_opening;
pub use openings::{OpeningError, Openings};
pub use own_time::OwnTime;
pub use pairings::{Misfit, Next, Pairings};
pub use runner::{
    CannotStart, ParkedMatches, Report, Settings, Sink, Source, Stop, Tournament, core_sets, cores, run, try_out,
};
pub use schedule::{BOTS_MAX, Balance, MATCHES_MAX, MatchId, Schedule, ScheduleError, Scheduled, Spread};
pub use shard::{Shard, ShardError};
pub use voids::Pause;
