//! Tournament file and arguments become one [`Plan`], in which everything is decided and nothing left to a default.
//!
//! Unknown keys, unknown names and values out of range are refused, never replaced. What does not change results
//! (number of jobs, file names, output) is no part of a plan.

mod plan;

pub use plan::{BotSpec, Format, GameChoice, Launch, OnFault, OpeningSource, Plan, Ponder, TimeControl};

mod resolve;
pub use resolve::Resolved;
