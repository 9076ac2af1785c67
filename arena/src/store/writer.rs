//! The thread that stores matches, many in one commit.
//!
//! A commit waits for the disk, and costs the same for one match as for a hundred. So the thread, once a match has come
//! in, lets others gather for [`GATHER`], and commits them together. What has been announced is on the disk.
//!
//! Whoever hands a match over encodes it and keeps the record: the threads that play are many, this one is alone.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use super::row::{Common, Encoded, Packed};
use super::{Store, StoreError};
use crate::record::{FaultRecord, MatchScore, Record, Transcript, VoidRecord};

/// How long matches gather before they are committed together. Also the most that is announced late, beyond the commit
/// itself, when matches come in one by one.
const GATHER: Duration = Duration::from_millis(50);

/// So many matches waiting to be stored, by their weight, are too many ([`WriterHandle::is_full`]): enough for instant
/// bots to play on while a commit takes long, and a few MB.
const WAITING_MAX: usize = 2_048;

/// The most matches in one commit.
const GROUP_MAX: usize = 1_024;

/// What has become of submitted matches.
#[derive(Debug)]
pub enum WriterEvent {
    /// The match is on the disk, and may be announced.
    Stored(Box<StoredMatch>),
    /// A match of this id was stored before; the file is as it was.
    AlreadyStored(Box<StoredMatch>),
    /// A match is void; that is on the disk, and the match is played again.
    Void(VoidRecord),
    /// Storing has failed and ended. Matches submitted and not announced are not in the file.
    Failed(StoreError),
}

/// What is told of a match that has been stored.
#[derive(Debug)]
pub struct StoredMatch {
    /// Its light row.
    pub score: MatchScore,
    /// The faults made, in order.
    pub faults: Vec<FaultRecord>,
}

/// The writer's thread and the way to it.
#[derive(Debug)]
pub struct Writer {
    handle: WriterHandle,
    thread: JoinHandle<Option<Store>>,
}

/// Hands matches to a [`Writer`]: one for each thread that plays.
#[derive(Clone, Debug)]
pub struct WriterHandle {
    to: Sender<Job>,
    common: Arc<Common>,
    /// The weight of the matches that have been submitted and not been decided on yet.
    waiting: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum Job {
    Store(Box<Encoded>),
    Void(VoidRecord),
    Finish,
}

impl Writer {
    pub(super) fn start(
        store: Store,
        plan_id: &str,
        mut on_event: impl FnMut(WriterEvent) + Send + 'static,
    ) -> Result<Writer, StoreError> {
        let common = Arc::new(store.common(plan_id)?);
        let (to, jobs) = channel();
        let plan_key = store.known_plan_key(plan_id)?;
        let waiting = Arc::new(AtomicUsize::new(0));
        let decided = Arc::clone(&waiting);
        let mut store = store;
        let thread = thread::Builder::new()
            .name("store".to_owned())
            .spawn(
                move || match write_all(&mut store, plan_key, &jobs, &decided, &mut on_event) {
                    Ok(()) => Some(store),
                    Err(error) => {
                        on_event(WriterEvent::Failed(error));
                        None
                    }
                },
            )
            .expect("a thread can be started");
        Ok(Writer {
            handle: WriterHandle { to, common, waiting },
            thread,
        })
    }

    /// A way to hand matches over.
    pub fn handle(&self) -> WriterHandle {
        self.handle.clone()
    }

    /// See [`WriterHandle::submit`].
    ///
    /// # Errors
    /// As there.
    pub fn submit(&self, record: &Record) -> Result<(), StoreError> {
        self.handle.submit(record)
    }

    /// Stores what has been submitted and ends the thread; a later submission is refused. Gives the store back, still
    /// open for writing.
    ///
    /// # Errors
    /// [`StoreError::WriterEnded`] when storing has failed, as [`WriterEvent::Failed`] has told.
    pub fn finish(self) -> Result<Store, StoreError> {
        // A writer that has failed takes no more jobs; what it returns says so.
        let _ = self.handle.to.send(Job::Finish);
        self.thread.thread().unpark();
        let store = self.thread.join().expect("the storing thread does not panic");
        store.ok_or(StoreError::WriterEnded)
    }
}

impl WriterHandle {
    /// Hands a match over to be stored.
    ///
    /// # Errors
    /// [`StoreError::Foreign`] for a record of another plan; [`StoreError::WriterEnded`].
    pub fn submit(&self, record: &Record) -> Result<(), StoreError> {
        self.submit_with(record, None)
    }

    /// As [`WriterHandle::submit`], with the match's transcript where that is kept.
    ///
    /// # Errors
    /// As there.
    pub fn submit_with(&self, record: &Record, transcript: Option<&Transcript>) -> Result<(), StoreError> {
        self.send(self.common.pack(record, transcript)?)
    }

    /// As [`WriterHandle::submit`], a match that was packed where `common` was known of the plan, and has been checked.
    ///
    /// # Errors
    /// [`StoreError::WriterEnded`].
    pub fn submit_packed(&self, packed: Packed, common: &Common) -> Result<(), StoreError> {
        self.send(self.common.adopt(packed, common))
    }

    fn send(&self, packed: Packed) -> Result<(), StoreError> {
        let encoded = Box::new(packed.encode());
        self.waiting.fetch_add(encoded.weight(), Ordering::Relaxed);
        self.to.send(Job::Store(encoded)).map_err(|_| StoreError::WriterEnded)
    }

    /// Hands over that a match is void.
    ///
    /// # Errors
    /// [`StoreError::WriterEnded`].
    pub fn submit_void(&self, void: VoidRecord) -> Result<(), StoreError> {
        self.to.send(Job::Void(void)).map_err(|_| StoreError::WriterEnded)
    }

    /// Whether so many matches wait to be stored that no new one should begin.
    pub fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) >= WAITING_MAX
    }
}

fn write_all(
    store: &mut Store,
    plan_key: i64,
    jobs: &Receiver<Job>,
    waiting: &AtomicUsize,
    on_event: &mut impl FnMut(WriterEvent),
) -> Result<(), StoreError> {
    let (mut group, mut voids): (Vec<Box<Encoded>>, _) = (Vec::new(), Vec::new());
    let mut finishing = false;
    while !finishing {
        // No sender left counts as told to finish.
        let first = jobs.recv().unwrap_or(Job::Finish);
        if matches!(first, Job::Store(..)) && waiting.load(Ordering::Relaxed) < GROUP_MAX {
            // Woken before the time by `finish`, and now and then by chance: then the group is smaller.
            thread::park_timeout(GATHER);
        }
        for job in std::iter::once(first).chain(jobs.try_iter().take(GROUP_MAX - 1)) {
            match job {
                Job::Store(encoded) => group.push(encoded),
                Job::Void(void) => voids.push(void),
                Job::Finish => finishing = true,
            }
        }
        let stored = commit(&mut store.connection, plan_key, &group, &voids)
            .map_err(|error| StoreError::sql(&store.path, "store matches in", error))?;
        let weight = group.iter().map(|encoded| encoded.weight()).sum();
        waiting.fetch_sub(weight, Ordering::Relaxed);
        voids.drain(..).for_each(|void| on_event(WriterEvent::Void(void)));
        for (encoded, stored) in group.drain(..).zip(stored) {
            let Packed { score, details, .. } = encoded.packed;
            let told = Box::new(StoredMatch {
                score,
                faults: details.faults,
            });
            on_event(if stored {
                WriterEvent::Stored(told)
            } else {
                WriterEvent::AlreadyStored(told)
            });
        }
    }
    Ok(())
}

/// Stores a group and voids, all or nothing, and says which matches of the group were new.
fn commit(
    connection: &mut Connection,
    plan_key: i64,
    group: &[Box<Encoded>],
    voids: &[VoidRecord],
) -> rusqlite::Result<Vec<bool>> {
    if group.is_empty() && voids.is_empty() {
        return Ok(Vec::new());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let stored = group
        .iter()
        .map(|encoded| insert(&transaction, plan_key, encoded))
        .collect::<rusqlite::Result<Vec<bool>>>()?;
    for void in voids {
        insert_void(&transaction, plan_key, void)?;
    }
    transaction.commit()?;
    Ok(stored)
}

fn insert_void(connection: &Connection, plan_key: i64, void: &VoidRecord) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO void (plan, id, seat, ply, reason, late_us, stalled_us, at_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            plan_key,
            void.r#match as i64,
            void.seat,
            void.ply,
            void.reason.as_str(),
            void.late_us as i64,
            void.stalled_us as i64,
            void.at_ms as i64,
        ])?;
    Ok(())
}

fn insert(connection: &Connection, plan_key: i64, encoded: &Encoded) -> rusqlite::Result<bool> {
    let Encoded { packed, .. } = encoded;
    let score = &packed.score;
    let new = connection
        .prepare_cached(
            "INSERT INTO match (plan, id, rotation, bots, places, points, forfeits, end, plies, faults, moves, time_us, \
                                fingerprint, started_ms, elapsed_us) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
             ON CONFLICT (plan, id) DO NOTHING",
        )?
        .execute(params![
            plan_key,
            score.r#match as i64,
            score.rotation as i64,
            encoded.bots,
            encoded.places,
            encoded.points,
            encoded.forfeits,
            score.end.as_str(),
            score.plies,
            packed.details.faults.len() as i64,
            encoded.moves_by_seat,
            encoded.time_by_seat,
            score.fingerprint as i64,
            packed.started_ms as i64,
            packed.took_us as i64,
        ])?;
    if new == 0 {
        return Ok(false);
    }
    let key = connection.last_insert_rowid();
    connection
        .prepare_cached(
            "INSERT INTO transcript (match, seed, opening, seats, moves, elapsed_us, details) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            key,
            packed.seed as i64,
            packed.opening,
            packed.seats,
            packed.moves,
            packed.elapsed_us,
            encoded.details,
        ])?;
    if let Some(lines) = &packed.dialogue {
        connection
            .prepare_cached("INSERT INTO dialogue (match, lines) VALUES (?1, ?2)")?
            .execute(params![key, lines])?;
    }
    Ok(true)
}
