//! Tables over HTTP: requests and answers in JSON, tokens in the header `Seat-Token`.
//!
//! A page asks again and again for the state of its table; the answer carries a tag, and is empty while nothing is new. What
//! a request changes it changes at once, or not at all: a refusal is an answer `{"error": TEXT}` with a status that says of
//! which kind it is.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Json, Router};
use mancala_arena_rules::{Seat, open_text};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::reply::{Failure, Reply};
use super::table::{Refused, STAND_IN, Stored, Table};
use super::{Open, OpenError, PlayedError, SeatWish, Summary, Tables, Wish};
use crate::config::is_name;
use crate::record::FaultRecord;
use crate::report::Film;

/// Bytes of a request's body.
const BODY_MAX: usize = 8 * 1024;

/// The header with the tokens of the seats that the page plays for, separated by commas.
const SEAT_TOKEN: &str = "Seat-Token";

/// Characters of a person's name.
const NAME_CHARS_MAX: usize = 40;

/// The longest limit of a move: a day.
const MOVE_SECONDS_MAX: u64 = 24 * 3_600;

/// Matches in one answer.
const LIST_MAX: usize = 200;

/// One thing that can be asked for or done.
pub struct Operation {
    /// Its path below `/api/v1`, with parameters in braces.
    pub path: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// The parameters of its query.
    pub query: Option<fn(SchemaGenerator) -> Schema>,
    /// What is sent, where something is done.
    pub body: Option<fn(SchemaGenerator) -> Schema>,
    /// What is answered.
    pub answer: fn(&mut SchemaGenerator) -> Schema,
    route: MethodRouter<Arc<Tables>>,
}

impl Operation {
    fn get<A: JsonSchema>(path: &'static str, summary: &'static str, route: MethodRouter<Arc<Tables>>) -> Operation {
        Operation {
            path,
            summary,
            query: None,
            body: None,
            answer: SchemaGenerator::subschema_for::<A>,
            route,
        }
    }

    fn post<B: JsonSchema, A: JsonSchema>(
        path: &'static str,
        summary: &'static str,
        route: MethodRouter<Arc<Tables>>,
    ) -> Operation {
        Operation {
            body: Some(SchemaGenerator::into_root_schema_for::<B>),
            ..Operation::get::<A>(path, summary, route)
        }
    }

    fn with_query<Q: JsonSchema>(self) -> Operation {
        Operation {
            query: Some(SchemaGenerator::into_root_schema_for::<Q>),
            ..self
        }
    }
}

/// All that there is: routes and description are made of it.
pub fn operations() -> Vec<Operation> {
    type State = TableState<'static>;
    vec![
        Operation::get::<BotsAnswer>("/bots", "The bots that can be asked to a table", get(bots)),
        Operation::post::<OpenRequest, OpenAnswer>("/tables", "Opens a table", post(open)),
        Operation::get::<State>("/tables/{id}", "A table as it stands", get(look)),
        Operation::post::<MoveRequest, State>("/tables/{id}/move", "Plays a move", post(play)),
        Operation::post::<UndoRequest, State>(
            "/tables/{id}/undo",
            "Takes back the last move of a seat and all that followed, where only bots play against it",
            post(undo),
        ),
        Operation::post::<SeatOnly, State>("/tables/{id}/resign", "Leaves the match", post(resign)),
        Operation::post::<SubstituteRequest, State>(
            "/tables/{id}/substitute",
            "Gives a seat to a bot: one's own, or that of a person who has been gone for 30 s",
            post(substitute),
        ),
        Operation::post::<SeatOnly, State>(
            "/tables/{id}/return",
            "Takes one's seat back from the bot, after its ply if it is its turn",
            post(take_back),
        ),
        Operation::get::<ListAnswer>(
            "/played",
            "Matches that were played by hand, the newest first",
            get(list),
        )
        .with_query::<ListRequest>(),
        Operation::get::<FilmAnswer>("/played/{n}", "One of them, ready to be drawn", get(film)),
    ]
}

/// The routes, to be nested under `/api/v1`.
pub fn router(tables: Arc<Tables>) -> Router {
    let routes = operations().into_iter();
    let router = routes.fold(Router::new(), |router, operation| {
        router.route(operation.path, operation.route)
    });
    router.layer(DefaultBodyLimit::max(BODY_MAX)).with_state(tables)
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Failure {
        let status = match refused {
            Refused::NotYours(_) => StatusCode::FORBIDDEN,
            Refused::NoSeat { .. } | Refused::Illegal { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Refused::Over
            | Refused::Left(_)
            | Refused::Stale { .. }
            | Refused::NotToMove(_)
            | Refused::BotPlays { .. }
            | Refused::NoBotPlays(_)
            | Refused::Rated
            | Refused::OthersPlay(_)
            | Refused::NothingPlayed(_)
            | Refused::NotGone(_) => StatusCode::CONFLICT,
        };
        Failure::new(status, refused.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let text = format!("{:#}", anyhow::Error::from(error));
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}

impl From<PlayedError> for Failure {
    fn from(error: PlayedError) -> Failure {
        let text = format!("{:#}", anyhow::Error::from(error));
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }
}

impl From<JsonRejection> for Failure {
    fn from(rejection: JsonRejection) -> Failure {
        Failure::new(rejection.status(), rejection.body_text())
    }
}

impl From<QueryRejection> for Failure {
    fn from(rejection: QueryRejection) -> Failure {
        Failure::new(rejection.status(), rejection.body_text())
    }
}

fn unfit(text: impl Into<String>) -> Failure {
    Failure::new(StatusCode::UNPROCESSABLE_ENTITY, text)
}

/// A body in JSON, refused as everything is.
struct Body<T>(T);

impl<T, S> FromRequest<S> for Body<T>
where
    Json<T>: FromRequest<S, Rejection = JsonRejection>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, Failure> {
        let Json(body) = Json::from_request(request, state).await?;
        Ok(Body(body))
    }
}

/// The bots that can be asked to a table.
#[derive(Serialize, JsonSchema)]
struct BotsAnswer {
    bots: Vec<String>,
}

/// `GET /bots`.
async fn bots(State(tables): State<Arc<Tables>>) -> Json<BotsAnswer> {
    let bots = tables.bots.names().map(str::to_owned).collect();
    Json(BotsAnswer { bots })
}

/// A table to be opened.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    /// As on a command line: `kalah:pits=6`.
    game: String,
    seats: Vec<SeatRequest>,
    #[serde(default)]
    move_seconds: Option<u64>,
    #[serde(default)]
    rated: bool,
}

/// Who is to sit in a seat: a person by a name, or a bot by its own.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SeatRequest {
    Person(String),
    Bot(String),
}

/// A table that has been opened.
#[derive(Serialize, JsonSchema)]
struct OpenAnswer {
    table: String,
    /// By seat; `null` for a bot.
    tokens: Vec<Option<String>>,
    /// What the game says of its options.
    notices: Vec<String>,
}

/// `POST /tables`.
async fn open(
    State(tables): State<Arc<Tables>>,
    Body(request): Body<OpenRequest>,
) -> Result<(StatusCode, Json<OpenAnswer>), Failure> {
    let game = open_text(&request.game).map_err(|error| unfit(error.to_string()))?;
    let (expected, found) = (game.seats(), request.seats.len());
    if found != expected {
        return Err(unfit(format!(
            "{found} seats are named; `{}` has {expected}",
            request.game
        )));
    }
    let seats = request.seats.into_iter().map(|seat| seat_wish(seat, &tables));
    let seats: Vec<SeatWish> = seats.collect::<Result<_, _>>()?;
    if !seats.iter().any(|seat| matches!(seat, SeatWish::Person(_))) {
        return Err(unfit(
            "no person at the table; bots among themselves play in `arena run`",
        ));
    }
    let limit = match request.move_seconds {
        None => None,
        Some(seconds @ 1..=MOVE_SECONDS_MAX) => Some(Duration::from_secs(seconds)),
        Some(other) => {
            return Err(unfit(format!(
                "`move_seconds` is {other}, expected 1 to {MOVE_SECONDS_MAX}, or null for no limit"
            )));
        }
    };
    let notices = game.notices();
    let (table, tokens) = tables.open(Wish {
        game,
        seats,
        limit,
        rated: request.rated,
    })?;
    let answer = OpenAnswer { table, tokens, notices };
    Ok((StatusCode::CREATED, Json(answer)))
}

fn seat_wish(seat: SeatRequest, tables: &Tables) -> Result<SeatWish, Failure> {
    match seat {
        SeatRequest::Bot(name) => Ok(SeatWish::Bot(known_bot(name, tables)?)),
        SeatRequest::Person(name) if is_name(&name) && name.chars().count() <= NAME_CHARS_MAX => {
            Ok(SeatWish::Person(name))
        }
        SeatRequest::Person(name) => Err(unfit(format!(
            "`{}` is no name for a person: it is not empty, has no blank at its ends, prints, and has at most \
             {NAME_CHARS_MAX} characters",
            name.escape_debug().take(NAME_CHARS_MAX).collect::<String>()
        ))),
    }
}

fn known_bot(name: String, tables: &Tables) -> Result<String, Failure> {
    if tables.bots.get(&name).is_some() {
        return Ok(name);
    }
    let known: Vec<&str> = tables.bots.names().collect();
    let name: String = name.escape_debug().take(NAME_CHARS_MAX).collect();
    Err(unfit(format!("unknown bot `{name}`; known bots: {}", known.join(", "))))
}

/// `GET /tables/{id}`.
async fn look(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let visit = Visit::new(&tables, &id, &headers)?;
    Ok(visit.answer(&headers))
}

/// A move.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveRequest {
    seat: usize,
    /// The ply that the page takes for the next: a second click is refused.
    ply: u32,
    r#move: Value,
}

/// `POST /tables/{id}/move`.
async fn play(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<MoveRequest>,
) -> Result<Response, Failure> {
    Visit::new(&tables, &id, &headers)?.act(|visit, table, now| {
        let seat = visit.own(table, request.seat)?;
        table.play(seat, request.ply, &request.r#move, now)
    })
}

/// A move to be taken back.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    seat: usize,
    /// As in a move; where it is left out, a second click takes back more.
    #[serde(default)]
    ply: Option<u32>,
}

/// `POST /tables/{id}/undo`.
async fn undo(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<UndoRequest>,
) -> Result<Response, Failure> {
    Visit::new(&tables, &id, &headers)?.act(|visit, table, now| {
        let seat = visit.own(table, request.seat)?;
        table.undo(seat, request.ply, &visit.mine, now)
    })
}

/// A seat.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SeatOnly {
    seat: usize,
}

/// `POST /tables/{id}/resign`.
async fn resign(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<SeatOnly>,
) -> Result<Response, Failure> {
    Visit::new(&tables, &id, &headers)?.act(|visit, table, now| {
        let seat = visit.own(table, request.seat)?;
        table.resign(seat, now)
    })
}

/// A seat that a bot is to play.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SubstituteRequest {
    seat: usize,
    #[serde(default)]
    bot: Option<String>,
}

/// `POST /tables/{id}/substitute`.
async fn substitute(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<SubstituteRequest>,
) -> Result<Response, Failure> {
    let bot = known_bot(request.bot.unwrap_or_else(|| STAND_IN.to_owned()), &tables)?;
    Visit::new(&tables, &id, &headers)?.act(|visit, table, now| {
        let seat = table.seat(request.seat)?;
        if visit.mine.is_empty() {
            return Err(Refused::NotYours(seat));
        }
        table.substitute(seat, bot, &visit.mine, now)
    })
}

/// `POST /tables/{id}/return`.
async fn take_back(
    State(tables): State<Arc<Tables>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(request): Body<SeatOnly>,
) -> Result<Response, Failure> {
    Visit::new(&tables, &id, &headers)?.act(|visit, table, now| {
        let seat = visit.own(table, request.seat)?;
        table.take_back(seat, now)
    })
}

/// Somebody at a table, with the seats whose tokens he shows.
struct Visit {
    open: Arc<Open>,
    mine: Vec<Seat>,
}

impl Visit {
    fn new(tables: &Tables, id: &str, headers: &HeaderMap) -> Result<Visit, Failure> {
        let Some(open) = tables.get(id) else {
            let text = "no such table is open: it may have been closed, or the server started again";
            return Err(Failure::not_found(text));
        };
        let shown: Vec<&str> = headers
            .get_all(SEAT_TOKEN)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|token| !token.is_empty())
            .collect();
        open.look();
        let mine = {
            let mut table = open.table();
            let mine = table.seats_of(&shown);
            if table.seen(&mine, open.now()) {
                // His clock begins to run.
                open.changed.notify_one();
            }
            mine
        };
        if mine.is_empty() && !shown.is_empty() {
            let text = format!("the token in `{SEAT_TOKEN}` is of no seat of this table; without it you may look on");
            return Err(Failure::new(StatusCode::FORBIDDEN, text));
        }
        Ok(Visit { open, mine })
    }

    /// The seat with that index, which has to be the visitor's.
    fn own(&self, table: &Table, index: usize) -> Result<Seat, Refused> {
        let seat = table.seat(index)?;
        if self.mine.contains(&seat) {
            Ok(seat)
        } else {
            Err(Refused::NotYours(seat))
        }
    }

    fn act(
        &self,
        action: impl FnOnce(&Visit, &mut Table, Duration) -> Result<(), Refused>,
    ) -> Result<Response, Failure> {
        let done = {
            let mut table = self.open.table();
            action(self, &mut table, self.open.now())
        };
        // A refusal may have found that somebody's time is over.
        self.open.changed.notify_one();
        done?;
        Ok(self.answer(&HeaderMap::new()))
    }

    /// The state of the table; nothing when the request's headers say that it is known.
    fn answer(&self, headers: &HeaderMap) -> Response {
        let table = self.open.table();
        let film = self.open.film(&table);
        let reply = Reply::json(&TableState::new(&table, &film, &self.mine, self.open.now()));
        let mut response = reply.to(headers);
        let vary = HeaderValue::from_static(SEAT_TOKEN);
        response.headers_mut().insert(header::VARY, vary);
        response
    }
}

/// A table as a page sees it.
#[derive(Serialize, JsonSchema)]
struct TableState<'a> {
    /// Changes with all but clocks and who is there.
    version: u64,
    /// The number of the next ply: what a move has to name.
    ply: u32,
    #[schemars(with = "Film")]
    film: &'a RawValue,
    /// The faults made so far: of bots, and of people whose time was over.
    faults: &'a [FaultRecord],
    /// When it is the turn of one of the visitor's seats.
    legal: Option<Vec<Value>>,
    mine: Vec<usize>,
    seats: Vec<SeatState>,
    clock: Option<ClockState>,
    rated: bool,
    can_undo: bool,
    /// The match is over and its record is on the disk, or could not be stored.
    over: bool,
    result: Option<ResultState>,
    /// The number of the match among those played.
    stored: Option<u64>,
    store_error: Option<String>,
}

/// A seat of a table.
#[derive(Serialize, JsonSchema)]
struct SeatState {
    kind: &'static str,
    name: String,
    /// The person for whom the bot plays.
    stands_in_for: Option<String>,
    present: bool,
    /// `null` while the person is there, and before he has come for the first time.
    gone_s: Option<u64>,
    /// Still in the match.
    playing: bool,
    /// The visitor, who plays, may give the seat of this other person to a bot.
    can_substitute: bool,
    /// The visitor may take the seat back from the bot.
    can_return: bool,
}

/// The limit of people.
#[derive(Serialize, JsonSchema)]
struct ClockState {
    limit_s: u64,
    /// `null` while no person's clock runs.
    left_s: Option<u64>,
}

/// How a match came out; lists are by seat.
#[derive(Serialize, JsonSchema)]
struct ResultState {
    places: Vec<u8>,
    points: Vec<u32>,
    end: &'static str,
}

impl<'a> TableState<'a> {
    fn new(table: &'a Table, film: &'a RawValue, mine: &[Seat], now: Duration) -> TableState<'a> {
        let record = table.stored().map(|_| table.record());
        let result = record.map(|record| ResultState {
            places: record.places,
            points: record.points,
            end: record.end.as_str(),
        });
        let is_mine = |seat: &Seat| mine.contains(seat);
        let own_turn = table
            .to_move()
            .filter(is_mine)
            .filter(|seat| !table.occupant(*seat, now).is_bot);
        TableState {
            version: table.version(),
            ply: table.ply(),
            film,
            faults: table.faults(),
            legal: own_turn.map(|_| table.legal()),
            mine: mine.iter().map(|seat| seat.index()).collect(),
            seats: table
                .seats()
                .map(|seat| SeatState::new(table, seat, mine, now))
                .collect(),
            clock: table.setup().limit.map(|limit| ClockState {
                limit_s: limit.as_secs(),
                left_s: table.time_left(now).map(|left| left.as_millis().div_ceil(1_000) as u64),
            }),
            rated: table.setup().rated,
            can_undo: own_turn.is_some_and(|seat| table.may_undo(seat, mine).is_ok()),
            over: table.stored().is_some(),
            result,
            stored: table.stored().and_then(|stored| match stored {
                Stored::As(number) => Some(*number),
                Stored::Failed(_) => None,
            }),
            store_error: table.stored().and_then(|stored| match stored {
                Stored::As(_) => None,
                Stored::Failed(why) => Some(why.clone()),
            }),
        }
    }
}

impl SeatState {
    fn new(table: &Table, seat: Seat, mine: &[Seat], now: Duration) -> SeatState {
        let occupant = table.occupant(seat, now);
        let (is_mine, playing) = (mine.contains(&seat), table.is_playing(seat));
        let is_another_players = !is_mine && !mine.is_empty();
        SeatState {
            kind: if occupant.is_bot { "bot" } else { "person" },
            name: occupant.name.to_owned(),
            stands_in_for: occupant.stands_in_for.map(str::to_owned),
            present: occupant.gone.is_none(),
            gone_s: occupant.gone.filter(|_| occupant.has_come).map(|gone| gone.as_secs()),
            playing,
            can_substitute: is_another_players && table.may_be_substituted(seat, now),
            can_return: playing && is_mine && occupant.is_bot,
        }
    }
}

/// Which matches.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRequest {
    #[serde(default)]
    before: Option<u64>,
    #[serde(default)]
    limit: Option<usize>,
}

/// Matches that were played by hand.
#[derive(Serialize, JsonSchema)]
struct ListAnswer {
    /// The newest first.
    played: Vec<Summary>,
    total: usize,
}

/// `GET /played`.
async fn list(
    State(tables): State<Arc<Tables>>,
    query: Result<Query<ListRequest>, QueryRejection>,
) -> Result<Json<ListAnswer>, Failure> {
    let Query(ListRequest { before, limit }) = query?;
    let answer = move || ListAnswer {
        played: tables.played.list(before, limit.unwrap_or(50).min(LIST_MAX)),
        total: tables.played.count(),
    };
    Ok(Json(off_the_runtime(answer).await))
}

/// A match that was played by hand.
#[derive(Serialize, JsonSchema)]
struct FilmAnswer {
    n: u64,
    film: Film,
    started_ms: u64,
    elapsed_us: u64,
}

/// `GET /played/{n}`.
async fn film(State(tables): State<Arc<Tables>>, Path(n): Path<u64>) -> Result<Json<FilmAnswer>, Failure> {
    let record = off_the_runtime(move || tables.played.get(n)).await?;
    let record = record.ok_or_else(|| Failure::not_found(format!("no match {n} has been played")))?;
    let film = Film::of(&record);
    let film = film.map_err(|error| Failure::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(Json(FilmAnswer {
        n,
        film,
        started_ms: record.started_ms,
        elapsed_us: record.elapsed_us,
    }))
}

/// Runs what may wait for the disk where it holds up nobody.
async fn off_the_runtime<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let done = tokio::task::spawn_blocking(work).await;
    done.expect("reading what has been played does not panic")
}
