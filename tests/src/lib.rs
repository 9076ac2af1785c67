//! Helpers of the tests: matches between real processes, what those processes were told, and whether any is left.
//!
//! Nothing here measures time. What is waited for has a limit that only a hung test reaches.

mod account;
mod processes;
mod table;

pub use account::Account;
pub use processes::{wait_for, wait_until_gone};
pub use table::{Entrant, Table, opening, patient};

/// The variable that names the file in which a bot notes its process id with everything that it reads.
pub const LOG_VARIABLE: &str = "SCRIPTED_BOT_LOG";
