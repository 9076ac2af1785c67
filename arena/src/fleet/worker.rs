//! A worker: takes batches, keeps their leases, sends what has become of them. A [`player`](super::player), a process of its
//! own, plays.
//!
//! A lease is renewed when something has happened on the boards of its batch since it was renewed last; a batch that waits for
//! its turn is renewed while the player plays at all. So a player that hangs loses its batches, however well its worker is.
//!
//! What cannot be sent is kept, on disk once the server has not answered, and sent when it is back.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::message::Acker;
use bytes::Bytes;
use futures_util::StreamExt;
use rustix::process::Signal;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until, timeout};

use super::archive::{Archive, ArchiveError};
use super::crew::FACTOR_MAX;
use super::server::{self, Access, Server, ServerError, Trouble};
use super::speed;
use super::spool::Spool;
use super::wire::{Assignment, Batch, Claim, Descriptor, Item, Labels, Order, Said, Sender, WorkerReport, line, pack};
use crate::bot;
use crate::config::Sandbox;
use crate::record::HostRecord;
use crate::store;
use crate::tournament::Stop;

/// Results gather for so long before they are sent together, unless there is nothing else to play.
const GATHER: Duration = Duration::from_millis(250);

/// So many bytes of results are sent at once, or what the server takes. Packed they are a quarter of that.
const GATHERED_MAX: usize = 1024 * 1024;

/// How often the worker looks round.
const TICK: Duration = Duration::from_millis(100);

/// How often it reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// How often it asks whether its plan is still played, and as it was.
const PLAN_EVERY: Duration = Duration::from_secs(2);

/// While it plays it waits no longer for an answer that it can do without.
const ANSWERS: Duration = Duration::from_millis(500);

/// Without work for so long it looks for other plans.
const NO_WORK: Duration = Duration::from_secs(3);

/// While others want to be played it plays one plan for so long.
const TURN: Duration = Duration::from_secs(60);

/// So long after a plan is announced it can be read.
const ANNOUNCED: Duration = Duration::from_millis(20);

/// How long it waits before it asks a server again that has failed, or has no plan.
const AGAIN: Duration = Duration::from_secs(1);

/// A player that should end has so long, and then a little more when it is told to end at once.
const PLAYER_ENDS: Duration = Duration::from_secs(2);

/// What is sent at the end has so long.
const LAST_SENDING: Duration = Duration::from_secs(5);

/// After a player has paused because its host stood still, the worker rests.
const REST: Duration = Duration::from_secs(30);

/// A player is heard so many bytes at a time, or a line.
const LINES_MAX: usize = 256 * 1024;

/// Messages on their way at once.
const IN_FLIGHT_MAX: usize = 32;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// The server.
    pub access: Access,
    /// Matches side by side.
    pub jobs: usize,
    /// Its labels.
    pub labels: Labels,
    /// Its own directory: bots, and results that could not be sent.
    pub dir: PathBuf,
    /// How bots are confined, where the league does not decide that.
    pub sandbox: Option<Sandbox>,
    /// Whether matches stay on cores of their own.
    pub pin: bool,
    /// The command that starts a player: program and arguments.
    pub player: Vec<String>,
}

/// Why a worker cannot work.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The server cannot be used.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// Its directory cannot be used.
    #[error("cannot use the directory `{}`: {error}", path.display())]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another worker uses the directory.
    #[error("another worker uses the directory `{}`\n  give each worker of a machine its own with --dir", path.display())]
    InUse {
        /// Which.
        path: PathBuf,
    },
    /// No runtime.
    #[error("cannot start: {0}")]
    Runtime(io::Error),
}

/// A worker.
pub struct Worker<'a> {
    settings: WorkerSettings,
    server: Server,
    said: &'a dyn Fn(String),
    host: HostRecord,
    outbox: Outbox,
    spool: Spool,
    played: u64,
    /// Plans that it cannot play as they are, and why.
    unfit: HashMap<String, (Descriptor, String)>,
    /// Plans in the order in which it has played them, the last one last.
    turns: Vec<String>,
    /// Not before this does it play again.
    rests_until: Option<Instant>,
    /// Keeps other workers out of the directory.
    _lock: File,
}

impl<'a> Worker<'a> {
    /// Works until `stop` says so. `said` is told what people should know.
    ///
    /// # Errors
    /// [`WorkerError`], before the first match.
    pub fn run(
        settings: WorkerSettings,
        stop: watch::Receiver<Stop>,
        said: &'a dyn Fn(String),
    ) -> Result<(), WorkerError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(WorkerError::Runtime)?;
        runtime.block_on(async {
            let mut worker = Worker::begin(settings, said).await?;
            worker.work(stop).await;
            Ok(())
        })
    }

    async fn begin(settings: WorkerSettings, said: &'a dyn Fn(String)) -> Result<Worker<'a>, WorkerError> {
        let path = settings.dir.clone();
        let failed = |error| WorkerError::Directory {
            path: path.clone(),
            error,
        };
        fs::create_dir_all(&path).map_err(failed)?;
        let lock = File::create(path.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => WorkerError::InUse { path: path.clone() },
            fs::TryLockError::Error(error) => failed(error),
        })?;
        let worker = identity(&path).map_err(failed)?;
        let (spool, left) = Spool::open(&path.join("unsent")).map_err(failed)?;
        let server = settings.access.connect(&format!("arena worker {worker}")).await?;
        let host = HostRecord {
            worker,
            name: store::host(),
            speed: rounded(speed::measure()),
            load: speed::load(),
            limits_factor: None,
        };
        let mut outbox = Outbox::default();
        for spooled in left {
            outbox.add(spooled.plan, spooled.bytes.into(), BTreeSet::new(), Some(spooled.path));
        }
        Ok(Worker {
            settings,
            server,
            said,
            host,
            outbox,
            spool,
            played: 0,
            unfit: HashMap::new(),
            turns: Vec::new(),
            rests_until: None,
            _lock: lock,
        })
    }

    async fn work(&mut self, mut stop: watch::Receiver<Stop>) {
        (self.said)(format!(
            "worker `{}` on `{}`: {} side by side, speed {}",
            self.host.worker, self.host.name, self.settings.jobs, self.host.speed
        ));
        let mut told = String::new();
        let mut announced: Option<Subscriber> = None;
        while *stop.borrow() == Stop::No {
            let idle = match self.next_plan().await {
                Ok(Ok((plan, descriptor))) => {
                    told.clear();
                    announced = None;
                    let (dirs, factor) = (self.fetch_bots(&descriptor).await, self.factor(&descriptor));
                    match dirs {
                        Ok(dirs) => {
                            (self.said)(format!("playing plan `{plan}`: {}", descriptor.plan.game.name));
                            self.host.limits_factor = factor;
                            Serving::new(self, &plan, &descriptor).play(dirs, &mut stop).await;
                            self.host.limits_factor = None;
                            self.turns.retain(|turn| *turn != plan);
                            self.turns.push(plan);
                            continue;
                        }
                        Err(trouble) => trouble,
                    }
                }
                Ok(Err(idle)) => idle,
                Err(trouble) => format!("the server does not answer: {trouble}"),
            };
            if idle != told {
                (self.said)(idle.clone());
                told.clone_from(&idle);
            }
            self.report(None, &[], (Duration::ZERO, false), Some(idle)).await;
            self.send();
            self.hear_of_sent(Duration::from_millis(1)).await;
            if announced.is_none() {
                // Whoever may not listen finds a plan a little later.
                announced = self.server.client.subscribe(server::plan_subject("*")).await.ok();
            }
            tokio::select! {
                () = sleep(AGAIN) => {}
                // The stream may have it a little later than those who listen.
                Some(_) = next_of(&mut announced) => sleep(ANNOUNCED).await,
                _ = stop.changed() => {}
            }
        }
        self.send_the_rest().await;
    }

    /// The plan that has waited longest, or why there is none.
    async fn next_plan(&mut self) -> Result<Result<(String, Descriptor), String>, Trouble> {
        if let Some(until) = self.rests_until
            && Instant::now() < until
        {
            return Ok(Err("rests: this machine stood still while it played".to_owned()));
        }
        let plans = self.server.plans().await?;
        let mut why = "waits for a league: none is being played".to_owned();
        let mut fitting = Vec::new();
        for (id, descriptor) in plans {
            match self.misfit(&id, &descriptor) {
                None => fitting.push((id, descriptor)),
                Some(misfit) => why = format!("does not play plan `{id}`: {misfit}"),
            }
        }
        let turn = |id: &str| self.turns.iter().position(|turn| turn == id).map_or(0, |at| at + 1);
        fitting.sort_by_key(|(id, _)| turn(id));
        Ok(fitting.into_iter().next().ok_or(why))
    }

    /// Why this worker does not play a plan.
    fn misfit(&self, id: &str, descriptor: &Descriptor) -> Option<String> {
        let own = env!("CARGO_PKG_VERSION");
        if descriptor.arena != own {
            return Some(format!("it is refereed by arena {}, this is {own}", descriptor.arena));
        }
        if let Some((key, value)) = descriptor
            .only
            .iter()
            .find(|(key, value)| self.settings.labels.get(*key) != Some(value))
        {
            return Some(format!("it is for workers with the label {key}={value}"));
        }
        let (known, why) = self.unfit.get(id)?;
        (known == descriptor).then(|| why.clone())
    }

    /// What this machine's time limits are multiplied by.
    fn factor(&self, descriptor: &Descriptor) -> Option<f64> {
        let reference = descriptor.plan.time.reference_speed_milli? as f64 / 1_000.0;
        Some(rounded(
            (reference / self.host.speed).clamp(1.0 / FACTOR_MAX, FACTOR_MAX),
        ))
    }

    /// The directories of a plan's bots, each with exactly what its archive has.
    async fn fetch_bots(&mut self, descriptor: &Descriptor) -> Result<Vec<Option<PathBuf>>, Trouble> {
        let mut dirs = Vec::new();
        for (place, bot) in descriptor.bots.iter().enumerate() {
            dirs.push(match &bot.archive {
                Some(name) if !descriptor.parked_bots.contains(&place) => Some(self.fetch_bot(name).await?),
                _ => None,
            });
        }
        Ok(dirs)
    }

    async fn fetch_bot(&self, name: &str) -> Result<PathBuf, Trouble> {
        if name.len() != 64 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("`{name}` is no name of an archive"));
        }
        let bots = self.settings.dir.join("bots");
        let (file, dir) = (bots.join(format!("{name}.tar")), bots.join(name));
        let failed = |error: ArchiveError| error.to_string();
        let kept = fs::read(&file).ok().and_then(|bytes| Archive::named(name, bytes).ok());
        let archive = match kept {
            Some(archive) => archive,
            None => {
                let files = self.server.files().await?;
                let mut object = files
                    .get(name)
                    .await
                    .map_err(|error| format!("archive `{name}`: {error}"))?;
                let mut bytes = Vec::new();
                object
                    .read_to_end(&mut bytes)
                    .await
                    .map_err(|error| format!("archive `{name}`: {error}"))?;
                let archive = Archive::named(name, bytes).map_err(failed)?;
                let write = fs::create_dir_all(&bots).and_then(|()| fs::write(&file, &archive.bytes));
                write.map_err(|error| format!("`{}`: {error}", file.display()))?;
                archive
            }
        };
        if !archive.is_whole(&dir).map_err(failed)? {
            archive.unpack(&dir).map_err(failed)?;
        }
        // As the player finds it, wherever it is started.
        dir.canonicalize()
            .map_err(|error| format!("`{}`: {error}", dir.display()))
    }

    async fn report(
        &mut self,
        plan: Option<&str>,
        on_board: &[u64],
        (still, stuck): (Duration, bool),
        idle: Option<String>,
    ) {
        self.host.load = rounded(speed::load());
        let report = WorkerReport {
            host: self.host.clone(),
            arena: env!("CARGO_PKG_VERSION").to_owned(),
            labels: self.settings.labels.clone(),
            jobs: self.settings.jobs,
            plan: plan.map(str::to_owned),
            on_board: on_board.to_vec(),
            played: self.played,
            unsent: self.outbox.len(),
            still_ms: still.as_millis() as u64,
            stuck,
            idle,
        };
        let subject = server::worker_subject(&self.host.worker);
        let payload = serde_json::to_vec(&report).expect("a report has string keys only");
        let _ = timeout(TICK, self.server.tell(subject, payload)).await;
    }

    /// Sends what is to be sent, without waiting for answers.
    fn send(&mut self) {
        while let Some((number, plan, bytes)) = self.outbox.next_to_send() {
            let (server, outcomes) = (self.server.clone(), self.outbox.outcomes());
            tokio::spawn(async move {
                let arrived = server.publish_results(&plan, bytes).await.is_ok();
                let _ = outcomes.send((number, arrived));
            });
        }
    }

    /// Hears what has become of what was sent, for at most so long; gives the batches whose results have arrived.
    async fn hear_of_sent(&mut self, lasts: Duration) -> BTreeSet<u64> {
        match timeout(lasts, self.outbox.heard.recv()).await {
            Ok(Some((number, arrived))) => self.sent(number, arrived),
            _ => BTreeSet::new(),
        }
    }

    /// What has become of something that was sent.
    fn sent(&mut self, number: u64, arrived: bool) -> BTreeSet<u64> {
        if arrived {
            return self.outbox.arrived(number);
        }
        if let Some(outgoing) = self.outbox.failed(number)
            && outgoing.file.is_none()
        {
            match self.spool.keep(&outgoing.plan, &outgoing.bytes) {
                Ok(path) => outgoing.file = Some(path),
                // It is still in memory.
                Err(error) => (self.said)(format!("results cannot be kept on disk: {error}")),
            }
        }
        BTreeSet::new()
    }

    /// Sends what is left, and keeps on disk what cannot be.
    async fn send_the_rest(&mut self) {
        let until = Instant::now() + LAST_SENDING;
        while self.outbox.len() > 0 && Instant::now() < until {
            self.send();
            self.hear_of_sent(TICK).await;
        }
        for number in self.outbox.numbers() {
            self.sent(number, false);
        }
        if self.outbox.len() > 0 {
            (self.said)(format!(
                "{} messages of results could not be sent; the next worker in `{}` sends them",
                self.outbox.len(),
                self.settings.dir.display()
            ));
        }
        let _ = timeout(Duration::from_secs(1), self.server.client.flush()).await;
    }
}

fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

/// The worker's name, the same whenever it is started in its directory.
fn identity(dir: &Path) -> io::Result<String> {
    let path = dir.join("id");
    if let Ok(id) = fs::read_to_string(&path)
        && id.len() == 8
        && id.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Ok(id);
    }
    let mut random = [0; 4];
    io::Read::read_exact(&mut File::open("/dev/urandom")?, &mut random)?;
    let id: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(&path, &id)?;
    Ok(id)
}

/// Results on their way to the server.
struct Outbox {
    outgoing: BTreeMap<u64, Outgoing>,
    next: u64,
    told: mpsc::UnboundedSender<(u64, bool)>,
    heard: mpsc::UnboundedReceiver<(u64, bool)>,
}

struct Outgoing {
    plan: String,
    bytes: Bytes,
    /// The batches that it tells of.
    issues: BTreeSet<u64>,
    /// Where it is kept, once it could not be sent.
    file: Option<PathBuf>,
    /// On its way.
    in_flight: bool,
    /// Not before this is it sent again.
    after: Option<Instant>,
}

impl Default for Outbox {
    fn default() -> Outbox {
        let (told, heard) = mpsc::unbounded_channel();
        Outbox {
            outgoing: BTreeMap::new(),
            next: 0,
            told,
            heard,
        }
    }
}

impl Outbox {
    fn len(&self) -> u64 {
        self.outgoing.len() as u64
    }

    fn numbers(&self) -> Vec<u64> {
        self.outgoing.keys().copied().collect()
    }

    fn outcomes(&self) -> mpsc::UnboundedSender<(u64, bool)> {
        self.told.clone()
    }

    fn add(&mut self, plan: String, bytes: Bytes, issues: BTreeSet<u64>, file: Option<PathBuf>) {
        let outgoing = Outgoing {
            plan,
            bytes,
            issues,
            file,
            in_flight: false,
            after: None,
        };
        self.outgoing.insert(self.next, outgoing);
        self.next += 1;
    }

    /// The first that is due, which is on its way from now on.
    fn next_to_send(&mut self) -> Option<(u64, String, Bytes)> {
        let in_flight = self.outgoing.values().filter(|outgoing| outgoing.in_flight).count();
        if in_flight >= IN_FLIGHT_MAX {
            return None;
        }
        let now = Instant::now();
        let due = |outgoing: &Outgoing| !outgoing.in_flight && outgoing.after.is_none_or(|after| after <= now);
        let (number, outgoing) = self.outgoing.iter_mut().find(|(_, outgoing)| due(outgoing))?;
        outgoing.in_flight = true;
        Some((*number, outgoing.plan.clone(), outgoing.bytes.clone()))
    }

    /// The server has it; gives the batches that it told of.
    fn arrived(&mut self, number: u64) -> BTreeSet<u64> {
        let Some(outgoing) = self.outgoing.remove(&number) else {
            return BTreeSet::new();
        };
        if let Some(file) = outgoing.file {
            let _ = fs::remove_file(file);
        }
        outgoing.issues
    }

    /// It did not arrive.
    fn failed(&mut self, number: u64) -> Option<&mut Outgoing> {
        let outgoing = self.outgoing.get_mut(&number)?;
        outgoing.in_flight = false;
        outgoing.after = Some(Instant::now() + AGAIN);
        Some(outgoing)
    }
}

/// A batch that the worker holds.
struct Held {
    acker: Acker,
    lease: u64,
    /// Matches whose results are not there.
    left: BTreeSet<u64>,
    /// Messages that tell of it and have not arrived.
    unsent: usize,
    /// Whether one of its matches has been on a board.
    begun: bool,
    renewed: Instant,
    /// Whether something has happened since.
    progressed: bool,
}

/// One plan, while it is played.
struct Serving<'w, 'a> {
    worker: &'w mut Worker<'a>,
    plan: &'w str,
    descriptor: &'w Descriptor,
    sender: Sender,
    held: BTreeMap<u64, Held>,
    issue_of: HashMap<u64, u64>,
    /// Matches on boards, with the count of what has happened there.
    boards: Vec<(u64, u64)>,
    /// Since when nothing has happened there.
    still_since: Instant,
    /// This match has ended: its batch and id. What it has come to is the next line of the player.
    ended: Option<(u64, u64)>,
    /// Messages that gather, and the batches that they tell of.
    gathered: Vec<Vec<u8>>,
    gathered_of: BTreeSet<u64>,
    gathered_since: Option<Instant>,
    ready: bool,
}

/// Why a plan is not played any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    /// The worker stops, or the plan is withdrawn or another one: what is on the boards is finished.
    AfterMatches,
    /// At once.
    Now,
}

impl<'w, 'a> Serving<'w, 'a> {
    fn new(worker: &'w mut Worker<'a>, plan: &'w str, descriptor: &'w Descriptor) -> Serving<'w, 'a> {
        let sender = Sender {
            plan: plan.to_owned(),
            host: worker.host.clone(),
            archives: descriptor.bots.iter().map(|bot| bot.archive.clone()).collect(),
        };
        Serving {
            worker,
            plan,
            descriptor,
            sender,
            held: BTreeMap::new(),
            issue_of: HashMap::new(),
            boards: Vec::new(),
            still_since: Instant::now(),
            ended: None,
            gathered: Vec::new(),
            gathered_of: BTreeSet::new(),
            gathered_since: None,
            ready: false,
        }
    }

    fn lease(&self) -> Duration {
        Duration::from_millis(self.descriptor.lease_ms)
    }

    /// Plays the plan until there is a reason to leave it.
    async fn play(mut self, dirs: Vec<Option<PathBuf>>, stop: &mut watch::Receiver<Stop>) {
        let assignment = Assignment {
            descriptor: self.descriptor.clone(),
            dirs,
            jobs: self.worker.settings.jobs,
            pin: self.worker.settings.pin,
            sandbox: self.worker.settings.sandbox,
            limits_factor: self.worker.host.limits_factor,
            private: self.worker.settings.dir.join("unsent"),
        };
        let mut player = match Player::start(&self.worker.settings.player, &assignment) {
            Ok(player) => player,
            Err(error) => {
                (self.worker.said)(format!("cannot start a player: {error}"));
                sleep(AGAIN).await;
                return;
            }
        };
        let (began, mut no_work_since) = (Instant::now(), Instant::now());
        // When, and whether it was ready then.
        let (mut reported, mut asked) = (None::<(Instant, bool)>, Instant::now());
        let mut fetching: Option<Fetching> = None;
        let mut consumer = None;
        let mut leaving: Option<(Leaving, Instant)> = None;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let ended = loop {
            let gather = if self.issue_of.is_empty() {
                Duration::ZERO
            } else {
                GATHER
            };
            let flush_at = self
                .gathered_since
                .map(|since| tokio::time::Instant::from_std(since + gather));
            tokio::select! {
                biased;
                lines = player.lines.recv() => match lines {
                    Some(lines) => if let Some(ended) = self.hear(&lines) { break ended },
                    None if matches!(leaving, Some((Leaving::Now, _))) => break Ended::Over(None),
                    None => break player.ended().await,
                },
                Some((number, arrived)) = self.worker.outbox.heard.recv() => {
                    let issues = self.worker.sent(number, arrived);
                    self.arrived(issues).await;
                }
                (asked, message) = next_fetched(&mut fetching), if fetching.is_some() => {
                    fetching = None;
                    consumer = asked;
                    if let Some(message) = message {
                        no_work_since = Instant::now();
                        if let Some(order) = self.take(message).await {
                            player.order(&order);
                        }
                    }
                }
                () = sleep_until(flush_at.unwrap_or_else(tokio::time::Instant::now)), if flush_at.is_some() => self.flush(),
                _ = tick.tick() => {}
                _ = stop.changed() => {}
            }
            let now = Instant::now();
            let wanted = match *stop.borrow() {
                Stop::No => None,
                Stop::AfterMatches => Some(Leaving::AfterMatches),
                Stop::Now => Some(Leaving::Now),
            };
            if let Some(wanted) = wanted
                && leaving.is_none_or(|(leaving, _)| leaving != wanted)
            {
                leaving = Some((wanted, now));
                player.leave(wanted);
            }
            if let Some((Leaving::Now, since)) = leaving
                && now - since > PLAYER_ENDS
            {
                player.kill();
            }
            if leaving.is_none() && self.ready && fetching.is_none() && self.wants_more() {
                fetching = Some(fetch(self.worker.server.clone(), self.plan.to_owned(), consumer.take()));
            }
            self.worker.send();
            self.renew().await;
            if reported.is_none_or(|(at, ready)| now - at >= REPORT_EVERY || ready != self.ready) {
                reported = Some((now, self.ready));
                self.report().await;
            }
            if self.still() > self.lease() + PLAYER_ENDS {
                let cause = format!(
                    "nothing has happened on its boards for {} s; its player is killed",
                    self.still().as_secs()
                );
                player.kill();
                break Ended::Died(cause);
            }
            if leaving.is_none() && now - asked >= PLAN_EVERY {
                asked = now;
                let done = now - no_work_since > NO_WORK && self.held.is_empty();
                if self.is_over(done, began.elapsed() > TURN).await {
                    leaving = Some((Leaving::AfterMatches, now));
                    player.leave(Leaving::AfterMatches);
                }
            }
        };
        self.end(ended).await;
        player.reap().await;
    }

    /// Whether the plan is to be left: it is withdrawn or another one now, or there is no work and others have some.
    async fn is_over(&mut self, done: bool, long: bool) -> bool {
        if !self.worker.server.is_connected() {
            return false;
        }
        match timeout(ANSWERS, self.worker.server.plan(self.plan)).await {
            Ok(Ok(None)) => return true,
            Ok(Ok(Some(now))) if now != *self.descriptor => return true,
            _ => {}
        }
        if !done && !long {
            return false;
        }
        match timeout(ANSWERS, self.worker.server.plans()).await {
            Ok(Ok(plans)) => plans
                .iter()
                .any(|(id, descriptor)| id != self.plan && self.worker.misfit(id, descriptor).is_none()),
            _ => false,
        }
    }

    /// Whether no batch waits behind what is played, or fewer matches than are played next.
    fn wants_more(&self) -> bool {
        let open = || self.held.values().filter(|held| !held.left.is_empty());
        let matches: usize = open().map(|held| held.left.len()).sum();
        open().count() < 2 || matches < 2 * self.worker.settings.jobs
    }

    fn still(&self) -> Duration {
        if self.issue_of.is_empty() {
            Duration::ZERO
        } else {
            self.still_since.elapsed()
        }
    }

    fn on_board(&self) -> Vec<u64> {
        let boards = self.boards.iter().map(|(id, _)| *id);
        boards.filter(|id| self.issue_of.contains_key(id)).collect()
    }

    async fn report(&mut self) {
        let (on_board, still) = (self.on_board(), (self.still(), self.still() > self.lease()));
        let idle = (!self.ready).then(|| "makes its bots ready".to_owned());
        self.worker.report(Some(self.plan), &on_board, still, idle).await;
    }

    /// Takes a batch that was delivered; gives what the player has to be told.
    async fn take(&mut self, message: async_nats::jetstream::Message) -> Option<Order> {
        let lease = message.info().map(|info| info.delivered.max(1) as u64).unwrap_or(1);
        let (message, acker) = message.split();
        let Ok(batch) = serde_json::from_slice::<Batch>(&message.payload) else {
            // It is none of a coordinator's, and would come again for ever.
            let _ = acker.ack_with(AckKind::Term).await;
            return None;
        };
        let now = Instant::now();
        if let Some(held) = self.held.get_mut(&batch.issue) {
            // Its lease has run out and it was the first to come by: it goes on under the new one.
            held.acker = acker;
            held.lease = lease;
            held.renewed = now;
            return None;
        }
        let claim = Claim {
            issue: batch.issue,
            lease,
            worker: self.worker.host.worker.clone(),
        };
        let payload = serde_json::to_vec(&claim).expect("a claim has string keys only");
        self.worker.server.tell(server::claim_subject(self.plan), payload).await;
        let mut held = Held {
            acker,
            lease,
            left: batch.matches.iter().map(|scheduled| scheduled.id.0).collect(),
            unsent: 0,
            begun: false,
            renewed: now,
            progressed: false,
        };
        let rotations: BTreeSet<u64> = batch.matches.iter().map(|scheduled| scheduled.rotation).collect();
        let failed_before = lease > 1 && (rotations.len() > 1 || lease > self.descriptor.tries_max);
        if failed_before {
            held.left.clear();
            self.held.insert(batch.issue, held);
            self.push(
                &Item::Failed {
                    issue: batch.issue,
                    lease,
                    on_board: Vec::new(),
                    tries: lease - 1,
                    cause: match lease - 1 {
                        1 => "its lease ran out".to_owned(),
                        times => format!("its lease ran out {times} times"),
                    },
                },
                Some(batch.issue),
            );
            return None;
        }
        for scheduled in &batch.matches {
            self.issue_of.insert(scheduled.id.0, batch.issue);
        }
        if self.held.values().all(|held| held.left.is_empty()) {
            self.still_since = now;
        }
        self.held.insert(batch.issue, held);
        Some(Order::Play(batch))
    }

    /// Hears lines of the player; gives how that has ended, if it has.
    fn hear(&mut self, lines: &[u8]) -> Option<Ended> {
        lines
            .split_inclusive(|byte| *byte == b'\n')
            .find_map(|line| match self.ended.take() {
                Some((issue, r#match)) => {
                    self.match_ended(issue, r#match, line);
                    None
                }
                None => self.hear_line(line),
            })
    }

    fn hear_line(&mut self, line: &[u8]) -> Option<Ended> {
        match serde_json::from_slice::<Said>(line) {
            Ok(Said::Ready { differs }) => {
                self.ready = true;
                if !differs.is_empty() {
                    self.push(&Item::Differs { bots: differs }, None);
                }
            }
            Ok(Said::Unfit { bot, why }) => return Some(Ended::Unfit { bot, why }),
            Ok(Said::Ended { issue, r#match }) => self.ended = Some((issue, r#match)),
            Ok(Said::Void(void)) => self.push(&Item::Void(void), None),
            Ok(Said::Steps(boards)) => self.note_steps(boards),
            Ok(Said::Over { why }) => return Some(Ended::Over(why)),
            Err(error) => (self.worker.said)(format!("the player says what is not understood: {error}")),
        }
        None
    }

    fn match_ended(&mut self, issue: u64, r#match: u64, packed: &[u8]) {
        self.issue_of.remove(&r#match);
        self.worker.played += 1;
        self.still_since = Instant::now();
        let Some(held) = self.held.get_mut(&issue) else { return };
        held.left.remove(&r#match);
        held.progressed = true;
        let lease = held.lease;
        self.push_with(&Item::Ended { issue, lease }, packed, Some(issue));
    }

    fn note_steps(&mut self, boards: Vec<(u64, u64)>) {
        let mut any = false;
        for (at, now) in boards.iter().enumerate() {
            if self.boards.get(at) == Some(now) {
                continue;
            }
            let Some(issue) = self.issue_of.get(&now.0) else {
                continue;
            };
            any = true;
            if let Some(held) = self.held.get_mut(issue) {
                held.begun = true;
                held.progressed = true;
            }
        }
        if any {
            self.still_since = Instant::now();
            for held in self.held.values_mut().filter(|held| !held.begun) {
                held.progressed = true;
            }
        }
        self.boards = boards;
    }

    /// Renews the leases of batches on which something has happened.
    async fn renew(&mut self) {
        let lease = self.lease();
        for held in self.held.values_mut() {
            let due = held.renewed.elapsed() > lease / 4;
            // What is played waits only for the server.
            if due && (held.progressed || held.left.is_empty()) {
                if let Ok(Ok(())) = timeout(TICK, held.acker.ack_with(AckKind::Progress)).await {
                    held.renewed = Instant::now();
                }
                held.progressed = false;
            }
        }
    }

    /// Adds an item to what is sent next.
    fn push(&mut self, item: &Item, issue: Option<u64>) {
        self.push_with(item, &[], issue);
    }

    /// Adds an item, and the line after it that belongs to it.
    fn push_with(&mut self, item: &Item, after: &[u8], issue: Option<u64>) {
        let item = line(item);
        let size = item.len() + after.len();
        // What packing makes no shorter it makes a little longer.
        let most = GATHERED_MAX.min(self.worker.server.client.max_payload() / 10 * 9);
        let message = match self.gathered.last_mut() {
            Some(last) if last.len() + size <= most => last,
            _ => {
                self.sender.host = self.worker.host.clone();
                self.gathered.push(line(&self.sender).into_bytes());
                self.gathered.last_mut().expect("it was just added")
            }
        };
        message.extend_from_slice(item.as_bytes());
        message.extend_from_slice(after);
        self.gathered_since.get_or_insert_with(Instant::now);
        self.gathered_of.extend(issue);
    }

    /// Hands what has gathered to the outbox.
    fn flush(&mut self) {
        self.gathered_since = None;
        let issues = std::mem::take(&mut self.gathered_of);
        // Which of them tells of which batch does not matter: a batch is done when all have arrived.
        for message in std::mem::take(&mut self.gathered) {
            for issue in &issues {
                if let Some(held) = self.held.get_mut(issue) {
                    held.unsent += 1;
                }
            }
            self.worker
                .outbox
                .add(self.plan.to_owned(), pack(&message), issues.clone(), None);
        }
        self.worker.send();
    }

    /// Results have arrived: batches of which everything has are done.
    async fn arrived(&mut self, issues: BTreeSet<u64>) {
        for issue in issues {
            let Some(held) = self.held.get_mut(&issue) else {
                continue;
            };
            held.unsent = held.unsent.saturating_sub(1);
            if held.unsent > 0 || !held.left.is_empty() || self.gathered_of.contains(&issue) {
                continue;
            }
            let held = self.held.remove(&issue).expect("it was there");
            // Once its lease has run out it is somebody else's to say.
            if held.renewed.elapsed() < self.lease() {
                let _ = timeout(TICK, held.acker.ack()).await;
            }
        }
    }

    /// Says what becomes of the batches that are held, and waits until that has arrived.
    async fn end(&mut self, ended: Ended) {
        let on_board: BTreeSet<u64> = self.on_board().into_iter().collect();
        match &ended {
            Ended::Died(cause) => (self.worker.said)(format!("plan `{}`: {cause}", self.plan)),
            Ended::Unfit { bot, why } => {
                let what = bot.as_ref().map_or_else(String::new, |bot| format!("bot `{bot}`: "));
                (self.worker.said)(format!("cannot play plan `{}`: {what}{why}", self.plan));
                let known = (self.descriptor.clone(), format!("{what}{why}"));
                self.worker.unfit.insert(self.plan.to_owned(), known);
                self.push(
                    &Item::Unfit {
                        bot: bot.clone(),
                        why: why.clone(),
                    },
                    None,
                );
            }
            Ended::Over(Some(why)) => {
                (self.worker.said)(format!("plan `{}`: paused: {why}", self.plan));
                self.worker.rests_until = Some(Instant::now() + REST);
            }
            Ended::Over(None) => {}
        }
        let unfinished: Vec<(u64, u64, Vec<u64>)> = self
            .held
            .iter()
            .filter(|(_, held)| !held.left.is_empty())
            .map(|(issue, held)| (*issue, held.lease, held.left.intersection(&on_board).copied().collect()))
            .collect();
        for (issue, lease, on_board) in unfinished {
            let item = match &ended {
                Ended::Died(cause) if !on_board.is_empty() => Item::Failed {
                    issue,
                    lease,
                    on_board,
                    tries: 1,
                    cause: cause.clone(),
                },
                _ => Item::GaveBack { issue, lease },
            };
            self.push(&item, Some(issue));
            self.held.get_mut(&issue).expect("it is held").left.clear();
        }
        self.flush();
        let until = Instant::now() + LAST_SENDING;
        while !self.held.is_empty() && Instant::now() < until {
            self.worker.send();
            let issues = self.worker.hear_of_sent(TICK).await;
            self.arrived(issues).await;
        }
    }
}

/// How a player has ended.
enum Ended {
    /// It was told to, or had a reason.
    Over(Option<String>),
    /// It cannot play the plan.
    Unfit { bot: Option<String>, why: String },
    /// By itself, without a word.
    Died(String),
}

/// The consumer that a batch was asked of, to be asked again, and what came.
type Fetched = (Option<Consumer<pull::Config>>, Option<async_nats::jetstream::Message>);

type Fetching = std::pin::Pin<Box<dyn Future<Output = Fetched> + Send>>;

/// Asks for one batch.
fn fetch(server: Server, plan: String, known: Option<Consumer<pull::Config>>) -> Fetching {
    Box::pin(async move {
        let expires = Duration::from_secs(2);
        let asked = async {
            let consumer = match known {
                Some(consumer) => consumer,
                None => server.work_consumer(&plan).await?,
            };
            let batch = consumer.batch().max_messages(1).expires(expires).messages().await;
            let mut batch = batch.map_err(|error| error.to_string())?;
            match timeout(2 * expires, batch.next()).await {
                Ok(Some(Ok(message))) => Ok((Some(consumer), Some(message))),
                Ok(Some(Err(error))) => Err(error.to_string()),
                Ok(None) | Err(_) => Ok::<_, Trouble>((None, None)),
            }
        };
        match asked.await {
            Ok(fetched) => fetched,
            Err(_) => {
                sleep(AGAIN).await;
                (None, None)
            }
        }
    })
}

async fn next_of(subscriber: &mut Option<Subscriber>) -> Option<async_nats::Message> {
    match subscriber {
        Some(subscriber) => subscriber.next().await,
        None => None,
    }
}

async fn next_fetched(fetching: &mut Option<Fetching>) -> Fetched {
    match fetching {
        Some(fetching) => fetching.await,
        None => (None, None),
    }
}

/// The process that plays.
struct Player {
    child: Child,
    orders: mpsc::UnboundedSender<String>,
    /// What it says, some whole lines at a time.
    lines: mpsc::Receiver<Vec<u8>>,
}

impl Player {
    fn start(command: &[String], assignment: &Assignment) -> io::Result<Player> {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A Ctrl-C is for the worker, which tells it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let mut stdin = child.stdin.take().expect("it is piped");
        let stdout = child.stdout.take().expect("it is piped");
        let (orders, mut ordered) = mpsc::unbounded_channel::<String>();
        // Tasks of their own, so that a player that hangs holds up nobody.
        tokio::spawn(async move {
            while let Some(order) = ordered.recv().await {
                if stdin.write_all(order.as_bytes()).await.is_err() {
                    break;
                }
            }
        });
        let (sender, lines) = mpsc::channel(4);
        tokio::spawn(async move {
            let mut stdout = BufReader::with_capacity(1 << 16, stdout);
            let mut lines = Vec::new();
            // What does not end is the last word of one that was killed.
            while stdout.read_until(b'\n', &mut lines).await.is_ok() && lines.ends_with(b"\n") {
                let more = stdout.buffer().contains(&b'\n') && lines.len() < LINES_MAX;
                if !more && sender.send(std::mem::take(&mut lines)).await.is_err() {
                    break;
                }
            }
        });
        let _ = orders.send(line(assignment));
        Ok(Player { child, orders, lines })
    }

    fn order(&self, order: &Order) {
        // One that has ended is noticed by its lines.
        let _ = self.orders.send(line(order));
    }

    fn leave(&mut self, leaving: Leaving) {
        match leaving {
            Leaving::AfterMatches => self.order(&Order::Finish),
            Leaving::Now => self.signal(Signal::TERM),
        }
    }

    fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, signal: Signal) {
        if let Some(pid) = self.child.id().and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
            let _ = rustix::process::kill_process(pid, signal);
        }
    }

    /// How it ended, once it has closed its output.
    async fn ended(&mut self) -> Ended {
        match timeout(PLAYER_ENDS, self.child.wait()).await {
            Ok(Ok(status)) => Ended::Died(format!("its player ended by itself: {}", bot::exit_text(status))),
            Ok(Err(error)) => Ended::Died(format!("its player is lost: {error}")),
            Err(_) => {
                self.kill();
                Ended::Died("its player closed its output and did not end".to_owned())
            }
        }
    }

    async fn reap(&mut self) {
        if timeout(PLAYER_ENDS, self.child.wait()).await.is_err() {
            self.kill();
            let _ = self.child.wait().await;
        }
    }
}
