//! The mancala arena: referees matches between bot programs, keeps their records, and ranks the bots.
//!
//! `ARCHITECTURE.md` beside this package's manifest is the map: which module may know which, and what is true by
//! absence.

pub mod bot;
pub mod check;
pub mod cli;
pub mod config;
#[cfg(feature = "fleet")]
pub mod fleet;
pub mod gather;
pub mod rating;
pub mod record;
pub mod referee;
pub mod report;
pub mod stats;
pub mod store;
pub mod tournament;
pub mod web;

/// The program `arena`: reads the arguments, runs a subcommand, gives the exit code.
pub fn main() -> std::process::ExitCode {
    bot::launch::run_stage().unwrap_or_else(cli::main)
}
