//! `arena play`: one match, shown move by move; nothing is stored.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mancala_arena_rules::{AnyMatch, Seat};

use super::clock::Clock;
use super::confine::{self, Confine};
use super::{Exit, Output, board, dialogue, text};
use crate::bot::{Bot, Program, Retirements};
use crate::config::{self, OpeningSource, Overrides, Prepared};
use crate::record::{FaultRecord, LeaveRecord, LeftBy, PlyRecord, Record, Transcript};
use crate::referee::{Game, Guard, Observer, Played, Relief, Setup, play, transcript};
use crate::tournament::{self, Openings};

/// Play one match and show it
///
/// A bot is a directory with a `bot.toml` (see `arena new`), `house:NAME[,key=value]` (see `arena bot`), a command line in
/// quotes, or NAME= and one of these.
#[derive(clap::Args)]
pub struct Args {
    /// The game: NAME or NAME:key=value,key=value (see `arena games`)
    game: String,
    /// The bots by seat
    #[arg(required = true, num_args = 1.., value_name = "BOT")]
    bots: Vec<String>,
    /// Draw the board after every move
    #[arg(long)]
    watch: bool,
    /// With --watch: how long each position is shown, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pause_ms: u64,
    /// Start after so many random plies
    #[arg(long, value_name = "K", default_value_t = 0)]
    opening_plies: u32,
    /// The seed of everything drawn, the bots' own randomness included
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the record as JSON instead
    #[arg(long, conflicts_with = "watch")]
    json: bool,
    /// Write the lines to and from the bots to a file; `-` is standard output
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    #[command(flatten)]
    clock: Clock,
    #[command(flatten)]
    confine: Confine,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let mut overrides = Overrides {
        game: Some(args.game.clone()),
        bots: args.bots.clone(),
        rotations: Some(1),
        opening_plies: Some(args.opening_plies),
        seed: Some(args.seed),
        ..Overrides::default()
    };
    args.clock.apply(&mut overrides);
    args.confine.apply(&mut overrides);
    let prepared = config::from_args(&overrides, text::build)?;
    text::notices(&prepared.notices);
    let seats = prepared.game.seats();
    anyhow::ensure!(
        prepared.plan.bots.len() == seats,
        "{} bots for {} seats; name one bot for each seat",
        prepared.plan.bots.len(),
        seats
    );
    let watch = args.watch.then(|| Duration::from_millis(args.pause_ms));
    let names = prepared.plan.bots.iter().map(|bot| bot.name.clone());
    let bots = names.zip(prepared.programs.iter().cloned()).collect();
    let programs = Program::all(bots, &confine::launcher(&prepared)?, None);
    let start_ms_max = prepared.plan.time.start_ms_max;
    if let Err(error) = tournament::try_out(&programs, start_ms_max, |name| text::slow_start(name, start_ms_max))? {
        return Ok(text::cannot_start(&error));
    }
    let Some(Finished {
        record,
        transcript,
        last_words,
    }) = play_one(&prepared, &programs, args, watch)?
    else {
        let _ = writeln!(anstream::stderr(), "interrupted");
        return Ok(Exit::Interrupted);
    };
    if !args.json {
        for (seat, (at, words)) in record.seats.iter().zip(&last_words).enumerate() {
            text::stray_prints(at, seat, &transcript);
            text::standard_error(&at.name, words.as_deref());
        }
    }
    if let Some(path) = &args.transcript {
        write_transcript(path, &transcript, &record, out)?;
    }
    if args.json {
        serde_json::to_writer(&mut *out, &record)?;
        writeln!(out)?;
    } else {
        write_result(&record, &prepared, out)?;
    }
    Ok(Exit::Done)
}

/// A match that has been played.
struct Finished {
    record: Record,
    transcript: Transcript,
    /// By seat: the last of what the bot wrote to standard error, if it still runs.
    last_words: Vec<Option<String>>,
}

/// Plays the match; nothing when it is interrupted.
fn play_one(
    prepared: &Prepared,
    programs: &[Arc<Program>],
    args: &Args,
    watch: Option<Duration>,
) -> anyhow::Result<Option<Finished>> {
    let openings = Openings::new(
        &prepared.game,
        &OpeningSource::RandomPlies(args.opening_plies),
        args.seed,
    )?;
    let guard = Arc::new(Guard::default());
    let beating = Arc::clone(&guard);
    let setup = Setup {
        plan: prepared.plan.id().into(),
        id: 0,
        rotation: 0,
        game: Arc::new(Game::new(&*prepared.game)),
        opening: openings.get(0),
        seed: args.seed,
        time: prepared.plan.time,
        ponder: prepared.plan.ponder,
        reliefs: Relief::all(&prepared.plan, prepared.stand_ins.clone(), &programs[0].launcher),
        measures_off_turn: false,
        guard: Some(guard),
    };
    let names: Vec<String> = prepared.plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let mut bots: Vec<Bot> = programs.iter().map(|program| Bot::new(Arc::clone(program))).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::spawn(async move { beating.beat().await });
        let mut retirements = Retirements::default();
        let mut show = Show {
            names: &names,
            watch,
            quiet: args.json,
        };
        let mut seats: Vec<&mut Bot> = bots.iter_mut().collect();
        let played = tokio::select! {
            played = play(setup, &mut seats, &mut retirements, &mut show) => played,
            _ = tokio::signal::ctrl_c() => return Ok(None),
        };
        let transcript = transcript(&bots);
        let mut last_words = Vec::new();
        for bot in &mut bots {
            // One that made a fault is gone; its last words are with the fault.
            last_words.push(if bot.is_running() {
                bot.process().last_words().await
            } else {
                None
            });
        }
        for bot in &mut bots {
            bot.quit(&mut retirements).await;
        }
        retirements.finish().await;
        match played {
            Played::Ended(record) => Ok(Some(Finished {
                record: *record,
                transcript,
                last_words,
            })),
            Played::Void(void) => anyhow::bail!("the match is void: {void}"),
        }
    })
}

fn write_transcript(path: &Path, transcript: &Transcript, record: &Record, out: &mut Output) -> anyhow::Result<()> {
    let names: Vec<&str> = record.seats.iter().map(|seat| seat.name.as_str()).collect();
    if path == Path::new("-") {
        return Ok(dialogue::write(out, transcript, &names)?);
    }
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        dialogue::write(&mut file, transcript, &names)?;
        file.flush()
    };
    write().with_context(|| format!("cannot write the transcript to `{}`", path.display()))
}

/// Shows the match on standard error while it is played.
struct Show<'a> {
    names: &'a [String],
    watch: Option<Duration>,
    quiet: bool,
}

impl Show<'_> {
    fn draw(&self, board: &dyn AnyMatch) {
        let Some(pause) = self.watch else { return };
        let _ = writeln!(anstream::stderr(), "{}", board::draw(&board.view()));
        std::thread::sleep(pause);
    }
}

impl Observer for Show<'_> {
    fn started(&mut self, board: &dyn AnyMatch) {
        self.draw(board);
    }

    fn played(&mut self, ply: &PlyRecord, board: &dyn AnyMatch) {
        if !self.quiet {
            let (seat, name) = (ply.seat + 1, &self.names[usize::from(ply.seat)]);
            let took = text::duration(Duration::from_micros(ply.elapsed_us));
            let _ = writeln!(
                anstream::stderr(),
                "ply {}: seat {seat} {name} plays {} ({took})",
                board.ply() - 1,
                ply.r#move
            );
        }
        self.draw(board);
    }

    fn faulted(&mut self, fault: &FaultRecord) {
        text::fault("this match", fault);
    }
}

fn write_result(record: &Record, prepared: &Prepared, out: &mut Output) -> anyhow::Result<()> {
    let info = prepared.game.info();
    writeln!(
        out,
        "{} after {} plies, {}",
        info.title,
        record.plies.len(),
        text::end(record.end)
    )?;
    for (index, seat) in record.seats.iter().enumerate() {
        let (place, points) = (record.places[index], record.points[index]);
        let by_fault = |leave: &LeaveRecord| usize::from(leave.seat) == index && leave.by == LeftBy::Fault;
        let forfeits = record.left.iter().any(by_fault);
        writeln!(
            out,
            "  place {place}: seat {} {} with {points} points{}",
            Seat::new(index).number(),
            seat.name,
            if forfeits { ", by forfeit" } else { "" }
        )?;
    }
    writeln!(out, "  points: {}", info.points)?;
    Ok(())
}
