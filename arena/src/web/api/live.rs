//! What is being played now.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mancala_arena_rules::AnyGame;

use super::answers::{Live, LiveBoard};
use super::{Answer, App, Endpoint, Nothing, Places, no_plan};
use crate::report::Filming;
use crate::tournament::live::{Board, Now};
use crate::web::reply::Reply;
use crate::web::results::PlanResults;

/// An answer serves everybody who asks within this time.
const SHARED_FOR: Duration = Duration::from_millis(200);

pub fn endpoints() -> Vec<Endpoint> {
    vec![Endpoint::new::<Nothing, Live>(
        "/plans/{plan}/live",
        "What is on the boards now",
        live,
    )]
}

/// The last answer, of which plan and when.
#[derive(Debug, Default)]
pub struct Sent(Mutex<Option<(String, Instant, Reply)>>);

fn live(app: &App, places: &Places, _: Nothing) -> Answer {
    let plan = places.get(0);
    let mut sent = app.live.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, at, reply)) = &*sent
        && of == plan
        && at.elapsed() < SHARED_FOR
    {
        return Ok(reply.clone());
    }
    let now = app.now().filter(|now| now.plan == plan);
    let state = app.results.state();
    let Some(results) = state.plan(plan) else {
        drop(state);
        return Err(no_plan(app, plan));
    };
    let reply = Reply::json(&describe(results, now));
    drop(state);
    *sent = Some((plan.to_owned(), Instant::now(), reply.clone()));
    Ok(reply)
}

fn describe(results: &PlanResults, now: Option<Now>) -> Live {
    let Some(now) = now else {
        return Live {
            running: false,
            host: None,
            rate: None,
            done: results.matches(),
            planned: results.planned,
            boards: Vec::new(),
            fleet: None,
        };
    };
    let choice = &results.stored.plan.game;
    let game = mancala_arena_rules::open(&choice.name, &choice.options).ok();
    let boards = now
        .boards
        .iter()
        .filter_map(|board| draw(results, &**game.as_ref()?, board));
    Live {
        running: true,
        host: Some(now.host),
        rate: now.rate,
        done: now.done,
        planned: now.planned,
        boards: boards.collect(),
        fleet: now.fleet,
    }
}

/// A board as it is drawn; `None` when it is none of this plan's.
fn draw(results: &PlanResults, game: &dyn AnyGame, board: &Board) -> Option<LiveBoard> {
    let names: Option<Vec<String>> = board.bots.iter().map(|bot| results.names.get(*bot).cloned()).collect();
    let names = names.filter(|names| names.len() == game.seats())?;
    let opening = game.start_from(&board.opening).ok()?;
    let mut filming = Filming::new(game, opening, names.clone());
    filming.go_on(&board.plies, &board.left);
    Some(LiveBoard {
        r#match: board.r#match,
        rotation: board.rotation,
        names,
        film: filming.into_film(),
        bank_ms: board.bank_ms.clone(),
        limit_ms: results.stored.plan.time.move_ms_max,
        turn_began_ms_ago: board.turn_ms,
    })
}

impl App {
    /// What the run tells of itself, if there is one. Asks it to go on telling.
    pub(super) fn now(&self) -> Option<Now> {
        self.ask_run();
        self.beside.as_ref()?.read()
    }

    /// Asks a run to tell what is on its boards.
    pub(super) fn ask_run(&self) {
        if let Some(beside) = &self.beside {
            beside.ask();
        }
    }
}
