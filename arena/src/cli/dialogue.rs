//! A match's transcript as people read it.

use std::io::{self, Write};

use super::results::printable;
use crate::record::{Transcript, What};

/// Prints a transcript; `names` are the bots' by seat.
pub fn write(out: &mut impl Write, transcript: &Transcript, names: &[&str]) -> io::Result<()> {
    let names: Vec<String> = names.iter().map(|name| printable(name)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    writeln!(
        out,
        "{:>12}  seat  {:width$}  > to the bot, < from the bot",
        "us", "bot"
    )?;
    for line in &transcript.lines {
        let (way, mark) = match line.what {
            What::ToBot => ('>', ""),
            What::Unsent => ('>', "(not sent) "),
            What::FromBot => ('<', ""),
            What::Log => ('<', "(log line) "),
            What::Dropped => ('<', "(dropped) "),
            What::Unfinished => ('<', "(no newline) "),
            What::Gap => (' ', "... "),
        };
        let name = names.get(usize::from(line.seat)).map_or("", String::as_str);
        let (at_us, seat, text) = (line.at_us, line.seat + 1, printable(&line.text));
        writeln!(out, "{at_us:>12}  {seat:>4}  {name:width$}  {way} {mark}{text}")?;
    }
    Ok(())
}
