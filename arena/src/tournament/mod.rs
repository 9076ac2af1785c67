//! From a plan to stored results: which matches there are, and the runner that plays them.

mod openings;
mod runner;
mod schedule;
mod tables;

pub use openings::{OpeningError, Openings, check};
pub use runner::{CannotStart, Settings, Sink, Stop, Tournament, cores, run, try_out};
pub use schedule::{Balance, MatchId, Schedule, ScheduleError, Scheduled};
