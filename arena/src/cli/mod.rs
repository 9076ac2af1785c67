//! Arguments, terminal output, exit codes: the only module that prints.

pub mod board;
mod bot;
mod check;
mod clock;
mod compare;
mod confine;
mod crosstable;
mod dashboard;
mod dialogue;
mod doctor;
mod export;
mod fleet;
mod games;
mod generate;
mod help;
mod human;
mod matches;
mod merge;
mod new;
mod one_bot;
mod output;
mod pairings;
mod play;
mod playing;

mod ratings;
mod replay;
mod report;
mod repro;
mod results;
mod rules;
mod run;
mod serve;

mod screen;
mod show;
pub mod standings;
mod stats;
mod table;
mod text;
mod verify;
mod watch;
mod workers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use output::{Exit, Format, Output};

/// Referees matches between mancala bots and ranks them.
#[derive(Parser)]
#[command(name = "arena", version, about, max_term_width = 100, disable_help_subcommand = true, after_help = TOPICS)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

const TOPICS: &str = "\
Topics: `arena help protocol` is all that a bot has to know, `arena help faults` what can go wrong with it,
`arena help statistics` what the numbers mean, and `arena help fleet` how many machines play one league.";

#[derive(Subcommand)]
enum Command {
    Play(play::Args),
    Run(run::Args),
    Compare(compare::Args),
    Standings(standings::Args),
    Ratings(ratings::Args),
    Crosstable(crosstable::Args),
    Matches(matches::Args),
    Show(show::Args),
    Report(report::Args),
    Serve(serve::Args),
    Export(export::Args),
    Verify(verify::Args),
    Merge(merge::Args),
    Worker(fleet::WorkerArgs),
    Fleet(fleet::FleetArgs),
    Workers(workers::Args),
    Check(check::Args),
    Repro(repro::Args),
    New(new::Args),
    Bot(bot::Args),
    Games(games::Args),
    Rules(rules::Args),
    Doctor(doctor::Args),
    Stats(stats::Args),
    Schema(generate::SchemaArgs),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
    Help(help::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = Output::stdout();
    let outcome: anyhow::Result<Exit> = match &cli.command {
        Command::Play(args) => play::run(args, &mut out),
        Command::Run(args) => run::run(args, &mut out),
        Command::Compare(args) => compare::run(args, &mut out),
        Command::Standings(args) => standings::run(args, &mut out),
        Command::Ratings(args) => ratings::run(args, &mut out),
        Command::Crosstable(args) => crosstable::run(args, &mut out),
        Command::Matches(args) => matches::run(args, &mut out),
        Command::Show(args) => show::run(args, &mut out),
        Command::Report(args) => report::run(args, &mut out),
        Command::Serve(args) => serve::run(args, &mut out),
        Command::Export(args) => export::run(args, &mut out),
        Command::Verify(args) => verify::run(args, &mut out),
        Command::Merge(args) => merge::run(args, &mut out),
        Command::Worker(args) => fleet::worker(args, &mut out),
        Command::Fleet(args) => fleet::fleet(args, &mut out),
        Command::Workers(args) => workers::run(args, &mut out),
        Command::Check(args) => check::run(args, &mut out),
        Command::Repro(args) => repro::run(args, &mut out),
        Command::New(args) => new::run(args, &mut out),
        Command::Bot(args) => bot::run(args, &mut out),
        Command::Games(args) => games::run(args, &mut out),
        Command::Rules(args) => rules::run(args, &mut out),
        Command::Doctor(args) => doctor::run(args, &mut out),
        Command::Stats(args) => stats::run(args, &mut out),
        Command::Schema(args) => generate::schema(args, &mut out),
        Command::Completions(args) => generate::completions(args, &mut out),
        Command::Man(args) => generate::man(args, &mut out),
        Command::Help(args) => help::run(args, &mut out),
    };
    output::finish(&mut out, outcome)
}
