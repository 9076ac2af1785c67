//! `arena run`: a tournament, from its plan to its standings.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use tokio::sync::watch;

use super::dashboard::Dashboard;
use super::playing::{
    self, Event, FaultLines, Playing, Told, listen_for_signals, make_ready, own_command, play, resumed,
};
use super::screen::{self, Screen, Signals};
use super::table::Align;
use super::{Exit, Format, Output, pairings, standings, text};
use crate::bot::Program;
use crate::config::{self, BotSpec, Overrides, Prepared};
use crate::rating::{Standings, Tally};
use crate::store::{Store, StoreError, StoredMatch, WriterEvent};
use crate::tournament::{self, Next, Settings, Shard, Stop, Tournament};

/// Run a tournament; the same command goes on where it stopped
///
/// `arena run LEAGUE.toml`, or `arena run --game GAME BOT BOT...` where a bot is a directory with a `bot.toml` (see
/// `arena new`), `house:NAME[,key=value]` (see `arena bot`), a command line in quotes, or NAME= and one of these. Whoever
/// meets plays each opening in every order of seats.
/// Results go to a file; Ctrl-C finishes the matches on the board and says how to go on, a second one stops at once.
#[derive(clap::Args)]
pub struct Args {
    /// A league file, or with --game the bots
    #[arg(required = true, value_name = "LEAGUE.toml|BOT")]
    what: Vec<String>,
    /// The game: NAME or NAME:key=value,key=value (see `arena games`)
    #[arg(long)]
    game: Option<String>,
    /// Who meets whom; `format` in a league file [default: round-robin]
    #[arg(long, value_enum, value_name = "FORMAT")]
    tournament: Option<config::FormatName>,
    /// A bot of a gauntlet that every match has one of, and may be repeated [default: the first bot]
    #[arg(long, value_name = "NAME")]
    against: Vec<String>,
    /// Rounds of a Swiss tournament [default: as many as tell the best, and one more]
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,
    /// Let a Swiss tournament have so many rounds that bots meet again
    #[arg(long)]
    allow_repeats: bool,
    /// What a ladder is to find out: `best`, `order`, or a bot's name for who is better than that bot [default: best]
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,
    /// Openings that each group of bots plays, each in every order of seats: in a Swiss tournament or a knockout each time
    /// that they meet; a ladder plays at most as many matches as a round robin would [default: 50]
    #[arg(long, value_name = "N")]
    rotations: Option<u64>,
    /// Play only one part of the schedule, such as 3/16: each on a machine of its own, `arena merge` joins the results
    /// [default file: arena.3-of-16.db]
    #[arg(long, value_name = "PART/PARTS")]
    shard: Option<Shard>,
    /// List what would be played, and play nothing
    #[arg(long)]
    dry_run: bool,
    /// Print a line for every match when it is stored
    #[arg(long)]
    events: bool,
    /// Print lines, also on a terminal that could show standings and boards as they change
    #[arg(long)]
    plain: bool,
    /// How to print the standings, or the list of --dry-run
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    playing: Playing,
}

/// How often a line of progress is printed where no terminal reads it.
const PROGRESS_PAUSE: Duration = Duration::from_secs(10);

/// Lines of a dry run's table.
const DRY_RUN_LINES: usize = 40;

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let prepared = prepare(args)?;
    text::notices(&prepared.notices);
    let settings = args.playing.settings(&prepared);
    let db = args.playing.db(&prepared, args.shard);
    let chosen = args.playing.players(&prepared)?;
    let mut tournament = make_ready(prepared, &db)?;
    if let Some(shard) = args.shard
        && !tournament.pairings.keep_to(shard)
    {
        bail!("--shard {shard}: who meets whom hangs on results here; only a round-robin or a gauntlet has parts");
    }
    let tournament = Arc::new(tournament);
    if args.dry_run {
        dry_run(&tournament, settings, args.format, out)?;
        return Ok(Exit::Done);
    }
    let players = chosen.of(&tournament, settings)?;
    let (mut store, pairings) = playing::open(&tournament, settings, &db)?;
    let before = pairings.stored();
    if pairings.clone().next() != Next::End
        && let Some(exit) = playing::begin(&tournament, settings, &mut store)?
    {
        return Ok(exit);
    }
    announce(&tournament, before, settings, args.playing.fleet.url(), &db);
    let (stop_sender, stop) = watch::channel(Stop::No);
    let on_screen = !args.plain && !args.events && screen::is_possible();
    listen_for_signals(stop_sender, if on_screen { Told::OnScreen } else { Told::ByLine })?;
    let events = Events {
        names: tournament
            .programs
            .iter()
            .map(|program| program.name.as_str())
            .collect(),
        total: tournament.pairings.matches_max(),
        before,
        every_match: args.events,
    };
    let played = if on_screen {
        let dashboard = dashboard(&tournament, &store, before, stop.clone())?;
        let screen = Screen::open(Signals::Others).context("cannot draw on the terminal; --plain does without")?;
        let mut said = String::new();
        let played = play(&tournament, store, pairings, players, &stop, |receiver, live| {
            let failure;
            (failure, said) = dashboard.show(screen, receiver, live);
            failure
        });
        let _ = write!(anstream::stderr(), "{said}");
        played?
    } else {
        play(&tournament, store, pairings, players, &stop, |receiver, _| {
            events.show(receiver)
        })?
    };
    let mut pairings = resumed(&tournament, &played.store)?;
    let stored = pairings.stored();
    if stored > 0 {
        let mut table = table(&played.store, &tournament)?;
        table.voids = played.store.voids(&tournament.id)?;
        table.adaptive = tournament.plan.format.hangs_on_results();
        write!(out, "{}", standings::render(&table, args.format))?;
        standings::write_voids(table.voids, args.format, out)?;
        let result = pairings::result(&pairings, &tournament.plan);
        match args.format {
            Format::Table => write!(out, "{result}")?,
            Format::Json | Format::Csv => write!(anstream::stderr(), "{result}")?,
        }
        out.flush()?;
    }
    playing::tell(&played.report, &tournament);
    if pairings.next() != Next::End {
        let _ = writeln!(
            anstream::stderr(),
            "stopped after {stored} of {}; go on with:\n  {}",
            pairings::total(&pairings),
            own_command()
        );
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

fn prepare(args: &Args) -> anyhow::Result<Prepared> {
    let mut overrides = Overrides {
        game: args.game.clone(),
        format: args.tournament,
        against: args.against.clone(),
        rounds: args.rounds,
        allow_repeats: args.allow_repeats,
        goal: args.goal.clone(),
        rotations: args.rotations,
        ..Overrides::default()
    };
    args.playing.apply(&mut overrides);
    if args.game.is_some() {
        overrides.bots.clone_from(&args.what);
        return Ok(config::from_args(&overrides, text::build)?);
    }
    let [file] = args.what.as_slice() else {
        bail!(
            "{} league files; name one, or give --game GAME with a list of bots",
            args.what.len()
        );
    };
    Ok(config::from_file(Path::new(file), &overrides, text::build)?)
}

fn announce(tournament: &Tournament, before: u64, settings: Settings, fleet: Option<&str>, db: &Path) {
    let (pairings, plan) = (&tournament.pairings, &tournament.plan);
    let mut lines = vec![format!(
        "{} of {}: {}, {}, {}",
        pairings::total(pairings),
        plan.game.name,
        text::count(plan.bots.len() as u64, "bot"),
        pairings::extent(pairings, plan),
        match fleet {
            None => format!("{} side by side", settings.jobs),
            Some(_) => "by the workers of a fleet".to_owned(),
        },
    )];
    if fleet.is_none() {
        lines.extend(cores_lines(settings, tournament::cores().len()));
    }
    lines.extend(pairings::notes(pairings, plan));
    lines.extend(
        tournament
            .openings
            .notice(pairings.openings())
            .map(|notice| format!("openings: {notice}")),
    );
    if before > 0 {
        lines.push(format!(
            "{before} matches of this plan are in `{}` already; going on",
            db.display()
        ));
    }
    for line in lines {
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}

/// Which cores a match has, and a warning where matches have to share them.
fn cores_lines(settings: Settings, cores: usize) -> Vec<String> {
    let Settings { jobs, threads, pin, .. } = settings;
    let (cores_text, needed) = (text::count(cores as u64, "core"), jobs * threads);
    let place = match (pin, threads) {
        (false, _) => "wherever the system puts them".to_owned(),
        (true, 1) => "each match on one core".to_owned(),
        (true, _) => format!(
            "each match on a set of {}",
            text::count(threads.min(cores) as u64, "core")
        ),
    };
    let mut lines = vec![format!("cores: {cores}, {place}")];
    if needed > cores {
        let each = if threads > 1 {
            format!(" of {threads} threads")
        } else {
            String::new()
        };
        lines.push(format!(
            "warning: {}{each} for {cores_text}: bots share cores and have less time than their clocks show; \
             --jobs {} is fair",
            text::count(jobs as u64, "match"),
            (cores / threads).max(1),
        ));
    }
    lines
}

/// Prints what is known of the matches before play; a table only its beginning.
fn dry_run(tournament: &Tournament, settings: Settings, format: Format, out: &mut Output) -> anyhow::Result<()> {
    let mut pairings = tournament.pairings.clone();
    let mut known = std::iter::from_fn(|| match pairings.next() {
        Next::Match(scheduled) => Some(scheduled),
        Next::Wait | Next::End => None,
    });
    let names =
        |bots: &[usize]| -> Vec<&str> { bots.iter().map(|bot| tournament.programs[*bot].name.as_str()).collect() };
    match format {
        Format::Table => {
            announce(tournament, 0, settings, None, Path::new(""));
            writeln!(out, "{}", programs(tournament))?;
            writeln!(out, "match  rotation  opening  bots by seat")?;
            for m in known.by_ref().take(DRY_RUN_LINES) {
                writeln!(
                    out,
                    "{:>5}  {:>8}  {:>7}  {}",
                    m.id,
                    m.rotation,
                    m.opening,
                    names(&m.bots).join(", ")
                )?;
            }
            match (tournament.pairings.schedule(), known.next()) {
                (Some(_), Some(_)) => writeln!(
                    out,
                    "... and {} more; --format csv lists them all",
                    tournament.pairings.matches_max() - DRY_RUN_LINES as u64
                )?,
                (None, Some(_)) => writeln!(out, "... and more of these; --format csv lists them all")?,
                (_, None) => {}
            }
        }
        Format::Csv => {
            let seats: Vec<_> = (1..=tournament.game.seats())
                .map(|seat| format!("seat_{seat}"))
                .collect();
            writeln!(out, "match,rotation,opening,seed,{}", seats.join(","))?;
            for m in known {
                let names: Vec<_> = names(&m.bots)
                    .iter()
                    .map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
                    .collect();
                writeln!(
                    out,
                    "{},{},{},{},{}",
                    m.id,
                    m.rotation,
                    m.opening,
                    m.seed,
                    names.join(",")
                )?;
            }
        }
        Format::Json => {
            for m in known {
                let line = json!({"match": m.id.0, "rotation": m.rotation, "opening": m.opening, "seed": m.seed,
                                  "bots": names(&m.bots)});
                writeln!(out, "{line}")?;
            }
        }
    }
    if tournament.pairings.hang_on_results() {
        out.flush()?;
        let total = pairings::total(&tournament.pairings);
        let _ = writeln!(
            anstream::stderr(),
            "who meets after that hangs on results: {total} in all"
        );
    }
    Ok(())
}

/// Which program plays under each name.
fn programs(tournament: &Tournament) -> String {
    let titles = [("bot", Align::Left), ("content", Align::Left), ("program", Align::Left)];
    let row = |(program, bot): (&Arc<Program>, &BotSpec)| {
        let resolved = &program.resolved;
        let command = std::iter::once(resolved.program.display().to_string()).chain(resolved.args.iter().cloned());
        let command: Vec<String> = command.collect();
        let command = shlex::try_join(command.iter().map(String::as_str)).unwrap_or_else(|_| command.join(" "));
        vec![
            super::table::name(&program.name),
            resolved.content.clone().unwrap_or_default(),
            match &bot.dir {
                Some(_) => format!("{command} in {}", resolved.dir.display()),
                None => command,
            },
        ]
    };
    let rows: Vec<_> = tournament.programs.iter().zip(&tournament.plan.bots).map(row).collect();
    super::table::table(&titles, &rows)
}

/// How a run is shown while it goes on.
struct Events<'a> {
    names: Vec<&'a str>,
    total: u64,
    before: u64,
    every_match: bool,
}

impl Events<'_> {
    /// Shows stored matches until the writer has ended; gives why storing failed, if it did.
    fn show(&self, events: &Receiver<Event>) -> Option<StoreError> {
        let terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(
            Some(self.total),
            if terminal {
                ProgressDrawTarget::stderr_with_hz(5)
            } else {
                ProgressDrawTarget::hidden()
            },
        );
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} matches  {per_sec}  {eta} left");
        bar.set_style(style.expect("the template is right"));
        bar.set_position(self.before);
        bar.reset_eta();
        let (mut matches, mut faults, mut failure) = (0, FaultLines::default(), None);
        let (began, mut told) = (Instant::now(), Instant::now());
        loop {
            match events.recv_timeout(Duration::from_millis(500)) {
                Ok(Event::Store(WriterEvent::Stored(stored))) => {
                    matches += 1;
                    bar.inc(1);
                    bar.suspend(|| self.show_match(&stored, &mut faults));
                }
                Ok(Event::Store(WriterEvent::AlreadyStored(_))) => {}
                Ok(Event::Store(WriterEvent::Void(void))) => bar.suspend(|| {
                    let _ = writeln!(anstream::stderr(), "void, and played again: {void}");
                }),
                Ok(Event::Said(text)) => bar.suspend(|| {
                    let _ = writeln!(anstream::stderr(), "{text}");
                }),
                Ok(Event::Store(WriterEvent::Failed(error))) => failure = Some(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if !terminal && told.elapsed() >= PROGRESS_PAUSE {
                told = Instant::now();
                let done = self.before + matches;
                let rate = matches as f64 / began.elapsed().as_secs_f64();
                let left = match (self.total - done) as f64 / rate {
                    left if left.is_finite() => format!("  {left:.0} s left"),
                    _ => String::new(),
                };
                let _ = writeln!(anstream::stderr(), "{done}/{} matches  {rate:.1}/s{left}", self.total);
            }
        }
        bar.finish_and_clear();
        failure
    }

    fn show_match(&self, stored: &StoredMatch, faults: &mut FaultLines) {
        if self.every_match {
            let _ = writeln!(anstream::stderr(), "{}", text::finished(&stored.score, &self.names));
        }
        faults.show(stored);
    }
}

/// The screen of a run.
fn dashboard(
    tournament: &Tournament,
    store: &Store,
    before: u64,
    stop: watch::Receiver<Stop>,
) -> anyhow::Result<Dashboard> {
    let (pairings, plan) = (&tournament.pairings, &tournament.plan);
    let title = format!(
        "{}  {} of {}",
        tournament.game.info().title,
        pairings::total(pairings),
        pairings::extent(pairings, plan)
    );
    let (game, total) = (Arc::clone(&tournament.game), pairings.matches_max());
    let tally = tally(store, tournament)?;
    Ok(Dashboard::new(
        title,
        names(tournament),
        game,
        total,
        before,
        tally,
        stop,
    ))
}

fn table(store: &Store, tournament: &Tournament) -> anyhow::Result<Standings> {
    let tally = tally(store, tournament)?;
    Ok(Standings::of(&names(tournament), &tally, None, None))
}

fn names(tournament: &Tournament) -> Vec<String> {
    tournament.programs.iter().map(|program| program.name.clone()).collect()
}

/// What has been stored so far.
fn tally(store: &Store, tournament: &Tournament) -> anyhow::Result<Tally> {
    let mut tally = Tally::new(tournament.programs.len());
    store.scores::<StoreError>(&tournament.id, |score| {
        tally.add(score);
        Ok(())
    })?;
    Ok(tally)
}
