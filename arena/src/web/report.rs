//! The report of `arena report`, as a page: made when somebody asks for it, and again once there are more matches.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::api::App;
use super::reply::{Failure, Reply};
use crate::gather::Gathered;

/// Matches that the page can replay, as in `arena report`.
const REPLAYS: u64 = 100;

/// What the document may do is in the document, for it holds its own scripts; only what cannot be said there is said here.
const POLICY: &str = "frame-ancestors 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";

/// Of which plan; the newest when left out.
#[derive(Deserialize)]
struct Of {
    plan: Option<String>,
}

/// What was made last: of which plan, with how many matches.
#[derive(Debug, Default)]
struct Made(Mutex<Option<(String, u64, Reply)>>);

/// The page.
pub fn router(app: Arc<App>) -> Router {
    let made = Arc::<Made>::default();
    Router::new().route("/report", get(report)).with_state((app, made))
}

async fn report(
    State((app, made)): State<(Arc<App>, Arc<Made>)>,
    Query(of): Query<Of>,
    headers: HeaderMap,
) -> Response {
    let reply = tokio::task::spawn_blocking(move || make(&app, &made, of.plan.as_deref())).await;
    match reply {
        Ok(Ok(reply)) => reply.to(&headers),
        Ok(Err(failure)) => failure.into_response(),
        Err(_) => Failure::bug().into_response(),
    }
}

fn make(app: &App, made: &Made, of: Option<&str>) -> Result<Reply, Failure> {
    let (id, matches) = {
        let state = app.results.state();
        let found = of.map_or_else(|| state.plans.last(), |id| state.plan(id));
        let Some(plan) = found else {
            return Err(Failure::new(
                StatusCode::NOT_FOUND,
                "there is no such plan, or nothing has been played",
            ));
        };
        (plan.stored.id.clone(), plan.matches())
    };
    // Whoever asks meanwhile waits for the same report.
    let mut made = made.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, counted, reply)) = &*made
        && (of, *counted) == (&id, matches)
    {
        return Ok(reply.clone());
    }
    let gathered = app.read(|store| {
        let _snapshot = store.snapshot()?;
        let plan = store.plans()?.into_iter().find(|plan| plan.id == id);
        plan.map(|plan| Gathered::of(store, plan, Some(REPLAYS))).transpose()
    })?;
    let gathered = gathered.ok_or_else(|| Failure::not_found(format!("there is no plan `{id}`")))?;
    let html = gathered.report().to_html();
    let reply = Reply::new("text/html; charset=utf-8", html).with_policy(POLICY);
    *made = Some((id, matches, reply.clone()));
    Ok(reply)
}
