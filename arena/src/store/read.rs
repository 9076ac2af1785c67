//! What is asked of a results file.

use std::ops::ControlFlow;

use rusqlite::{OptionalExtension, Row, params};

use super::row::{Common, RECORD_COLUMNS, SCORE_COLUMNS, decode_score, decode_score_into, empty_score};
use super::{DoneSet, Store, StoreError, StoredBot};
use crate::config::Plan;
use crate::record::{End, MatchScore, Record, Transcript};

/// A plan in the file.
#[derive(Clone, Debug)]
pub struct StoredPlan {
    /// Its id.
    pub id: String,
    /// The plan.
    pub plan: Plan,
    /// The version of the arena that added it.
    pub arena: String,
    /// When it was added, milliseconds since 1970 UTC.
    pub created_ms: u64,
    /// Its bots, by place in the plan.
    pub bots: Vec<StoredBot>,
    /// How many of its matches are stored.
    pub matches: u64,
}

/// A row of a list of matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatchSummary {
    /// Who, how it ended, points.
    pub score: MatchScore,
    /// How many faults were made.
    pub faults: u64,
    /// When it began, milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// How long it took, microseconds.
    pub elapsed_us: u64,
}

/// Which matches of a plan; the default is all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// With this bot, by its place in the plan.
    pub bot: Option<usize>,
    /// With a fault.
    pub with_faults: bool,
    /// That ended like this.
    pub end: Option<End>,
    /// At most this many, the first by id.
    pub limit: Option<u64>,
}

/// The filter's conditions, with its values as ?2 to ?5; ?1 is the plan.
const WHERE: &str = "WHERE m.plan = ?1 \
                       AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(m.bots) WHERE value = ?2)) \
                       AND (NOT ?3 OR m.faults > 0) \
                       AND (?4 IS NULL OR m.end = ?4) \
                     ORDER BY m.id LIMIT ?5";

impl Store {
    /// The plans in the file, in the order in which they were added.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn plans(&self) -> Result<Vec<StoredPlan>, StoreError> {
        /// id, plan, arena, created_ms, matches
        type PlanRow = (String, String, String, i64, i64);
        let rows = || -> rusqlite::Result<Vec<PlanRow>> {
            self.connection
                .prepare_cached(
                    "SELECT id, plan, arena, created_ms, (SELECT count(*) FROM match WHERE match.plan = plan.key) \
                     FROM plan ORDER BY key",
                )?
                .query_map([], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
                })?
                .collect()
        };
        let rows = rows().map_err(|error| self.cannot_read(error))?;
        rows.into_iter()
            .map(|(id, plan, arena, created_ms, matches)| {
                Ok(StoredPlan {
                    plan: self.parse_plan(&id, &plan)?,
                    bots: self.bots(&id)?,
                    id,
                    arena,
                    created_ms: created_ms as u64,
                    matches: matches as u64,
                })
            })
            .collect()
    }

    /// Which matches of a plan are stored.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn done(&self, plan: &str) -> Result<DoneSet, StoreError> {
        let key = self.known_plan_key(plan)?;
        let read = || -> rusqlite::Result<DoneSet> {
            self.connection
                .prepare_cached("SELECT id FROM match WHERE plan = ?1 ORDER BY id")?
                .query_map([key], |row| row.get(0).map(|id: i64| id as u64))?
                .collect()
        };
        read().map_err(|error| self.cannot_read(error))
    }

    /// How many matches of a plan were void, and played again.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn voids(&self, plan: &str) -> Result<u64, StoreError> {
        let key = self.known_plan_key(plan)?;
        self.connection
            .query_row("SELECT count(*) FROM void WHERE plan = ?1", [key], |row| {
                row.get(0).map(|count: i64| count as u64)
            })
            .map_err(|error| self.cannot_read(error))
    }

    /// The layers of the sandbox that the bots of a plan were in, one text for each way in which it was run.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn sandboxes(&self, plan: &str) -> Result<Vec<Vec<String>>, StoreError> {
        let key = self.known_plan_key(plan)?;
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self
                .connection
                .prepare("SELECT DISTINCT sandbox FROM run WHERE plan = ?1")?;
            statement.query_map([key], |row| row.get(0))?.collect()
        };
        let texts = read().map_err(|error| self.cannot_read(error))?;
        Ok(texts
            .iter()
            .map(|text| serde_json::from_str(text).unwrap_or_default())
            .collect())
    }

    /// Calls `each` with what statistics need of every match of a plan, in the order of their ids.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read, or what `each` gives.
    pub fn scores<E: From<StoreError>>(
        &self,
        plan: &str,
        mut each: impl FnMut(&MatchScore) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT {SCORE_COLUMNS} FROM match m WHERE m.plan = ?1 ORDER BY m.id");
        let key = self.known_plan_key(plan)?;
        let mut score = empty_score();
        self.each_row(&sql, params![key], |row| {
            self.decoded(row, |row| decode_score_into(row, &mut score))?;
            each(&score)
        })
    }

    /// Calls `each` with the plan's id, the light row and the number of faults of up to `limit` matches of any plan, in the
    /// order in which they were stored, from the one after `key` on, until it breaks off. Gives the key of the last one
    /// that it took.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn stored_after(
        &self,
        key: i64,
        limit: u32,
        mut each: impl FnMut(&str, &MatchScore, u64) -> ControlFlow<()>,
    ) -> Result<Option<i64>, StoreError> {
        let sql = format!(
            "SELECT {SCORE_COLUMNS}, m.faults, m.key, p.id FROM match m JOIN plan p ON p.key = m.plan \
             WHERE m.key > ?1 ORDER BY m.key LIMIT ?2"
        );
        let sql_error = |error| self.cannot_read(error);
        let mut statement = self.connection.prepare_cached(&sql).map_err(sql_error)?;
        let mut rows = statement.query(params![key, limit]).map_err(sql_error)?;
        let (mut score, mut last) = (empty_score(), None);
        while let Some(row) = rows.next().map_err(sql_error)? {
            self.decoded(row, |row| decode_score_into(row, &mut score))?;
            let faults: i64 = row.get(11).map_err(sql_error)?;
            let plan = row.get_ref(13).map_err(sql_error)?;
            let plan = plan
                .as_str()
                .map_err(|_| self.damaged("a plan's id is no text".to_owned()))?;
            if each(plan, &score, faults as u64).is_break() {
                break;
            }
            last = Some(row.get(12).map_err(sql_error)?);
        }
        Ok(last)
    }

    /// How many plans there are.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn plan_count(&self) -> Result<u64, StoreError> {
        self.connection
            .query_row("SELECT count(*) FROM plan", [], |row| {
                row.get(0).map(|count: i64| count as u64)
            })
            .map_err(|error| self.cannot_read(error))
    }

    /// A number that changes whenever somebody else has changed the file.
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn changes(&self) -> Result<i64, StoreError> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| self.cannot_read(error))
    }

    /// The rows of these matches of a plan, as far as they are stored.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn summaries(&self, plan: &str, ids: &[u64]) -> Result<Vec<MatchSummary>, StoreError> {
        let key = self.known_plan_key(plan)?;
        let sql = format!(
            "SELECT {SCORE_COLUMNS}, m.faults, m.started_ms, m.elapsed_us FROM match m WHERE m.plan = ?1 AND m.id = ?2"
        );
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            self.each_row(&sql, params![key, *id as i64], |row| -> Result<(), StoreError> {
                rows.push(self.decoded(row, decode_summary)?);
                Ok(())
            })?;
        }
        Ok(rows)
    }

    /// Calls `each` with the matches of a plan that `filter` lets through, in the order of their ids.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn matches<E: From<StoreError>>(
        &self,
        plan: &str,
        filter: &Filter,
        mut each: impl FnMut(MatchSummary) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = format!("SELECT {SCORE_COLUMNS}, m.faults, m.started_ms, m.elapsed_us FROM match m {WHERE}");
        self.each_filtered(&sql, plan, filter, |row| each(self.decoded(row, decode_summary)?))
    }

    /// Calls `each` with the records of a plan that `filter` lets through, in the order of their ids.
    ///
    /// # Errors
    /// As [`Store::scores`].
    pub fn records<E: From<StoreError>>(
        &self,
        plan: &str,
        filter: &Filter,
        mut each: impl FnMut(Record) -> Result<(), E>,
    ) -> Result<(), E> {
        let common = self.common(plan)?;
        let sql = format!("SELECT {RECORD_COLUMNS} FROM match m JOIN transcript t ON t.match = m.key {WHERE}");
        self.each_filtered(&sql, plan, filter, |row| {
            each(self.decoded(row, |row| common.decode(row))?)
        })
    }

    /// Calls `each` with the id and the record, or what is wrong with it, of every match of a plan that the index of
    /// matches has, as far as that can be read: for checking, and for saving what a damaged file still has.
    ///
    /// # Errors
    /// What `each` gives; and in the end [`StoreError`] when the index of matches could not be read to its end.
    pub fn each_readable<E: From<StoreError>>(
        &self,
        plan: &str,
        mut each: impl FnMut(u64, Result<Record, String>) -> Result<(), E>,
    ) -> Result<(), E> {
        let (key, common) = (self.known_plan_key(plan)?, self.common(plan)?);
        let (ids, stopped) = self.ids_as_far_as_they_go(key);
        for id in ids {
            let read = match self.look_up(key, &common, id) {
                Ok(Some(read)) => read,
                Ok(None) => Err("it has no transcript".to_owned()),
                Err(error) => Err(error.to_string()),
            };
            each(id, read)?;
        }
        stopped.map_or(Ok(()), |error| Err(self.cannot_read(error).into()))
    }

    fn ids_as_far_as_they_go(&self, plan_key: i64) -> (Vec<u64>, Option<rusqlite::Error>) {
        let mut ids = Vec::new();
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self
                .connection
                .prepare("SELECT id FROM match WHERE plan = ?1 ORDER BY id")?;
            let mut rows = statement.query([plan_key])?;
            while let Some(row) = rows.next()? {
                ids.push(row.get::<_, i64>(0)? as u64);
            }
            Ok(())
        };
        let stopped = read().err();
        (ids, stopped)
    }

    /// One match of a plan; `None` when it is not stored.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn record(&self, plan: &str, id: u64) -> Result<Option<Record>, StoreError> {
        match self.look_up(self.known_plan_key(plan)?, &self.common(plan)?, id) {
            Ok(Some(Ok(record))) => Ok(Some(record)),
            Ok(Some(Err(what))) => Err(self.damaged_match(id, &what)),
            Ok(None) => Ok(None),
            Err(error) => Err(self.cannot_read(error)),
        }
    }

    /// The transcript of a match; `None` when none was kept.
    ///
    /// # Errors
    /// [`StoreError::UnknownPlan`], or the file cannot be read.
    pub fn transcript(&self, plan: &str, id: u64) -> Result<Option<Transcript>, StoreError> {
        let key = self.known_plan_key(plan)?;
        let Ok(row) = i64::try_from(id) else {
            return Ok(None);
        };
        let sql = "SELECT d.lines FROM match m JOIN dialogue d ON d.match = m.key WHERE m.plan = ?1 AND m.id = ?2";
        let text: Option<String> = self
            .connection
            .query_row(sql, [key, row], |row| row.get(0))
            .optional()
            .map_err(|error| self.cannot_read(error))?;
        text.map(|text| Transcript::from_text(&text).map_err(|what| self.damaged_match(id, &what)))
            .transpose()
    }

    /// The record, or what is wrong with its rows, if it is there.
    fn look_up(&self, plan_key: i64, common: &Common, id: u64) -> rusqlite::Result<Option<Result<Record, String>>> {
        let Ok(id) = i64::try_from(id) else {
            return Ok(None);
        };
        let sql = format!(
            "SELECT {RECORD_COLUMNS} FROM match m JOIN transcript t ON t.match = m.key WHERE m.plan = ?1 AND m.id = ?2"
        );
        self.connection
            .prepare_cached(&sql)?
            .query_row([plan_key, id], |row| Ok(common.decode(row)))
            .optional()
    }

    /// What the records of a plan have in common.
    pub(super) fn common(&self, plan: &str) -> Result<Common, StoreError> {
        let plan_key = self.known_plan_key(plan)?;
        let text: String = self
            .connection
            .query_row("SELECT plan FROM plan WHERE key = ?1", [plan_key], |row| row.get(0))
            .map_err(|error| self.cannot_read(error))?;
        Ok(Common {
            plan_id: plan.to_owned(),
            game: self.parse_plan(plan, &text)?.game,
            bots: self.bots(plan)?,
        })
    }

    /// The bots of a plan, by their place in it.
    pub(super) fn bots(&self, plan: &str) -> Result<Vec<StoredBot>, StoreError> {
        let key = self.known_plan_key(plan)?;
        let read = || -> rusqlite::Result<Vec<StoredBot>> {
            self.connection
                .prepare_cached("SELECT name, content FROM bot WHERE plan = ?1 ORDER BY place")?
                .query_map([key], |row| {
                    Ok(StoredBot {
                        name: row.get(0)?,
                        content: row.get(1)?,
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.cannot_read(error))
    }

    /// What SQLite itself finds wrong with the file: damaged pages, indexes that disagree, rows that refer to nothing.
    pub fn damage(&self) -> Vec<String> {
        let mut found = Vec::new();
        type Look = fn(&Store) -> rusqlite::Result<Vec<String>>;
        let looks: [(&str, Look); 2] = [("pages", Store::damaged_pages), ("references", Store::orphaned_rows)];
        for (at, look) in looks {
            // Damage may also keep a look from reaching its end.
            match look(self) {
                Ok(lines) => found.extend(lines),
                Err(error) => found.push(format!("{at}: {error}")),
            }
        }
        found
    }

    fn damaged_pages(&self) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare("PRAGMA integrity_check")?;
        let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
        lines.filter(|line| line.as_deref() != Ok("ok")).collect()
    }

    fn orphaned_rows(&self) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare("PRAGMA foreign_key_check")?;
        let lines = statement.query_map([], |row| {
            let (table, row, parent): (String, Option<i64>, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let row = row.map_or(String::new(), |row| format!(" row {row}"));
            Ok(format!("{table}{row} refers to a {parent} that is not there"))
        })?;
        lines.collect()
    }

    fn each_filtered<E: From<StoreError>>(
        &self,
        sql: &str,
        plan: &str,
        filter: &Filter,
        each: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let values = params![
            self.known_plan_key(plan)?,
            filter.bot.map(|bot| bot as i64),
            filter.with_faults,
            filter.end.map(End::as_str),
            // SQLite takes a negative limit as none.
            filter
                .limit
                .map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX)),
        ];
        self.each_row(sql, values, each)
    }

    pub(super) fn each_row<E: From<StoreError>>(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
        mut each: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql_error = |error| E::from(self.cannot_read(error));
        let mut statement = self.connection.prepare_cached(sql).map_err(sql_error)?;
        let mut rows = statement.query(values).map_err(sql_error)?;
        while let Some(row) = rows.next().map_err(sql_error)? {
            each(row)?;
        }
        Ok(())
    }

    /// Names the match of a row that cannot be decoded.
    pub(super) fn decoded<T>(
        &self,
        row: &Row<'_>,
        decode: impl FnOnce(&Row<'_>) -> Result<T, String>,
    ) -> Result<T, StoreError> {
        decode(row).map_err(|what| match row.get::<_, i64>(0) {
            Ok(id) => self.damaged_match(id as u64, &what),
            Err(_) => self.damaged(format!("a match without an id: {what}")),
        })
    }

    fn damaged_match(&self, id: u64, what: &str) -> StoreError {
        self.damaged(format!("match {id}: {what}"))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged {
            path: self.path.clone(),
            what,
        }
    }

    fn parse_plan(&self, id: &str, text: &str) -> Result<Plan, StoreError> {
        serde_json::from_str(text).map_err(|error| self.damaged(format!("plan `{id}`: {error}")))
    }

    pub(super) fn cannot_read(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sql(&self.path, "read", error)
    }
}

/// The summary in a row of [`SCORE_COLUMNS`], faults, start and length.
fn decode_summary(row: &Row<'_>) -> Result<MatchSummary, String> {
    let number = |at: usize| {
        let number: rusqlite::Result<i64> = row.get(at);
        number.map(|number| number as u64).map_err(|error| error.to_string())
    };
    Ok(MatchSummary {
        score: decode_score(row)?,
        faults: number(11)?,
        started_ms: number(12)?,
        elapsed_us: number(13)?,
    })
}
