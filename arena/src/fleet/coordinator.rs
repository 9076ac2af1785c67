//! The coordinator: hands out what the pairings give, and takes in what has become of it.
//!
//! It keeps as many matches out as the workers can play soon, compares what it waits for with what the server has, and
//! acknowledges a message of results when everything in it has been decided: stored, refused, or known already.
//!
//! It plays nothing itself. Where the server is away it waits; nothing hangs on the server's memory.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::Subscriber;
use async_nats::jetstream::Message;
use futures_util::StreamExt;
use futures_util::future::join_all;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, timeout};

use super::archive::{Archive, ArchiveError};
use super::crew::{Crew, FACTOR_MAX};
use super::ledger::{Judged, Ledger};
use super::server::{self, Access, Server, ServerError, Trouble};
use super::wire::{Batch, Claim, Descriptor, Item, Labels, RunReport, Sender, Shipped, WorkerReport, unpack};
use crate::config::{self, Launch, Limits, Sandbox, TimeControl};
use crate::store::{self, Common, Packed, WriterHandle};
use crate::tournament::live::{FleetNow, Live, Rate};
use crate::tournament::{self, MatchId, Next, Pairings, Scheduled, Stop, Tournament};

/// The least that a lease is.
const LEASE_MIN: Duration = Duration::from_secs(30);

/// How much longer a lease is than the longest time that a match can be without a ply.
const LEASE_MORE: Duration = Duration::from_secs(5);

/// A batch is to take a worker so long, where its matches are quick.
const BATCH_TIME: Duration = Duration::from_millis(500);

/// But not less than this, towards the end.
const BATCH_TIME_MIN: Duration = Duration::from_millis(25);

/// The most rotations of a batch.
const BATCH_MAX: u64 = 1_024;

/// A job has so many batches out: one that it plays, and those that it need not wait for.
const BATCHES_A_JOB: usize = 3;

/// Batches that are out before any worker is known.
const BATCHES_AT_FIRST: usize = 16;

/// A message of results that is not decided on for so long is delivered again.
const RESULTS_WAIT: Duration = Duration::from_secs(120);

/// How often the coordinator looks round.
const TICK: Duration = Duration::from_millis(100);

/// Results that were there when the run began are waited for no longer.
const FIRST_RESULTS: Duration = Duration::from_secs(20);

/// How often it reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);

/// How often it compares with the server what is out, and after how long without results.
const COMPARE_EVERY: Duration = Duration::from_secs(3);

/// After so long without anybody who plays, a bot that a worker cannot start is given up.
const NOBODY_PLAYS: Duration = Duration::from_secs(6);

/// After so long without anybody who plays, that is said.
const NOBODY_TOLD: Duration = Duration::from_secs(3);

/// How long the coordinator waits before it asks a server again that has failed.
const AGAIN: Duration = Duration::from_millis(500);

/// How a league is played by a fleet, without any bearing on its results.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The labels that a worker must have.
    pub only: Labels,
    /// After so many failures a rotation is given up.
    pub tries_max: u64,
    /// How long a match may be without a ply before it is given to another worker; absent: as long as the clocks allow.
    pub lease: Option<Duration>,
    /// How bots are confined.
    pub sandbox: Sandbox,
    /// What each of them may use.
    pub limits: Limits,
}

/// A match has been decided on by the store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decided {
    /// Its id.
    pub id: u64,
    /// Whether it is stored now, and was not before.
    pub new: bool,
}

/// A connected coordinator.
#[derive(Debug)]
pub struct Coordinator {
    runtime: tokio::runtime::Runtime,
    server: Server,
    access: Access,
    settings: Settings,
}

/// Why a league cannot be given to a fleet.
#[derive(Debug, thiserror::Error)]
pub enum CannotShip {
    /// A bot that is a command.
    #[error(
        "bot `{bot}` is a command of this machine; a fleet needs the bot's directory\n  \
         put its files into a directory with a bot.toml in it (see `arena new`), and name that"
    )]
    NoDirectory {
        /// Its name.
        bot: String,
    },
    /// A person.
    #[error("bot `{bot}` is a person; people play with `arena play` or `arena serve`")]
    Person {
        /// Its name.
        bot: String,
    },
    /// Its directory cannot be packed.
    #[error("bot `{bot}` cannot be sent to workers: {error}")]
    Archive {
        /// Its name.
        bot: String,
        /// Why.
        error: ArchiveError,
    },
    /// A lease that a match can outlast.
    #[error("a lease of {} ms is too short: a match can be {} ms without a ply", lease.as_millis(), longest.as_millis())]
    ShortLease {
        /// What was asked for.
        lease: Duration,
        /// The least.
        longest: Duration,
    },
}

impl Coordinator {
    /// Connects to the server.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn connect(access: Access, settings: Settings) -> Result<Coordinator, ServerError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| ServerError::Unreachable {
                url: access.shown(),
                problem: error.to_string(),
            })?;
        let server = runtime.block_on(access.connect("arena coordinator"))?;
        Ok(Coordinator {
            runtime,
            server,
            access,
            settings,
        })
    }

    /// Where the server is, as it may be shown.
    pub fn shown(&self) -> String {
        self.access.shown()
    }

    /// Packs the bots of a tournament, and says what workers have to know of it.
    ///
    /// # Errors
    /// [`CannotShip`].
    pub fn ship(&self, tournament: &Tournament, settings: tournament::Settings) -> Result<Shipment, CannotShip> {
        let (plan, fleet) = (&tournament.plan, &self.settings);
        let longest = longest_without_ply(&plan.time);
        if let Some(lease) = fleet.lease
            && lease < longest
        {
            return Err(CannotShip::ShortLease { lease, longest });
        }
        let mut archives = BTreeMap::new();
        let bots = plan.bots.iter().zip(&tournament.programs).map(|(spec, program)| {
            let content = program.resolved.content.clone();
            let bot = || spec.name.clone();
            let archive = match &spec.launch {
                Launch::House { .. } => None,
                Launch::Person => return Err(CannotShip::Person { bot: bot() }),
                Launch::Command(_) if spec.dir.is_some() && config::is_bot(&program.resolved.dir) => {
                    let packed = Archive::pack(&program.resolved.dir);
                    let Archive { hash, bytes } = packed.map_err(|error| CannotShip::Archive { bot: bot(), error })?;
                    archives.insert(hash.clone(), bytes);
                    Some(hash)
                }
                Launch::Command(_) => return Err(CannotShip::NoDirectory { bot: bot() }),
            };
            Ok(Shipped { content, archive })
        });
        let bots = bots.collect::<Result<_, _>>()?;
        let lease = fleet.lease.unwrap_or_else(|| LEASE_MIN.max(longest + LEASE_MORE));
        Ok(Shipment {
            archives,
            lease,
            descriptor: Descriptor {
                arena: env!("CARGO_PKG_VERSION").to_owned(),
                plan: plan.clone(),
                bots,
                sandbox: fleet.sandbox,
                limits: fleet.limits,
                threads: settings.threads,
                transcripts: settings.transcripts,
                guard: settings.guard,
                lease_ms: lease.as_millis() as u64,
                only: fleet.only.clone(),
                tries_max: fleet.tries_max,
                parked_bots: Vec::new(),
            },
        })
    }

    /// Plays every match that `pairings` still give out on the workers, until there are no more, `stop` says so, or `sink`
    /// takes no more. `decided` tells of every match that the store has decided on; `said` is told what people should
    /// know.
    ///
    /// # Errors
    /// When the server refuses what is needed at the start.
    pub fn run(
        self,
        tournament: &Arc<Tournament>,
        pairings: Pairings,
        shipment: Shipment,
        stop: &watch::Receiver<Stop>,
        outlets: Outlets<'_>,
        decided: mpsc::UnboundedReceiver<Decided>,
    ) -> Result<tournament::Report, Trouble> {
        let Coordinator {
            runtime,
            server,
            settings,
            ..
        } = self;
        runtime.block_on(async {
            let mut run = Run::begin(server, tournament, pairings, shipment, &settings, outlets).await?;
            run.until_over(stop.clone(), decided).await;
            run.end().await;
            Ok(tournament::Report {
                parked: run.ledger.parked().to_vec(),
                ..tournament::Report::default()
            })
        })
    }
}

/// Where a coordinator's news go.
#[derive(Clone, Copy)]
pub struct Outlets<'a> {
    /// Results.
    pub store: &'a WriterHandle,
    /// What other processes and the screen look at.
    pub live: &'a Live,
    /// What people should know.
    pub said: &'a (dyn Fn(String) + Sync),
}

/// What workers need of a tournament.
#[derive(Debug)]
pub struct Shipment {
    archives: BTreeMap<String, Vec<u8>>,
    descriptor: Descriptor,
    lease: Duration,
}

/// The longest that a healthy match can be without a ply: a start of all its bots, or a move.
fn longest_without_ply(time: &TimeControl) -> Duration {
    let by_wall = time.wall_ms_max;
    let longest = match (time.move_ms_max, time.bank_ms) {
        _ if by_wall.is_some() => by_wall.unwrap_or_default(),
        (Some(most), _) => most,
        (None, Some(bank)) => bank + time.increment_ms,
        (None, None) => time.hang_ms_max,
    };
    let most = (longest + time.grace_ms).max(time.start_ms_max);
    let scaled = time.reference_speed_milli.is_some();
    Duration::from_millis(if scaled { most * FACTOR_MAX as u64 } else { most })
}

/// A message of results on its way into the store.
struct Pending {
    message: Message,
    /// Matches that the store has not decided on yet.
    left: usize,
}

struct Run<'a> {
    server: Server,
    tournament: &'a Tournament,
    pairings: Pairings,
    descriptor: Descriptor,
    /// What its records have in common where they are made.
    common: Common,
    archives: BTreeMap<String, Vec<u8>>,
    lease: Duration,
    plan: String,
    outlets: Outlets<'a>,
    ledger: Ledger,
    /// What is to be sent out again before anything new.
    again: Vec<Vec<Scheduled>>,
    /// What the pairings have given, and is not out.
    ahead: Option<Scheduled>,
    /// Matches whose results were there before they went out.
    early: HashSet<u64>,
    pending: HashMap<usize, Pending>,
    /// The messages that wait for a match.
    waiting: HashMap<u64, VecDeque<usize>>,
    next_pending: usize,
    workers: Crew,
    unfit: BTreeMap<String, (Option<String>, String)>,
    differing: HashSet<(String, String)>,
    /// Since when nobody plays, and what was said of that last.
    nobody_since: Option<Instant>,
    told_nobody: Option<String>,
    /// Since when nobody plays although there are workers that could not.
    idle_since: Option<Instant>,
    rate: Rate,
    stored: u64,
    before: u64,
    /// The time that matches took, averaged with more weight on the newest; microseconds.
    match_us: f64,
    refused: u64,
    repeated: u64,
    compared: Instant,
    /// What the server has is being looked up.
    looking: Option<Looking>,
    reported: Instant,
    /// The server has been away since the last comparison.
    was_away: bool,
    /// Messages that were there when the run began: what is in them need not go out.
    waiting_for: u64,
    began: Instant,
}

impl<'a> Run<'a> {
    async fn begin(
        server: Server,
        tournament: &'a Tournament,
        pairings: Pairings,
        shipment: Shipment,
        settings: &Settings,
        outlets: Outlets<'a>,
    ) -> Result<Run<'a>, Trouble> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let before = pairings.stored();
        let mut run = Run {
            server,
            tournament,
            pairings,
            plan: tournament.id.to_string(),
            common: shipment.descriptor.common(),
            descriptor: shipment.descriptor,
            archives: shipment.archives,
            lease: shipment.lease,
            outlets,
            // A coordinator that comes after this one begins higher: it has other numbers.
            ledger: Ledger::new(since.as_micros() as u64, settings.tries_max),
            again: Vec::new(),
            ahead: None,
            early: HashSet::new(),
            pending: HashMap::new(),
            waiting: HashMap::new(),
            next_pending: 0,
            workers: Crew::default(),
            unfit: BTreeMap::new(),
            differing: HashSet::new(),
            nobody_since: None,
            told_nobody: None,
            idle_since: None,
            rate: Rate::default(),
            stored: 0,
            before,
            match_us: 0.0,
            refused: 0,
            repeated: 0,
            compared: Instant::now(),
            looking: None,
            reported: Instant::now(),
            was_away: false,
            waiting_for: 0,
            began: Instant::now(),
        };
        run.server.make_work_consumer(&run.plan, run.lease).await?;
        // What was delivered to an earlier coordinator, and never acknowledged, would come late: a new consumer begins with
        // all that is there.
        run.server.drop_result_consumer(&run.plan).await;
        let mut results = run.server.result_consumer(&run.plan, RESULTS_WAIT).await?;
        run.waiting_for = results.info().await.map_err(|error| error.to_string())?.num_pending;
        run.upload().await?;
        run.adopt().await?;
        run.describe().await?;
        Ok(run)
    }

    /// Puts the archives where workers find them.
    async fn upload(&self) -> Result<(), Trouble> {
        let files = self.server.files().await?;
        for (hash, bytes) in &self.archives {
            // Of one that was deleted the server still knows that.
            if files.info(hash).await.is_ok_and(|info| !info.deleted) {
                continue;
            }
            let mut bytes = bytes.as_slice();
            files
                .put(&**hash, &mut bytes)
                .await
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Takes over what an earlier coordinator of this plan has left with the server.
    async fn adopt(&mut self) -> Result<(), Trouble> {
        let done = self.pairings.clone();
        for issue in self.server.issues(&self.plan).await? {
            let Some(payload) = self.server.work(&self.plan, issue).await? else {
                continue;
            };
            let open = serde_json::from_slice::<Batch>(&payload).ok().map(|batch| {
                let open = batch.matches.into_iter();
                open.filter(|scheduled| !done.is_stored(scheduled.id) && !self.ledger.is_out(scheduled.id.0))
                    .collect::<Vec<_>>()
            });
            match open {
                Some(open) if !open.is_empty() => self.ledger.adopt(issue, open),
                // Everything in it is stored, or it is none of ours.
                _ => self.server.take_back(&self.plan, Some(issue)).await?,
            }
        }
        Ok(())
    }

    async fn describe(&self) -> Result<(), Trouble> {
        let payload = serde_json::to_vec(&self.descriptor).expect("a descriptor has string keys only");
        self.server
            .publish(server::plan_subject(&self.plan), payload.into())
            .await
    }

    async fn until_over(&mut self, mut stop: watch::Receiver<Stop>, mut decided: mpsc::UnboundedReceiver<Decided>) {
        let (sender, mut results) = mpsc::channel(16);
        let pulling = tokio::spawn(pull(self.server.clone(), self.plan.clone(), sender));
        let mut claims = self.listen(server::claim_subject(&self.plan)).await;
        let mut reports = self.listen(server::worker_subject("*")).await;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut withdrawn = false;
        loop {
            // As long as the store has too much to do, nothing more is read.
            let takes = !self.outlets.store.is_full();
            tokio::select! {
                biased;
                Some(one) = decided.recv() => {
                    self.decide(one).await;
                    while let Ok(one) = decided.try_recv() {
                        self.decide(one).await;
                    }
                }
                // Before results, so that a newer lease is known before what was made under an older one is judged.
                Some(message) = claims.next() => self.claim(&message.payload),
                Some(message) = results.recv(), if takes => {
                    if !self.take(message).await {
                        break;
                    }
                }
                Some(message) = reports.next() => self.hear(&message.payload),
                seen = next_seen(&mut self.looking) => self.compare(seen),
                _ = tick.tick() => {}
                _ = stop.changed() => {}
            }
            let stopped = *stop.borrow();
            match stopped {
                Stop::No if self.waiting_for > 0 && self.began.elapsed() < FIRST_RESULTS => continue,
                Stop::No => self.send_out().await,
                Stop::AfterMatches => {
                    if !std::mem::replace(&mut withdrawn, true) {
                        self.withdraw().await;
                    }
                    if self.ledger.matches_claimed() == 0 {
                        break;
                    }
                }
                Stop::Now => break,
            }
            if self.is_over() {
                break;
            }
            self.look_round().await;
        }
        pulling.abort();
        // What the store has been given is decided on soon, and then acknowledged.
        let _ = timeout(Duration::from_secs(10), async {
            while !self.waiting.is_empty() {
                let Some(one) = decided.recv().await else { break };
                self.decide(one).await;
            }
        })
        .await;
    }

    async fn listen(&self, subject: String) -> Subscriber {
        loop {
            match self.server.client.subscribe(subject.clone()).await {
                Ok(subscriber) => return subscriber,
                Err(_) => sleep(AGAIN).await,
            }
        }
    }

    /// Nothing is out and nothing comes next: all is played, or the rest hangs on what was given up.
    fn is_over(&self) -> bool {
        self.ahead.is_none() && self.again.is_empty() && self.ledger.matches_out() == 0
    }

    /// Sends out as much as the workers can play soon.
    async fn send_out(&mut self) {
        if !self.server.is_connected() {
            return;
        }
        let jobs = self.workers.jobs(&self.plan);
        let rotations = self.rotations_a_batch(jobs);
        let batches = if jobs == 0 {
            BATCHES_AT_FIRST
        } else {
            1 + BATCHES_A_JOB * jobs
        };
        let window = batches * (rotations * self.pairings.rotation_len()) as usize;
        let mut out = Vec::new();
        while let Some(matches) = self.again.pop() {
            out.push(matches);
        }
        while self.ledger.matches_out() + out.iter().map(Vec::len).sum::<usize>() < window {
            let (batch, more) = self.next_batch(rotations);
            if !batch.is_empty() {
                out.push(batch);
            }
            if !more {
                break;
            }
        }
        let sent = out.into_iter().map(|matches| {
            let batch = Batch {
                issue: self.ledger.issue(matches.clone()),
                matches,
            };
            (
                batch.issue,
                serde_json::to_vec(&batch).expect("a batch has string keys only"),
            )
        });
        // All on their way before the first answer is waited for.
        let sent = sent.map(|(issue, payload)| (server::work_subject(&self.plan, issue), payload));
        let sent: Vec<_> = sent.collect();
        let sent = sent
            .into_iter()
            .map(|(subject, payload)| self.server.publish(subject, payload.into()));
        let arrived = join_all(sent).await;
        // What has not arrived is missed at the next comparison.
        self.was_away |= arrived.iter().any(Result::is_err);
    }

    /// So many rotations that a batch takes some time, and less of it towards the end, so that all workers end together.
    fn rotations_a_batch(&self, jobs: usize) -> u64 {
        if self.match_us == 0.0 {
            return 1;
        }
        let rotation_len = self.pairings.rotation_len();
        let rotation_us = self.match_us * rotation_len as f64;
        let played_in = |time: Duration| (time.as_micros() as f64 / rotation_us) as u64;
        let given_out = self.before + self.stored + self.ledger.matches_out() as u64;
        let left = self.pairings.matches_max().saturating_sub(given_out) / rotation_len;
        let share = left / (2 * jobs.max(1) as u64);
        share
            .clamp(played_in(BATCH_TIME_MIN), played_in(BATCH_TIME))
            .clamp(1, BATCH_MAX)
    }

    /// The next whole rotations; and whether there are more now.
    fn next_batch(&mut self, rotations: u64) -> (Vec<Scheduled>, bool) {
        let mut batch: Vec<Scheduled> = Vec::new();
        let mut begun = BTreeSet::new();
        loop {
            if self.ahead.is_none() {
                self.ahead = match self.pairings.next() {
                    Next::Match(scheduled) => Some(scheduled),
                    Next::Wait | Next::End => None,
                };
            }
            let Some(scheduled) = &self.ahead else {
                return (batch, false);
            };
            let (id, rotation) = (scheduled.id.0, scheduled.rotation);
            let is_open = !self.ledger.is_out(id) && !self.early.remove(&id);
            if is_open && !begun.contains(&rotation) && begun.len() as u64 == rotations {
                return (batch, true);
            }
            let scheduled = self.ahead.take().expect("it has been looked at");
            if !is_open {
                continue;
            }
            if scheduled
                .bots
                .iter()
                .any(|bot| self.descriptor.parked_bots.contains(bot))
            {
                self.ledger.park(&[scheduled], NO_START);
                continue;
            }
            begun.insert(rotation);
            batch.push(scheduled);
        }
    }

    fn claim(&mut self, payload: &[u8]) {
        if let Ok(claim) = serde_json::from_slice::<Claim>(payload) {
            self.ledger.claim(claim.issue, claim.lease, &claim.worker);
        }
    }

    fn hear(&mut self, payload: &[u8]) {
        if let Ok(report) = serde_json::from_slice::<WorkerReport>(payload) {
            self.workers.note(report, Instant::now());
        }
    }

    /// Takes a message of results in. `false`: the store takes no more.
    async fn take(&mut self, message: Message) -> bool {
        self.waiting_for = self.waiting_for.saturating_sub(1);
        let key = self.next_pending;
        self.next_pending += 1;
        let mut left = 0;
        let text = match self.server.read_results(&message).await {
            Ok(payload) => payload.and_then(|payload| unpack(&payload)).unwrap_or_default(),
            // It comes again.
            Err(trouble) => {
                self.say(format!("a message of results cannot be read now: {trouble}"));
                return true;
            }
        };
        let mut lines = text.lines();
        let sender = lines
            .next()
            .and_then(|first| serde_json::from_str::<Sender>(first).ok());
        let archives = || self.descriptor.bots.iter().map(|bot| &bot.archive);
        match sender {
            Some(sender) if sender.plan == self.plan && sender.archives.iter().eq(archives()) => {
                let worker = format!("worker `{}` on `{}`", sender.host.worker, sender.host.name);
                while let Some(line) = lines.next() {
                    match self.take_item(serde_json::from_str(line), &mut lines, &sender, &worker) {
                        Taken::No => {}
                        Taken::Delivered(id) => {
                            left += 1;
                            self.waiting.entry(id).or_default().push_back(key);
                        }
                        Taken::StoreEnded => return false,
                    }
                }
            }
            Some(sender) => self.say(format!(
                "results of worker `{}` on `{}` refused: they are of another plan, or of other programs",
                sender.host.worker, sender.host.name
            )),
            None => self
                .say("a message of results cannot be read and is left out; what it told of is played again".to_owned()),
        }
        if left == 0 {
            self.server.acknowledge_results(&message).await;
        } else {
            self.pending.insert(key, Pending { message, left });
        }
        true
    }

    /// Takes an item in, with the lines after it that belong to it.
    fn take_item<'t>(
        &mut self,
        item: serde_json::Result<Item>,
        lines: &mut impl Iterator<Item = &'t str>,
        sender: &Sender,
        worker: &str,
    ) -> Taken {
        let item = match item {
            Ok(item) => item,
            Err(error) => {
                self.say(format!("{worker}: a result that cannot be read: {error}"));
                return Taken::No;
            }
        };
        match item {
            Item::Ended { issue, lease } => {
                return match serde_json::from_str::<Packed>(lines.next().unwrap_or_default()) {
                    Ok(packed) => self.take_match(issue, lease, packed, sender, worker),
                    Err(what) => {
                        self.say(format!("{worker}: a record that cannot be read: {what}"));
                        Taken::No
                    }
                };
            }
            Item::Void(void) => {
                // Where storing has failed the next match that is delivered says so.
                let _ = self.outlets.store.submit_void(void);
            }
            Item::Failed {
                issue,
                lease,
                on_board,
                tries,
                cause,
            } => {
                let cause = match self.ledger.held_before(issue) {
                    // The one that tells has but come after it.
                    Some(before) if on_board.is_empty() => {
                        format!("worker `{before}` has not finished what it was given: {cause}")
                    }
                    _ => format!("{worker}: {cause}"),
                };
                if let Some(failed) = self.ledger.fail(issue, lease, &on_board, tries, &cause) {
                    let again = failed.again.iter().flatten().map(|scheduled| scheduled.id);
                    let again: Vec<String> = again.map(|id| id.to_string()).collect();
                    let mut text = cause;
                    if !on_board.is_empty() {
                        let on_board: Vec<String> = on_board.iter().map(u64::to_string).collect();
                        text += &format!("; on the board: {}", on_board.join(", "));
                    }
                    if !again.is_empty() {
                        text += &format!("; played again: {}", again.join(", "));
                    }
                    self.say(text);
                    for parked in &failed.parked {
                        self.say(format!("parked: {parked}"));
                    }
                    self.again.extend(failed.again);
                }
            }
            Item::GaveBack { issue, lease } => self
                .again
                .extend(self.ledger.give_back(issue, lease).into_iter().flatten()),
            Item::Unfit { bot, why } => {
                let what = bot.as_ref().map_or(String::new(), |bot| format!("bot `{bot}`: "));
                if self
                    .unfit
                    .insert(sender.host.worker.clone(), (bot, why.clone()))
                    .is_none()
                {
                    self.say(format!("{worker} does not play: {what}{why}"));
                }
            }
            Item::Differs { bots } => {
                for bot in bots {
                    if self.differing.insert((sender.host.worker.clone(), bot.clone())) {
                        self.say(format!(
                            "{worker} runs bot `{bot}` by another program than this machine: another interpreter, or another \
                             build of the same files"
                        ));
                    }
                }
            }
        }
        Taken::No
    }

    fn take_match(&mut self, issue: u64, lease: u64, mut packed: Packed, sender: &Sender, worker: &str) -> Taken {
        let id = packed.score.r#match;
        let hang_on_results = self.pairings.hang_on_results();
        match self.ledger.judge(id, issue, lease) {
            Judged::Counts => {}
            Judged::Stale {
                lease: newer,
                worker: holder,
            } => {
                self.refused += 1;
                let holder = holder.map_or_else(String::new, |holder| format!(" by worker `{holder}`"));
                self.say(format!(
                    "{worker}: match {id} refused: its lease {lease} has run out, lease {newer} is held{holder}"
                ));
                return Taken::No;
            }
            Judged::Reissued => {
                self.refused += 1;
                return Taken::No;
            }
            // An earlier coordinator has sent it out. Whether it is stored is for the store to say, unless later pairings
            // hang on it: then it has to be in its turn.
            Judged::NotOut if hang_on_results => {
                self.repeated += 1;
                return Taken::No;
            }
            Judged::NotOut => {
                self.early.insert(id);
            }
        }
        packed.set_host(sender.host.clone());
        if let Err(what) = self.check(&packed) {
            self.early.remove(&id);
            self.say(format!("{worker}: match {id} refused: {what}"));
            return Taken::No;
        }
        if hang_on_results
            && let Err(misfit) = self
                .pairings
                .settle(MatchId(id), &packed.score.bots, &packed.score.places)
        {
            self.say(format!("match {id}: {misfit}"));
        }
        let took_us = packed.took_us as f64;
        if self.outlets.store.submit_packed(packed, &self.common).is_err() {
            return Taken::StoreEnded;
        }
        self.match_us = if self.match_us == 0.0 {
            took_us
        } else {
            0.95 * self.match_us + 0.05 * took_us
        };
        self.ledger.settle(id);
        Taken::Delivered(id)
    }

    /// Whether a record is of the match that was sent out under its id, and whole.
    fn check(&self, packed: &Packed) -> Result<(), String> {
        let score = &packed.score;
        let id = score.r#match;
        let scheduled = self.pairings.schedule().filter(|schedule| id < schedule.len());
        let planned = match self.ledger.scheduled(id) {
            Some(out) => Some(Cow::Borrowed(out)),
            None => scheduled.map(|schedule| Cow::Owned(schedule.get(MatchId(id)))),
        };
        let planned = planned.ok_or("there is no such match")?;
        if score.bots != planned.bots || packed.seed != planned.seed || score.rotation != planned.rotation {
            return Err("it is not the match that was sent out".to_owned());
        }
        packed.check()
    }

    /// The store has decided on a match: what waits for it may be acknowledged.
    async fn decide(&mut self, decided: Decided) {
        if decided.new {
            self.stored += 1;
            self.outlets.live.note_ended();
        } else {
            self.repeated += 1;
        }
        let Some(keys) = self.waiting.get_mut(&decided.id) else {
            return;
        };
        let key = keys.pop_front();
        if keys.is_empty() {
            self.waiting.remove(&decided.id);
        }
        let Some(key) = key else { return };
        let pending = self
            .pending
            .get_mut(&key)
            .expect("a match waits for a message that is kept");
        pending.left -= 1;
        if pending.left == 0 {
            let pending = self.pending.remove(&key).expect("it was there");
            self.server.acknowledge_results(&pending.message).await;
        }
    }

    /// Gives out nothing more: workers finish what is on their boards.
    async fn withdraw(&mut self) {
        let _ = self.server.withdraw(&self.plan).await;
        let _ = self.server.take_back(&self.plan, None).await;
    }

    async fn look_round(&mut self) {
        let now = Instant::now();
        if now - self.reported >= REPORT_EVERY {
            self.reported = now;
            self.report(now).await;
            self.tell_of_idleness(now);
            self.give_up_bots(now).await;
        }
        if now - self.compared >= COMPARE_EVERY && self.looking.is_none() {
            self.compared = now;
            self.was_away |= !self.server.is_connected();
            if self.was_away && self.make_whole().await.is_err() {
                return;
            }
            // Beside everything else: a busy server may think for a second about what it has.
            self.looking = Some(tokio::spawn(look(
                self.server.clone(),
                self.plan.clone(),
                self.ledger.next_issue(),
            )));
        }
    }

    /// The server may have been started on older data, or on none: makes it have what it should.
    async fn make_whole(&mut self) -> Result<(), Trouble> {
        self.server.make_streams().await?;
        self.server.make_work_consumer(&self.plan, self.lease).await?;
        self.upload().await?;
        self.describe().await?;
        self.was_away = false;
        Ok(())
    }

    /// Compares what is out with what the server has. What it has lost goes out again.
    fn compare(&mut self, seen: Result<Seen, Trouble>) {
        let Ok(Seen {
            plan: true,
            issues,
            before,
            coming,
        }) = seen
        else {
            self.was_away = true;
            return;
        };
        if coming == 0 {
            let lost = self.ledger.lost(&issues, before);
            if !lost.is_empty() {
                let lost: usize = lost.iter().map(Vec::len).sum();
                self.say(format!("the server has lost {lost} matches; they are sent out again"));
            }
            self.again.extend(lost);
        }
    }

    async fn report(&mut self, now: Instant) {
        self.rate.note(self.stored, now);
        let parked = self.ledger.parked().to_vec();
        let all = &self.tournament.pairings;
        let report = RunReport {
            plan: self.plan.clone(),
            game: self.descriptor.plan.game.name.clone(),
            host: store::host(),
            done: self.before + self.stored,
            planned: (all.matches_min() == all.matches_max()).then(|| all.matches_max()),
            rate: self.rate.per_second(),
            out: self.ledger.matches_out() as u64,
            claimed: self.ledger.matches_claimed() as u64,
            parked,
            refused: self.refused,
            repeated: self.repeated,
        };
        let subject = server::run_subject(&self.plan);
        self.server
            .tell(
                subject,
                serde_json::to_vec(&report).expect("a report has string keys only"),
            )
            .await;
        self.outlets.live.tell_fleet(FleetNow {
            workers: self.workers.of_plan(&self.plan, now),
            out: report.out,
            claimed: report.claimed,
            parked: report.parked,
            refused: report.refused,
            repeated: report.repeated,
            server_away: !self.server.is_connected(),
        });
    }

    /// Says that nobody plays, and why.
    fn tell_of_idleness(&mut self, now: Instant) {
        if self.workers.jobs(&self.plan) > 0 {
            (self.nobody_since, self.told_nobody) = (None, None);
            return;
        }
        if now - *self.nobody_since.get_or_insert(now) < NOBODY_TOLD || !self.server.is_connected() {
            return;
        }
        let why = self.workers.idleness(now);
        if self.told_nobody.as_ref() != Some(&why) {
            self.say(format!("nobody plays: {why}"));
            self.told_nobody = Some(why);
        }
    }

    /// Where nobody plays, because a bot cannot be started anywhere, its matches are given up and the others played.
    async fn give_up_bots(&mut self, now: Instant) {
        if self.workers.jobs(&self.plan) > 0 || self.unfit.is_empty() {
            self.idle_since = None;
            return;
        }
        if now - *self.idle_since.get_or_insert(now) < NOBODY_PLAYS {
            return;
        }
        self.idle_since = None;
        let names: BTreeMap<String, String> = std::mem::take(&mut self.unfit)
            .into_values()
            .filter_map(|(bot, why)| Some((bot?, why)))
            .collect();
        for (name, why) in names {
            let Some(place) = self.descriptor.plan.bots.iter().position(|bot| bot.name == name) else {
                continue;
            };
            if self.descriptor.parked_bots.contains(&place) {
                continue;
            }
            self.descriptor.parked_bots.push(place);
            self.say(format!(
                "bot `{name}` cannot be started by any worker; its matches are parked: {why}"
            ));
            for issue in self.ledger.park_bots(&[place], NO_START) {
                let _ = self.server.take_back(&self.plan, Some(issue)).await;
            }
            for matches in std::mem::take(&mut self.again) {
                if matches.iter().any(|scheduled| scheduled.bots.contains(&place)) {
                    self.ledger.park(&matches, NO_START);
                } else {
                    self.again.push(matches);
                }
            }
        }
        if self.describe().await.is_err() {
            self.was_away = true;
        }
    }

    fn say(&self, text: String) {
        (self.outlets.said)(text);
    }

    /// Leaves nothing of the plan with the server, unless results may still come for it.
    async fn end(&mut self) {
        self.withdraw().await;
        if self.ledger.matches_out() == 0 {
            let _ = self.server.drop_results(&self.plan).await;
            self.server.drop_consumers(&self.plan).await;
            self.drop_archives().await;
        }
        let _ = timeout(Duration::from_secs(2), self.server.client.flush()).await;
    }

    /// Archives that no other plan names are not needed any more.
    async fn drop_archives(&self) {
        let (Ok(plans), Ok(files)) = (self.server.plans().await, self.server.files().await) else {
            return;
        };
        let needed: HashSet<String> = plans
            .into_iter()
            .flat_map(|(_, descriptor)| descriptor.bots)
            .filter_map(|bot| bot.archive)
            .collect();
        for hash in self.archives.keys().filter(|hash| !needed.contains(*hash)) {
            let _ = files.delete(hash).await;
        }
    }
}

/// What the server has of a plan.
struct Seen {
    /// Its descriptor.
    plan: bool,
    /// These issues, to be played or being played.
    issues: BTreeSet<u64>,
    /// All of them were sent out before this one.
    before: u64,
    /// So many messages of results that nobody has asked for.
    coming: u64,
}

type Looking = tokio::task::JoinHandle<Result<Seen, Trouble>>;

async fn look(server: Server, plan: String, before: u64) -> Result<Seen, Trouble> {
    let mut results = server.result_consumer(&plan, RESULTS_WAIT).await?;
    Ok(Seen {
        plan: server.plan(&plan).await?.is_some(),
        issues: server.issues(&plan).await?.into_iter().collect(),
        before,
        coming: results.info().await.map_err(|error| error.to_string())?.num_pending,
    })
}

async fn next_seen(looking: &mut Option<Looking>) -> Result<Seen, Trouble> {
    let Some(task) = looking else {
        return std::future::pending().await;
    };
    let seen = task.await;
    *looking = None;
    seen.unwrap_or_else(|error| Err(error.to_string()))
}

/// Why the matches of a bot that no worker can start are given up.
const NO_START: &str = "a bot of it cannot be started by any worker";

/// What has become of one result.
enum Taken {
    /// Nothing that the store has to decide on.
    No,
    /// The store decides on this match.
    Delivered(u64),
    /// The store takes no more.
    StoreEnded,
}

/// Asks for results for ever, whatever happens to the server meanwhile.
async fn pull(server: Server, plan: String, to: mpsc::Sender<Message>) {
    loop {
        if let Ok(consumer) = server.result_consumer(&plan, RESULTS_WAIT).await {
            loop {
                let asked = consumer
                    .batch()
                    .max_messages(32)
                    .expires(Duration::from_secs(5))
                    .messages()
                    .await;
                let Ok(mut batch) = asked else { break };
                let lasts = Duration::from_secs(8);
                let whole = loop {
                    match timeout(lasts, batch.next()).await {
                        Ok(Some(Ok(message))) => {
                            if to.send(message).await.is_err() {
                                return;
                            }
                        }
                        Ok(None) => break true,
                        Ok(Some(Err(_))) | Err(_) => break false,
                    }
                };
                if !whole {
                    break;
                }
            }
        }
        sleep(AGAIN).await;
    }
}
