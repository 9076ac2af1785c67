//! The plans of the file.

use super::answers::{Plan, PlanBot, Plans};
use super::{Answer, App, Endpoint, Nothing, Places};
use crate::config::Format;
use crate::web::reply::Reply;
use crate::web::results::PlanResults;

pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new::<Nothing, Plans>(
        "/plans",
        "The plans of the file",
        plans,
    )]
}

fn plans(app: &App, _: &Places, _: Nothing) -> Answer {
    let now = app.now();
    let running = |plan: &PlanResults| now.as_ref().is_some_and(|now| now.plan == plan.stored.id);
    let state = app.results.state();
    let plans = state
        .plans
        .iter()
        .map(|plan| describe(plan, state.is_read, running(plan)));
    Ok(Reply::json(&Plans { plans: plans.collect() }))
}

fn describe(results: &PlanResults, is_read: bool, running: bool) -> Plan {
    let stored = &results.stored;
    let game = mancala_arena_rules::open(&stored.plan.game.name, &stored.plan.game.options);
    let format = match stored.plan.format {
        Format::RoundRobin => "round-robin",
        Format::Gauntlet { .. } => "gauntlet",
        Format::Swiss { .. } => "swiss",
        Format::Knockout => "knockout",
        Format::Ladder { .. } => "ladder",
    };
    let bots = stored.bots.iter().map(|bot| PlanBot {
        name: bot.name.clone(),
        content: bot.content.clone(),
    });
    Plan {
        id: stored.id.clone(),
        game: stored.plan.game.name.clone(),
        title: { game.as_ref() }.map_or_else(|_| stored.plan.game.name.clone(), |game| game.info().title.to_owned()),
        options: stored.plan.game.options.clone(),
        seats: game.map_or(0, |game| game.seats()),
        format: format.to_owned(),
        time: serde_json::to_value(stored.plan.time).expect("a time control has string keys only"),
        bots: bots.collect(),
        created_ms: stored.created_ms,
        arena: stored.arena.clone(),
        matches: if is_read { results.matches() } else { stored.matches },
        planned: results.planned,
        running,
    }
}
