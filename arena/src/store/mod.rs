//! The results file: one SQLite database with plans, bots and every match that was played. Only this module holds SQL.
//!
//! A match is stored once, under its plan and its id; storing it again does nothing. One [`Store`] at a time may write
//! to a file: it holds the lock beside the file, and a [`Writer`] thread commits in groups. Any number may read
//! meanwhile. It knows no rules: whether a record is right is for [`crate::record::replay`].
//!
//! What a reader would get wrong: a match is safe when the writer has *said* so ([`WriterEvent::Stored`]), not when it
//! has been submitted.

mod done;
mod error;
mod file;
mod lock;
mod merge;
mod read;
mod row;
mod schema;
mod survey;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension, params};

use crate::config::{Limits, Plan};

pub use done::DoneSet;
pub use error::StoreError;
use file::Extent;
pub use file::Journal;
pub use lock::{beside, host};
pub use merge::{MergeError, Merged, check_part};
pub use read::{Filter, MatchSummary, StoredPlan};
pub use row::{Common, Packed};
pub use survey::{HostedMatch, Snapshot, StoredRun, TimedMatch};
pub use writer::{StoredMatch, Writer, WriterEvent, WriterHandle};

/// An open results file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    journal: Journal,
    /// Held while this store may write.
    lock: Option<lock::Lock>,
}

/// A bot of a plan, as the file knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBot {
    /// Its name in the plan.
    pub name: String,
    /// The content hash of its program, where there is one.
    pub content: Option<String>,
}

/// A bot whose program is not the one that the plan's stored matches were played with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedBot {
    /// Its name in the plan.
    pub name: String,
    /// The content hash in the file.
    pub stored: Option<String>,
    /// The content hash now.
    pub found: Option<String>,
}

impl Store {
    /// Opens the results file at `path` for writing, and creates it when there is none. A file of an older version
    /// is brought up to date, after a copy of it has been made.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process (or another store of this one) writes to it; otherwise what is
    /// wrong with the file, which is then left as it is.
    pub fn open_to_write(path: &Path) -> Result<Store, StoreError> {
        let lock = lock::Lock::take(path)?;
        let (connection, journal) = file::open_to_write(path, schema::MIGRATIONS)?;
        Ok(Store {
            path: path.to_owned(),
            connection,
            journal,
            lock: Some(lock),
        })
    }

    /// Opens an existing results file for reading.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; otherwise what is wrong with the file, which is then left as it is.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        Store::open_reading(path, Extent::Whole)
    }

    /// As [`Store::open`], also where the end of the file is missing: to look at what is left.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn open_damaged(path: &Path) -> Result<Store, StoreError> {
        Store::open_reading(path, Extent::WhatIsThere)
    }

    fn open_reading(path: &Path, extent: Extent) -> Result<Store, StoreError> {
        let known = schema::MIGRATIONS.len();
        let connection = match file::open_to_read(path, known, extent)? {
            Some(connection) => connection,
            None => {
                // Made by an older version: whoever may write brings it up to date first.
                drop(Store::open_to_write(path)?);
                file::open_to_read(path, known, extent)?.expect("the file has just been brought up to date")
            }
        };
        let journal = file::journal(&connection).map_err(|error| StoreError::sql(path, "read", error))?;
        Ok(Store {
            path: path.to_owned(),
            connection,
            journal,
            lock: None,
        })
    }

    /// The file's path, as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the file keeps its commits whole: [`Journal::Rollback`] where the file system allows nothing better.
    pub fn journal(&self) -> Journal {
        self.journal
    }

    /// Adds `plan`, with the content hash of each bot's program by its place in the plan. A plan that the file knows is
    /// left as it is; the answer names its bots whose program has changed since.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be written.
    pub fn add_plan(&mut self, plan: &Plan, contents: &[Option<String>]) -> Result<Vec<ChangedBot>, StoreError> {
        assert_eq!(
            plan.bots.len(),
            contents.len(),
            "one content hash, or none, for each bot"
        );
        let id = plan.id();
        if self.plan_key(&id)?.is_some() {
            let stored = self.bots(&id)?.into_iter().zip(contents);
            let changed = stored.filter(|(bot, content)| bot.content != **content);
            return Ok(changed
                .map(|(bot, content)| ChangedBot {
                    name: bot.name,
                    stored: bot.content,
                    found: content.clone(),
                })
                .collect());
        }
        insert_plan(&mut self.connection, plan, &id, contents)
            .map(|()| Vec::new())
            .map_err(|error| StoreError::sql(&self.path, "add the plan to", error))
    }

    /// Notes that matches of the plan `id` are going to be played: by how many jobs, in which layers of the sandbox, under
    /// which limits, with which programs.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be written.
    pub fn add_run(
        &mut self,
        id: &str,
        jobs: usize,
        layers: &[&str],
        limits: &Limits,
        programs: &[&Path],
    ) -> Result<(), StoreError> {
        let key = self.known_plan_key(id)?;
        self.connection
            .execute(
                "INSERT INTO run (plan, arena, jobs, sandbox, limits, programs, started_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    key,
                    env!("CARGO_PKG_VERSION"),
                    jobs as i64,
                    json(&layers),
                    json(limits),
                    json(&programs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>()),
                    now_ms()
                ],
            )
            .map(drop)
            .map_err(|error| StoreError::sql(&self.path, "add the run to", error))
    }

    /// Starts the thread that stores matches of the plan `id`, which the file must know. `on_event` is called on that
    /// thread.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`].
    ///
    /// # Panics
    /// When the store was opened for reading.
    pub fn into_writer(
        self,
        id: &str,
        on_event: impl FnMut(WriterEvent) + Send + 'static,
    ) -> Result<Writer, StoreError> {
        assert!(self.lock.is_some(), "only a store that was opened for writing writes");
        Writer::start(self, id, on_event)
    }

    /// The key that other tables know the plan by.
    fn plan_key(&self, id: &str) -> Result<Option<i64>, StoreError> {
        self.connection
            .query_row("SELECT key FROM plan WHERE id = ?1", [id], |row| row.get(0))
            .optional()
            .map_err(|error| StoreError::sql(&self.path, "read", error))
    }

    fn known_plan_key(&self, id: &str) -> Result<i64, StoreError> {
        self.plan_key(id)?.ok_or_else(|| StoreError::UnknownPlan {
            path: self.path.clone(),
            id: id.to_owned(),
        })
    }
}

fn insert_plan(
    connection: &mut Connection,
    plan: &Plan,
    id: &str,
    contents: &[Option<String>],
) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute(
        "INSERT INTO plan (id, plan, arena, created_ms) VALUES (?1, ?2, ?3, ?4)",
        params![id, json(plan), env!("CARGO_PKG_VERSION"), now_ms()],
    )?;
    let key = transaction.last_insert_rowid();
    for (place, (bot, content)) in plan.bots.iter().zip(contents).enumerate() {
        transaction.execute(
            "INSERT INTO bot (plan, place, name, content, launch) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![key, place as i64, bot.name, content, json(&bot.launch)],
        )?;
    }
    transaction.commit()
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what is stored has string keys only")
}
