//! What is asked once and of everything, for a report.

use mancala_arena_protocol::FaultCode;
use rusqlite::{Connection, params};

use super::row::{SCORE_COLUMNS, decode_score_into, empty_score, get_json, list_of_numbers};
use super::{Store, StoreError};
use crate::config::Limits;
use crate::record::{FaultRecord, HostRecord, MatchScore};

/// The results file as it was at one moment: until this is dropped, the store it was taken of reads nothing newer.
#[derive(Debug)]
pub struct Snapshot<'a>(&'a Connection);

/// A match with the time of each of its plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TimedMatch {
    /// Who, how it ended, points.
    pub score: MatchScore,
    /// How many faults were made.
    pub faults: u64,
    /// How long it took, microseconds.
    pub elapsed_us: u64,
    /// By ply: who moved, 0-based.
    pub seats: Vec<u8>,
    /// By ply: the time it took, microseconds.
    pub ply_us: Vec<u64>,
}

/// A match with the machine that it was played on.
#[derive(Clone, PartialEq, Debug)]
pub struct HostedMatch {
    /// Who, how it ended, points.
    pub score: MatchScore,
    /// How many faults were made.
    pub faults: u64,
    /// Whether one of them was a late move.
    pub late: bool,
    /// The machine, where it is not the one that keeps the results.
    pub host: Option<HostRecord>,
}

/// One time that matches of a plan were played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredRun {
    /// The version of the arena.
    pub arena: String,
    /// Matches side by side.
    pub jobs: u64,
    /// The layers of the sandbox that the bots were in.
    pub layers: Vec<String>,
    /// What each bot might use there.
    pub limits: Limits,
    /// When it began, milliseconds since 1970 UTC.
    pub started_ms: u64,
}

impl Store {
    /// Holds what is read from now on to the state of this moment, while others may go on writing.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.connection
            .execute_batch("BEGIN")
            .map_err(|error| self.cannot_read(error))?;
        Ok(Snapshot(&self.connection))
    }

    /// Each time that matches of a plan were played, the first one first.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn runs(&self, plan: &str) -> Result<Vec<StoredRun>, StoreError> {
        let key = self.known_plan_key(plan)?;
        let sql = "SELECT 0, arena, jobs, sandbox, limits, started_ms FROM run WHERE plan = ?1 ORDER BY key";
        let mut runs = Vec::new();
        self.each_row::<StoreError>(sql, params![key], |row| {
            let text = |at: usize| row.get::<_, String>(at).map_err(|error| self.cannot_read(error));
            let number = |at: usize| row.get::<_, i64>(at).map_err(|error| self.cannot_read(error));
            runs.push(StoredRun {
                arena: text(1)?,
                jobs: number(2)? as u64,
                layers: serde_json::from_str(&text(3)?).unwrap_or_default(),
                limits: serde_json::from_str(&text(4)?).unwrap_or_default(),
                started_ms: number(5)? as u64,
            });
            Ok(())
        })?;
        Ok(runs)
    }

    /// Calls `each` with every match of a plan and the times of its plies, in the order of the ids.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn timed_matches<E: From<StoreError>>(
        &self,
        plan: &str,
        mut each: impl FnMut(&TimedMatch) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!(
            "SELECT {SCORE_COLUMNS}, m.faults, m.elapsed_us, t.seats, t.elapsed_us \
             FROM match m JOIN transcript t ON t.match = m.key WHERE m.plan = ?1 ORDER BY m.id"
        );
        let key = self.known_plan_key(plan)?;
        let mut timed = TimedMatch {
            score: empty_score(),
            faults: 0,
            elapsed_us: 0,
            seats: Vec::new(),
            ply_us: Vec::new(),
        };
        self.each_row(&sql, params![key], |row| {
            self.decoded(row, |row| {
                let number = |at: usize| row.get::<_, i64>(at).map_err(|error| error.to_string());
                let bytes = |at: usize| {
                    let value = row.get_ref(at).map_err(|error| error.to_string())?;
                    value.as_bytes().map_err(|error| error.to_string())
                };
                decode_score_into(row, &mut timed.score)?;
                timed.faults = number(11)? as u64;
                timed.elapsed_us = number(12)? as u64;
                timed.seats.clear();
                timed
                    .seats
                    .extend(bytes(13)?.iter().map(|digit| digit.wrapping_sub(b'0')));
                list_of_numbers(bytes(14)?, &mut timed.ply_us).map_err(|error| format!("times: {error}"))?;
                let (seats, plies) = (timed.score.bots.len(), timed.seats.len());
                if timed.ply_us.len() != plies || timed.seats.iter().any(|seat| usize::from(*seat) >= seats) {
                    return Err(format!(
                        "{plies} plies with {} times, of {seats} seats",
                        timed.ply_us.len()
                    ));
                }
                Ok(())
            })?;
            each(&timed)
        })
    }

    /// Calls `each` with every match of a plan and the machine that it was played on, in the order of the ids.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn hosted_matches<E: From<StoreError>>(
        &self,
        plan: &str,
        mut each: impl FnMut(&HostedMatch) -> Result<(), E>,
    ) -> Result<(), E> {
        #[derive(Default, serde::Deserialize)]
        struct Details {
            #[serde(default)]
            faults: Vec<Fault>,
            #[serde(default)]
            host: Option<HostRecord>,
        }
        #[derive(serde::Deserialize)]
        struct Fault {
            code: FaultCode,
        }
        let sql = format!(
            "SELECT {SCORE_COLUMNS}, m.faults, t.details \
             FROM match m JOIN transcript t ON t.match = m.key WHERE m.plan = ?1 ORDER BY m.id"
        );
        let key = self.known_plan_key(plan)?;
        let mut hosted = HostedMatch {
            score: empty_score(),
            faults: 0,
            late: false,
            host: None,
        };
        self.each_row(&sql, params![key], |row| {
            self.decoded(row, |row| {
                decode_score_into(row, &mut hosted.score)?;
                let faults: i64 = row.get(11).map_err(|error| error.to_string())?;
                let details = row.get_ref(12).map_err(|error| error.to_string())?;
                let details = details
                    .as_bytes_or_null()
                    .map_err(|error| format!("details: {error}"))?;
                let details: Details = match details {
                    Some(text) => serde_json::from_slice(text).map_err(|error| format!("details: {error}"))?,
                    None => Details::default(),
                };
                hosted.faults = faults as u64;
                hosted.late = details.faults.iter().any(|fault| fault.code == FaultCode::Late);
                hosted.host = details.host;
                Ok(())
            })?;
            each(&hosted)
        })
    }

    /// Calls `each` with every fault of a plan, its match and its bot's place in the plan, in the order of the matches' ids.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn faults<E: From<StoreError>>(
        &self,
        plan: &str,
        mut each: impl FnMut(u64, usize, &FaultRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        #[derive(serde::Deserialize)]
        struct Details {
            #[serde(default)]
            faults: Vec<FaultRecord>,
        }
        let sql = "SELECT m.id, m.bots, t.details FROM match m JOIN transcript t ON t.match = m.key \
                   WHERE m.plan = ?1 AND m.faults > 0 AND t.details IS NOT NULL ORDER BY m.id";
        let key = self.known_plan_key(plan)?;
        self.each_row(sql, params![key], |row| {
            let (id, bots, details) = self.decoded(row, |row| {
                let id: i64 = row.get(0).map_err(|error| error.to_string())?;
                let bots: Vec<usize> = get_json(row, "bots")?;
                let details: Details = get_json(row, "details")?;
                match details
                    .faults
                    .iter()
                    .find(|fault| usize::from(fault.seat) >= bots.len())
                {
                    Some(fault) => Err(format!("a fault of seat index {}, of {} seats", fault.seat, bots.len())),
                    None => Ok((id as u64, bots, details)),
                }
            })?;
            details
                .faults
                .iter()
                .try_for_each(|fault| each(id, bots[usize::from(fault.seat)], fault))
        })
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Nothing was written, so nothing is lost where this fails; the connection is of no use then anyway.
        let _ = self.0.execute_batch("COMMIT");
    }
}
