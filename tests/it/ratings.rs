//! `arena ratings`: every system from a results file, in every format, with the same numbers.

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};

const SYSTEMS: [&str; 8] = [
    "elo",
    "glicko2",
    "weng-lin",
    "davidson",
    "rao-kupper",
    "plackett-luce",
    "alpha-rank",
    "nash",
];

fn played(dir: &TempDir, args: &[&str]) {
    let common = ["run", "--rotations", "3", "--move-ms", "60000"];
    let output = run(dir.path(), &[&common, args].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

fn ratings(dir: &TempDir, args: &[&str]) -> String {
    let output = run(dir.path(), &[&["ratings", "--system"], args].concat());
    assert_eq!(code(&output), 0, "{args:?}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn every_system_says_the_same_in_every_format() {
    let dir = TempDir::new().unwrap();
    let bots = ["house:random", "house:greedy", "house:minimax,depth=2"];
    played(&dir, &[&["--game", "kalah"][..], &bots].concat());
    for system in SYSTEMS {
        let table = ratings(&dir, &[system]);
        let json: Value = serde_json::from_str(&ratings(&dir, &[system, "--format", "json"])).expect("JSON");
        let csv = ratings(&dir, &[system, "--format", "csv"]);
        assert_eq!(json["system"], system);
        let mut lines = csv.lines();
        let titles: Vec<&str> = lines.next().expect("titles").split(',').collect();
        let bots = json["bots"].as_array().expect("a list");
        assert_eq!(bots.len(), 3, "{json:#}");
        for (bot, line) in bots.iter().zip(lines) {
            assert!(table.contains(bot["bot"].as_str().expect("a name")), "{table}");
            for (title, cell) in titles.iter().zip(line.split(',')) {
                match &bot[title] {
                    Value::Null => assert_eq!(cell, "", "{system} {title}: {line}"),
                    Value::String(text) => assert_eq!(cell, text, "{system} {title}: {line}"),
                    number => assert_eq!(cell.parse().ok(), number.as_f64(), "{system} {title}: {line}"),
                }
            }
        }
        for line in table.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

#[test]
fn three_seats_are_rated_by_every_system() {
    let dir = TempDir::new().unwrap();
    let bots = ["house:random", "house:greedy", "again=house:random"];
    played(&dir, &[&["--game", "mancala-basic:seats=3"][..], &bots].concat());
    for system in SYSTEMS {
        let json: Value = serde_json::from_str(&ratings(&dir, &[system, "--format", "json"])).expect("JSON");
        assert_eq!(json["matches"], 9, "{json:#}");
        assert_eq!(json["bots"].as_array().map(Vec::len), Some(3), "{json:#}");
    }
}

#[test]
fn a_setting_that_does_nothing_is_refused_with_the_systems_that_have_it() {
    let dir = TempDir::new().unwrap();
    let output = run(dir.path(), &["ratings", "--system", "davidson", "--prior", "2"]);
    assert_eq!(code(&output), 2);
    let message = stderr(&output);
    assert!(message.contains("`--prior` does nothing for davidson"), "{message}");
    assert!(message.contains("rao-kupper, plackett-luce"), "{message}");
}

#[test]
fn help_says_when_to_take_which_and_that_standings_answer_most() {
    let dir = TempDir::new().unwrap();
    let help = stdout(&run(dir.path(), &["ratings", "--help"]));
    assert!(help.contains("`arena standings` is the answer"), "{help}");
    for system in SYSTEMS {
        assert!(help.contains(&format!("- {system}: ")), "{help}");
    }
}
