//! The program as its users start it: tournaments, interruptions, results, messages, exit codes.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mancala_arena_tests::wait_until_gone;
use tempfile::TempDir;

const PLAYERS: [&str; 4] = [
    "house:random",
    "house:greedy",
    "house:minimax,depth=2",
    "house:mcts,nodes=20",
];

/// Nobody's clock runs out, however busy the host.
const PATIENT: [&str; 2] = ["--move-ms", "60000"];

pub fn arena(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena-under-test"));
    command.current_dir(dir).args(args).stdin(Stdio::null());
    command
}

pub fn run(dir: &Path, args: &[&str]) -> Output {
    arena(dir, args).output().expect("the arena starts")
}

/// Runs the arena with nobody who reads its standard output.
pub fn unread(dir: &Path, args: &[&str]) -> Output {
    let mut child = arena(dir, args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    drop(child.stdout.take());
    child.wait_with_output().expect("the arena ends")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("messages are UTF-8")
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("the arena exits")
}

/// A tournament's arguments: Kalah, four house bots, 48 matches, results in `db`.
fn tournament<'a>(db: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "--game", "kalah", "--rotations", "4", "--db", db];
    args.extend(PATIENT);
    args.extend(more);
    args.extend(PLAYERS);
    args
}

fn export(dir: &Path, db: &str) -> String {
    let output = run(dir, &["export", "--no-times", "--db", db]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn a_tournament_gives_the_same_results_whatever_the_jobs() {
    let dir = TempDir::new().unwrap();
    for (db, jobs) in [("one.db", "1"), ("four.db", "4")] {
        let output = run(dir.path(), &tournament(db, &["--jobs", jobs]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let table = stdout(&output);
        assert!(
            table.contains("48 matches") && table.contains("minimax-depth-2"),
            "{table}"
        );
    }
    let one = export(dir.path(), "one.db");
    assert_eq!(one.lines().count(), 48);
    assert_eq!(one, export(dir.path(), "four.db"));
    // A second run of the same plan finds nothing left to play, and says the same.
    let again = run(dir.path(), &tournament("one.db", &["--format", "json"]));
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    let standings: serde_json::Value = serde_json::from_str(&stdout(&again)).expect("standings are JSON");
    assert_eq!(standings["matches"], 48);
    assert_eq!(one, export(dir.path(), "one.db"));
    let verified = run(dir.path(), &["verify", "--db", "one.db"]);
    assert_eq!(code(&verified), 0, "{}{}", stdout(&verified), stderr(&verified));
}

#[test]
fn a_killed_tournament_goes_on_and_loses_nothing_that_was_announced() {
    let dir = TempDir::new().unwrap();
    let whole = run(dir.path(), &tournament("whole.db", &[]));
    assert_eq!(code(&whole), 0, "{}", stderr(&whole));
    let mut announced = 0;
    for kill_after in [1, 7, 20] {
        let mut child = arena(dir.path(), &tournament("cut.db", &["--events", "--jobs", "2"]))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let seen = lines
            .map_while(Result::ok)
            .filter(|line| line.starts_with("match "))
            .take(kill_after)
            .count();
        child.kill().unwrap();
        child.wait().unwrap();
        announced += seen;
        let stored = export(dir.path(), "cut.db").lines().count();
        assert!(stored >= announced, "{stored} stored, {announced} announced");
        announced = stored;
    }
    let rest = run(dir.path(), &tournament("cut.db", &[]));
    assert_eq!(code(&rest), 0, "{}", stderr(&rest));
    assert_eq!(export(dir.path(), "cut.db"), export(dir.path(), "whole.db"));
}

#[test]
fn an_interrupted_tournament_says_how_to_go_on_and_leaves_no_process() {
    let dir = TempDir::new().unwrap();
    let long = [
        "run",
        "--game",
        "kalah",
        "--rotations",
        "1000000",
        "--db",
        "long.db",
        "--events",
        "house:random",
        "house:greedy",
    ];
    for signal in ["INT", "TERM"] {
        let mut child = arena(dir.path(), &long)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("match ") {
            line.clear();
            assert!(
                messages.read_line(&mut line).unwrap() > 0,
                "a match is announced before the end"
            );
        }
        let children = std::fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        let bots: Vec<u32> = children
            .flat_map(|task| {
                let text = std::fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
                text.split_whitespace()
                    .map(|id| id.parse().unwrap())
                    .collect::<Vec<u32>>()
            })
            .collect();
        assert!(!bots.is_empty());
        let sent = Command::new("kill")
            .args([&format!("-{signal}"), &child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let mut rest = String::new();
        messages.read_to_string(&mut rest).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(4), "{rest}");
        let command = rest.lines().last().unwrap();
        assert!(
            rest.contains("go on with:") && command.contains("run --game kalah --rotations 1000000 --db long.db"),
            "{rest}"
        );
        // Each bot leads a group of its own.
        wait_until_gone(&bots);
    }
}

#[test]
fn three_and_four_seats_are_balanced() {
    let dir = TempDir::new().unwrap();
    for (game, seats, matches) in [
        ("mancala-basic:seats=3", 3, 30),
        ("mancala-basic:seats=4,pits=4,seeds=3", 4, 20),
    ] {
        let mut args = vec!["run", "--game", game, "--rotations", "1", "--db", game];
        args.extend(PATIENT);
        args.extend([
            "a=house:random,seed=1",
            "b=house:random,seed=2",
            "c=house:greedy",
            "d=house:random,seed=3",
            "e=house:random",
        ]);
        let output = run(dir.path(), &args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let records: Vec<serde_json::Value> = export(dir.path(), game)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(records.len(), matches);
        for bot in ["a", "b", "c", "d", "e"] {
            for seat in 0..seats {
                let there = records
                    .iter()
                    .filter(|record| record["seats"][seat]["name"] == bot)
                    .count();
                assert_eq!(there, matches / 5, "bot {bot} in seat {seat} of {game}");
            }
        }
    }
}

#[test]
fn ten_million_rotations_begin_at_once_and_are_listed_lazily() {
    let dir = TempDir::new().unwrap();
    let args = [
        "run",
        "--game",
        "kalah",
        "--rotations",
        "10000000",
        "--dry-run",
        "house:random",
        "house:greedy",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("20000000 matches"), "{}", stderr(&output));
    assert!(
        std::fs::read_dir(dir.path()).unwrap().next().is_none(),
        "a dry run stores nothing"
    );
}

#[test]
fn a_dry_run_lists_exactly_what_is_played() {
    let dir = TempDir::new().unwrap();
    let listed = run(dir.path(), &tournament("x.db", &["--dry-run", "--format", "json"]));
    let played = run(dir.path(), &tournament("x.db", &[]));
    assert_eq!((code(&listed), code(&played)), (0, 0), "{}", stderr(&played));
    let listed: Vec<serde_json::Value> = stdout(&listed)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let played: Vec<serde_json::Value> = export(dir.path(), "x.db")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), played.len());
    for (listed, played) in listed.iter().zip(&played) {
        assert_eq!(
            (&listed["match"], &listed["rotation"], &listed["seed"]),
            (&played["match"], &played["rotation"], &played["seed"])
        );
        let seats: Vec<_> = played["seats"]
            .as_array()
            .unwrap()
            .iter()
            .map(|seat| &seat["name"])
            .collect();
        assert_eq!(listed["bots"].as_array().unwrap().iter().collect::<Vec<_>>(), seats);
    }
}

#[test]
fn a_bot_that_cannot_start_is_refused_before_the_first_match() {
    let dir = TempDir::new().unwrap();
    let crash = format!("crash={} --start-exit 3", env!("CARGO_BIN_EXE_scripted-bot"));
    for (bot, says) in [
        ("nobody=./no-such-bot", "no such file"),
        ("dir=/", "is a directory"),
        ("data=/etc/passwd", "is not executable"),
        (crash.as_str(), "before its `hello`"),
    ] {
        let output = run(
            dir.path(),
            &["run", "--game", "kalah", bot, "house:random", "--db", "none.db"],
        );
        assert_eq!(code(&output), 3, "{bot}: {}", stderr(&output));
        let message = stderr(&output);
        assert!(
            message.contains("error: ") && message.contains(says),
            "{bot}: {message}"
        );
        assert!(stdout(&output).is_empty());
        let output = run(dir.path(), &["play", "kalah", bot, "house:random"]);
        assert_eq!(code(&output), 3, "{bot}: {}", stderr(&output));
    }
}

#[test]
fn wrong_input_is_named_and_exits_with_2() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("league.toml"), "game = \"kalah\"\nrotation = 3\n").unwrap();
    std::fs::write(
        dir.path().join("not-results.db"),
        "plain text, long enough to be looked at",
    )
    .unwrap();
    let cases: [(&[&str], &str); 10] = [
        (
            &["run", "--game", "owari", "house:random", "house:greedy"],
            "unknown game `owari`",
        ),
        (
            &["run", "--game", "kalah:pits=99", "house:random", "house:greedy"],
            "`pits` takes 1 to 12",
        ),
        (&["run", "--game", "kalah", "house:nobody", "house:greedy"], "nobody"),
        (
            &["run", "--game", "kalah", "a=house:random", "A=house:greedy"],
            "look alike by name",
        ),
        (
            &["run", "--game", "kalah", "house:random"],
            "1 bots for a game of 2 seats",
        ),
        (&["run", "league.toml"], "league.toml:2:1"),
        (&["run", "missing.toml"], "cannot read `missing.toml`"),
        (&["standings", "--db", "missing.db"], "no results file `missing.db`"),
        (&["standings", "--db", "not-results.db"], "not a results file"),
        (&["play", "kalah", "house:random"], "1 bots for a game of 2 seats"),
    ];
    for (args, says) in cases {
        let output = run(dir.path(), args);
        assert_eq!(code(&output), 2, "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{args:?}: {}", stderr(&output));
    }
}

#[test]
fn output_is_plain_where_no_terminal_reads_it_and_survives_a_reader_that_leaves() {
    let dir = TempDir::new().unwrap();
    let output = run(dir.path(), &tournament("plain.db", &["--events"]));
    for bytes in [&output.stdout, &output.stderr] {
        assert!(
            !bytes.contains(&0x1b) && !bytes.contains(&b'\r'),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    for args in [
        &["export", "--db", "plain.db"][..],
        &["matches", "--db", "plain.db", "--format", "csv"],
        &["man"],
    ] {
        let output = unread(dir.path(), args);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn every_reading_command_gives_every_format() {
    let dir = TempDir::new().unwrap();
    let output = run(dir.path(), &tournament("arena.db", &[]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for command in ["standings", "crosstable", "matches", "games"] {
        for format in ["table", "json", "csv"] {
            let output = run(dir.path(), &[command, "--format", format]);
            assert_eq!(code(&output), 0, "{command} {format}: {}", stderr(&output));
            let text = stdout(&output);
            match format {
                "json" => drop(serde_json::from_str::<serde_json::Value>(&text).expect("JSON")),
                "csv" => {
                    let columns = |line: &str| csv_columns(line);
                    let head = columns(text.lines().next().unwrap());
                    assert!(
                        head > 1 && text.lines().all(|line| columns(line) == head),
                        "{command}: {text}"
                    );
                }
                _ => assert!(text.lines().count() > 3, "{command}: {text}"),
            }
        }
    }
    let shown = stdout(&run(dir.path(), &["show", "0"]));
    assert!(shown.contains("seat 1") && shown.contains("final board"), "{shown}");
    for game in ["kalah", "layli-goobalay", "mancala-basic"] {
        let rules = stdout(&run(dir.path(), &["rules", game]));
        assert!(rules.contains("## Examples") && rules.contains("## Sources"), "{rules}");
    }
    let schema: serde_json::Value = serde_json::from_str(&stdout(&run(dir.path(), &["schema"]))).unwrap();
    assert!(schema["$defs"].is_object());
    assert!(stdout(&run(dir.path(), &["completions", "bash"])).contains("complete"));
    assert!(stdout(&run(dir.path(), &["man"])).contains(".TH"));
}

/// Columns of a line of CSV, commas in quotes apart.
fn csv_columns(line: &str) -> usize {
    let mut quoted = false;
    let commas = line.chars().filter(|c| {
        quoted ^= *c == '"';
        *c == ',' && !quoted
    });
    1 + commas.count()
}

#[test]
fn a_match_can_be_played_and_replayed_from_the_command_line() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "layli-goobalay",
        "house:greedy",
        "house:random",
        "--json",
        "--move-ms",
        "60000",
    ];
    let first = run(dir.path(), &args);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let record: mancala_arena::record::Record = serde_json::from_str(&stdout(&first)).expect("a record");
    mancala_arena::record::replay(&record).expect("the record replays by the rules");
    let again: mancala_arena::record::Record = serde_json::from_str(&stdout(&run(dir.path(), &args))).unwrap();
    assert_eq!(record.without_times(), again.without_times());
}

#[test]
fn a_changed_bot_is_not_mixed_with_its_older_self() {
    let dir = TempDir::new().unwrap();
    let script = dir.path().join("bot.sh");
    let text = format!("#!/bin/sh\nexec {}\n", env!("CARGO_BIN_EXE_scripted-bot"));
    std::fs::write(&script, &text).unwrap();
    let args = [
        "run",
        "--game",
        "kalah",
        "--rotations",
        "1",
        "--sandbox",
        "off",
        "mine=sh bot.sh",
        "house:random",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    std::fs::write(&script, text + "# changed\n").unwrap();
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("the program of bot `mine` has changed"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_second_runner_on_the_same_file_is_refused() {
    let dir = TempDir::new().unwrap();
    let args = [
        "run",
        "--game",
        "kalah",
        "--rotations",
        "1000000",
        "--db",
        "a.db",
        "--events",
        "house:random",
        "house:greedy",
    ];
    let mut first = arena(dir.path(), &args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut messages = BufReader::new(first.stderr.take().unwrap())
        .lines()
        .map_while(Result::ok);
    messages
        .find(|line| line.starts_with("match "))
        .expect("a match is announced");
    let second = run(dir.path(), &args);
    let message = stderr(&second);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(code(&second), 2, "{message}");
    assert!(message.contains(&first.id().to_string()), "{message}");
}

#[test]
fn a_cross_table_compares_with_the_ratings_on_request() {
    let dir = TempDir::new().unwrap();
    let output = run(dir.path(), &tournament("arena.db", &[]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = |option: &str| {
        let output = run(dir.path(), &["crosstable", "--db", "arena.db", option]);
        assert_eq!(code(&output), 0, "{option}: {}", stderr(&output));
        stdout(&output)
    };
    for option in ["--los", "--residuals", "--intervals"] {
        let table = shown(option);
        // One that lost everything has no rating to compare with.
        for bot in ["greedy", "minimax-depth-2", "mcts-nodes-20"] {
            assert!(table.contains(bot), "{option}: {table}");
        }
    }
    let both = run(dir.path(), &["crosstable", "--db", "arena.db", "--los", "--residuals"]);
    assert_eq!(code(&both), 2, "{}", stdout(&both));
}

#[test]
fn help_names_every_command() {
    let dir = TempDir::new().unwrap();
    let help = stdout(&run(dir.path(), &["--help"]));
    for command in [
        "play",
        "run",
        "compare",
        "standings",
        "crosstable",
        "ratings",
        "stats",
        "doctor",
        "matches",
        "show",
        "export",
        "verify",
        "bot",
        "games",
        "rules",
        "schema",
        "completions",
        "man",
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
        let own = run(dir.path(), &[command, "--help"]);
        assert_eq!(code(&own), 0);
        assert!(stdout(&own).lines().count() > 5, "{}", stdout(&own));
    }
}
