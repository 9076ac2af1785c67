//! `arena schema`, `arena completions`, `arena man`: what is generated from the program itself.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Exit, Output};

/// Print the JSON Schema of the bot protocol
#[derive(clap::Args)]
pub struct SchemaArgs {}

/// Print a script that completes arguments in a shell
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

/// Print the manual page, or write one page for each command into a directory
#[derive(clap::Args)]
pub struct ManArgs {
    /// Where to write the pages
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

pub fn schema(_: &SchemaArgs, out: &mut Output) -> anyhow::Result<Exit> {
    serde_json::to_writer_pretty(&mut *out, &mancala_arena_protocol::schema())?;
    writeln!(out)?;
    Ok(Exit::Done)
}

pub fn completions(args: &CompletionsArgs, out: &mut Output) -> anyhow::Result<Exit> {
    // The generator panics where its writer fails: a reader that has gone away must not get that far.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "arena", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Done)
}

pub fn man(args: &ManArgs, out: &mut Output) -> anyhow::Result<Exit> {
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).with_context(|| format!("cannot make directory `{}`", dir.display()))?;
            clap_mangen::generate_to(Cli::command(), dir)
                .with_context(|| format!("cannot write manual pages to `{}`", dir.display()))?;
        }
        None => clap_mangen::Man::new(Cli::command()).render(out)?,
    }
    Ok(Exit::Done)
}
