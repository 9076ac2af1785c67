//! `arena bot`: a house bot on standard input and output.

use std::io::Write;

use mancala_arena_bots::house::{self, HOUSE};

use super::{Exit, Output};

/// List the house bots, or play one on standard input and output
///
/// This is how `house:NAME,key=value` on a command line is started. Without a name: lists the house bots.
#[derive(clap::Args)]
pub struct Args {
    /// Which house bot
    name: Option<String>,
    /// Its parameters
    #[arg(value_name = "KEY=VALUE", value_parser = key_value)]
    params: Vec<(String, String)>,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    match &args.name {
        Some(name) => house::run(name, &args.params)?,
        None => {
            for bot in HOUSE {
                writeln!(out, "{}  {}", bot.name, bot.help)?;
                for param in bot.params {
                    writeln!(
                        out,
                        "    {:<10} {} ({}; default: {})",
                        param.key, param.help, param.kind, param.default
                    )?;
                }
                writeln!(out)?;
            }
            writeln!(
                out,
                "As a bot on a command line: house:NAME or house:NAME,key=value, for example house:minimax,depth=4"
            )?;
        }
    }
    Ok(Exit::Done)
}

fn key_value(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}
