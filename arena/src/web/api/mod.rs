//! The JSON API: what is asked for, what is answered, and its description.
//!
//! [`Endpoint`]s are the one list of what there is: routes and description are both made of it. Handlers are plain functions
//! and run on threads that may wait for the file.

mod answers;
mod games;
mod live;
mod matches;
mod openapi;
mod plans;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Query, RawPathParams, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::reply::{Failure, Reply};
use super::results::{FileId, Results, file_id};
use super::tables::operations;
use crate::store::{Store, StoreError};
use crate::tournament::live::Beside;

/// Connections to the file that are kept when they are not needed.
const READERS_KEPT: usize = 4;

/// How an answer is made: of the values of the path's parameters, and the address for its query.
type Handler = dyn Fn(&App, &Places, &Uri) -> Answer + Send + Sync;

/// What handlers work with.
#[derive(Debug)]
pub struct App {
    db: PathBuf,
    /// What tables need, in memory.
    pub results: Results,
    /// With the file that each has open.
    readers: Mutex<Vec<(Option<FileId>, Store)>>,
    beside: Option<Beside>,
    live: live::Sent,
}

/// What a handler gives.
type Answer = Result<Reply, Failure>;

/// One thing that can be asked for.
pub struct Endpoint {
    /// Its path below `/api/v1`, with parameters in braces.
    pub path: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The parameters of its query.
    pub query: fn(SchemaGenerator) -> Schema,
    /// What is answered.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the answer may be that it is being computed.
    pub computes: bool,
    handler: Arc<Handler>,
}

impl App {
    /// Of the results file `db`.
    pub fn open(db: &Path) -> Result<App, StoreError> {
        let store = Store::open(db)?;
        Ok(App {
            db: db.to_owned(),
            results: Results::of(store),
            readers: Mutex::default(),
            beside: Beside::of(db).ok(),
            live: live::Sent::default(),
        })
    }

    /// Asks the file.
    pub fn read<T>(&self, ask: impl FnOnce(&Store) -> Result<T, StoreError>) -> Result<T, Failure> {
        let readers = || self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let file = file_id(&self.db);
        let kept = readers().pop();
        let store = match kept {
            Some((of, store)) if of == file => store,
            _ => Store::open(&self.db)?,
        };
        let answer = ask(&store)?;
        let mut readers = readers();
        if readers.len() < READERS_KEPT {
            readers.push((file, store));
        }
        Ok(answer)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let status = match error {
            StoreError::UnknownPlan { .. } => StatusCode::NOT_FOUND,
            StoreError::Missing { .. } | StoreError::Locked { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Failure::new(status, format!("{:#}", anyhow::Error::from(error)))
    }
}

/// The values of a path's parameters, in its order.
struct Places(Vec<String>);

impl Places {
    fn get(&self, at: usize) -> &str {
        &self.0[at]
    }
}

/// A query without parameters.
#[derive(serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Endpoint {
    fn new<Q, A>(path: &'static str, summary: &'static str, handler: fn(&App, &Places, Q) -> Answer) -> Endpoint
    where
        Q: DeserializeOwned + JsonSchema + 'static,
        A: Serialize + JsonSchema,
    {
        let answered = move |app: &App, places: &Places, uri: &Uri| {
            let query = Query::<Q>::try_from_uri(uri);
            let Query(query) = query.map_err(|error| Failure::new(StatusCode::BAD_REQUEST, error.body_text()))?;
            handler(app, places, query)
        };
        Endpoint {
            path,
            summary,
            query: SchemaGenerator::into_root_schema_for::<Q>,
            answer: SchemaGenerator::subschema_for::<A>,
            computes: false,
            handler: Arc::new(answered),
        }
    }

    fn computing(self) -> Endpoint {
        Endpoint { computes: true, ..self }
    }

    fn route(self) -> MethodRouter<Arc<App>> {
        let handler = self.handler;
        get(
            async move |State(app): State<Arc<App>>, places: RawPathParams, headers: HeaderMap, uri: Uri| {
                let places = Places(places.iter().map(|(_, value)| value.to_owned()).collect());
                let answered = tokio::task::spawn_blocking(move || handler(&app, &places, &uri)).await;
                match answered {
                    Ok(Ok(reply)) => reply.to(&headers),
                    Ok(Err(failure)) => failure.into_response(),
                    Err(_) => Failure::bug().into_response(),
                }
            },
        )
    }
}

/// All that can be asked for, but the description itself.
pub fn endpoints() -> Vec<Endpoint> {
    let mut all = plans::endpoints();
    all.extend(tables::endpoints());
    all.extend(matches::endpoints());
    all.extend(live::endpoints());
    all.extend(games::endpoints());
    all
}

/// The routes, to be nested under `/api/v1`.
pub fn router(app: Arc<App>) -> Router {
    let endpoints = endpoints();
    let description = Reply::json(&openapi::describe(&endpoints, &operations()));
    let router = endpoints.into_iter().fold(Router::new(), |router, endpoint| {
        router.route(endpoint.path, endpoint.route())
    });
    router
        .route(
            "/openapi.json",
            get(async move |headers: HeaderMap| description.to(&headers)),
        )
        .fallback(async |uri: Uri| Failure::not_found(format!("the API has no `{}`", uri.path())))
        .with_state(app)
}

/// The plan with this id.
fn no_plan(app: &App, id: &str) -> Failure {
    let state = app.results.state();
    match &state.error {
        Some(error) => Failure::new(StatusCode::SERVICE_UNAVAILABLE, error.clone()),
        None if !state.is_read => Failure::new(StatusCode::SERVICE_UNAVAILABLE, "the results are being read"),
        None => Failure::not_found(format!("there is no plan `{id}`")),
    }
}
