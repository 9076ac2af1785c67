//! League file and arguments become one [`Plan`], in which everything is decided and nothing left to a default.
//!
//! Unknown keys, unknown names and values out of range are refused, never replaced. What does not change results
//! (number of jobs, file names, output) is no part of a plan.

mod bots;
mod build;
mod directory;
mod error;
mod file;
mod format;
mod openings;
mod plan;
mod resolve;
mod sandbox;
#[cfg(test)]
mod tests;

pub use bots::is_name;
pub use build::{Overrides, Prepared, Transcripts, from_args, from_file, from_plan};
pub use directory::{BOT_FILE, BotDir, Build, RunBuild, is_bot, own_files, own_name};
pub use error::ConfigError;
pub use format::FormatName;
pub use plan::{BotSpec, Clock, Format, GameChoice, Goal, Launch, OnFault, OpeningSource, Plan, Ponder, TimeControl};
pub use resolve::{Resolved, is_on_path, resolve, resolve_recorded};
pub use sandbox::{Limits, Sandbox};
