//! `arena rules`: a game's rules for a player, with drawn examples from the rules themselves.

use std::io::Write;

use anyhow::Context;
use mancala_arena_rules::{AnyMatch, GameInfo, open, open_text};

use super::{Exit, Output, board};

/// Print a game's rules with drawn examples and sources
#[derive(clap::Args)]
pub struct Args {
    /// Which game; `arena games` lists them
    game: String,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let info = open_text(&args.game)?.info();
    writeln!(out, "{}\n", info.rules.trim_end())?;
    writeln!(out, "## Examples, played by the program\n")?;
    for example in info.examples {
        write_example(info, example, out)?;
    }
    writeln!(out, "## Sources\n")?;
    for source in info.sources {
        writeln!(out, "- {} ({})", source.text, source.used_for)?;
    }
    Ok(Exit::Done)
}

fn write_example(info: &GameInfo, example: &mancala_arena_rules::Example, out: &mut Output) -> anyhow::Result<()> {
    let options: Vec<(String, String)> = example
        .options
        .split(',')
        .filter_map(|part| part.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let mut playing = open(info.name, &options).context("an example of the rules")?.start();
    let (last, before) = example.moves.split_last().context("an example has at least one ply")?;
    for mv in before {
        play(&mut *playing, *mv)?;
    }
    let seat = playing.to_move().map_or(0, mancala_arena_rules::Seat::number);
    writeln!(out, "{}\n", example.caption)?;
    writeln!(out, "{}", board::draw(&playing.view()))?;
    play(&mut *playing, *last)?;
    writeln!(out, "seat {seat} plays pit {last}:\n")?;
    writeln!(out, "{}", board::draw(&playing.view()))?;
    Ok(())
}

fn play(playing: &mut dyn AnyMatch, mv: u8) -> anyhow::Result<()> {
    let index = playing.find(&mv.into()).context("an example of the rules")?;
    playing.play_nth(index);
    Ok(())
}
