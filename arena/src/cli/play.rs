//! `arena play`: one match, shown move by move; nothing is stored.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use mancala_arena_protocol::Turn;
use mancala_arena_rules::{AnyMatch, Seat, View};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::clock::Clock;
use super::confine::{self, Confine};
use super::watch::Watch;
use super::{Exit, Output, board, dialogue, human, screen, text};
use crate::bot::by_hand::{ByHand, Choice};
use crate::bot::{Bot, Program, Retirements};
use crate::config::{self, Launch, OpeningSource, Overrides, Prepared};
use crate::record::{self, FaultRecord, LeaveRecord, LeftBy, PlyRecord, Record, Transcript};
use crate::referee::{Game, Observer, Played, Relief, Setup, play, transcript};
use crate::tournament::{self, Openings};

/// Play one match and show it
///
/// A bot is a directory with a `bot.toml` (see `arena new`), `house:NAME[,key=value]` (see `arena bot`), `human` for a person
/// at this terminal, a command line in quotes, or NAME= and one of these. With a person, and no limit given, nobody has a
/// clock.
#[derive(clap::Args)]
pub struct Args {
    /// The game: NAME or NAME:key=value,key=value (see `arena games`)
    game: String,
    /// The bots by seat
    #[arg(required = true, num_args = 1.., value_name = "BOT")]
    bots: Vec<String>,
    /// Draw the board, seed by seed where there is a terminal; else after every move, on standard output. On a terminal a
    /// match with a person is always drawn
    #[arg(long)]
    watch: bool,
    /// How long each position is shown, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 300)]
    pause_ms: u64,
    /// Start after so many random plies
    #[arg(long, value_name = "K", default_value_t = 0)]
    opening_plies: u32,
    /// The seed of everything drawn, the bots' own randomness included
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw line by line, also on a terminal
    #[arg(long)]
    plain: bool,
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
        people: true,
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
    let names = prepared.plan.bots.iter().map(|bot| bot.name.clone());
    let bots = names.zip(prepared.programs.iter().cloned()).collect();
    let mut programs = Program::all(bots, &confine::launcher(&prepared)?, None);
    let people = People::sit_down(&prepared, &mut programs)?;
    let start_ms_max = prepared.plan.time.start_ms_max;
    let tried = people.others(&programs);
    if let Err(error) = tournament::try_out(&tried, start_ms_max, |name| text::slow_start(name, start_ms_max))? {
        return Ok(text::cannot_start(&error));
    }
    let Finished {
        record,
        transcript,
        last_words,
    } = *match play_one(&prepared, &programs, &people, args)? {
        Ended::Played(finished) => finished,
        Ended::Halted(Halt::Quit) => {
            let _ = writeln!(anstream::stderr(), "interrupted");
            return Ok(Exit::Interrupted);
        }
        Ended::Halted(Halt::Unread) => return Ok(Exit::Done),
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

/// What came of a match.
enum Ended {
    Played(Box<Finished>),
    Halted(Halt),
}

/// Why a match is not played to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Halt {
    /// Somebody wants it so.
    Quit,
    /// Nobody reads any more what is printed of it.
    Unread,
}

/// The seats of persons.
#[derive(Default)]
struct People(Vec<ByHand>);

impl People {
    /// Makes a seat for each person among the bots.
    fn sit_down(prepared: &Prepared, programs: &mut [Arc<Program>]) -> anyhow::Result<People> {
        let mut people = People::default();
        for (program, bot) in programs.iter_mut().zip(&prepared.plan.bots) {
            if bot.launch == Launch::Person {
                let (seat, by_hand) = ByHand::open(program).context("cannot make a seat for a person")?;
                *program = by_hand;
                people.0.push(seat);
            }
        }
        Ok(people)
    }

    /// The programs of those who are no persons.
    fn others(&self, programs: &[Arc<Program>]) -> Vec<Arc<Program>> {
        let is_person = |program: &Program| self.0.iter().any(|seat| seat.bot() == program.id);
        programs.iter().filter(|program| !is_person(program)).cloned().collect()
    }

    /// From now on `ask` is asked for their moves.
    fn play(&self, ask: &(impl Fn(Turn<Value>) -> Option<Choice> + Clone + Send + 'static)) -> anyhow::Result<()> {
        for seat in &self.0 {
            seat.play(ask.clone()).context("cannot ask a person")?;
        }
        Ok(())
    }
}

/// Plays the match, and shows it meanwhile.
fn play_one(prepared: &Prepared, programs: &[Arc<Program>], people: &People, args: &Args) -> anyhow::Result<Ended> {
    let openings = Openings::new(
        &prepared.game,
        &OpeningSource::RandomPlies(args.opening_plies),
        args.seed,
    )?;
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
        guard: Some(Arc::default()),
    };
    let names: Vec<String> = prepared.plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let (halt, halted) = unbounded_channel();
    let pause = Duration::from_millis(args.pause_ms);
    let (asked, drawn) = (!people.0.is_empty(), args.watch || !people.0.is_empty());
    if drawn && !args.json && !args.plain && can_draw(asked) {
        let quit = move || {
            // The match may be over already.
            let _ = halt.send(Halt::Quit);
        };
        let (opening, time) = (&*setup.opening, setup.time);
        let watch = Watch::start(&prepared.game, opening, &names, pause, time, quit)?;
        let asker = watch.asker();
        people.play(&move |turn| asker.ask(turn))?;
        let mut ringside = watch.ringside();
        let ended = carry_out(setup, programs, &mut ringside, halted);
        drop(ringside);
        watch.end().context("cannot draw on the terminal")?;
        if let Ok(Ended::Played(finished)) = &ended {
            leave_behind(&finished.record)?;
        }
        return ended;
    }
    let (game, quit, by_seat) = (Arc::clone(&prepared.game), halt.clone(), names.clone());
    people.play(&move |turn: Turn<Value>| {
        let choice = human::ask(&turn, &by_seat[usize::from(turn.seat)], &game);
        if choice.is_none() {
            // The match may be over already.
            let _ = quit.send(Halt::Quit);
        }
        choice
    })?;
    let mut show = Show {
        names: &names,
        boards: match (args.watch, asked) {
            (true, _) => Boards::Printed(pause),
            (false, true) => Boards::Asked,
            (false, false) => Boards::None,
        },
        quiet: args.json,
        halt,
    };
    carry_out(setup, programs, &mut show, halted)
}

/// Whether there is a terminal to draw the match on: whoever reads standard output from a pipe wants it there.
fn can_draw(asked: bool) -> bool {
    let keyboard = !asked || std::io::stdin().is_terminal();
    keyboard && std::io::stdout().is_terminal() && screen::is_possible()
}

/// What stays on the terminal after the screen: the faults and the last board.
fn leave_behind(record: &Record) -> anyhow::Result<()> {
    for fault in &record.faults {
        text::fault("this match", fault);
    }
    let end = record::replay(record)?;
    let view = View {
        to_move: None,
        ..end.view()
    };
    let _ = writeln!(anstream::stderr(), "{}", board::draw(&view));
    Ok(())
}

/// Plays the match until it ends or is halted.
fn carry_out(
    setup: Setup,
    programs: &[Arc<Program>],
    observer: &mut dyn Observer,
    mut halted: UnboundedReceiver<Halt>,
) -> anyhow::Result<Ended> {
    let guard = setup.guard.clone();
    let mut bots: Vec<Bot> = programs.iter().map(|program| Bot::new(Arc::clone(program))).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::spawn(async move {
            if let Some(guard) = guard {
                guard.beat().await;
            }
        });
        let mut retirements = Retirements::default();
        let mut seats: Vec<&mut Bot> = bots.iter_mut().collect();
        let played = tokio::select! {
            played = play(setup, &mut seats, &mut retirements, observer) => played,
            _ = tokio::signal::ctrl_c() => return Ok(Ended::Halted(Halt::Quit)),
            Some(halt) = halted.recv() => return Ok(Ended::Halted(halt)),
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
            Played::Ended(record) => Ok(Ended::Played(Box::new(Finished {
                record: *record,
                transcript,
                last_words,
            }))),
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

/// Shows the match line by line while it is played.
struct Show<'a> {
    names: &'a [String],
    boards: Boards,
    quiet: bool,
    halt: UnboundedSender<Halt>,
}

/// Which boards are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Boards {
    /// None.
    None,
    /// All, on standard error, for a person who is asked there.
    Asked,
    /// All, on standard output, where they are what was asked for; each is shown for so long.
    Printed(Duration),
}

impl Show<'_> {
    fn draw(&self, board: &dyn AnyMatch) {
        if self.boards != Boards::None {
            self.print(&board::draw(&board.view()));
        }
        if let Boards::Printed(pause) = self.boards {
            std::thread::sleep(pause);
        }
    }

    /// Prints `text` and a newline.
    fn print(&self, text: &str) {
        if let Boards::Printed(_) = self.boards {
            let mut out = anstream::stdout();
            if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
                // It halts at most once.
                let _ = self.halt.send(Halt::Unread);
            }
        } else {
            let _ = writeln!(anstream::stderr(), "{text}");
        }
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
            self.print(&format!(
                "ply {}: seat {seat} {name} plays {} ({took})",
                board.ply() - 1,
                ply.r#move
            ));
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
