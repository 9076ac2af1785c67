//! Joining results files that hold parts of the same plans.
//!
//! What is there already stays; a match that two files hold must be the same in both, its times apart. Each file is added
//! in one transaction.

use std::path::{Path, PathBuf};

use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError, StoredPlan, json};

/// What has come of adding a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Matches that are new.
    pub added: u64,
    /// Matches that were there.
    pub known: u64,
}

/// Why a file is not added. Nothing of it has been.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// It has other plans.
    #[error(
        "`{}` has plan `{found}`, expected `{expected}`{}; only parts of one plan are merged",
        path.display(), differing(differs)
    )]
    OtherPlan {
        /// The file.
        path: PathBuf,
        /// Its plan.
        found: String,
        /// That of the others.
        expected: String,
        /// In what they differ.
        differs: Vec<String>,
    },
    /// It has no plan at all.
    #[error("`{}` has no plan: nothing has been played in it", path.display())]
    NoPlan {
        /// The file.
        path: PathBuf,
    },
    /// A bot was another program there.
    #[error(
        "in `{}` bot `{bot}` is another program: content {}, expected {}; a rating is of one program",
        path.display(), content(found), content(expected)
    )]
    OtherProgram {
        /// The file.
        path: PathBuf,
        /// The bot.
        bot: String,
        /// Its content hash there.
        found: Option<String>,
        /// Its content hash in the others.
        expected: Option<String>,
    },
    /// A match that was played twice, and not alike.
    #[error(
        "match {id} of `{}` is another match than the one that is merged already: other moves or another end; \
         give each machine a --shard of its own",
        path.display()
    )]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// The match.
        id: u64,
    },
    /// One of the files cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn differing(keys: &[String]) -> String {
    if keys.is_empty() {
        String::new()
    } else {
        format!(" (they differ in: {})", keys.join(", "))
    }
}

fn content(hash: &Option<String>) -> &str {
    hash.as_deref().unwrap_or("none")
}

/// The matches of the plan ?1 of the part that are not here yet, whose key here is ?2.
const NEW: &str = "p.plan = ?1 AND NOT EXISTS (SELECT 1 FROM main.match m WHERE m.plan = ?2 AND m.id = p.id)";

/// What is copied of each table: the plan's key here is ?2, what is added to keys is ?3.
const COPIES: &[&str] = &[
    "INSERT INTO main.match (key, plan, id, rotation, bots, places, points, forfeits, end, plies, faults, moves, time_us, \
                             fingerprint, started_ms, elapsed_us) \
     SELECT p.key + ?3, ?2, p.id, p.rotation, p.bots, p.places, p.points, p.forfeits, p.end, p.plies, p.faults, p.moves, \
            p.time_us, p.fingerprint, p.started_ms, p.elapsed_us \
     FROM part.match p WHERE ",
    "INSERT INTO main.transcript (match, seed, opening, seats, moves, elapsed_us, details) \
     SELECT t.match + ?3, t.seed, t.opening, t.seats, t.moves, t.elapsed_us, t.details \
     FROM part.transcript t JOIN part.match p ON p.key = t.match WHERE ",
    "INSERT INTO main.dialogue (match, lines) \
     SELECT d.match + ?3, d.lines FROM part.dialogue d JOIN part.match p ON p.key = d.match WHERE ",
];

/// Whether a part's plans are the expected ones, and its bots the same programs.
///
/// # Errors
/// [`MergeError`], which says what does not fit.
pub fn check_part(part: &Path, plans: &[StoredPlan], expected: &[StoredPlan]) -> Result<(), MergeError> {
    let Some(first) = plans.first() else {
        return Err(MergeError::NoPlan { path: part.to_owned() });
    };
    for plan in plans {
        let Some(known) = expected.iter().find(|known| known.id == plan.id) else {
            return Err(other_plan(part, plan, &expected[0]));
        };
        for (found, expected) in plan.bots.iter().zip(&known.bots) {
            if found.content != expected.content {
                return Err(MergeError::OtherProgram {
                    path: part.to_owned(),
                    bot: found.name.clone(),
                    found: found.content.clone(),
                    expected: expected.content.clone(),
                });
            }
        }
    }
    match expected
        .iter()
        .find(|known| plans.iter().all(|plan| plan.id != known.id))
    {
        Some(missing) => Err(other_plan(part, first, missing)),
        None => Ok(()),
    }
}

impl Store {
    /// Adds all matches of the results file `part`, whose plans are `plans`.
    ///
    /// # Errors
    /// [`MergeError`]; nothing has changed then.
    pub fn merge(&mut self, part: &Path, plans: &[StoredPlan]) -> Result<Merged, MergeError> {
        let own = self.plans()?;
        if !own.is_empty() {
            check_part(part, plans, &own)?;
        }
        for plan in plans {
            let contents: Vec<_> = plan.bots.iter().map(|bot| bot.content.clone()).collect();
            self.add_plan(&plan.plan, &contents)?;
        }
        let path = self.path.clone();
        let failed = |error| StoreError::sql(&path, "merge into", error);
        self.connection
            .execute("ATTACH DATABASE ?1 AS part", [part.to_string_lossy()])
            .map_err(failed)?;
        let merged = plans.iter().try_fold(Merged::default(), |sum, plan| {
            let merged = self.merge_plan(part, &plan.id)?;
            Ok(Merged {
                added: sum.added + merged.added,
                known: sum.known + merged.known,
            })
        });
        self.connection.execute_batch("DETACH DATABASE part").map_err(failed)?;
        merged
    }

    fn merge_plan(&mut self, part: &Path, id: &str) -> Result<Merged, MergeError> {
        let here = self.known_plan_key(id)?;
        let path = self.path.clone();
        let failed = |error| StoreError::sql(&path, "merge into", error);
        let there: i64 = self
            .connection
            .query_row("SELECT key FROM part.plan WHERE id = ?1", [id], |row| row.get(0))
            .map_err(failed)?;
        if let Some(id) = self.other_match(here, there).map_err(failed)? {
            return Err(MergeError::OtherMatch {
                path: part.to_owned(),
                id: id as u64,
            });
        }
        let mut copy = || -> rusqlite::Result<Merged> {
            let transaction = self.connection.transaction()?;
            let matches: i64 =
                transaction.query_row("SELECT count(*) FROM part.match WHERE plan = ?1", [there], |row| {
                    row.get(0)
                })?;
            let last: i64 =
                transaction.query_row("SELECT coalesce(max(key), 0) FROM main.match", [], |row| row.get(0))?;
            // What hangs on matches goes first: afterwards none of them is new.
            transaction.execute_batch("PRAGMA defer_foreign_keys = ON")?;
            let mut added = 0;
            for statement in COPIES.iter().rev() {
                added = transaction.execute(&format!("{statement}{NEW}"), params![there, here, last])?;
            }
            transaction.execute(
                "INSERT INTO main.void (plan, id, seat, ply, reason, late_us, stalled_us, at_ms) \
                 SELECT ?2, id, seat, ply, reason, late_us, stalled_us, at_ms FROM part.void WHERE plan = ?1 \
                 EXCEPT SELECT plan, id, seat, ply, reason, late_us, stalled_us, at_ms FROM main.void",
                params![there, here],
            )?;
            transaction.execute(
                "INSERT INTO main.run (plan, arena, jobs, sandbox, limits, started_ms, programs) \
                 SELECT ?2, arena, jobs, sandbox, limits, started_ms, programs FROM part.run WHERE plan = ?1 \
                 EXCEPT SELECT plan, arena, jobs, sandbox, limits, started_ms, programs FROM main.run",
                params![there, here],
            )?;
            transaction.commit()?;
            Ok(Merged {
                added: added as u64,
                known: matches as u64 - added as u64,
            })
        };
        copy().map_err(|error| failed(error).into())
    }

    /// The first match that both have and that was not played alike.
    fn other_match(&self, here: i64, there: i64) -> rusqlite::Result<Option<i64>> {
        self.connection
            .query_row(
                "SELECT p.id FROM part.match p JOIN main.match m ON m.plan = ?2 AND m.id = p.id \
                 WHERE p.plan = ?1 \
                   AND (p.fingerprint, p.bots, p.places, p.points, p.forfeits, p.end, p.plies, p.faults) \
                    IS NOT (m.fingerprint, m.bots, m.places, m.points, m.forfeits, m.end, m.plies, m.faults) \
                 ORDER BY p.id LIMIT 1",
                [there, here],
                |row| row.get(0),
            )
            .optional()
    }
}

fn other_plan(part: &Path, found: &StoredPlan, expected: &StoredPlan) -> MergeError {
    let fields = |plan: &StoredPlan| -> serde_json::Map<String, serde_json::Value> {
        serde_json::from_str(&json(&plan.plan)).expect("a plan is an object")
    };
    let (there, here) = (fields(found), fields(expected));
    MergeError::OtherPlan {
        path: part.to_owned(),
        found: found.id.clone(),
        expected: expected.id.clone(),
        differs: there
            .keys()
            .filter(|key| there.get(*key) != here.get(*key))
            .cloned()
            .collect(),
    }
}
