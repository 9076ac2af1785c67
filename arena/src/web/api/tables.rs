//! Standings, and who scored what against whom.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::answers::{Bot, BotFault, Computing, Pair, Progress};
use super::{Answer, App, Endpoint, Nothing, Places, no_plan};
use crate::rating::{Line, Standings};
use crate::report::{Encounter, crosstable, ranked};
use crate::web::reply::{Failure, Reply};
use crate::web::results::{Part, Tables, Wanted};

/// So long a request waits for tables that there are none of yet.
const PATIENCE: Duration = Duration::from_millis(200);

/// Faults of a bot in one answer.
const FAULTS_MAX: usize = 50;

pub fn endpoints() -> Vec<Endpoint> {
    vec![
        Endpoint::new::<Nothing, Standings>("/plans/{plan}/standings", "The standings", standings).computing(),
        Endpoint::new::<Top, Vec<Encounter>>(
            "/plans/{plan}/crosstable",
            "Every bot against every other that it has met, row by row in the order of the standings",
            table,
        )
        .computing(),
        Endpoint::new::<Nothing, Bot>("/plans/{plan}/bots/{name}", "A bot", bot).computing(),
        Endpoint::new::<Nothing, Pair>("/plans/{plan}/pairs/{a}/{b}", "One bot against another", pair).computing(),
    ]
}

/// Which bots.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Top {
    /// Only so many bots, the first of the standings.
    top: Option<usize>,
}

fn standings(app: &App, places: &Places, _: Nothing) -> Answer {
    app.ask_run();
    match app.tables(places.get(0))? {
        Some(tables) => Ok(tables.reply.clone()),
        None => Ok(computing(app)),
    }
}

fn table(app: &App, places: &Places, Top { top }: Top) -> Answer {
    let Some(tables) = app.tables(places.get(0))? else {
        return Ok(computing(app));
    };
    let mut order = ranked(&tables.standings);
    order.truncate(top.unwrap_or(usize::MAX));
    Ok(Reply::json(&crosstable(
        &app.names(places.get(0))?,
        &order,
        &tables.pairs,
    )))
}

fn bot(app: &App, places: &Places, _: Nothing) -> Answer {
    let (plan, name) = (places.get(0), places.get(1));
    let (place, content, bots, mean_us, faulty) = {
        let state = app.results.state();
        let results = state.plan(plan).ok_or_else(|| no_plan(app, plan))?;
        let place = results.bot(name).ok_or_else(|| no_bot(name))?;
        let wanted = Wanted {
            bot: Some(place),
            with_faults: true,
            ..Wanted::default()
        };
        let faulty = results.page(wanted, Part::First, FAULTS_MAX).ids;
        let content = results.stored.bots[place].content.clone();
        (place, content, results.names.len(), results.move_us_mean(place), faulty)
    };
    let Some(tables) = app.tables(plan)? else {
        return Ok(computing(app));
    };
    let (table, line) = line(&tables.standings, place).ok_or_else(|| no_bot(name))?;
    let names = app.names(plan)?;
    let met = ranked(&tables.standings)
        .into_iter()
        .filter_map(|other| Some(Encounter::new(name, &names[other], tables.pairs.get(place, other)?)));
    Ok(Reply::json(&Bot {
        name: name.to_owned(),
        content,
        table,
        line: line.clone(),
        bots,
        mean_ms: mean_us.map(|us| us / 1_000.0),
        by_opponent: met.collect(),
        faults: faults(app, plan, name, &faulty)?,
    }))
}

/// The faults that the bot made in these matches.
fn faults(app: &App, plan: &str, name: &str, matches: &[u64]) -> Result<Vec<BotFault>, Failure> {
    app.read(|store| {
        let mut faults = Vec::new();
        for id in matches {
            let record = store.record(plan, *id)?;
            let own = record.into_iter().flat_map(|record| record.faults);
            faults.extend(
                own.filter(|fault| fault.bot == name)
                    .map(|fault| BotFault { r#match: *id, fault }),
            );
        }
        Ok(faults)
    })
}

fn pair(app: &App, places: &Places, _: Nothing) -> Answer {
    let (plan, [a, b]) = (places.get(0), [places.get(1), places.get(2)]);
    let [one, other] = {
        let state = app.results.state();
        let results = state.plan(plan).ok_or_else(|| no_plan(app, plan))?;
        let place = |name: &str| results.bot(name).ok_or_else(|| no_bot(name));
        [place(a)?, place(b)?]
    };
    let Some(tables) = app.tables(plan)? else {
        return Ok(computing(app));
    };
    let met = tables.pairs.get(one, other).map(|met| Encounter::new(a, b, met));
    let met = met.as_ref();
    let line = |bot, name| {
        line(&tables.standings, bot)
            .map(|(_, line)| line.clone())
            .ok_or_else(|| no_bot(name))
    };
    Ok(Reply::json(&Pair {
        a: a.to_owned(),
        b: b.to_owned(),
        matches: met.map_or(0, |met| met.wins + met.draws + met.losses),
        wins: met.map_or(0, |met| met.wins),
        ties: met.map_or(0, |met| met.draws),
        losses: met.map_or(0, |met| met.losses),
        score: met.map(|met| met.share),
        low: met.map(|met| met.share_low),
        high: met.map(|met| met.share_high),
        elo: met.and_then(|met| met.elo),
        elo_low: met.and_then(|met| met.elo_low),
        elo_high: met.and_then(|met| met.elo_high),
        unit: met.map(|met| met.unit),
        line_a: line(one, a)?,
        line_b: line(other, b)?,
    }))
}

/// The table that a bot is in, and its line.
fn line(standings: &Standings, bot: usize) -> Option<(usize, &Line)> {
    let mut lines = standings.tables.iter().enumerate();
    lines.find_map(|(at, table)| Some((at, table.lines.iter().find(|line| line.bot == bot)?)))
}

fn no_bot(name: &str) -> Failure {
    Failure::not_found(format!("the plan has no bot `{name}`"))
}

/// Tables are on their way.
fn computing(app: &App) -> Reply {
    let state = app.results.state();
    let progress = Progress {
        read: state.plans.iter().map(|plan| plan.matches()).sum(),
        matches: state
            .plans
            .iter()
            .map(|plan| plan.stored.matches.max(plan.matches()))
            .sum(),
    };
    Reply::json(&Computing { computing: progress }).with_status(StatusCode::ACCEPTED)
}

impl App {
    /// The tables of a plan; `None` while they are being computed for the first time.
    fn tables(&self, plan: &str) -> Result<Option<Arc<Tables>>, Failure> {
        let known = self.results.state().plan(plan).is_some();
        if !known {
            return Err(no_plan(self, plan));
        }
        Ok(self.results.tables(plan, PATIENCE))
    }

    /// The bots of a plan, by their place in it.
    fn names(&self, plan: &str) -> Result<Vec<String>, Failure> {
        let state = self.results.state();
        let results = state.plan(plan).map(|results| results.names.clone());
        drop(state);
        results.ok_or_else(|| no_plan(self, plan))
    }
}
