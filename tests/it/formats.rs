//! Formats besides the round robin, as their users see them: who plays whom, and that jobs and interruptions change
//! nothing.

use std::io::{BufRead, BufReader};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Stdio;

use mancala_arena::record::Record;
use tempfile::TempDir;

use crate::program::{arena, code, run, stderr, stdout};

/// Plays a tournament of Kalah in which nobody's clock runs out; gives what it prints.
fn play(dir: &Path, db: &str, args: &str, bots: &[&str]) -> String {
    let words = format!("run --game kalah --move-ms 60000 --db {db} {args}");
    let words: Vec<&str> = words.split_whitespace().chain(bots.iter().copied()).collect();
    let output = run(dir, &words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

fn records(dir: &Path, db: &str) -> Vec<Record> {
    let output = run(dir, &["export", "--db", db]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let lines = stdout(&output);
    lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

/// Match and bots by seat.
fn seated(record: &Record) -> (u64, Vec<&str>) {
    (
        record.r#match,
        record.seats.iter().map(|seat| seat.name.as_str()).collect(),
    )
}

const FOUR: [&str; 4] = ["A=house:greedy", "B=house:random", "C=house:random", "D=house:random"];

#[test]
fn a_gauntlet_plays_exactly_what_the_dry_run_lists() {
    let dir = TempDir::new().unwrap();
    for (args, named) in [("", vec!["A"]), ("--against C --against B", vec!["B", "C"])] {
        let args = format!("--tournament gauntlet --rotations 2 {args}");
        let listed = play(dir.path(), "none.db", &format!("{args} --dry-run --format json"), &FOUR);
        let db = format!("{}.db", named.len());
        play(dir.path(), &db, &args, &FOUR);
        let listed: Vec<serde_json::Value> = listed
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line of JSON"))
            .collect();
        let played = records(dir.path(), &db);
        assert_eq!(played.len(), listed.len());
        for (record, line) in played.iter().zip(&listed) {
            let (id, bots) = seated(record);
            assert_eq!(
                (id.into(), serde_json::json!(bots)),
                (line["match"].clone(), line["bots"].clone())
            );
            assert_eq!(bots.iter().filter(|bot| named.contains(bot)).count(), 1, "{bots:?}");
        }
    }
    assert!(!dir.path().join("none.db").exists());
}

/// The export without times.
fn export(dir: &Path, db: &str) -> String {
    let output = run(dir, &["export", "--no-times", "--db", db]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

const FIVE: [&str; 5] = [
    "A=house:greedy",
    "B=house:random",
    "C=house:minimax,depth=1",
    "D=house:mcts,nodes=20",
    "E=house:random",
];

/// Plays a format with one job, with eight, and killed again and again: the results are the same to the byte. Gives what
/// is printed after the standings, which begins with `result`.
fn same_however_played(format: &str, matches: RangeInclusive<usize>, result: &str) -> String {
    let dir = TempDir::new().unwrap();
    let args = format!("--tournament {format} --opening-plies 2");
    let printed = play(dir.path(), "one.db", &format!("{args} --jobs 1"), &FIVE);
    play(dir.path(), "eight.db", &format!("{args} --jobs 8"), &FIVE);
    let one = export(dir.path(), "one.db");
    assert!(matches.contains(&one.lines().count()), "{}", one.lines().count());
    assert_eq!(one, export(dir.path(), "eight.db"));
    for kill_after in [1, 3, 5] {
        let words = format!("run --game kalah --move-ms 60000 --db cut.db {args} --jobs 2 --events");
        let words: Vec<&str> = words.split_whitespace().chain(FIVE).collect();
        let mut child = arena(dir.path(), &words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let events = lines.map_while(Result::ok).filter(|line| line.starts_with("match "));
        // Fewer when the rest was played before the last kill.
        events.take(kill_after).for_each(drop);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let at_last = play(dir.path(), "cut.db", &args, &FIVE);
    assert_eq!(one, export(dir.path(), "cut.db"));
    let result = printed.find(result).unwrap_or_else(|| panic!("{printed}"));
    let result = &printed[result..];
    assert!(at_last.ends_with(result), "{at_last}");
    result.to_owned()
}

#[test]
fn a_swiss_tournament_is_the_same_however_it_is_played() {
    let table = same_however_played("swiss --rounds 4 --rotations 2", 32..=32, "\nswiss, 4 of 4 rounds:\n");
    assert!(
        FIVE.iter().all(|bot| table.contains(&format!("  {}  ", &bot[..1]))),
        "{table}"
    );
}

#[test]
fn a_knockout_is_the_same_however_it_is_played() {
    // Four ties of two rotations, and up to eight more each.
    let bracket = same_however_played("knockout --rotations 2", 16..=80, "\nround 1:\n  `");
    assert!(bracket.contains("\nfinal:\n  `"), "{bracket}");
    assert!(bracket.contains("\nwinner: `"), "{bracket}");
}

#[test]
fn a_ladder_is_the_same_however_it_is_played() {
    // A round robin would play ten groups six times.
    let verdict = same_however_played("ladder --goal order --rotations 6", 20..=120, "\nladder: ");
    assert!(verdict.contains(" rotation"), "{verdict}");
}

#[test]
fn a_ladder_ends_when_the_best_is_known() {
    let dir = TempDir::new().unwrap();
    let bots = ["A=house:random", "B=house:minimax,depth=3", "C=house:random"];
    let printed = play(dir.path(), "arena.db", "--tournament ladder --rotations 200", &bots);
    assert!(
        printed.contains("\nladder: the best bot is known for sure after "),
        "{printed}"
    );
    assert!(printed.contains("\n1  B "), "{printed}");
    assert!(printed.contains("\nwho met whom hung on earlier results"), "{printed}");
    let matches = records(dir.path(), "arena.db").len();
    assert!(matches < 400, "{matches} of 1200");
}

#[test]
fn a_dry_run_of_a_swiss_tournament_lists_its_first_round_and_says_how_much_follows() {
    let dir = TempDir::new().unwrap();
    let words = "run --game kalah --tournament swiss --rotations 1 --dry-run --format json";
    let words: Vec<&str> = words.split_whitespace().chain(FIVE).collect();
    let output = run(dir.path(), &words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 4);
    assert!(
        stderr(&output).contains("who meets after that hangs on results: 16 matches in all"),
        "{}",
        stderr(&output)
    );
}

/// A bot that starts once, for the trial, and never again loses its matches and holds up nobody.
#[test]
fn c094_a_bot_that_does_not_start_never_blocks_a_swiss_round() {
    let dir = TempDir::new().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/starts_when_it_likes.sh");
    let good = env!("CARGO_BIN_EXE_scripted-bot");
    // The trial is start 99.
    std::fs::write(dir.path().join("starts"), "98").unwrap();
    let bad = format!("bad=sh '{}' starts '1*' {good}", script.display());
    let bots = [
        bad.as_str(),
        "A=house:greedy",
        "B=house:random",
        "C=house:random",
        "D=house:random",
    ];
    let args = "--tournament swiss --rounds 5 --rotations 1 --sandbox off --jobs 1";
    let printed = play(dir.path(), "arena.db", args, &bots);
    assert!(printed.contains("swiss, 5 of 5 rounds:"), "{printed}");
    let records = records(dir.path(), "arena.db");
    assert_eq!(records.len(), 20);
    for record in &records {
        let with_bad = seated(record).1.contains(&"bad");
        assert_eq!(record.faults.len(), usize::from(with_bad));
        assert!(record.faults.iter().all(|fault| fault.bot == "bad"));
    }
    assert_eq!(records.iter().filter(|record| !record.faults.is_empty()).count(), 8);
}
