//! What the tables of the page need, in memory: the tally of each plan and an index of its matches.
//!
//! A thread of its own reads what has been added to the results file, about once a second while somebody asks, and nothing
//! twice: a million matches are read once, in about a second, and what a running tournament adds costs next to nothing.
//! Tables are computed there too: of every plan once when it has been read, so that whoever asks first need not wait, then
//! of those that are asked for, and at most for a [`COMPUTING_SHARE_MAX`] of the time: a page that is open must not slow
//! down the tournament that it shows.
//!
//! What a reader would get wrong: the index has the ids, bots and ends of matches, so that any filter is one pass over
//! memory; the file needs no index for it, which would cost every tournament, watched or not. The rows themselves are
//! read from the file by their ids.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use mancala_arena_rules::SEATS_MAX;

use super::reply::Reply;
use crate::rating::{CrossTable, Standings, Tally, head_to_head};
use crate::record::{End, MatchScore};
use crate::store::{Store, StoreError, StoredPlan};
use crate::tournament::Pairings;

/// How often the file is looked at while somebody asks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Nobody asks any more when nobody has asked for so long.
const ASKED: Duration = Duration::from_secs(5);

/// The most of the time that standings may be computed in.
const COMPUTING_SHARE_MAX: f64 = 0.01;

/// What was looked up so long ago, or computed of fewer matches so long ago, is old.
const OLD: Duration = Duration::from_secs(2);

/// Who asks when all is old, because nobody has asked for a while, waits so long for what is new.
const NEWER: Duration = Duration::from_millis(30);

/// Matches that are read in one go; requests are answered in between.
const BATCH: u32 = 20_000;

/// The results of a file.
#[derive(Debug)]
pub struct Results {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    state: RwLock<State>,
    asked: Mutex<Asked>,
    /// The thread has something to do.
    wake: Condvar,
    /// The thread has done something.
    done: Condvar,
}

/// Which file it is, whatever its name: device and inode.
pub type FileId = (u64, u64);

/// What is known.
#[derive(Debug, Default)]
pub struct State {
    /// In the order in which they were added.
    pub plans: Vec<PlanResults>,
    /// Everything that was there has been read.
    pub is_read: bool,
    /// Why the file cannot be read now.
    pub error: Option<String>,
    /// When the file was last looked at.
    looked: Option<Instant>,
}

/// What is known of a plan.
#[derive(Debug)]
pub struct PlanResults {
    /// The plan, with its matches when it was first seen.
    pub stored: StoredPlan,
    /// How many matches it has, where that is known before they are played.
    pub planned: Option<u64>,
    /// The bots by their place in the plan.
    pub names: Vec<String>,
    tally: Tally,
    index: Vec<Entry>,
    tables: Option<Arc<Tables>>,
}

/// What has been computed from the matches of a plan.
#[derive(Debug)]
pub struct Tables {
    /// The standings.
    pub standings: Standings,
    /// The same, ready to be sent.
    pub reply: Reply,
    /// Who scored what against whom.
    pub pairs: CrossTable,
    /// Of so many matches.
    matches: u64,
    at: Instant,
    took: Duration,
}

/// A match in the index.
#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u64,
    bots: [u16; SEATS_MAX],
    seats: u8,
    end: End,
    has_faults: bool,
}

/// Which matches of a plan; the default is all.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wanted {
    /// With this bot, by its place in the plan.
    pub bot: Option<usize>,
    /// And this one.
    pub opponent: Option<usize>,
    /// With a fault.
    pub with_faults: bool,
    /// That ended like this.
    pub end: Option<End>,
}

/// Which part of a list, newest first.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The newest.
    First,
    /// From the first below this id on.
    Before(u64),
    /// Those that come just before the one with this id in the list.
    After(u64),
}

/// A part of a list of matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Ids, the newest first.
    pub ids: Vec<u64>,
    /// Whether there are older ones.
    pub older: bool,
    /// Whether there are newer ones.
    pub newer: bool,
    /// How many there are in all.
    pub total: u64,
}

/// What is asked for.
#[derive(Debug, Default)]
struct Asked {
    /// When somebody last asked for anything.
    last: Option<Instant>,
    /// For the tables of a plan.
    tables: HashMap<String, Instant>,
}

impl Asked {
    fn wants_tables(&self, plan: &PlanResults) -> bool {
        let asked = self.tables.get(&plan.stored.id);
        asked.is_some_and(|asked| asked.elapsed() < ASKED)
    }
}

impl Results {
    /// Of the file that `store` has open. Begins to read.
    pub fn of(store: Store) -> Results {
        let shared = Arc::new(Shared {
            path: store.path().to_owned(),
            state: RwLock::default(),
            asked: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
        });
        let reading = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("results".to_owned())
            .spawn(move || Reader::new(reading, store).run())
            .expect("a thread can be started");
        Results { shared }
    }

    /// What is known now. To be let go of soon: reading waits for it.
    pub fn state(&self) -> RwLockReadGuard<'_, State> {
        self.shared.ask(|_| ());
        self.wait(NEWER, State::is_new);
        self.shared.state()
    }

    /// Waits until all that was in the file has been read and the tables of its last plan are there, or so long.
    pub fn wait_until_read(&self, patience: Duration) {
        self.wait(patience, |state| state.is_read || state.error.is_some());
        let last = self.shared.state().plans.last().map(|plan| plan.stored.id.clone());
        if let Some(plan) = last {
            self.tables(&plan, patience);
        }
    }

    /// The tables of a plan; `None` when there are none after so long. They may be of some time ago; while they are asked
    /// for they are brought up to date.
    pub fn tables(&self, plan: &str, patience: Duration) -> Option<Arc<Tables>> {
        self.shared.ask(|asked| {
            asked.tables.insert(plan.to_owned(), Instant::now());
        });
        let found = |state: &State| state.plan(plan)?.tables.clone();
        let is_new = |state: &State| state.is_new() && state.plan(plan).is_none_or(PlanResults::has_new_tables);
        self.wait(NEWER, is_new);
        self.wait(patience, |state| found(state).is_some() || state.error.is_some());
        found(&self.shared.state())
    }

    fn wait(&self, patience: Duration, until: impl Fn(&State) -> bool) {
        let began = Instant::now();
        let mut asked = self.shared.asked();
        // The thread tells of what it has done under the same lock, so that no change is missed.
        while !until(&self.shared.state()) {
            let Some(left) = patience.checked_sub(began.elapsed()) else {
                return;
            };
            let waited = self.shared.done.wait_timeout(asked, left);
            asked = waited.expect("nobody panics while asking").0;
        }
    }
}

impl Shared {
    fn ask(&self, note: impl FnOnce(&mut Asked)) {
        let mut asked = self.asked();
        note(&mut asked);
        asked.last = Some(Instant::now());
        self.wake.notify_one();
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().expect("nobody panics while asking")
    }

    fn state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().expect("nobody panics while changing the state")
    }

    /// Changes what is known, and tells those who wait for it.
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.write().expect("nobody panics while changing the state"));
        drop(self.asked());
        self.done.notify_all();
    }
}

impl State {
    /// The plan with this id.
    pub fn plan(&self, id: &str) -> Option<&PlanResults> {
        self.plans.iter().find(|plan| plan.stored.id == id)
    }

    fn is_new(&self) -> bool {
        self.error.is_some() || self.looked.is_some_and(|looked| looked.elapsed() < OLD)
    }
}

impl PlanResults {
    fn new(stored: StoredPlan) -> PlanResults {
        let names: Vec<String> = stored.bots.iter().map(|bot| bot.name.clone()).collect();
        PlanResults {
            planned: planned(&stored),
            tally: Tally::new(names.len()),
            names,
            index: Vec::with_capacity(stored.matches as usize),
            tables: None,
            stored,
        }
    }

    /// How many matches are known of.
    pub fn matches(&self) -> u64 {
        self.index.len() as u64
    }

    fn has_new_tables(&self) -> bool {
        let tables = self.tables.as_deref();
        tables.is_some_and(|tables| tables.matches == self.matches() || tables.at.elapsed() < OLD)
    }

    /// The place of a bot in the plan, by its name.
    pub fn bot(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The mean time of a bot's moves, microseconds.
    pub fn move_us_mean(&self, bot: usize) -> Option<f64> {
        self.tally.bot(bot).move_us_mean()
    }

    /// Whether its tables are to be computed again.
    fn is_due(&self) -> bool {
        let Some(tables) = &self.tables else { return true };
        let pause = tables.took.div_f64(COMPUTING_SHARE_MAX);
        tables.matches != self.matches() && tables.at.elapsed() >= pause
    }

    /// A part of the list of the matches that are wanted.
    pub fn page(&self, wanted: Wanted, part: Part, limit: usize) -> Page {
        let fits = |entry: &&Entry| entry.fits(&wanted);
        let ids = |entries: &mut dyn Iterator<Item = &Entry>| -> Vec<u64> {
            entries.take(limit).map(|entry| entry.id).collect()
        };
        let (mut ids, edge) = match part {
            Part::After(id) => {
                let from = self.index.partition_point(|entry| entry.id <= id);
                let mut ids = ids(&mut self.index[from..].iter().filter(fits));
                ids.reverse();
                (ids, Some(id))
            }
            Part::Before(_) | Part::First => {
                let to = match part {
                    Part::Before(id) => self.index.partition_point(|entry| entry.id < id),
                    _ => self.index.len(),
                };
                (ids(&mut self.index[..to].iter().rev().filter(fits)), None)
            }
        };
        ids.shrink_to_fit();
        let (mut total, mut newer, mut older) = (0, 0, 0);
        let (first, last) = (ids.first().copied().or(edge), ids.last().copied().or(edge));
        for entry in self.index.iter().filter(fits) {
            total += 1;
            newer += u64::from(first.is_some_and(|first| entry.id > first));
            older += u64::from(last.is_some_and(|last| entry.id < last));
        }
        Page {
            ids,
            older: older > 0,
            newer: newer > 0,
            total,
        }
    }
}

/// How many matches a plan has, where that does not hang on results.
fn planned(stored: &StoredPlan) -> Option<u64> {
    let game = mancala_arena_rules::open(&stored.plan.game.name, &stored.plan.game.options).ok()?;
    let pairings = Pairings::new(&stored.plan, game.seats(), game.rotates_seats()).ok()?;
    (pairings.matches_min() == pairings.matches_max()).then(|| pairings.matches_max())
}

impl Entry {
    fn new(score: &MatchScore, faults: u64) -> Entry {
        let mut bots = [0; SEATS_MAX];
        for (seat, bot) in bots.iter_mut().zip(&score.bots) {
            *seat = u16::try_from(*bot).expect("a plan has fewer than 65,536 bots");
        }
        Entry {
            id: score.r#match,
            bots,
            seats: score.bots.len() as u8,
            end: score.end,
            has_faults: faults > 0,
        }
    }

    fn fits(&self, wanted: &Wanted) -> bool {
        let has = |bot: Option<usize>| {
            let seats = &self.bots[..usize::from(self.seats)];
            bot.is_none_or(|bot| seats.iter().any(|seat| usize::from(*seat) == bot))
        };
        has(wanted.bot)
            && has(wanted.opponent)
            && (!wanted.with_faults || self.has_faults)
            && wanted.end.is_none_or(|end| end == self.end)
    }
}

/// The thread that reads.
struct Reader {
    shared: Arc<Shared>,
    store: Store,
    /// The one that is open.
    file: Option<FileId>,
    /// The last match read, by its key.
    last: i64,
    /// What the file said of itself when all had been read.
    changes: Option<i64>,
}

impl Reader {
    fn new(shared: Arc<Shared>, store: Store) -> Reader {
        Reader {
            file: file_id(&shared.path),
            shared,
            store,
            last: 0,
            changes: None,
        }
    }

    /// Reads for as long as the process lives: it holds nothing that has to be given back.
    fn run(mut self) {
        loop {
            let error = self
                .look()
                .err()
                .map(|error| format!("{:#}", anyhow::Error::from(error)));
            self.shared.change(|state| state.error = error);
            self.pause();
        }
    }

    /// Until the next look; while nobody asks, until somebody does.
    fn pause(&self) {
        let began = Instant::now();
        let mut asked = self.shared.asked();
        loop {
            let is_asked = asked.last.is_some_and(|last| last.elapsed() < ASKED);
            let left = LOOK_EVERY.checked_sub(began.elapsed());
            asked = match left {
                // Somebody may ask for what is not there yet.
                Some(left) if is_asked && !self.lacks(&asked) => {
                    self.shared
                        .wake
                        .wait_timeout(asked, left)
                        .expect("nobody panics while asking")
                        .0
                }
                _ if is_asked => return,
                _ => self.shared.wake.wait(asked).expect("nobody panics while asking"),
            };
        }
    }

    /// Whether somebody waits for tables that there are none of at all.
    fn lacks(&self, asked: &Asked) -> bool {
        let state = self.shared.state();
        let lacks = |plan: &PlanResults| plan.tables.is_none() && asked.wants_tables(plan);
        state.plans.iter().any(lacks)
    }

    /// Reads what is new, and computes what is asked for.
    fn look(&mut self) -> Result<(), StoreError> {
        let file = file_id(&self.shared.path);
        if file != self.file {
            // Another file has come under the name.
            self.store = Store::open(&self.shared.path)?;
            (self.file, self.last, self.changes) = (file, 0, None);
            self.shared.change(|state| *state = State::default());
        }
        let changes = self.store.changes()?;
        if self.changes != Some(changes) {
            self.read_plans()?;
            self.read_matches()?;
            self.changes = Some(changes);
        }
        self.shared.change(|state| state.looked = Some(Instant::now()));
        self.compute()
    }

    fn read_plans(&mut self) -> Result<(), StoreError> {
        let known = self.shared.state().plans.len();
        if self.store.plan_count()? > known as u64 {
            let new: Vec<_> = self
                .store
                .plans()?
                .into_iter()
                .skip(known)
                .map(PlanResults::new)
                .collect();
            self.shared.change(|state| state.plans.extend(new));
        }
        Ok(())
    }

    fn read_matches(&mut self) -> Result<(), StoreError> {
        loop {
            let (mut read, mut unknown) = (Ok(None), false);
            self.shared.change(|state| {
                read = self.store.stored_after(self.last, BATCH, |plan, score, faults| {
                    let Some(plan) = state.plans.iter_mut().find(|known| known.stored.id == plan) else {
                        unknown = true;
                        return ControlFlow::Break(());
                    };
                    plan.tally.add(score);
                    plan.index.push(Entry::new(score, faults));
                    ControlFlow::Continue(())
                });
                for plan in &mut state.plans {
                    // Nearly in order already, for which this sort needs one pass.
                    if !plan.index.is_sorted_by_key(|entry| entry.id) {
                        plan.index.sort_by_key(|entry| entry.id);
                    }
                }
            });
            let last = read?;
            self.last = last.unwrap_or(self.last);
            match (last, unknown) {
                // A plan that has just been added.
                (_, true) => self.read_plans()?,
                (Some(_), false) => {}
                (None, false) => break,
            }
        }
        self.shared.change(|state| state.is_read = true);
        Ok(())
    }

    fn compute(&mut self) -> Result<(), StoreError> {
        while let Some(at) = self.due() {
            let computed = self.tables(&self.shared.state().plans[at])?;
            self.shared
                .change(|state| state.plans[at].tables = Some(Arc::new(computed)));
        }
        Ok(())
    }

    /// The plan whose tables are to be computed now: one that is asked for, or else the newest that has none.
    fn due(&self) -> Option<usize> {
        let (asked, state) = (self.shared.asked(), self.shared.state());
        let is_due = |plan: &PlanResults| asked.wants_tables(plan) && plan.is_due();
        let wanted = state.plans.iter().position(is_due);
        wanted.or_else(|| state.plans.iter().rposition(|plan| plan.tables.is_none()))
    }

    fn tables(&self, plan: &PlanResults) -> Result<Tables, StoreError> {
        let began = Instant::now();
        let mut standings = Standings::of(&plan.names, &plan.tally, None, None);
        standings.voids = self.store.voids(&plan.stored.id)?;
        standings.adaptive = plan.stored.plan.format.hangs_on_results();
        let reply = Reply::json(&standings);
        let pairs = head_to_head(&plan.tally);
        Ok(Tables {
            standings,
            reply,
            pairs,
            matches: plan.matches(),
            at: Instant::now(),
            took: began.elapsed(),
        })
    }
}

/// The file that is at `path` now.
pub fn file_id(path: &Path) -> Option<FileId> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}
