//! The local runner: worker threads that play the schedule's matches side by side.
//!
//! One worker thread a core, each with a runtime of its own; a match, its bots and its worker stay on that core. Only one
//! of the three works at a time, so sharing a core costs nothing, and waking across cores costs several times a ply. Bots
//! with threads of their own get as many cores as they have threads, and a worker for each such set of cores.
//! A thread that has started bots lives to the end of the run.
//!
//! Where pairings hang on results, a job with nothing to play waits for the matches of the others, its bots kept.
//!
//! A match that is void is played again at once by the same worker. When that happens again and again the host is no
//! place for a tournament now, and the run pauses.
//!
//! What is on the board when the run is stopped at once is not delivered: it is played again under the same id.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mancala_arena_rules::{AnyGame, Seat};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::live::{Live, Slot};
use super::voids::Voids;
use super::{Next, Openings, OwnTime, Pairings, Pause, Scheduled};
use crate::bot::{Bot, NotStarted, Program, Retirements, SLOW_START};
use crate::config::{Plan, Transcripts};
use crate::record::{Record, Transcript, VoidRecord};
use crate::referee::{Game, Guard, Machine, Observer, Played, Relief, Setup, play, transcript};
use crate::store::WriterHandle;

/// How long a job waits before it asks again whether there is room for a match.
const FULL_PAUSE: Duration = Duration::from_millis(1);

/// Idle bots that one job keeps running for their next match.
pub(super) const BOTS_KEPT: usize = 16;

/// In every so many matches it is measured what bots use off turn. A reading costs as much as five plies, and there are two
/// a ply: more often it would show in the time a ply.
const MEASURED_EVERY: u64 = 1_024;

/// Processor time off turn that is worth telling; what a bot uses to read lines and to go to sleep stays below.
const OFF_TURN_TOLD: Duration = Duration::from_millis(50);

/// A plan made ready to be played.
#[derive(Debug)]
pub struct Tournament {
    /// What is played.
    pub plan: Plan,
    /// The plan's id.
    pub id: Arc<str>,
    /// The game.
    pub game: Arc<dyn AnyGame>,
    /// The bots, by their place in the plan.
    pub programs: Vec<Arc<Program>>,
    /// What follows their faults, likewise.
    pub reliefs: Vec<Relief>,
    /// Which matches there are, before the first is played.
    pub pairings: Pairings,
    /// Their openings.
    pub openings: Openings,
}

/// How a tournament is played, without any bearing on its results.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Matches side by side.
    pub jobs: usize,
    /// Cores that a match needs: the most threads that a bot of it computes with.
    pub threads: usize,
    /// Whether each worker and its bots stay on cores of their own.
    pub pin: bool,
    /// The matches whose transcript goes to the sink.
    pub transcripts: Transcripts,
    /// Whether a late move is void when the arena stood still meanwhile.
    pub guard: bool,
}

/// What is told of a run besides its matches.
#[derive(Debug, Default)]
pub struct Report {
    /// Why it was paused, if it was.
    pub pause: Option<Pause>,
    /// The arena's own time a ply.
    pub own_time: OwnTime,
    /// Bots that were seen computing while it was not their turn, by their place in the plan.
    pub off_turn: BTreeMap<usize, OffTurn>,
    /// Matches that nobody could finish.
    pub parked: Vec<ParkedMatches>,
}

/// Matches that were given up after they had failed again and again. They are open, and tried again by the next run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ParkedMatches {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: Vec<u64>,
    /// How often it was tried.
    pub tries: u64,
    /// What came of the last try.
    pub cause: String,
}

impl fmt::Display for ParkedMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first: Vec<String> = self.first.iter().map(u64::to_string).collect();
        let (what, first) = (if self.count == 1 { "match" } else { "matches" }, first.join(", "));
        match self.count - self.first.len() as u64 {
            0 => write!(f, "{what} {first}")?,
            more => write!(f, "{what} {first} and {more} more")?,
        }
        match self.tries {
            0 => {}
            1 => write!(f, ", tried once")?,
            tries => write!(f, ", tried {tries} times")?,
        }
        write!(f, ": {}", self.cause)
    }
}

/// The processor time that a bot used off turn in a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OffTurn {
    /// In which match.
    pub r#match: u64,
    /// How much.
    pub used: Duration,
}

/// How far a run has been stopped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stop {
    /// It goes on.
    No,
    /// What is on the board is finished, nothing new begins.
    AfterMatches,
    /// What is on the board is given up.
    Now,
}

/// Where the matches come from that are played.
pub trait Source: Send {
    /// The next match that has not been given out.
    fn next(&mut self) -> Next;
    /// Takes what came of a match, by seat. `true`: what comes next may hang on it, whoever waits should ask again.
    fn settle(&mut self, scheduled: &Scheduled, places: &[u8]) -> bool;
    /// Tells whoever waits that there may be more, where that can come from elsewhere than from results.
    fn fed(&self) -> Arc<Notify> {
        Arc::default()
    }
}

impl Source for Pairings {
    fn next(&mut self) -> Next {
        Pairings::next(self)
    }

    fn settle(&mut self, scheduled: &Scheduled, places: &[u8]) -> bool {
        let hang_on_results = self.hang_on_results();
        if hang_on_results {
            let settled = Pairings::settle(self, scheduled.id, &scheduled.bots, places);
            settled.expect("a match that was given out is expected back");
        }
        hang_on_results
    }
}

/// Where finished matches go.
pub trait Sink: Send + Sync {
    /// Takes a match that has ended, with its transcript where that is kept. `false`: it takes no more, nothing new is
    /// begun.
    fn deliver(&self, record: Record, transcript: Option<Transcript>) -> bool;
    /// Whether so many matches wait to be stored that no new one should begin. Waiting here costs no bot its time;
    /// waiting in [`Sink::deliver`] would hold up the other matches of the worker.
    fn is_full(&self) -> bool;
    /// Takes a match that is void, and will be played again.
    fn void(&self, void: VoidRecord);
}

impl Sink for WriterHandle {
    fn deliver(&self, record: Record, transcript: Option<Transcript>) -> bool {
        self.submit_with(&record, transcript.as_ref()).is_ok()
    }
    fn is_full(&self) -> bool {
        WriterHandle::is_full(self)
    }
    fn void(&self, void: VoidRecord) {
        // Where storing has failed the next match that is delivered says so.
        let _ = self.submit_void(void);
    }
}

/// Plays every match that `source` still gives out, handing each record to `sink` as it ends, until there are no more,
/// `stop` says so, or the sink takes no more. Meanwhile `live` has what is on the boards.
///
/// # Errors
/// When a worker's runtime cannot be built.
pub fn run(
    tournament: &Arc<Tournament>,
    source: Box<dyn Source>,
    settings: Settings,
    stop: &watch::Receiver<Stop>,
    sink: &Arc<dyn Sink>,
    live: &Arc<Live>,
) -> std::io::Result<Report> {
    let fed = source.fed();
    let feed = Feed { source, closed: false };
    let shared = Arc::new(Shared {
        tournament: Arc::clone(tournament),
        game: Arc::new(Game::new(&*tournament.game)),
        feed: Mutex::new(feed),
        fed,
        stop: stop.clone(),
        sink: Arc::clone(sink),
        live: Arc::clone(live),
        transcripts: settings.transcripts,
        voids: Mutex::default(),
        measured: Mutex::default(),
    });
    let cores = core_sets(&cores(), settings.threads);
    let workers = settings.jobs.min(cores.len());
    std::thread::scope(|scope| -> std::io::Result<()> {
        let start = |worker: usize| {
            let (shared, cores) = (Arc::clone(&shared), settings.pin.then(|| cores[worker].clone()));
            let jobs = (settings.jobs + workers - 1 - worker) / workers;
            std::thread::Builder::new()
                .name(format!("worker-{worker}"))
                .spawn_scoped(scope, move || work(&shared, jobs, cores.as_deref(), settings.guard))
        };
        let workers: Vec<_> = (0..workers).map(start).collect::<Result<_, _>>()?;
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let voids = shared.voids.lock().expect("nobody panics while holding the voids");
    let measured = &mut *shared.measured.lock().expect("nobody panics while adding up");
    Ok(Report {
        pause: voids.pause(),
        ..std::mem::take(measured)
    })
}

/// The cores this process may use.
pub fn cores() -> Vec<usize> {
    let all = sched_getaffinity(None).map(|set| (0..CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect());
    all.ok()
        .filter(|cores: &Vec<usize>| !cores.is_empty())
        .unwrap_or_else(|| vec![0])
}

/// The sets of so many cores each that matches can have to themselves; all cores where there are too few for one.
pub fn core_sets(cores: &[usize], threads: usize) -> Vec<Vec<usize>> {
    let sets: Vec<Vec<usize>> = cores.chunks_exact(threads).map(<[usize]>::to_vec).collect();
    if sets.is_empty() { vec![cores.to_vec()] } else { sets }
}

struct Shared {
    tournament: Arc<Tournament>,
    game: Arc<Game>,
    feed: Mutex<Feed>,
    /// Tells jobs that wait when the feed has changed.
    fed: Arc<Notify>,
    stop: watch::Receiver<Stop>,
    sink: Arc<dyn Sink>,
    live: Arc<Live>,
    transcripts: Transcripts,
    voids: Mutex<Voids>,
    /// What the jobs that have ended measured.
    measured: Mutex<Report>,
}

/// Gives out the matches that have not been played, each once.
struct Feed {
    source: Box<dyn Source>,
    closed: bool,
}

impl Shared {
    /// The next match, when there is one; `None` when there are no more, or no more are to begin.
    async fn next(&self, stop: &mut watch::Receiver<Stop>) -> Option<Scheduled> {
        loop {
            let mut fed = pin!(self.fed.notified());
            // From here on no change is missed.
            fed.as_mut().enable();
            if *stop.borrow() != Stop::No {
                return None;
            }
            match self.next_now() {
                Next::Match(scheduled) => return Some(scheduled),
                Next::End => return None,
                Next::Wait => {}
            }
            tokio::select! {
                () = fed => {}
                _ = stop.wait_for(|stop| *stop != Stop::No) => {}
            }
        }
    }

    fn next_now(&self) -> Next {
        let mut feed = self.feed.lock().expect("the feed does not panic");
        if feed.closed { Next::End } else { feed.source.next() }
    }

    /// What came of a match goes back to where it came from.
    fn settle(&self, scheduled: &Scheduled, places: &[u8]) {
        let mut feed = self.feed.lock().expect("the feed does not panic");
        if feed.source.settle(scheduled, places) {
            self.fed.notify_waiters();
        }
    }

    /// Whether the run has to pause after this void, the `in_a_row`-th of its match, or has been stopped.
    fn pauses(&self, void: &VoidRecord, in_a_row: u32) -> bool {
        let mut voids = self.voids.lock().expect("nobody panics while holding the voids");
        voids.add(void, in_a_row, Instant::now()) || *self.stop.borrow() != Stop::No
    }

    fn add_measured(&self, gauge: &Gauge) {
        let mut sum = self.measured.lock().expect("nobody panics while adding up");
        sum.own_time.merge(&gauge.own_time);
        for (bot, off_turn) in &gauge.off_turn {
            sum.off_turn.entry(*bot).or_insert(*off_turn);
        }
    }

    fn close(&self) {
        self.feed.lock().expect("the feed does not panic").closed = true;
        self.fed.notify_waiters();
    }
}

/// One worker thread.
fn work(shared: &Arc<Shared>, jobs: usize, cores: Option<&[usize]>, guarded: bool) -> std::io::Result<()> {
    if let Some(cores) = cores {
        let mut set = CpuSet::new();
        cores.iter().for_each(|core| set.set(*core));
        // Where the host forbids it the matches are as fair and only slower.
        let _ = sched_setaffinity(None, &set);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let guard = guarded.then(Arc::<Guard>::default);
        if let Some(guard) = guard.clone() {
            tokio::spawn(async move { guard.beat().await });
        }
        let mut others = JoinSet::new();
        for _ in 1..jobs {
            others.spawn(job(Arc::clone(shared), guard.clone()));
        }
        job(Arc::clone(shared), guard).await;
        while let Some(ended) = others.join_next().await {
            ended.expect("a job does not panic");
        }
    });
    Ok(())
}

/// What a job measures while it plays, and tells of its board.
struct Gauge {
    slot: Arc<Slot>,
    own_time: OwnTime,
    off_turn: BTreeMap<usize, OffTurn>,
    r#match: u64,
    /// Those of the match, by seat.
    bots: Vec<usize>,
}

impl Gauge {
    fn new(slot: Arc<Slot>) -> Gauge {
        Gauge {
            slot,
            own_time: OwnTime::default(),
            off_turn: BTreeMap::new(),
            r#match: 0,
            bots: Vec::new(),
        }
    }
}

impl Observer for Gauge {
    fn turn(&mut self, machine: &Machine) {
        self.slot.turn(machine);
    }

    fn own_time(&mut self, own: Duration) {
        self.own_time.add(own);
    }

    fn off_turn(&mut self, seat: Seat, used: Duration) {
        if used >= OFF_TURN_TOLD {
            let r#match = self.r#match;
            let bot = self.bots[seat.index()];
            self.off_turn.entry(bot).or_insert(OffTurn { r#match, used });
        }
    }
}

/// Lets no job wait for a match whose job has panicked.
struct CloseOnPanic(Arc<Shared>);

impl Drop for CloseOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// One job: match after match, with bots of its own.
async fn job(shared: Arc<Shared>, guard: Option<Arc<Guard>>) {
    let _close = CloseOnPanic(Arc::clone(&shared));
    let mut stop = shared.stop.clone();
    let mut retirements = Retirements::default();
    let mut kept: VecDeque<Bot> = VecDeque::new();
    let mut gauge = Gauge::new(shared.live.slot());
    let mut again = None;
    loop {
        let (scheduled, in_a_row) = match again.take() {
            Some(again) => again,
            None => match shared.next(&mut stop).await {
                Some(scheduled) => (scheduled, 0),
                None => break,
            },
        };
        let id = scheduled.id;
        while shared.sink.is_full() {
            tokio::time::sleep(FULL_PAUSE).await;
        }
        retirements.wait_for_all_but(scheduled.bots.len()).await;
        let mut bots: Vec<Bot> = scheduled
            .bots
            .iter()
            .map(|bot| take(&mut kept, *bot, &shared.tournament))
            .collect();
        let tournament = &shared.tournament;
        let setup = Setup {
            plan: Arc::clone(&tournament.id),
            id: id.0,
            rotation: scheduled.rotation,
            game: Arc::clone(&shared.game),
            opening: tournament.openings.get(scheduled.opening),
            seed: scheduled.seed,
            time: tournament.plan.time,
            ponder: tournament.plan.ponder,
            reliefs: scheduled
                .bots
                .iter()
                .map(|bot| tournament.reliefs[*bot].clone())
                .collect(),
            measures_off_turn: id.0.is_multiple_of(MEASURED_EVERY),
            guard: guard.clone(),
        };
        gauge.bots.clone_from(&scheduled.bots);
        gauge.r#match = id.0;
        gauge.slot.begin(&scheduled, &*setup.opening);
        let mut seats: Vec<&mut Bot> = bots.iter_mut().collect();
        let played = tokio::select! {
            biased;
            played = play(setup, &mut seats, &mut retirements, &mut gauge) => played,
            _ = stop.wait_for(|stop| *stop == Stop::Now) => return,
        };
        match played {
            Played::Ended(record) => {
                let keep = match shared.transcripts {
                    Transcripts::None => false,
                    Transcripts::Faults => !record.faults.is_empty(),
                    Transcripts::All => true,
                };
                let transcript = keep.then(|| transcript(&bots));
                let places = record.places.clone();
                // First to the store, which keeps the order: no match is stored without those that it hangs on.
                if shared.sink.deliver(*record, transcript) {
                    shared.live.note_ended();
                    shared.settle(&scheduled, &places);
                } else {
                    shared.close();
                }
            }
            Played::Void(void) => {
                let in_a_row = in_a_row + 1;
                if shared.pauses(&void, in_a_row) {
                    shared.close();
                } else {
                    again = Some((scheduled, in_a_row));
                }
                shared.sink.void(void);
            }
        }
        kept.extend(bots);
        while kept.len() > BOTS_KEPT {
            kept.pop_front()
                .expect("there are more than none")
                .quit(&mut retirements)
                .await;
        }
    }
    shared.add_measured(&gauge);
    for bot in &mut kept {
        bot.quit(&mut retirements).await;
    }
    tokio::select! {
        () = retirements.finish() => {}
        _ = stop.wait_for(|stop| *stop == Stop::Now) => {}
    }
}

/// The bot with this id that the job has kept, or a new one.
fn take(kept: &mut VecDeque<Bot>, id: usize, tournament: &Tournament) -> Bot {
    match kept.iter().position(|bot| bot.program().id == id) {
        Some(at) => kept.remove(at).expect("the position was found"),
        None => Bot::new(Arc::clone(&tournament.programs[id])),
    }
}

/// Starts every bot once and lets it say hello, so that a program that cannot start is found before the first match. `slow`
/// is told the name of one that takes more than [`SLOW_START`].
///
/// # Errors
/// The first bot that cannot, why, and its last words.
pub fn try_out(
    programs: &[Arc<Program>],
    start_ms_max: u64,
    slow: impl Fn(&str),
) -> std::io::Result<Result<(), CannotStart>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(async {
        let mut retirements = Retirements::default();
        let mut outcome = Ok(());
        for program in programs {
            let mut bot = Bot::new(Arc::clone(program));
            let greeted = match bot.start() {
                Ok(Some(process)) => {
                    let limit = Duration::from_millis(start_ms_max);
                    let mut greeting = pin!(bot.greet(process, limit, &mut retirements));
                    match timeout(SLOW_START, greeting.as_mut()).await {
                        Ok(greeted) => greeted,
                        Err(_) => {
                            slow(&program.name);
                            greeting.await
                        }
                    }
                }
                Ok(None) => Ok(()),
                Err(why) => Err(why),
            };
            if let Err(why) = greeted {
                outcome = Err(CannotStart {
                    bot: program.name.clone(),
                    why,
                    confined: !program.launcher.layers().is_empty(),
                });
                break;
            }
            bot.quit(&mut retirements).await;
        }
        retirements.finish().await;
        outcome
    }))
}

/// A bot that cannot be started.
#[derive(Debug, thiserror::Error)]
#[error("bot `{bot}` cannot start: {}", why.error)]
pub struct CannotStart {
    /// Its name.
    pub bot: String,
    /// What happened.
    pub why: NotStarted,
    /// Whether it was in a sandbox.
    pub confined: bool,
}

#[cfg(test)]
mod tests {
    use super::core_sets;

    #[test]
    fn every_match_has_cores_of_its_own_for_all_its_threads() {
        assert_eq!(core_sets(&[0, 1, 4], 1), [vec![0], vec![1], vec![4]]);
        assert_eq!(core_sets(&[0, 1, 4, 5, 6], 2), [vec![0, 1], vec![4, 5]]);
    }

    #[test]
    fn where_there_are_too_few_cores_one_match_has_them_all() {
        assert_eq!(core_sets(&[2, 3], 8), [vec![2, 3]]);
    }
}
