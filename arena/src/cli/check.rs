//! `arena check`: does a program obey protocol and rules.

use std::cell::Cell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use mancala_arena_rules::open_text;

use super::confine::Confine;
use super::results::printable;
use super::{Exit, Output, dialogue, one_bot, text};
use crate::bot::SLOW_START;
use crate::check::{self, Finding, Report, Settings, Verdict};
use crate::config::TimeControl;
use crate::record::Transcript;

/// Say whether a bot obeys the protocol and the rules, and what to do where it does not
///
/// Starts the program as `arena play` does, in its sandbox, and drives it through some hundred
/// matches and what else can happen to a bot: versions, seats, long matches, unknown messages,
/// `quit`, a closed input. One line for each check:
///
///   passed   as it should be
///   warning  costs no match by itself, and is worth a look
///   failed   loses matches, or breaks what the protocol asks for
///   skipped  does not apply to this bot, or not possible after what has failed
///
/// A warning or failure comes with what was expected and what to do. One that looks like that of a
/// check before it only says which, and where it was met. A bot that dies in one check is started
/// anew for the next. A fast bot takes some seconds; of a slow one less is asked.
///
/// Exit codes: 0 nothing failed (with --strict: and nothing warned), 1 something did, 2 wrong
/// usage, 3 there is no such program, 4 interrupted.
///
/// --format json prints an array with an object for each check: `check` (its name), `verdict` (as
/// above), `seen`, `expected`, and where there is something to say `at` (in which match), `same_as`
/// (the first check that failed for what looks like the same cause), `advice`, `code` (the fault that
/// it is in a match, see `arena help faults`) and `stderr` (the bot's last words).
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The bot: a directory with a `bot.toml`, a command line in quotes, or `house:NAME[,key=value]`
    bot: String,
    /// Check it in this game, just as it is written: NAME or NAME:key=value,key=value; can be repeated [default: all games
    /// that its `hello` names, or all there are, with their variants]
    #[arg(long, value_name = "GAME")]
    game: Vec<String>,
    /// The most a move may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    move_ms: u64,
    /// The seed of everything drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Take a warning for a failure
    #[arg(long)]
    strict: bool,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: CheckFormat,
    /// Write all lines to and from the bot to a file
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
    #[command(flatten)]
    confine: Confine,
}

/// The form of the findings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum CheckFormat {
    /// Lines for people.
    #[default]
    Table,
    /// An array for programs.
    Json,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let games = args.game.iter().map(|text| open_text(text));
    let settings = Settings {
        games: games.collect::<Result<_, _>>()?,
        time: TimeControl {
            move_ms_max: Some(args.move_ms),
            ..TimeControl::default()
        },
        seed: args.seed,
    };
    let program = one_bot::program(&args.bot, &args.confine)?;
    let name = program.name.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut printed = Ok(());
    let has_started = Cell::new(false);
    let mut print = |finding: &Finding| {
        has_started.set(true);
        if args.format == CheckFormat::Table && printed.is_ok() {
            printed = write_finding(out, finding).and_then(|()| out.flush());
        }
    };
    let report = runtime.block_on(async {
        tokio::select! {
            report = check::check(program, &settings, &mut print) => Some(report),
            _ = tokio::signal::ctrl_c() => None,
            () = tell_of_slow_start(&name, &settings, &has_started) => None,
        }
    });
    let Some(report) = report else {
        return Ok(Exit::Interrupted);
    };
    printed?;
    if let Some(path) = &args.transcript {
        write_transcripts(path, &report.transcripts, &name)
            .with_context(|| format!("cannot write the transcript to `{}`", path.display()))?;
    }
    match args.format {
        CheckFormat::Table => write_summary(out, &report)?,
        CheckFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &report.findings)?;
            writeln!(out)?;
        }
    }
    let is_bad = |finding: &Finding| match finding.verdict {
        Verdict::Failed => true,
        Verdict::Warning => args.strict,
        Verdict::Passed | Verdict::Skipped => false,
    };
    Ok(match report.findings.iter().any(is_bad) {
        true => Exit::No,
        false => Exit::Done,
    })
}

/// Says what is waited for when the first check, which is that the bot starts, takes long. It never ends: it goes with
/// the checks.
async fn tell_of_slow_start(name: &str, settings: &Settings, has_started: &Cell<bool>) {
    tokio::time::sleep(SLOW_START).await;
    if !has_started.get() {
        text::slow_start(name, settings.time.start_ms_max);
    }
    std::future::pending::<()>().await;
}

fn write_finding(out: &mut impl Write, finding: &Finding) -> std::io::Result<()> {
    let verdict = finding.verdict;
    let seen = match (finding.same_as, &finding.at) {
        (None, _) => finding.seen.clone(),
        (Some(first), None) => format!("same as {first}"),
        (Some(first), Some(at)) => format!("same as {first}, in {at}"),
    };
    writeln!(
        out,
        "{:<8} {:<17} {}",
        verdict.as_str(),
        finding.check,
        printable(&seen)
    )?;
    if finding.same_as.is_some() {
        return Ok(());
    }
    let mut more = |what: &str, text: &str| writeln!(out, "{:26} {what:<9} {}", "", printable(text));
    if matches!(verdict, Verdict::Warning | Verdict::Failed) {
        more("expected", finding.expected)?;
    }
    if let Some(advice) = &finding.advice {
        more("to do", advice)?;
    }
    for line in finding.stderr.as_deref().map(check::last_lines).unwrap_or_default() {
        more("stderr", line)?;
    }
    Ok(())
}

fn write_summary(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    let count = |verdict| {
        { report.findings.iter() }
            .filter(|finding| finding.verdict == verdict)
            .count()
    };
    let repeated = { report.findings.iter() }
        .filter(|finding| finding.same_as.is_some())
        .count();
    let causes = match count(Verdict::Failed) - repeated {
        _ if repeated == 0 => String::new(),
        causes => format!(" ({})", text::count(causes as u64, "cause")),
    };
    writeln!(
        out,
        "\n{} passed, {} warned of, {} failed{causes}, {} skipped, in {}",
        count(Verdict::Passed),
        count(Verdict::Warning),
        count(Verdict::Failed),
        count(Verdict::Skipped),
        text::duration(report.took)
    )
}

fn write_transcripts(path: &Path, transcripts: &[(String, Transcript)], name: &str) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for (title, transcript) in transcripts {
        writeln!(file, "{title}")?;
        dialogue::write(&mut file, transcript, &[name])?;
        writeln!(file)?;
    }
    file.flush()
}
