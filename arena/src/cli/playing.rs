//! What the commands that play many matches have in common: their arguments, the way from a plan to an open results file,
//! and how they are stopped.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context;
use tokio::sync::watch;

use super::clock::Clock;
use super::confine::{self, Confine};
use super::fleet::Fleet;
use super::{Exit, text};
use crate::bot::Program;
use crate::config::{Overrides, Ponder, Prepared, Transcripts};
#[cfg(feature = "fleet")]
use crate::fleet::{Coordinator, Decided, Outlets, Shipment};
use crate::referee::Relief;
use crate::store::{Store, StoreError, StoredMatch, WriterEvent};
use crate::tournament::live::Publisher;
use crate::tournament::{self, Live, MatchId, Openings, Pairings, Settings, Shard, Sink, Stop, Tournament};

/// How matches are played
#[derive(clap::Args)]
pub struct Playing {
    /// Random plies that lead to an opening; 0: only the start position [default: 4]
    #[arg(long, value_name = "K", conflicts_with = "openings")]
    opening_plies: Option<u32>,
    /// Openings from a file: one position in JSON on each line
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// The seed of everything drawn: openings, and what bots get for their own randomness [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Matches side by side [default: the number of cores, by the threads that a match needs]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Let the system move matches and bots between cores
    #[arg(long)]
    no_pin: bool,
    /// Whether a late move counts for nobody when the arena or its host stood still meanwhile, and the match is played again
    #[arg(long, value_enum, default_value_t)]
    guard: GuardChoice,
    /// The results file [default: arena.db]
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// The matches whose lines to and from the bots are kept, for `arena show MATCH --transcript` [default: faults]
    #[arg(long, value_enum, value_name = "WHICH")]
    transcripts: Option<Transcripts>,
    #[command(flatten)]
    clock: Clock,
    #[command(flatten)]
    confine: Confine,
    #[command(flatten)]
    pub fleet: Fleet,
}

/// Whether the arena watches for its own stalls
#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum GuardChoice {
    /// It does
    #[default]
    On,
    /// Every late move is a fault
    Off,
}

/// Faults of one bot that are printed; the others are in the results.
const FAULTS_SHOWN: u32 = 5;

/// What is on the board has this long to end after the first Ctrl-C.
const FINISH_PATIENCE: Duration = Duration::from_secs(5);

impl Playing {
    /// What of it decides the matches, or is a limit of the bots.
    pub fn apply(&self, overrides: &mut Overrides) {
        overrides.opening_plies = self.opening_plies;
        overrides.openings.clone_from(&self.openings);
        overrides.seed = self.seed;
        overrides.reference_speed_milli = self.fleet.reference_speed_milli();
        self.clock.apply(overrides);
        self.confine.apply(overrides);
    }

    /// What has no bearing on the results.
    pub fn settings(&self, prepared: &Prepared) -> Settings {
        let cores = || tournament::core_sets(&tournament::cores(), prepared.threads).len();
        Settings {
            jobs: self.jobs.map(usize::from).or(prepared.jobs).unwrap_or_else(cores),
            threads: prepared.threads,
            pin: !self.no_pin,
            guard: self.guard == GuardChoice::On,
            transcripts: self.transcripts.or(prepared.transcripts).unwrap_or_default(),
        }
    }

    /// The results file; by default each part of a tournament has its own.
    pub fn db(&self, prepared: &Prepared, shard: Option<Shard>) -> PathBuf {
        let whole = || prepared.db.clone().unwrap_or_else(|| PathBuf::from("arena.db"));
        self.db.clone().unwrap_or_else(|| match shard {
            None => whole(),
            Some(shard) => whole().with_extension(format!("{}.db", shard.to_string().replace('/', "-of-"))),
        })
    }
}

/// A plan made ready to be played, with results in `db`.
pub fn make_ready(prepared: Prepared, db: &Path) -> anyhow::Result<Tournament> {
    let launcher = confine::launcher(&prepared)?;
    let Prepared {
        plan,
        game,
        programs,
        stand_ins,
        ..
    } = prepared;
    let pairings = Pairings::new(&plan, game.seats(), game.rotates_seats())?;
    let openings = Openings::new(&game, &plan.openings, plan.seed)?;
    let names = plan.bots.iter().map(|bot| bot.name.clone());
    let programs = Program::all(names.zip(programs).collect(), &launcher, Some(db));
    Ok(Tournament {
        id: plan.id().into(),
        game,
        programs,
        reliefs: Relief::all(&plan, stand_ins, &launcher),
        pairings,
        openings,
        plan,
    })
}

/// Opens the results file for a tournament, once it is known that there are files enough to play it. Gives it with the
/// pairings as they stand after what is in it already.
pub fn open(tournament: &Tournament, settings: Settings, db: &Path) -> anyhow::Result<(Store, Pairings)> {
    let workers = settings.jobs.min(tournament::cores().len());
    let (seats, bots) = (tournament.game.seats(), tournament.programs.len());
    tournament::reserve_files(settings.jobs, workers, seats, bots)?;
    let mut store = Store::open_to_write(db)?;
    let contents: Vec<_> = tournament
        .programs
        .iter()
        .map(|program| program.resolved.content.clone())
        .collect();
    let changed = store.add_plan(&tournament.plan, &contents)?;
    if let Some(bot) = changed.first() {
        anyhow::bail!(
            "the program of bot `{}` has changed since this plan was begun in `{}`\n  \
             give the new version a name of its own (NAME=BOT, or `name` in its bot.toml), or another results file with --db",
            bot.name,
            db.display()
        );
    }
    let pairings = resumed(tournament, &store)?;
    Ok((store, pairings))
}

/// The pairings as they stand after the matches that are stored.
pub fn resumed(tournament: &Tournament, store: &Store) -> anyhow::Result<Pairings> {
    let mut pairings = tournament.pairings.clone();
    pairings.leave_out(store.done(&tournament.id)?);
    if pairings.hang_on_results() {
        store.scores::<anyhow::Error>(&tournament.id, |score| {
            Ok(pairings.settle(MatchId(score.r#match), &score.bots, &score.places)?)
        })?;
    }
    Ok(pairings)
}

/// Tries out the bots, and notes in the results file that the tournament is played. An exit code when a bot cannot start.
pub fn begin(tournament: &Tournament, settings: Settings, store: &mut Store) -> anyhow::Result<Option<Exit>> {
    let start_ms_max = tournament.plan.time.start_ms_max;
    let slow = |name: &str| text::slow_start(name, start_ms_max);
    if let Err(error) = tournament::try_out(&tournament.programs, start_ms_max, slow)? {
        return Ok(Some(text::cannot_start(&error)));
    }
    let launcher = &tournament.programs[0].launcher;
    let layers: Vec<&str> = launcher.layers().iter().map(|layer| layer.as_str()).collect();
    let programs = tournament.programs.iter().map(|program| &*program.resolved.program);
    let programs: Vec<&Path> = programs.collect();
    store.add_run(&tournament.id, settings.jobs, &layers, launcher.limits(), &programs)?;
    Ok(None)
}

/// Faults as they are made, printed for people: of each bot only the first few.
#[derive(Default)]
pub struct FaultLines(HashMap<String, u32>);

impl FaultLines {
    /// Prints what is new in a match.
    pub fn show(&mut self, stored: &StoredMatch) {
        let _ = write!(anstream::stderr(), "{}", self.text(stored));
    }

    /// What is new in a match, each line with its newline.
    pub fn text(&mut self, stored: &StoredMatch) -> String {
        let mut text = String::new();
        for fault in &stored.faults {
            let count = self.0.entry(fault.bot.clone()).or_insert(0);
            *count += 1;
            if *count <= FAULTS_SHOWN {
                text += &text::fault_text(&format!("match {}", stored.score.r#match), fault);
            }
            if *count == FAULTS_SHOWN {
                text += &format!("further faults of bot `{}` are only stored\n", fault.bot);
            }
        }
        text
    }
}

/// What happens in a run.
#[derive(Debug)]
pub enum Event {
    /// To a match.
    Store(WriterEvent),
    /// Something else that people should know.
    #[cfg_attr(not(feature = "fleet"), expect(dead_code, reason = "only a fleet has more to say"))]
    Said(String),
}

/// Who plays.
pub enum Players {
    /// This machine.
    Here(Settings),
    /// A fleet.
    #[cfg(feature = "fleet")]
    Fleet(Box<(Coordinator, Shipment)>),
}

impl Playing {
    /// Who plays, and how that is said. A fleet is connected to, before anything is written.
    pub fn players(&self, prepared: &Prepared) -> anyhow::Result<Chosen> {
        #[cfg(feature = "fleet")]
        return Ok(Chosen(self.fleet.connect(prepared)?));
        #[cfg(not(feature = "fleet"))]
        match self.fleet.url() {
            Some(_) => Err(super::fleet::not_built()),
            None => {
                let _ = prepared;
                Ok(Chosen())
            }
        }
    }
}

/// Who plays, before it is known what.
#[cfg(feature = "fleet")]
pub struct Chosen(Option<super::fleet::Connected>);

/// Who plays, before it is known what.
#[cfg(not(feature = "fleet"))]
pub struct Chosen();

impl Chosen {
    /// Those who play the tournament.
    pub fn of(self, tournament: &Tournament, settings: Settings) -> anyhow::Result<Players> {
        #[cfg(feature = "fleet")]
        if let Some(connected) = self.0 {
            return Ok(Players::Fleet(Box::new(connected.ship(tournament, settings)?)));
        }
        let _ = tournament;
        Ok(Players::Here(settings))
    }
}

/// What has been played.
pub struct Played {
    /// With all that was played.
    pub store: Store,
    /// What was measured.
    pub report: tournament::Report,
}

/// Plays what is left of the tournament. `show` is given what happens, until the store has ended, and what is on the boards; it
/// gives why storing failed, if it did.
#[cfg_attr(
    not(feature = "fleet"),
    expect(clippy::needless_pass_by_value, reason = "a fleet is used up by its run")
)]
pub fn play(
    tournament: &Arc<Tournament>,
    store: Store,
    pairings: Pairings,
    players: Players,
    stop: &watch::Receiver<Stop>,
    show: impl FnOnce(&Receiver<Event>, &Live) -> Option<StoreError>,
) -> anyhow::Result<Played> {
    let live = Arc::<Live>::default();
    let all = &tournament.pairings;
    let planned = (all.matches_min() == all.matches_max()).then(|| all.matches_max());
    let _publisher = Publisher::start(store.path(), &tournament.id, &live, pairings.stored(), planned)
        .context("cannot tell other processes of the run")?;
    let (sender, receiver) = channel();
    #[cfg(feature = "fleet")]
    let (said, (decides, decided)) = (sender.clone(), tokio::sync::mpsc::unbounded_channel());
    let writer = store.into_writer(&tournament.id, move |event| {
        #[cfg(feature = "fleet")]
        if let WriterEvent::Stored(stored) | WriterEvent::AlreadyStored(stored) = &event {
            // Nobody waits for it where this machine plays.
            let _ = decides.send(Decided {
                id: stored.score.r#match,
                new: matches!(event, WriterEvent::Stored(_)),
            });
        }
        // Nobody listens any more only when the run is over.
        let _ = sender.send(Event::Store(event));
    })?;
    std::thread::scope(|scope| {
        let (handle, live) = (writer.handle(), &live);
        let runner = scope.spawn(move || -> anyhow::Result<(Store, tournament::Report)> {
            let report = match players {
                Players::Here(settings) => {
                    let sink: Arc<dyn Sink> = Arc::new(handle);
                    tournament::run(tournament, Box::new(pairings), settings, stop, &sink, live)
                        .context("cannot start the workers")?
                }
                #[cfg(feature = "fleet")]
                Players::Fleet(fleet) => {
                    let (coordinator, shipment) = *fleet;
                    let outlets = Outlets {
                        store: &handle,
                        live,
                        said: &|text| {
                            let _ = said.send(Event::Said(text));
                        },
                    };
                    let played = coordinator.run(tournament, pairings, shipment, stop, outlets, decided);
                    played.map_err(|trouble| anyhow::anyhow!("the NATS server cannot be used: {trouble}"))?
                }
            };
            Ok((writer.finish()?, report))
        });
        let failure = show(&receiver, live);
        let ended = runner.join().expect("the runner does not panic");
        match failure {
            Some(error) => Err(error).context("cannot store a match; nothing that was announced is lost"),
            None => {
                let (store, report) = ended?;
                Ok(Played { store, report })
            }
        }
    })
}

/// Tells what was measured of a run, and why it was paused if it was.
pub fn tell(report: &tournament::Report, tournament: &Tournament) {
    let own = &report.own_time;
    if let (Some(half), Some(most)) = (own.quantile(0.5), own.quantile(0.99)) {
        let _ = writeln!(
            anstream::stderr(),
            "the arena's own time a ply: half of them up to {}, 99 % up to {} ({} plies)",
            text::duration(half),
            text::duration(most),
            own.plies(),
        );
    }
    for (bot, off_turn) in &report.off_turn {
        let _ = writeln!(
            anstream::stderr(),
            "bot `{}` used {} ms of processor time off turn in match {}{}",
            tournament.programs[*bot].name,
            off_turn.used.as_millis(),
            off_turn.r#match,
            match tournament.plan.ponder {
                Ponder::Allow => ", as it may; --ponder freeze stops bots off turn",
                Ponder::Freeze => "",
            },
        );
    }
    for parked in &report.parked {
        let _ = writeln!(anstream::stderr(), "parked: {parked}");
    }
    if let Some(pause) = &report.pause {
        let _ = writeln!(
            anstream::stderr(),
            "paused after {pause}\n  \
             something keeps the arena from running: a stopped or overloaded host, or more --jobs than cores; \
             --guard off counts every late move as a fault"
        );
    }
}

/// Who says what a first Ctrl-C does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// A line on standard error.
    ByLine,
    /// The screen.
    OnScreen,
}

/// The first signal ends the run after what is on the board, the second at once.
pub fn listen_for_signals(stop: watch::Sender<Stop>, told: Told) -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (mut interrupt, mut terminate) = {
        let _context = runtime.enter();
        // Whoever has a handler is told by the write that fails, and says so, instead of being killed.
        let _too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?;
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    let listen = async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if told == Told::ByLine {
            let _ = writeln!(
                anstream::stderr(),
                "finishing the matches on the board; Ctrl-C again stops at once"
            );
        }
        stop.send_replace(Stop::AfterMatches);
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            () = tokio::time::sleep(FINISH_PATIENCE) => {}
        }
        stop.send_replace(Stop::Now);
        // Keeps the sender: a receiver must not take the end of this thread for an answer.
        std::future::pending::<()>().await;
        drop(stop);
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(listen))?;
    Ok(())
}

/// The command line of this process, as it can be typed again.
pub fn own_command() -> String {
    let args: Vec<String> = std::env::args().collect();
    shlex::try_join(args.iter().map(String::as_str)).unwrap_or_else(|_| args.join(" "))
}
