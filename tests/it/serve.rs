//! `arena serve` as browsers and other programs meet it: over HTTP, on a results file that a run may be writing to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use mancala_arena_tests::wait_for;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{arena, code, run, stderr};

/// A server, ended with the test.
pub struct Server {
    child: Child,
    address: String,
}

/// An answer.
#[derive(Debug)]
struct Answer {
    status: u16,
    headers: String,
    body: String,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.lines().filter_map(|line| line.split_once(": "));
        lines.find_map(|(known, value)| known.eq_ignore_ascii_case(name).then_some(value))
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    pub fn start(dir: &Path, db: &str) -> Server {
        let mut child = arena(dir, &["serve", "--db", db, "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the arena starts");
        let mut line = String::new();
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
        lines.read_line(&mut line).expect("it names its address");
        let address = line.trim().strip_prefix("http://").expect("an address").to_owned();
        Server { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("it listens")
    }

    /// Sends a request as it is, on a connection of its own.
    fn send(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers in UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
        Answer {
            status: status.expect("an answer has a status"),
            headers: head.to_owned(),
            body: body.to_owned(),
        }
    }

    fn get_with(&self, path: &str, headers: &str) -> Answer {
        let host = &self.address;
        self.send(&format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"
        ))
    }

    fn get(&self, path: &str) -> Answer {
        self.get_with(path, "")
    }

    /// What the API says, once it has computed it.
    pub fn api(&self, path: &str) -> Value {
        let path = format!("/api/v1{path}");
        let answer = wait_for("an answer that is not being computed", || {
            let answer = self.get(&path);
            (answer.status != 202).then_some(answer)
        });
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// Sends JSON as a page of the server does.
    fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let (host, body) = (&self.address, body.to_string());
        let answer = self.send(&format!(
            "POST /api/v1{path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nConnection: close\r\nSeat-Token: {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        answer.json()
    }

    /// Opens a table, and resigns there when the match is to be over; gives the path of the table.
    fn table(&self, is_over: bool) -> String {
        let seats = json!([{"person": "Asha"}, {"bot": "house:random"}]);
        let opened = self.post("/tables", "", &json!({"game": "kalah", "seats": seats}));
        let path = format!("/tables/{}", opened["table"].as_str().expect("a table has an id"));
        if is_over {
            let token = opened["tokens"][0].as_str().expect("a person has a token");
            self.post(&format!("{path}/resign"), token, &json!({"seat": 0}));
            wait_for("the match to be stored", || self.api(&path)["stored"].as_u64());
        }
        path
    }

    /// The path of the only plan.
    fn plan(&self) -> String {
        let plans = self.api("/plans");
        format!("/plans/{}", plans["plans"][0]["id"].as_str().expect("there is a plan"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Plays what the arguments say into `arena.db`.
fn played(dir: &Path, args: &[&str]) {
    let output = run(dir, &[&["run"], args].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// A results file with 24 matches of three bots.
fn ordinary() -> TempDir {
    let dir = TempDir::new().expect("a directory");
    let bots = ["house:random", "house:greedy", "house:minimax,depth=2"];
    let args = [
        "--game",
        "kalah:pits=4,seeds=3",
        "--rotations",
        "4",
        "--move-ms",
        "60000",
    ];
    played(dir.path(), &[&args[..], &bots[..]].concat());
    dir
}

/// A name as a part of a path.
fn encoded(name: &str) -> String {
    name.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn a_request_for_another_host_is_refused() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    for host in ["evil.example", "evil.example:80", "localhost.evil.example"] {
        let answer = server.send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert_eq!(answer.status, 421, "{answer:?}");
    }
    let answer = server.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(answer.status, 400, "{answer:?}");
    let port = server.address.rsplit_once(':').expect("a port").1;
    let answer = server.send(&format!(
        "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    ));
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[test]
fn what_changes_something_must_come_from_a_page_of_the_server() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let own = format!("Origin: http://{}\r\n", server.address);
    let post = |headers: &str| {
        let head = format!(
            "POST /api/v1/tables HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n",
            server.address
        );
        server
            .send(&format!("{head}{headers}Content-Length: 2\r\n\r\n{{}}"))
            .status
    };
    assert_eq!(post("Content-Type: application/json\r\n"), 403);
    assert_eq!(
        post("Origin: http://evil.example\r\nContent-Type: application/json\r\n"),
        403
    );
    assert_eq!(post("Origin: null\r\nContent-Type: application/json\r\n"), 403);
    assert_eq!(post(&format!("{own}Content-Type: text/plain\r\n")), 415);
    assert_eq!(post(&own), 415);
}

#[test]
fn every_answer_forbids_frames_and_whatever_is_not_of_the_server() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    for path in [
        "/",
        "/live",
        "/nowhere",
        "/assets/app.js",
        "/api/v1/games",
        &format!("/api/v1{plan}/matches/0"),
    ] {
        let answer = server.get(path);
        let policy = answer.header("content-security-policy").expect(path);
        for part in [
            "default-src 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'self'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    server.api(&format!("{plan}/standings"));
    for path in [
        "/",
        "/assets/app.css",
        "/api/v1/plans",
        &format!("/api/v1{plan}/standings"),
    ] {
        let first = server.get(path);
        let tag = first.header("etag").expect(path);
        let again = server.get_with(path, &format!("If-None-Match: \"other\", {tag}\r\n"));
        assert_eq!((again.status, again.body.as_str()), (304, ""), "{path}");
        let other = server.get_with(path, "If-None-Match: \"other\"\r\n");
        assert_eq!((other.status, &other.body), (200, &first.body), "{path}");
    }
}

#[test]
fn what_is_not_there_is_said_in_json() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    for path in [
        "/api/v1/nothing".to_owned(),
        "/api/v1/plans/nothing/standings".to_owned(),
        "/api/v1/plans/nothing/live".to_owned(),
        format!("/api/v1{plan}/matches/24"),
        format!("/api/v1{plan}/matches/18446744073709551615"),
        format!("/api/v1{plan}/matches/-1"),
        format!("/api/v1{plan}/matches?bot=nobody"),
        format!("/api/v1{plan}/bots/nobody"),
        format!("/api/v1{plan}/pairs/random/nobody"),
        "/assets/nothing.js".to_owned(),
        "/assets/..%2F..%2FCargo.toml".to_owned(),
        "/nowhere".to_owned(),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 404, "{path}");
        assert!(answer.json()["error"].is_string(), "{path}");
    }
    for query in [
        "limit=0",
        "limit=501",
        "before=1&after=1",
        "befor=1",
        "end=never",
        "before=x",
    ] {
        let answer = server.get(&format!("/api/v1{plan}/matches?{query}"));
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.json()["error"].is_string(), "{query}");
    }
}

#[test]
fn a_list_of_matches_is_read_in_parts_that_fit_together() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let matches = format!("{}/matches", server.plan());
    let ids = |list: &Value| -> Vec<u64> {
        let rows = list["matches"].as_array().expect("a list");
        rows.iter().map(|row| row["match"].as_u64().expect("an id")).collect()
    };
    let mut all = Vec::new();
    let mut list = server.api(&format!("{matches}?limit=7"));
    assert_eq!(list["previous"], Value::Null);
    loop {
        assert_eq!(list["total"], 24);
        all.extend(ids(&list));
        let Some(next) = list["next"].as_u64() else { break };
        list = server.api(&format!("{matches}?limit=7&before={next}"));
    }
    assert_eq!(all, (0..24).rev().collect::<Vec<_>>());
    let newer = server.api(&format!("{matches}?limit=7&after={}", list["previous"]));
    assert_eq!(ids(&newer), all[14..21]);

    let of_one = server.api(&format!("{matches}?bot=greedy"));
    assert_eq!(of_one["total"], 16);
    let of_two = server.api(&format!("{matches}?bot=greedy&opponent=random"));
    assert_eq!(of_two["total"], 8);
    for row in of_two["matches"].as_array().expect("a list") {
        let bots = row["bots"].as_array().expect("a list");
        assert!(
            bots.contains(&"greedy".into()) && bots.contains(&"random".into()),
            "{row}"
        );
    }
    assert_eq!(server.api(&format!("{matches}?faults=1"))["total"], 0);
    assert_eq!(server.api(&format!("{matches}?end=fault"))["total"], 0);
    assert_eq!(server.api(&format!("{matches}?end=rules"))["total"], 24);
}

#[test]
fn page_and_command_line_say_the_same() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    for (command, path) in [("standings", "standings"), ("crosstable", "crosstable")] {
        let printed = run(dir.path(), &[command, "--format", "json"]);
        let printed: Value = serde_json::from_slice(&printed.stdout).expect("it is JSON");
        assert_eq!(server.api(&format!("{plan}/{path}")), printed, "{command}");
    }
    let printed = run(dir.path(), &["matches", "--format", "json"]);
    let mut printed: Vec<Value> = serde_json::from_slice(&printed.stdout).expect("it is JSON");
    printed.reverse();
    assert_eq!(server.api(&format!("{plan}/matches"))["matches"], Value::from(printed));
}

#[test]
fn every_answer_is_of_the_form_that_the_description_gives() {
    let dir = TempDir::new().expect("a directory");
    let bot = env!("CARGO_BIN_EXE_scripted-bot");
    let crashing = format!("crashing={bot} --crash-at 3");
    let bots = ["house:random", "house:greedy", &crashing];
    let args = [
        "--game",
        "kalah:pits=3,seeds=2",
        "--rotations",
        "4",
        "--move-ms",
        "60000",
    ];
    played(dir.path(), &[&args[..], &bots[..]].concat());
    let server = Server::start(dir.path(), "arena.db");
    let description = server.api("/openapi.json");
    let plan = server.plan();
    let faulty = server.api(&format!("{plan}/matches?faults=1"))["matches"][0]["match"].clone();
    assert!(faulty.is_u64(), "a match with a fault was played");
    let (over, going_on) = (server.table(true), server.table(false));
    let mut paths = vec![
        ("/plans", "/plans".to_owned()),
        ("/games", "/games".to_owned()),
        ("/bots", "/bots".to_owned()),
        ("/tables/{id}", over),
        ("/tables/{id}", going_on),
        ("/played", "/played?limit=1".to_owned()),
        ("/played/{n}", "/played/1".to_owned()),
    ];
    for (described, part) in [
        ("/plans/{plan}/standings", "standings".to_owned()),
        ("/plans/{plan}/crosstable", "crosstable?top=2".to_owned()),
        ("/plans/{plan}/matches", "matches?bot=random&limit=3".to_owned()),
        ("/plans/{plan}/matches/{id}", "matches/0".to_owned()),
        ("/plans/{plan}/matches/{id}", format!("matches/{faulty}")),
        ("/plans/{plan}/bots/{name}", "bots/crashing".to_owned()),
        ("/plans/{plan}/pairs/{a}/{b}", "pairs/random/greedy".to_owned()),
        ("/plans/{plan}/live", "live".to_owned()),
    ] {
        paths.push((described, format!("{plan}/{part}")));
    }
    let described = description["paths"].as_object().expect("paths");
    for (path, _) in described.iter().filter(|(_, item)| item.get("get").is_some()) {
        let tried = paths.iter().any(|(known, _)| format!("/api/v1{known}") == *path);
        assert!(tried, "{path} is not tried");
    }
    for (path, asked) in paths {
        let pointer = format!("/api/v1{path}").replace('/', "~1");
        let schema = format!("/paths/{pointer}/get/responses/200/content/application~1json/schema");
        let mut schema = description.pointer(&schema).expect(path).clone();
        schema["components"] = description["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("it is a schema");
        let answer = server.api(&asked);
        let wrong: Vec<String> = validator
            .iter_errors(&answer)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(wrong.is_empty(), "{asked}: {wrong:#?}");
    }
}

#[test]
fn the_boards_of_a_run_in_another_process_are_shown_while_it_plays() {
    let dir = ordinary();
    let args = [
        "run",
        "--game",
        "kalah:pits=4,seeds=3",
        "--rotations",
        "1000000",
        "--move-ms",
        "60000",
        "--jobs",
        "1",
        "house:random",
        "house:greedy",
        "house:minimax,depth=2",
    ];
    let mut playing = arena(dir.path(), &args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the arena starts");
    let server = Server::start(dir.path(), "arena.db");
    let plan = wait_for("the run's plan is known and plays", || {
        let plans = server.api("/plans");
        let plans = plans["plans"].as_array().expect("a list").clone();
        plans.into_iter().find(|plan| plan["running"] == true)
    });
    assert_eq!(plan["planned"], 6_000_000);
    let path = format!("/plans/{}", plan["id"].as_str().expect("an id"));
    let board = wait_for("a board with plies", || {
        let live = server.api(&format!("{path}/live"));
        let board = live["boards"][0].clone();
        let plies = board["film"]["frames"].as_array().map_or(0, Vec::len);
        (live["running"] == true && plies > 0).then_some(board)
    });
    assert_eq!(board["names"].as_array().map(Vec::len), Some(2));
    assert_eq!(board["film"].get("end"), None, "a match that goes on has no end");
    let before = server.api(&format!("{path}/standings"))["matches"].clone();
    wait_for("standings go on", || {
        let standings = server.api(&format!("{path}/standings"));
        (standings["matches"].as_u64() > before.as_u64()).then_some(())
    });

    kill_process(Pid::from_child(&playing), Signal::INT).expect("it runs");
    playing.wait().expect("it ends");
    wait_for("the run is over", || {
        let live = server.api(&format!("{path}/live"));
        (live["running"] == false && live["boards"] == Value::Array(Vec::new())).then_some(())
    });
    let left = std::fs::read_dir(dir.path()).expect("a directory").flatten();
    let left: Vec<String> = left
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.contains("live") || name.contains("watched")),
        "{left:?}"
    );
}

#[test]
fn without_a_file_or_a_port_it_says_so_and_ends() {
    let dir = ordinary();
    let missing = run(dir.path(), &["serve", "--db", "none.db", "--listen", "127.0.0.1:0"]);
    assert_eq!(code(&missing), 2);
    assert!(
        stderr(&missing).contains("no results file `none.db`"),
        "{}",
        stderr(&missing)
    );
    let server = Server::start(dir.path(), "arena.db");
    let taken = run(dir.path(), &["serve", "--listen", &server.address]);
    assert_eq!(code(&taken), 2);
    assert!(stderr(&taken).contains(&server.address), "{}", stderr(&taken));
    std::fs::write(
        dir.path().join("text.db"),
        "no database, and long enough not to be taken for an empty one",
    )
    .expect("a file");
    let other = run(dir.path(), &["serve", "--db", "text.db", "--listen", "127.0.0.1:0"]);
    assert_eq!(code(&other), 2);
}

#[test]
fn ctrl_c_ends_it() {
    let dir = ordinary();
    let mut server = Server::start(dir.path(), "arena.db");
    let _held = server.connect();
    kill_process(Pid::from_child(&server.child), Signal::INT).expect("it runs");
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn c100_hostile_names_are_text_in_every_answer() {
    let dir = TempDir::new().expect("a directory");
    let names = [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "{{7*7}}${7*7}",
        "a/../../b",
        "..",
        "x:y*?\"<>|",
        "back\\slash \"quoted\"",
        "Robert'); DROP TABLE games;--",
        "=1+1",
    ];
    let mut league =
        "game = \"kalah:pits=3,seeds=2\"\nrotations = 1\nopening_plies = 0\n[time]\nmove_ms = 60000\n".to_owned();
    for name in names {
        league += &format!("[[bot]]\nname = {}\nhouse = \"random\"\n", Value::from(name));
    }
    std::fs::write(dir.path().join("league.toml"), league).expect("a file");
    played(dir.path(), &["league.toml", "--db", "arena.db"]);
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    for name in names {
        let bot = server.api(&format!("{plan}/bots/{}", encoded(name)));
        assert_eq!(bot["name"], name);
        let other = names[usize::from(name == names[0])];
        let pair = server.api(&format!("{plan}/pairs/{}/{}", encoded(name), encoded(other)));
        assert_eq!(
            (&pair["a"], &pair["b"], &pair["matches"]),
            (&name.into(), &other.into(), &2.into())
        );
        let list = server.api(&format!("{plan}/matches?bot={}", encoded(name)));
        assert_eq!(list["total"], 16, "{name}");
    }
    // Whatever a name says in an address, the page is the same document.
    let page = server.get(&format!("/bots/x/{}", encoded(names[1])));
    assert_eq!(page.body, server.get("/").body);
}

#[test]
fn c101_connections_that_are_kept_open_keep_nobody_waiting() {
    let dir = ordinary();
    let server = Server::start(dir.path(), "arena.db");
    let mut kept: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    let request = format!("GET /api/v1/plans HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for round in 0..2 {
        for stream in &mut kept {
            stream.write_all(request.as_bytes()).expect("it reads");
            let mut reader = BufReader::new(stream);
            let mut status = String::new();
            reader.read_line(&mut status).expect("it answers");
            assert_eq!(status.trim(), "HTTP/1.1 200 OK", "round {round}");
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("it answers");
                match line.trim().to_ascii_lowercase().split_once(": ") {
                    Some(("content-length", value)) => length = value.parse().expect("a number"),
                    Some(_) => {}
                    None => break,
                }
            }
            reader.read_exact(&mut vec![0; length]).expect("it answers");
        }
        // Half of a request holds up nobody either.
        let mut half = server.connect();
        half.write_all(b"GET / HTTP/1.1\r\nHo").expect("it reads");
        assert_eq!(server.get("/").status, 200);
    }
}

#[test]
fn c103_numbers_that_are_none_are_null() {
    let dir = TempDir::new().expect("a directory");
    let args = [
        "--game",
        "kalah:pits=3,seeds=2",
        "--rotations",
        "1",
        "--move-ms",
        "60000",
        "--opening-plies",
        "0",
    ];
    played(dir.path(), &[&args[..], &["house:random", "house:greedy"]].concat());
    let server = Server::start(dir.path(), "arena.db");
    let plan = server.plan();
    for part in [
        "standings",
        "crosstable",
        "bots/random",
        "pairs/random/greedy",
        "matches",
        "live",
    ] {
        // No number is so large, and none is no number: serde would have refused it.
        let answer = server.api(&format!("{plan}/{part}")).to_string();
        assert!(
            !answer.contains("NaN") && !answer.contains("nfinity") && !answer.contains("e308"),
            "{answer}"
        );
    }
    let standings = server.api(&format!("{plan}/standings"));
    assert_eq!(standings["matches"], 2);
}
