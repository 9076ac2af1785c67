//! The clock's arguments, shared by the commands that play.

use crate::config::{self, OnFault, Overrides, Ponder};

/// How long a bot may think
#[derive(clap::Args)]
pub struct Clock {
    /// The most a move may take, in milliseconds [default: 1000 unless there is a bank]
    #[arg(long, value_name = "MS")]
    move_ms: Option<u64>,
    /// What each bot has for the whole match, in milliseconds
    #[arg(long, value_name = "MS")]
    bank_ms: Option<u64>,
    /// What a bot gets back after each move in time, in milliseconds
    #[arg(long, value_name = "MS", requires = "bank_ms")]
    increment_ms: Option<u64>,
    /// What is allowed beyond a limit before a move counts as late, in milliseconds [default: 20]
    #[arg(long, value_name = "MS")]
    grace_ms: Option<u64>,
    /// What follows a fault: forfeit, restart[:TIMES] (a failed process, in the same turn) or substitute[:HOUSE] (a house
    /// bot plays on, and the result counts) [default: forfeit]
    #[arg(long, value_name = "WHAT", value_parser = OnFault::parse)]
    on_fault: Option<OnFault>,
    /// No clock: only a bot that does not answer for a minute loses
    #[arg(long, conflicts_with_all = ["move_ms", "bank_ms"])]
    no_clock: bool,
    /// What a bot is charged for a move [default: wall]
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "no_clock")]
    clock: Option<config::Clock>,
    /// Whether bots may think while it is not their turn [default: allow]
    #[arg(long, value_enum, value_name = "WHETHER")]
    ponder: Option<Ponder>,
}

impl Clock {
    pub fn apply(&self, overrides: &mut Overrides) {
        overrides.move_ms = self.move_ms;
        overrides.bank_ms = self.bank_ms;
        overrides.increment_ms = self.increment_ms;
        overrides.grace_ms = self.grace_ms;
        overrides.no_clock = self.no_clock;
        overrides.on_fault.clone_from(&self.on_fault);
        overrides.clock = self.clock;
        overrides.ponder = self.ponder;
    }
}
