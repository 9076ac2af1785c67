//! `arena repro`: a bot is sent again what it was sent in a stored match.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use mancala_arena_rules::Seat;

use super::confine::{self, Confine};
use super::results::{Results, printable, seat_of};
use super::{Exit, Output, one_bot, text};
use crate::bot::{NotStarted, Program};
use crate::check::repro::{Answer, Outcome, ReproError, Reproduced, Request, Turn, repro};
use crate::config::{BotSpec, Limits, resolve_recorded};
use crate::record::Record;
use crate::store::StoredPlan;
use crate::tournament::CannotStart;

/// Send a bot again what it was sent in a stored match, and compare its answers
///
/// Starts the bot as its league did and sends it the lines of the match, each turn with the clocks
/// and times of then; shows its answers beside those on record, and stops at the first difference.
/// Where the bot made a fault in the match this tells whether it makes it again. At the end comes
/// the last that it wrote to standard error. There is no limit of time unless one is given, so that
/// a debugger may sit in the bot.
///
/// Exit codes: 0 the same answers, or the same fault again; 1 a different answer; 2 wrong usage;
/// 3 the bot cannot be started; 4 interrupted.
///
/// To send the lines by hand: arena show MATCH --sent NAME > lines; ./bot < lines
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The match's number, or PLAN/MATCH where the file has several plans
    #[arg(value_name = "MATCH")]
    id: String,
    /// The bot, by its name in the match [default: the one that made a fault in it, if only one did]
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Only this ply: the start of the match, and this one turn
    #[arg(long, value_name = "N")]
    ply: Option<u32>,
    /// Wait for Enter before the first line is sent, and tell the process id for a debugger
    #[arg(long)]
    attach: bool,
    /// The most a move may take now, in milliseconds [default: no limit]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    move_ms: Option<u64>,
    /// Start this bot in its place: a new version, or the same one built for a debugger
    #[arg(long, value_name = "BOT")]
    with: Option<String>,
    /// The directory that the bot's command starts from: that of the league file, or where `arena run` was typed
    #[arg(long, value_name = "DIR", default_value = ".", conflicts_with = "with")]
    dir: PathBuf,
    #[command(flatten)]
    results: Results,
    #[command(flatten)]
    confine: Confine,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let (_, plan, record) = args.results.record(&args.id)?;
    let seat = match &args.bot {
        Some(name) => seat_of(&record, name)?,
        None => seat_of_fault(&record)?,
    };
    let name = &record.seats[seat].name;
    if args.bot.is_none() {
        let _ = writeln!(anstream::stderr(), "bot `{name}`, which made a fault in this match");
    }
    let program = match &args.with {
        Some(text) => one_bot::program(text, &args.confine)?,
        None => recorded_program(args, &plan, name)?,
    };
    let on_record = record.seats[seat].content.as_deref().unwrap_or("none");
    let content = program.resolved.content.as_deref().unwrap_or("none");
    if on_record != content {
        let _ = writeln!(
            anstream::stderr(),
            "note: this is not the program that played: its content is {content}, on record is {on_record}"
        );
    }
    let request = Request {
        record: &record,
        plan: &plan.plan,
        seat: Seat::new(seat),
        ply: args.ply,
        move_ms_max: args.move_ms,
    };
    writeln!(
        out,
        " ply  on record          now               on record took  now took"
    )?;
    out.flush()?;
    let mut last = None;
    let mut printed = Ok(());
    let mut each = |turn: &Turn| {
        if printed.is_ok() {
            printed = write_turn(out, turn).and_then(|()| out.flush());
        }
        last = Some(turn.clone());
    };
    let mut started = |id| {
        if args.attach {
            wait_for_debugger(id);
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = repro(Arc::clone(&program), &request, &mut started, &mut each) => Some(outcome),
            _ = tokio::signal::ctrl_c() => None,
        }
    });
    printed?;
    match outcome {
        None => Ok(Exit::Interrupted),
        Some(Err(ReproError::NotStarted(why))) => Ok(cannot_start(&program, why)),
        Some(Err(error @ ReproError::Replay(_))) => Err(error.into()),
        Some(Ok(Reproduced { outcome, hint, stderr })) => {
            let exit = tell(out, &outcome, last.as_ref(), &record, seat, args)?;
            out.flush()?;
            text::hint(hint.as_deref());
            text::standard_error(&program.name, stderr.as_deref());
            Ok(exit)
        }
    }
}

/// The seat of the only bot that made a fault.
fn seat_of_fault(record: &Record) -> anyhow::Result<usize> {
    let seats: BTreeSet<usize> = record.faults.iter().map(|fault| usize::from(fault.seat)).collect();
    let found = match seats.len() {
        1 => return Ok(seats.into_iter().next().expect("there is one")),
        0 => "no bot made a fault".to_owned(),
        faulty => format!("{faulty} bots made faults"),
    };
    let names: Vec<String> = record.seats.iter().map(|seat| format!("`{}`", seat.name)).collect();
    bail!(
        "which bot? In match {} {found}; name one with --bot: {}",
        record.r#match,
        names.join(", ")
    )
}

/// The bot as its plan says it is started.
fn recorded_program(args: &Args, plan: &StoredPlan, name: &str) -> anyhow::Result<Arc<Program>> {
    let spec: &BotSpec = { plan.plan.bots.iter() }
        .find(|bot| bot.name == name)
        .with_context(|| format!("plan `{}` has no bot `{name}`", plan.id))?;
    let resolved = match resolve_recorded(spec, &args.dir, text::build) {
        Ok(resolved) => resolved,
        Err(why) => bail!(
            "bot `{name}`: {why}\n  commands start from `{}`; give the directory of the league file with --dir, or another \
             command with --with",
            args.dir.display()
        ),
    };
    let launcher = confine::launcher_with(args.confine.sandbox().unwrap_or_default(), Limits::default())?;
    let mut programs = Program::all(vec![(name.to_owned(), resolved)], &launcher, Some(&args.results.db));
    Ok(programs.swap_remove(0))
}

fn write_turn(out: &mut impl Write, turn: &Turn) -> std::io::Result<()> {
    let took = |took: Option<Duration>| took.map_or_else(|| "-".to_owned(), text::duration);
    let (then, now) = (turn.then.to_string(), turn.now.to_string());
    let mark = if turn.then == turn.now { ' ' } else { '*' };
    writeln!(
        out,
        "{:>4}{mark} {:<18} {:<18} {:>13} {:>9}",
        turn.ply,
        printable(&then),
        printable(&now),
        took(turn.then_took),
        took(Some(turn.now_took))
    )
}

/// Tells how to look into the process, and waits.
fn wait_for_debugger(id: u32) {
    let _ = writeln!(
        anstream::stderr(),
        "the bot is process {id} and has not been sent anything; attach to it, for example with `gdb -p {id}`\n\
         (where that is not permitted: --sandbox off, or as root); then press Enter"
    );
    // At the end of the input there is nobody to wait for.
    let _ = std::io::stdin().lock().read_line(&mut String::new());
}

fn cannot_start(program: &Program, why: NotStarted) -> Exit {
    text::cannot_start(&CannotStart {
        bot: program.name.clone(),
        why,
        confined: !program.launcher.layers().is_empty(),
    })
}

fn tell(
    out: &mut impl Write,
    outcome: &Outcome,
    last: Option<&Turn>,
    record: &Record,
    seat: usize,
    args: &Args,
) -> anyhow::Result<Exit> {
    match outcome {
        Outcome::Same(answers) => {
            let answers = text::count(*answers as u64, "answer");
            writeln!(out, "\nthe same to the end: {answers} as on record")?;
            Ok(Exit::Done)
        }
        Outcome::FaultAgain(code, message) => {
            let words = code.as_str().replace('_', " ");
            writeln!(out, "\n{words} again: {}", printable(message))?;
            Ok(Exit::Done)
        }
        Outcome::Differs => {
            let fault = { record.faults.iter() }.find(|fault| usize::from(fault.seat) == seat);
            match last.filter(|turn| turn.then != turn.now) {
                Some(turn) => {
                    writeln!(out, "\ndifferent at ply {}", turn.ply)?;
                    for (when, answer) in [("on record", &turn.then), ("now", &turn.now)] {
                        writeln!(out, "  {when:<10} {}", printable(&described(answer)))?;
                    }
                }
                None => {
                    let then = fault.map_or("nothing", |fault| fault.message.as_str());
                    writeln!(out, "\ndifferent before the first turn; on record: {}", printable(then))?;
                }
            }
            Ok(Exit::No)
        }
        Outcome::NotAsked => bail!(
            "bot `{}` was not asked for ply {} of match {}; `arena show {}` lists who was",
            record.seats[seat].name,
            args.ply.unwrap_or_default(),
            args.id,
            args.id
        ),
    }
}

fn described(answer: &Answer) -> String {
    match answer {
        Answer::Move(mv) => format!("move {mv}"),
        Answer::Resignation => "resigns".to_owned(),
        Answer::Fault(code, message) => format!("{}: {message}", code.as_str()),
    }
}
