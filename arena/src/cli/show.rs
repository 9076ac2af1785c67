//! `arena show`: one stored match.

use std::io::{self, Write};

use anyhow::{Context, bail};
use mancala_arena_rules::{Seat, View};

use super::results::{Results, printable, seat_of};
use super::{Exit, Output, board, dialogue, replay};
use crate::record::{self, FaultRecord, LeftBy, Record, What, write_line};
use crate::referee::sent;

/// Show one stored match: who, how it ended, faults, moves, final board
#[derive(clap::Args)]
pub struct Args {
    /// The match's number, or PLAN/MATCH where the file has several plans
    #[arg(value_name = "MATCH")]
    id: String,
    #[command(flatten)]
    results: Results,
    /// Show the lines to and from the bots instead, as far as they were kept
    #[arg(long, conflicts_with = "format")]
    transcript: bool,
    /// Write the lines that this bot was sent instead, ready to be sent again: `arena show 7 --sent NAME > lines; ./bot < lines`.
    /// Made from the record, so they are there for every match; `ply` lines only where a transcript shows that it got them
    #[arg(long, value_name = "NAME", conflicts_with_all = ["format", "transcript"])]
    sent: Option<String>,
    /// Replay it on the terminal: arrow keys step, space plays, ? says more
    #[arg(long, conflicts_with_all = ["format", "transcript", "sent"])]
    replay: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: ShowFormat,
}

/// The form of one match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum ShowFormat {
    /// Text for people.
    #[default]
    Text,
    /// The record, as `arena export` writes it.
    Json,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let (store, plan, record) = args.results.record(&args.id)?;
    let number = record.r#match;
    if let Some(name) = &args.sent {
        let seat = seat_of(&record, name)?;
        let transcript = store.transcript(&plan.id, number)?.unwrap_or_default();
        let observes = transcript.lines.iter().any(|line| {
            usize::from(line.seat) == seat && line.what == What::ToBot && line.text.starts_with(r#"{"type":"ply""#)
        });
        let lines = sent(&record, &plan.plan, Seat::new(seat), observes);
        out.write_all(&lines.with_context(|| format!("match {number} cannot be played again"))?)?;
        return Ok(Exit::Done);
    }
    if args.transcript {
        let Some(transcript) = store.transcript(&plan.id, number)? else {
            bail!(
                "no transcript of match {number} was kept; `arena run` keeps those of matches with a fault, and with \
                 --transcripts all (or `transcripts = \"all\"` in the league file) those of all matches that it plays"
            );
        };
        let names: Vec<&str> = record.seats.iter().map(|seat| seat.name.as_str()).collect();
        dialogue::write(out, &transcript, &names)?;
        return Ok(Exit::Done);
    }
    if args.replay {
        return replay::run(&record);
    }
    match args.format {
        ShowFormat::Json => write_line(out, &record)?,
        ShowFormat::Text => {
            write_head(out, &record)?;
            for fault in &record.faults {
                write_fault(out, fault)?;
            }
            write_plies(out, &record)?;
            match record::replay(&record) {
                Ok(end) => {
                    // Where a seat has left, the position itself does not know that the match is over.
                    let view = View {
                        to_move: None,
                        ..end.view()
                    };
                    write!(out, "\nfinal board\n{}", board::draw(&view))?;
                }
                Err(error) => bail!("match {number} cannot be replayed by the rules: {error}"),
            }
        }
    }
    Ok(Exit::Done)
}

fn write_head(out: &mut impl Write, record: &Record) -> io::Result<()> {
    writeln!(
        out,
        "match {} of plan {}, rotation {}",
        record.r#match, record.plan, record.rotation
    )?;
    let options: Vec<_> = record
        .options
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    writeln!(out, "{}:{}", record.game, options.join(","))?;
    writeln!(out, "opening {}", record.opening)?;
    writeln!(out, "seed    {}", record.seed)?;
    let score = record.score();
    for (seat, at) in record.seats.iter().enumerate() {
        write!(
            out,
            "seat {}  {}  place {}, {} points, {} moves in {}",
            seat + 1,
            printable(&at.name),
            record.places[seat],
            record.points[seat],
            score.moves[seat],
            ms(score.time_us[seat]),
        )?;
        if let Some(leave) = record.left.iter().find(|leave| usize::from(leave.seat) == seat) {
            let how = match leave.by {
                LeftBy::Fault => "forfeits",
                LeftBy::Resignation => "resigns",
            };
            write!(out, ", {how} at ply {}", leave.ply)?;
        }
        for (count, what) in [
            (at.log_lines, "log lines"),
            (at.dropped_lines, "dropped lines"),
            (at.unknown, "unknown messages or fields"),
        ] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "ended by {} after {} plies, {} in all",
        record.end.as_str(),
        record.plies.len(),
        ms(record.elapsed_us)
    )
}

fn write_fault(out: &mut impl Write, fault: &FaultRecord) -> io::Result<()> {
    writeln!(
        out,
        "\nfault of bot `{}` (seat {}) at ply {}: {}: {}",
        printable(&fault.bot),
        fault.seat + 1,
        fault.ply,
        fault.code.as_str(),
        printable(&fault.message)
    )?;
    if let Some(received) = &fault.received {
        writeln!(out, "  received  {}", printable(received))?;
    }
    if let Some(legal) = &fault.legal {
        writeln!(out, "  legal     {legal}")?;
    }
    if let Some(late_ms) = fault.late_ms {
        writeln!(out, "  late by   {late_ms:.3} ms")?;
    }
    if let Some(exit) = &fault.exit {
        writeln!(out, "  process   {}", printable(exit))?;
    }
    if let Some(hint) = &fault.hint {
        writeln!(out, "  hint      {}", printable(hint))?;
    }
    if let Some(stderr) = &fault.stderr {
        writeln!(out, "  its standard error ends with")?;
        for line in stderr.lines() {
            writeln!(out, "  | {}", printable(line))?;
        }
    }
    Ok(())
}

fn write_plies(out: &mut impl Write, record: &Record) -> io::Result<()> {
    writeln!(out, "\n ply  seat  move          time")?;
    for (at, ply) in record.plies.iter().enumerate() {
        write!(
            out,
            "{at:>4}  {:>4}  {:>4}  {:>12}",
            ply.seat + 1,
            ply.r#move.to_string(),
            ms(ply.elapsed_us)
        )?;
        if let Some(info) = &ply.info {
            // JSON text has its control characters escaped, but for those of U+0080 to U+009F.
            write!(out, "  {}", printable(&info.to_string()))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn ms(us: u64) -> String {
    format!("{:.3} ms", us as f64 / 1_000.0)
}
