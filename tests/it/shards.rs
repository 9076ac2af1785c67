//! Parts of a tournament, each played by itself, and joined.

use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};

const BOTS: [&str; 3] = ["A=house:random", "B=house:greedy", "C=house:random"];

/// Plays a tournament of Kalah, or a part of it.
fn play(dir: &Path, args: &str, bots: &[&str]) -> Output {
    let words = format!("run --game kalah --move-ms 60000 --rotations 9 {args}");
    let words: Vec<&str> = words.split_whitespace().chain(bots.iter().copied()).collect();
    run(dir, &words)
}

fn played(dir: &Path, args: &str) {
    let output = play(dir, args, &BOTS);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// Writes `bot.py`, which plays the legal move whose index is in the file `choice`.
fn write_bot(dir: &Path, comment: &str) {
    let lines = "import json, sys\n\
                 choice = int(open('choice').read())\n\
                 for line in sys.stdin:\n    \
                 m = json.loads(line)\n    \
                 if m['type'] == 'hello': print(json.dumps({'type': 'hello', 'protocol': 1}), flush=True)\n    \
                 if m['type'] == 'turn': print(json.dumps({'move': m['legal'][choice]}), flush=True)\n";
    std::fs::write(dir.join("bot.py"), format!("{lines}# {comment}\n")).unwrap();
    std::fs::write(dir.join("choice"), "0").unwrap();
}

const SCRIPTED: [&str; 2] = ["A=house:random", "B=python3 bot.py"];

/// The export without times.
fn export(dir: &Path, db: &str) -> String {
    let output = run(dir, &["export", "--no-times", "--db", db]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn sixteen_parts_joined_are_the_whole() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    played(dir, "--db whole.db");
    let parts: Vec<String> = (1..=16).map(|part| format!("part{part}.db")).collect();
    for (at, db) in parts.iter().enumerate() {
        played(dir, &format!("--shard {}/16 --db {db} --transcripts all", at + 1));
    }
    let words: Vec<&str> = ["merge", "out.db"]
        .into_iter()
        .chain(parts.iter().map(String::as_str))
        .collect();
    let output = run(dir, &words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("out.db: 54 matches of plan"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).ends_with(", all that it has\n"), "{}", stdout(&output));
    assert_eq!(export(dir, "out.db"), export(dir, "whole.db"));
    let verified = run(dir, &["verify", "--db", "out.db"]);
    assert_eq!(code(&verified), 0, "{}", stdout(&verified));
    // The transcripts have found their matches again.
    let transcript = |db| stdout(&run(dir, &["show", "7", "--transcript", "--db", db]));
    let part = parts.iter().map(|db| transcript(db)).find(|text| !text.is_empty());
    assert_eq!(Some(transcript("out.db")), part);

    // Joined again they change nothing.
    let output = run(dir, &["merge", "out.db", "part3.db"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("part3.db: 0 matches, "),
        "{}",
        stdout(&output)
    );
    assert_eq!(export(dir, "out.db"), export(dir, "whole.db"));
}

#[test]
fn what_parts_have_not_played_a_run_on_the_joined_file_plays() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    played(dir, "--db whole.db");
    played(dir, "--shard 1/3");
    played(dir, "--shard 3/3");
    assert_eq!(
        code(&run(dir, &["merge", "out.db", "arena.1-of-3.db", "arena.3-of-3.db"])),
        0
    );
    assert_ne!(export(dir, "out.db"), export(dir, "whole.db"));
    played(dir, "--db out.db");
    assert_eq!(export(dir, "out.db"), export(dir, "whole.db"));
}

#[test]
fn parts_played_into_one_file_count_their_own_matches_only() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    played(dir, "--db whole.db");
    played(dir, "--shard 1/2 --db both.db");
    let second = play(dir, "--shard 2/2 --db both.db", &BOTS);
    assert_eq!(code(&second), 0, "{}", stderr(&second));
    assert!(!stderr(&second).contains("already; going on"), "{}", stderr(&second));
    let again = play(dir, "--shard 2/2 --db both.db", &BOTS);
    assert!(
        stderr(&again).contains("28 matches of this plan are in `both.db` already"),
        "{}",
        stderr(&again)
    );
    assert_eq!(export(dir, "both.db"), export(dir, "whole.db"));
}

#[test]
fn a_part_of_another_plan_is_refused_and_nothing_is_written() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    played(dir, "--shard 1/2 --db one.db");
    played(dir, "--shard 2/2 --db two.db --seed 5");
    let output = run(dir, &["merge", "out.db", "one.db", "two.db"]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    let message = stderr(&output);
    assert!(message.starts_with("error: `two.db` has plan `"), "{message}");
    assert!(message.contains("(they differ in: seed)"), "{message}");
    assert!(!dir.join("out.db").exists());
}

#[test]
fn a_part_played_by_another_program_is_refused_by_the_bots_name() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    for (part, comment) in [(1, "as it was"), (2, "as it is")] {
        write_bot(dir, comment);
        let output = play(dir, &format!("--shard {part}/2 --db part{part}.db"), &SCRIPTED);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let output = run(dir, &["merge", "out.db", "part1.db", "part2.db"]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    let message = stderr(&output);
    assert!(
        message.starts_with("error: in `part2.db` bot `B` is another program: content "),
        "{message}"
    );
}

#[test]
fn a_match_that_two_parts_played_differently_is_refused() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    write_bot(dir, "the same program");
    for (db, choice) in [("one.db", "0"), ("two.db", "-1")] {
        std::fs::write(dir.join("choice"), choice).unwrap();
        let output = play(dir, &format!("--shard 1/1 --db {db}"), &SCRIPTED);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    let output = run(dir, &["merge", "out.db", "one.db", "two.db"]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(
        stderr(&output).starts_with("error: match 0 of `two.db` is another match than the one that is merged already"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn formats_whose_pairings_hang_on_results_have_no_parts() {
    let dir = TempDir::new().unwrap();
    let output = play(dir.path(), "--tournament swiss --shard 1/2", &BOTS);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("only a round-robin or a gauntlet has parts"),
        "{}",
        stderr(&output)
    );
}
