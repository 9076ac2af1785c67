//! Arguments, terminal output, exit codes: the only module that prints.

pub mod board;
mod crosstable;
mod export;
mod games;
mod matches;
mod output;
mod results;
mod show;
pub mod standings;
mod table;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use output::{Exit, Format, Output};

/// Referees matches between mancala bots and ranks them.
#[derive(Parser)]
#[command(name = "arena", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Crosstable(crosstable::Args),
    Games(games::Args),
    Matches(matches::Args),
    Show(show::Args),
    Export(export::Args),
    Verify(verify::Args),
    Standings(standings::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = Output::stdout();
    let outcome: anyhow::Result<Exit> = match &cli.command {
        Command::Crosstable(args) => crosstable::run(args, &mut out),
        Command::Games(args) => games::run(args, &mut out),
        Command::Matches(args) => matches::run(args, &mut out),
        Command::Show(args) => show::run(args, &mut out),
        Command::Export(args) => export::run(args, &mut out),
        Command::Verify(args) => verify::run(args, &mut out),
        Command::Standings(args) => standings::run(args, &mut out),
    };
    output::finish(&mut out, outcome)
}
