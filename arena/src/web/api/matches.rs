//! The list of matches, and one match.

use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{Match, Matches, Said};
use super::{Answer, App, Endpoint, Nothing, Places, no_plan};
use crate::record::{End, TranscriptLine};
use crate::report::{Film, MatchRow};
use crate::web::reply::{Failure, Reply};
use crate::web::results::{Part, Wanted};
use axum::http::StatusCode;

/// Matches in one answer, unless asked otherwise.
const LIMIT: usize = 50;

/// The most.
const LIMIT_MAX: usize = 500;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<Which, Matches>("/plans/{plan}/matches", "Matches, the newest first", list),
        Endpoint::new::<Nothing, Match>("/plans/{plan}/matches/{id}", "A match, ready to be drawn", one),
    ]
}

/// Which matches.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Which {
    /// With this bot.
    bot: Option<String>,
    /// And this one.
    opponent: Option<String>,
    /// 1: with a fault.
    faults: Option<u8>,
    /// That ended like this.
    end: Option<End>,
    /// Those whose ids are below this one.
    before: Option<u64>,
    /// Those that come just before the match of this id in the list.
    after: Option<u64>,
    /// At most so many, 1 to 500; 50 when left out.
    limit: Option<usize>,
}

#[expect(clippy::needless_pass_by_value, reason = "what an endpoint hands over")]
fn list(app: &App, places: &Places, which: Which) -> Answer {
    let plan = places.get(0);
    let part = match (which.before, which.after) {
        (None, None) => Part::First,
        (Some(id), None) => Part::Before(id),
        (None, Some(id)) => Part::After(id),
        (Some(_), Some(_)) => {
            return Err(Failure::new(
                StatusCode::BAD_REQUEST,
                "both `before` and `after`; expected one of them",
            ));
        }
    };
    let limit = which.limit.unwrap_or(LIMIT);
    if !(1..=LIMIT_MAX).contains(&limit) {
        let why = format!("`limit` is {limit}, expected 1 to {LIMIT_MAX}");
        return Err(Failure::new(StatusCode::BAD_REQUEST, why));
    }
    let (page, names) = {
        let state = app.results.state();
        let results = state.plan(plan).ok_or_else(|| no_plan(app, plan))?;
        let place = |name: Option<&String>| {
            let found = name.map(|name| {
                let place = results.bot(name);
                place.ok_or_else(|| Failure::not_found(format!("the plan has no bot `{name}`")))
            });
            found.transpose()
        };
        let wanted = Wanted {
            bot: place(which.bot.as_ref())?,
            opponent: place(which.opponent.as_ref())?,
            with_faults: which.faults.is_some_and(|faults| faults != 0),
            end: which.end,
        };
        (results.page(wanted, part, limit), results.names.clone())
    };
    let rows = app.read(|store| store.summaries(plan, &page.ids))?;
    let name = |bot: usize| names.get(bot).cloned().unwrap_or_else(|| format!("bot {bot}"));
    Ok(Reply::json(&Matches {
        matches: rows.iter().map(|row| MatchRow::new(plan, row, name)).collect(),
        next: page.ids.last().copied().filter(|_| page.older),
        previous: page.ids.first().copied().filter(|_| page.newer),
        total: page.total,
    }))
}

fn one(app: &App, places: &Places, _: Nothing) -> Answer {
    let (plan, id) = (places.get(0), places.get(1));
    let id: u64 = id
        .parse()
        .map_err(|_| Failure::not_found(format!("`{id}` is no match's id")))?;
    let found = app.read(|store| {
        let record = store.record(plan, id)?;
        let transcript = if record.is_some() {
            store.transcript(plan, id)?
        } else {
            None
        };
        Ok(record.map(|record| (record, transcript)))
    })?;
    let Some((record, transcript)) = found else {
        return Err(Failure::not_found(format!("match {id} of plan `{plan}` is not stored")));
    };
    let film = Film::of(&record).map_err(|error| {
        let why = format!("match {id} cannot be drawn: {error}; `arena verify` says what else is wrong");
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    })?;
    let said = |line: TranscriptLine| Said {
        us: line.at_us,
        seat: line.seat,
        what: line.what.as_str(),
        text: line.text,
    };
    Ok(Reply::json(&Match {
        r#match: record.r#match,
        rotation: record.rotation,
        seed: record.seed,
        seats: record.seats,
        film,
        started_ms: record.started_ms,
        elapsed_us: record.elapsed_us,
        transcript: transcript.map(|transcript| transcript.lines.into_iter().map(said).collect()),
    }))
}
