//! Tables to play by hand at, over HTTP and with real bots. What happens at a table without them is tested with the table.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use mancala_arena::web::tables::{Bots, Played, Tables, router};
use mancala_arena_tests::{Entrant, wait_until_gone};
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

use crate::scripted;

/// The server's side of a page, without the server.
struct Page {
    tables: Arc<Tables>,
    router: Router,
    dir: TempDir,
}

/// A table with the tokens of its seats.
#[derive(Clone)]
struct Seats {
    id: String,
    tokens: Vec<Option<String>>,
}

fn house(name: &str) -> Entrant {
    let entrant = Entrant::new(env!("CARGO_BIN_EXE_arena-under-test"), ["bot", name]);
    Entrant {
        name: format!("house:{name}"),
        ..entrant
    }
}

/// A page with the house bots and these.
fn page(bots: &[&str]) -> Page {
    page_in(tempfile::tempdir().expect("a directory can be made"), bots)
}

fn page_in(dir: TempDir, bots: &[&str]) -> Page {
    let house = ["random", "greedy"].map(house);
    let entrants = house.into_iter().chain(bots.iter().map(|args| scripted(args)));
    let programs = entrants
        .enumerate()
        .map(|(id, entrant)| entrant.into_program(id, dir.path()));
    let bots = Bots::new(programs.collect());
    let played = Played::open(&dir.path().join("played.jsonl")).expect("it can be read");
    let tables = Tables::new(bots, played);
    Page {
        router: router(Arc::clone(&tables)),
        tables,
        dir,
    }
}

impl Page {
    async fn send(&self, request: Request<Body>) -> Response<Body> {
        let answered = self.router.clone().oneshot(request).await;
        answered.expect("a router answers everything")
    }

    async fn get(&self, path: &str, tokens: &str) -> (StatusCode, Value) {
        let request = Request::get(path).header("Seat-Token", tokens);
        read(self.send(request.body(Body::empty()).expect("it is a request")).await).await
    }

    async fn post(&self, path: &str, tokens: &str, body: &Value) -> (StatusCode, Value) {
        let request = Request::post(path)
            .header("Seat-Token", tokens)
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string()));
        read(self.send(request.expect("it is a request")).await).await
    }

    /// Opens a table.
    async fn open(&self, game: &str, seats: &Value) -> Seats {
        let (status, opened) = self.post("/tables", "", &json!({"game": game, "seats": seats})).await;
        assert_eq!(status, StatusCode::CREATED, "{opened}");
        Seats {
            id: opened["table"].as_str().expect("a table has an id").to_owned(),
            tokens: serde_json::from_value(opened["tokens"].clone()).expect("tokens by seat"),
        }
    }

    /// The table as whoever has these tokens sees it.
    async fn look(&self, table: &Seats, tokens: &str) -> Value {
        let (status, state) = self.get(&format!("/tables/{}", table.id), tokens).await;
        assert_eq!(status, StatusCode::OK, "{state}");
        state
    }

    /// Asks until `is_so`.
    async fn look_until(&self, table: &Seats, tokens: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let state = self.look(table, tokens).await;
            if is_so(&state) {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Waits until one of these seats is to move, or the match is over.
    async fn wait_for_turn(&self, table: &Seats, tokens: &str) -> Value {
        let is_so = |state: &Value| !state["legal"].is_null() || state["over"] == true;
        self.look_until(table, tokens, is_so).await
    }

    async fn act(&self, table: &Seats, tokens: &str, what: &str, body: &Value) -> (StatusCode, Value) {
        self.post(&format!("/tables/{}/{what}", table.id), tokens, body).await
    }

    /// Plays the `nth` legal move of the seat to move, counted round and round, for whoever has these tokens.
    async fn play(&self, table: &Seats, tokens: &str, state: &Value, nth: usize) -> Value {
        let faults = &state["faults"];
        let legal = state["legal"].as_array();
        let legal = legal.unwrap_or_else(|| panic!("it is not this seat's turn; faults: {faults}"));
        let body = json!({"seat": to_move(state), "ply": state["ply"], "move": legal[nth % legal.len()]});
        let (status, state) = self.act(table, tokens, "move", &body).await;
        assert_eq!(status, StatusCode::OK, "{state}");
        state
    }

    /// Plays for whoever has these tokens to the end; gives the state then.
    async fn play_to_the_end(&self, table: &Seats, tokens: &str) -> Value {
        for nth in 0.. {
            let state = self.wait_for_turn(table, tokens).await;
            if state["over"] == true {
                return state;
            }
            self.play(table, tokens, &state, nth).await;
        }
        unreachable!("every match ends")
    }

    /// Ends all tables, and sees to it that no process is left.
    async fn close(self) -> TempDir {
        self.tables.close().await;
        wait_until_gone(&scripted_processes(self.dir.path()));
        self.dir
    }
}

impl Seats {
    fn token(&self, seat: usize) -> &str {
        self.tokens[seat].as_deref().expect("a person sits there")
    }

    fn all(&self) -> String {
        let tokens: Vec<&str> = self.tokens.iter().flatten().map(String::as_str).collect();
        tokens.join(",")
    }
}

async fn read(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 24).await.expect("it is all there");
    let value = serde_json::from_slice(&body).unwrap_or_else(|_| panic!("not JSON: {body:?}"));
    (status, value)
}

fn to_move(state: &Value) -> &Value {
    let film = &state["film"];
    film["frames"]
        .as_array()
        .and_then(|frames| frames.last())
        .unwrap_or(&film["start"])
        .get("to_move")
        .expect("it is told")
}

fn check_whole_match(game: &str, seats: &Value) {
    check(&[], async |page| {
        let table = page.open(game, seats).await;
        let state = page.play_to_the_end(&table, &table.all()).await;
        assert_eq!(state["faults"], json!([]), "{game}");
        let number = state["stored"].as_u64().expect("it is stored");
        let (status, stored) = page.get(&format!("/played/{number}"), "").await;
        assert_eq!(status, StatusCode::OK, "{stored}");
        assert_eq!(stored["film"]["frames"], state["film"]["frames"], "{game}");
        assert_eq!(stored["film"]["places"], state["result"]["places"], "{game}");
        let (_, list) = page.get("/played", "").await;
        assert_eq!(
            (&list["total"], &list["played"][0]["n"]),
            (&json!(number), &json!(number))
        );
    });
}

/// Runs `body` with a page, and closes it.
fn check(bots: &[&str], body: impl AsyncFnOnce(&Page)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be built").block_on(async {
        let page = page(bots);
        body(&page).await;
        page.close().await;
    });
}

fn error(answer: &Value) -> &str {
    answer["error"].as_str().expect("a refusal says why")
}

/// The processes that scripted bots have had, by what they have noted.
fn scripted_processes(dir: &Path) -> Vec<u32> {
    let files = std::fs::read_dir(dir).expect("the directory is there").flatten();
    let texts = files.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let started = |line: &str| line.strip_suffix(" started").and_then(|id| id.parse().ok());
    texts
        .flat_map(|text| text.lines().filter_map(started).collect::<Vec<u32>>())
        .collect()
}

fn played_file(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("played.jsonl")).expect("matches were played")
}

#[test]
fn a_person_plays_kalah_against_a_house_bot_to_the_end() {
    check_whole_match("kalah", &json!([{"person": "Asha"}, {"bot": "house:greedy"}]));
}

#[test]
fn a_person_plays_layli_goobalay_by_both_rulesets_against_a_house_bot() {
    for game in ["layli-goobalay", "layli-goobalay:ruleset=chain"] {
        check_whole_match(game, &json!([{"bot": "house:greedy"}, {"person": "Asha"}]));
    }
}

#[test]
fn people_and_house_bots_play_mancala_basic_with_two_three_and_four_seats() {
    let (asha, bot) = (json!({"person": "Asha"}), json!({"bot": "house:greedy"}));
    check_whole_match("mancala-basic", &json!([asha, bot]));
    check_whole_match("mancala-basic:seats=3", &json!([bot, asha, bot]));
    check_whole_match(
        "mancala-basic:seats=4,pits=4",
        &json!([asha, bot, {"person": "Juma"}, bot]),
    );
}

#[test]
fn two_people_play_each_other_each_with_his_own_token() {
    check(&[], async |page| {
        let table = page
            .open("kalah", &json!([{"person": "Asha"}, {"person": "Juma"}]))
            .await;
        let (asha, juma) = (table.token(0), table.token(1));
        assert_ne!(asha, juma);
        let mut nth = 0;
        let end = loop {
            let state = page.look(&table, "").await;
            if state["over"] == true {
                break state;
            }
            let Some(seat) = to_move(&state).as_u64() else {
                tokio::time::sleep(Duration::from_millis(2)).await;
                continue;
            };
            let (own, other) = if seat == 0 { (asha, juma) } else { (juma, asha) };
            assert!(page.look(&table, other).await["legal"].is_null());
            let state = page.look(&table, own).await;
            assert_eq!(state["mine"], json!([seat]));
            let body = json!({"seat": seat, "ply": state["ply"], "move": state["legal"][0]});
            let (status, refused) = page.act(&table, other, "move", &body).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{refused}");
            page.play(&table, own, &state, nth).await;
            nth += 1;
        };
        assert_eq!(end["result"]["end"], "rules");
    });
}

#[test]
fn whoever_has_no_token_looks_on_and_a_wrong_one_is_refused() {
    check(&[], async |page| {
        let table = page
            .open("kalah", &json!([{"person": "Asha"}, {"bot": "house:random"}]))
            .await;
        let state = page.look(&table, "").await;
        assert_eq!((&state["mine"], &state["legal"]), (&json!([]), &Value::Null));
        let body = json!({"seat": 0, "ply": 0, "move": 0});
        for tokens in ["", "0123456789abcdef0123456789abcdef"] {
            let (status, refused) = page.act(&table, tokens, "move", &body).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{refused}");
        }
        let (status, _) = page.get(&format!("/tables/{}", table.id), "wrong").await;
        assert_eq!(status, StatusCode::FORBIDDEN);
        let other = page
            .open("kalah", &json!([{"person": "Juma"}, {"bot": "house:random"}]))
            .await;
        let (status, _) = page.act(&table, other.token(0), "move", &body).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "a token of another table opens nothing");
        let (status, gone) = page.get("/tables/0123456789abcdef", "").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{gone}");
    });
}

#[test]
fn a_double_click_plays_once_and_a_reload_keeps_the_seat() {
    check(&[], async |page| {
        let table = page
            .open("kalah", &json!([{"person": "Asha"}, {"bot": "house:random"}]))
            .await;
        let click = json!({"seat": 0, "ply": 0, "move": 2});
        let (first, _) = page.act(&table, table.token(0), "move", &click).await;
        let (second, refused) = page.act(&table, table.token(0), "move", &click).await;
        assert_eq!((first, second), (StatusCode::OK, StatusCode::CONFLICT));
        assert_eq!(error(&refused), "ply 0 is not to be played now; the next is ply 1");
        let state = page.look(&table, table.token(0)).await;
        assert_eq!(
            (&state["mine"], &state["ply"], &state["legal"][0]),
            (&json!([0]), &json!(1), &json!(0))
        );
    });
}

#[test]
fn a_state_that_is_known_is_not_sent_again() {
    check(&[], async |page| {
        let table = page
            .open("kalah", &json!([{"person": "Asha"}, {"bot": "house:random"}]))
            .await;
        let path = format!("/tables/{}", table.id);
        let ask = |tag: Option<&str>| {
            let request = Request::get(&path).header("Seat-Token", table.token(0));
            let request = match tag {
                Some(tag) => request.header(header::IF_NONE_MATCH, tag),
                None => request,
            };
            request.body(Body::empty()).expect("it is a request")
        };
        let first = page.send(ask(None)).await;
        let tag = first.headers()[header::ETAG]
            .to_str()
            .expect("a tag is text")
            .to_owned();
        assert_eq!(page.send(ask(Some(&tag))).await.status(), StatusCode::NOT_MODIFIED);
        let (_, state) = read(first).await;
        page.play(&table, table.token(0), &state, 0).await;
        assert_eq!(page.send(ask(Some(&tag))).await.status(), StatusCode::OK);
    });
}

#[test]
fn what_cannot_be_opened_says_why() {
    check(&[], async |page| {
        let (asha, bot) = (json!({"person": "Asha"}), json!({"bot": "house:random"}));
        for (body, why) in [
            (json!({"game": "owari", "seats": [asha, bot]}), "unknown game `owari`"),
            (json!({"game": "kalah:pits=99", "seats": [asha, bot]}), "out of range"),
            (json!({"game": "kalah", "seats": [asha]}), "1 seats are named"),
            (json!({"game": "kalah", "seats": [bot, bot]}), "no person at the table"),
            (
                json!({"game": "kalah", "seats": [asha, {"bot": "house:owl"}]}),
                "unknown bot `house:owl`",
            ),
            (
                json!({"game": "kalah", "seats": [{"person": " "}, bot]}),
                "no name for a person",
            ),
            (
                json!({"game": "kalah", "seats": [asha, bot], "move_seconds": 0}),
                "`move_seconds` is 0",
            ),
            (
                json!({"game": "kalah", "seats": [asha, bot], "colour": 0}),
                "unknown field `colour`",
            ),
            (
                json!({"game": "x".repeat(10_000), "seats": [asha, bot]}),
                "length limit exceeded",
            ),
        ] {
            let (status, answer) = page.post("/tables", "", &body).await;
            assert!(
                status.is_client_error() && error(&answer).contains(why),
                "{status} {answer}"
            );
        }
    });
}

#[test]
fn a_bot_follows_the_match_though_moves_are_taken_back() {
    // It compares every turn with its own account, is told of others' plies, and gets a process for each match.
    for bot in [
        "--checks-state --joins --observe --ready --single-match",
        "--checks-state --joins --observe",
    ] {
        check(&[bot], async |page| {
            let seats = json!([{"person": "Asha"}, {"bot": bot}, {"bot": bot}]);
            let table = page.open("mancala-basic:seats=3", &seats).await;
            let token = table.token(0);
            for nth in 0..6 {
                let state = page.wait_for_turn(&table, token).await;
                page.play(&table, token, &state, nth).await;
                let state = page.wait_for_turn(&table, token).await;
                if nth % 2 == 1 {
                    assert_eq!(state["can_undo"], true);
                    let body = json!({"seat": 0, "ply": state["ply"]});
                    let (status, undone) = page.act(&table, token, "undo", &body).await;
                    assert_eq!(status, StatusCode::OK, "{undone}");
                    assert!(undone["ply"].as_u64() < state["ply"].as_u64());
                    let (status, _) = page.act(&table, token, "undo", &body).await;
                    assert_eq!(status, StatusCode::CONFLICT, "a double click takes back once");
                }
            }
            let state = page.play_to_the_end(&table, token).await;
            assert_eq!(state["faults"], json!([]));
        });
    }
}

#[test]
fn a_bot_that_fails_is_told_of_with_what_it_wrote() {
    check(&["--crash-at 1"], async |page| {
        let table = page
            .open("layli-goobalay", &json!([{"person": "Asha"}, {"bot": "--crash-at 1"}]))
            .await;
        let state = page.look(&table, table.token(0)).await;
        page.play(&table, table.token(0), &state, 0).await;
        let state = page
            .look_until(&table, table.token(0), |state| state["over"] == true)
            .await;
        let fault = &state["faults"][0];
        assert_eq!(
            (&fault["code"], &fault["stderr"]),
            (&json!("exited"), &json!("about to crash at ply 1\n"))
        );
        assert_eq!(
            (&state["result"]["end"], &state["result"]["places"]),
            (&json!("fault"), &json!([1, 2]))
        );
    });
}

#[test]
fn a_bot_that_does_not_start_leaves_and_the_others_play_on() {
    check(&["--start-exit 3"], async |page| {
        let seats = json!([{"person": "Asha"}, {"bot": "--start-exit 3"}, {"bot": "house:random"}]);
        let table = page.open("mancala-basic:seats=3", &seats).await;
        let state = page.play_to_the_end(&table, table.token(0)).await;
        assert_eq!(
            (&state["faults"][0]["seat"], &state["result"]["places"][1]),
            (&json!(1), &json!(3))
        );
    });
}

#[test]
fn a_seat_is_handed_to_a_bot_and_taken_back() {
    check(&[], async |page| {
        let table = page
            .open(
                "mancala-basic:seats=3",
                &json!([{"person": "Asha"}, {"person": "Juma"}, {"bot": "house:random"}]),
            )
            .await;
        let (asha, juma) = (table.token(0), table.token(1));
        page.look(&table, juma).await;
        let (status, refused) = page.act(&table, asha, "substitute", &json!({"seat": 1})).await;
        assert_eq!(status, StatusCode::CONFLICT, "{refused}");
        let (status, state) = page
            .act(&table, juma, "substitute", &json!({"seat": 1, "bot": "house:random"}))
            .await;
        assert_eq!(status, StatusCode::OK, "{state}");
        assert_eq!(state["seats"][1]["stands_in_for"], "Juma");
        let state = page.play(&table, asha, &page.look(&table, asha).await, 0).await;
        assert_eq!(state["seats"][1]["kind"], "bot");
        page.wait_for_turn(&table, asha).await;
        let (status, _) = page.act(&table, juma, "return", &json!({"seat": 1})).await;
        assert_eq!(status, StatusCode::OK);
        let state = page
            .look_until(&table, juma, |state| state["seats"][1]["kind"] == "person")
            .await;
        assert_eq!(state["film"]["names"][1], "Juma (house:random)");
        let state = page.play_to_the_end(&table, &table.all()).await;
        assert_eq!(state["result"]["end"], "rules");
    });
}

#[test]
fn a_person_who_resigns_among_three_is_last_and_the_others_play_on() {
    check(&[], async |page| {
        let table = page
            .open(
                "mancala-basic:seats=3",
                &json!([{"person": "Asha"}, {"person": "Juma"}, {"bot": "house:random"}]),
            )
            .await;
        let (status, _) = page.act(&table, table.token(1), "resign", &json!({"seat": 1})).await;
        assert_eq!(status, StatusCode::OK);
        let state = page.play_to_the_end(&table, table.token(0)).await;
        assert_eq!(
            (&state["result"]["places"][1], &state["result"]["end"]),
            (&json!(3), &json!("rules"))
        );
    });
}

#[test]
fn matches_that_are_over_survive_the_server_and_open_tables_leave_no_process() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be built").block_on(async {
        let bots = ["--ignore-quit --leave-child"];
        let page = page(&bots);
        let seats = json!([{"person": "Asha"}, {"bot": bots[0]}]);
        let table = page.open("kalah:pits=2,seeds=1", &seats).await;
        page.play_to_the_end(&table, table.token(0)).await;
        let open = page.open("kalah", &seats).await;
        let state = page.look(&open, open.token(0)).await;
        page.play(&open, open.token(0), &state, 0).await;
        page.wait_for_turn(&open, open.token(0)).await;
        let dir = page.close().await;
        assert_eq!(played_file(dir.path()).lines().count(), 1);

        let page = page_in(dir, &[]);
        let (_, list) = page.get("/played", "").await;
        assert_eq!(list["played"][0]["names"], json!(["Asha", bots[0]]));
        let (status, _) = page.get(&format!("/tables/{}", open.id), "").await;
        assert_eq!(status, StatusCode::NOT_FOUND);
        page.close().await;
    });
}

#[test]
fn there_are_only_so_many_tables_at_once() {
    check(&[], async |page| {
        let body = json!({"game": "kalah", "seats": [{"person": "Asha"}, {"person": "Juma"}]});
        for _ in 0..32 {
            let (status, _) = page.post("/tables", "", &body).await;
            assert_eq!(status, StatusCode::CREATED);
        }
        let (status, refused) = page.post("/tables", "", &body).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(error(&refused).contains("32 tables are open"), "{refused}");
    });
}
