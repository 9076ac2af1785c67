//! Matches that are looked at and played by hand, where there is no terminal: what is drawn line by line, and what is typed.
//! What the screen of a terminal shows is tested beside it, on one that is in memory.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use tempfile::TempDir;

use super::program::{arena, code, run, stderr, stdout};

/// Runs the arena with `typed` on standard input, which ends after it.
fn typing(dir: &Path, args: &[&str], typed: &str) -> Output {
    let mut child = arena(dir, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    let mut stdin = child.stdin.take().expect("it was piped");
    // The match may be over before all is read.
    let _ = stdin.write_all(typed.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the arena ends")
}

#[test]
fn two_persons_play_a_whole_match_at_one_terminal() {
    let dir = TempDir::new().unwrap();
    // With one pit each there is one legal move at any time.
    let args = ["play", "kalah:pits=1,seeds=1", "Ann=human", "human"];
    let output = typing(dir.path(), &args, &"0\n".repeat(20));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("ended by the rules"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("seat 1 Ann, your move (0; ? for help): "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_a_person_types_wrong_is_explained_and_asked_again() {
    let dir = TempDir::new().unwrap();
    let output = typing(
        dir.path(),
        &["play", "kalah", "human", "house:random"],
        "x\n9\n?\nresign\n",
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    for expected in [
        "`x` is no pit; type one of 0, 1, 2, 3, 4, 5, or ? for help",
        "9 cannot be played: ",
        "resign        you leave the match",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert!(stdout(&output).contains("ended by resignation"), "{}", stdout(&output));
}

#[test]
fn a_person_among_four_resigns_and_the_others_play_on() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "mancala-basic:seats=4",
        "house:greedy",
        "human",
        "house:random",
        "house:greedy",
    ];
    let output = typing(dir.path(), &args, "resign\n");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("ended by the rules"), "{}", stdout(&output));
}

#[test]
fn the_end_of_the_input_ends_the_match_without_a_result() {
    let dir = TempDir::new().unwrap();
    for typed in ["", "quit\n"] {
        let output = typing(dir.path(), &["play", "kalah", "house:random", "human"], typed);
        assert_eq!(code(&output), 4, "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn a_person_has_a_clock_only_when_one_is_asked_for() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "kalah",
        "human",
        "house:random",
        "--move-ms",
        "1",
        "--grace-ms",
        "0",
    ];
    let mut child = arena(dir.path(), &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    // Held open: nothing is typed, and the limit ends the match.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().expect("the arena ends");
    drop(stdin);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stderr(&output).contains("bot `human` (seat 1) forfeits"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_person_plays_in_arena_play_alone() {
    let dir = TempDir::new().unwrap();
    for args in [
        &["run", "--game", "kalah", "human", "house:random"][..],
        &["compare", "kalah", "Ann=human", "house:random"],
        &["check", "human"],
    ] {
        let output = run(dir.path(), args);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        let expected = "is a person; a person plays only in `arena play`";
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
}

#[test]
fn a_match_that_nobody_reads_any_more_is_ended_quietly() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "kalah",
        "house:random",
        "house:greedy",
        "--watch",
        "--pause-ms",
        "0",
    ];
    let mut child = arena(dir.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the arena ends");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_watched_match_is_drawn_on_standard_output_where_there_is_no_terminal() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "kalah",
        "house:random",
        "house:greedy",
        "--watch",
        "--pause-ms",
        "0",
    ];
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let drawn = stdout(&output);
    assert!(drawn.contains("> seat 1 [  0]   4    4"), "{drawn}");
    assert!(drawn.contains("ply 0: seat 1 random plays "), "{drawn}");
    assert!(!drawn.contains('\u{1b}'), "{drawn}");
}

#[test]
fn a_replay_without_a_terminal_says_what_to_do() {
    let dir = TempDir::new().unwrap();
    let played = run(
        dir.path(),
        &[
            "run",
            "--game",
            "kalah",
            "--rotations",
            "1",
            "house:random",
            "house:greedy",
        ],
    );
    assert_eq!(code(&played), 0, "{}", stderr(&played));
    let output = run(dir.path(), &["show", "0", "--replay"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("without --replay the match is printed"),
        "{}",
        stderr(&output)
    );
}
