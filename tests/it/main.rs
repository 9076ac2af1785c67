//! The tests of the whole: real processes, real matches. One file per theme.

mod bots;
mod cases;
mod check;
mod compare;
mod faults;
mod fleet;
mod formats;
mod process;
mod program;
mod ratings;
mod report;
mod repro;
mod serve;
mod shards;
mod spec;
mod starters;
mod statistics;
mod stats;
mod tables;
mod terminal;
mod time;
mod transcript;

use mancala_arena_tests::Entrant;

/// A bot that behaves well except as its arguments say.
fn scripted(args: &str) -> Entrant {
    Entrant::new(env!("CARGO_BIN_EXE_scripted-bot"), args.split_whitespace())
}
