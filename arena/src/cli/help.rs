//! `arena help`: the help of a command, or a topic that belongs to none.

use std::io::Write;

use anyhow::bail;
use clap::CommandFactory;
use clap::error::ErrorKind;
use mancala_arena_protocol::FAULTS;

use super::{Cli, Exit, Output};

/// Print help: of a command, or of a topic
#[derive(clap::Args)]
pub struct Args {
    /// A command, or `protocol` (what arena and bots say to each other), `faults` (what a bot can do wrong), `statistics`
    /// (what the numbers mean, and when to stop), `fleet` (a league on many machines)
    #[arg(value_name = "COMMAND|TOPIC")]
    topic: Option<String>,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    match args.topic.as_deref() {
        Some("faults") => return faults(out),
        Some("protocol") => {
            out.write_all(mancala_arena_protocol::SPEC.as_bytes())?;
            return Ok(Exit::Done);
        }
        Some("fleet") => {
            out.write_all(include_bytes!("../../FLEET.md"))?;
            return Ok(Exit::Done);
        }
        Some("statistics") => {
            out.write_all(include_bytes!("../../STATISTICS.md"))?;
            return Ok(Exit::Done);
        }
        _ => {}
    }
    // As `arena COMMAND --help`, which clap takes for an error with the help as its text.
    let program = std::env::args().next().into_iter();
    let line = program.chain(args.topic.clone()).chain(["--help".to_owned()]);
    match Cli::command().try_get_matches_from(line) {
        Err(help) if help.kind() == ErrorKind::DisplayHelp => write!(out, "{help}")?,
        _ => bail!(
            "`{}` is no command and no topic; `arena help` lists the commands, the topics are `protocol`, `faults`, \
             `statistics` and `fleet`",
            args.topic.as_deref().unwrap_or_default()
        ),
    }
    Ok(Exit::Done)
}

fn faults(out: &mut Output) -> anyhow::Result<Exit> {
    writeln!(out, "What a bot can do wrong, what follows, and what to do about it.")?;
    for fault in FAULTS {
        writeln!(out, "\n{}: {}", fault.code.as_str(), fault.meaning)?;
        writeln!(out, "  with 2 seats       {}", fault.with_two)?;
        writeln!(out, "  with 3 or 4 seats  {}", fault.with_more)?;
        writeln!(out, "  what to do         {}", fault.advice)?;
    }
    writeln!(
        out,
        "\n`arena show MATCH` shows the faults of a match with their hints and last words, and with --transcript every line."
    )?;
    Ok(Exit::Done)
}
