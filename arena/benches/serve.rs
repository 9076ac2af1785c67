//! How long the page's requests take on the server's side, over a results file of a million matches. The matches are made
//! up, the same in every run.
//!
//! `cargo bench -p mancala-arena --bench serve [-- BOTS MATCHES]`

mod made_up;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// How often each request is sent.
const REPEATS: u32 = 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if arguments.first().is_some_and(|argument| argument == "serve") {
        // Called by itself below: the program under test.
        return mancala_arena::main();
    }
    let number = |at: usize, default: u64| {
        arguments
            .get(at)
            .map_or(default, |text| text.parse().expect("a number"))
    };
    let (bots, matches) = (number(0, 50) as usize, number(1, 1_000_000));
    let dir = std::env::temp_dir().join(format!("serve-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for the results can be made");
    let db = dir.join("arena.db");
    made_up::store(&db, &made_up::names(bots), &made_up::scores(bots, matches));
    println!("{bots} bots, {matches} matches");

    let began = Instant::now();
    let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["serve", "--listen", "127.0.0.1:0", "--db"])
        .arg(&db)
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program starts");
    measure(&mut child, began);
    child.kill().expect("it runs");
    child.wait().expect("it was started");
    std::fs::remove_dir_all(&dir).expect("the results can be removed");
    ExitCode::SUCCESS
}

fn measure(child: &mut Child, began: Instant) {
    let mut line = String::new();
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped"));
    lines.read_line(&mut line).expect("it names its address");
    let address = line.trim().strip_prefix("http://").expect("an address");
    println!("{:8.1} ms  until it names its address", ms(began.elapsed()));

    let began = Instant::now();
    let plans = get(address, "/api/v1/plans");
    let id = plans.split("\"id\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let plan = format!("/api/v1/plans/{}", id.expect("there is a plan"));
    for path in ["/", "/assets/app.js", &format!("{plan}/standings")] {
        get(address, path);
    }
    println!(
        "{:8.1} ms  the first view: document, script, plans, standings",
        ms(began.elapsed())
    );

    for path in [
        "/standings",
        "/live",
        "/matches",
        "/matches?before=500000",
        "/matches?bot=bot7",
        "/matches?bot=bot7&opponent=bot8",
        "/matches?bot=bot7&faults=1",
        "/matches?end=fault",
        "/crosstable?top=20",
        "/bots/bot7",
        "/pairs/bot7/bot8",
    ] {
        let mut took: Vec<Duration> = (0..REPEATS)
            .map(|_| {
                let began = Instant::now();
                get(address, &format!("{plan}{path}"));
                began.elapsed()
            })
            .collect();
        let first = took[0];
        took.sort_unstable();
        println!(
            "{:8.1} ms  at first, then half of them up to {:.1} ms, all up to {:.1} ms: {path}",
            ms(first),
            ms(took[took.len() / 2]),
            ms(took[took.len() - 2]),
        );
    }
}

fn get(address: &str, path: &str) -> String {
    loop {
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        if answer.starts_with("HTTP/1.1 200 ") {
            return answer;
        }
        assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
