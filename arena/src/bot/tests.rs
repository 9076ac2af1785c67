//! One process at a time, each a line of shell. What a bot does in a match is tested with whole matches.

use std::time::Duration;

use rustix::io::Errno;
use tokio::time::Instant;

use super::launch::Launcher;
use super::{Process, Received, SendError, StartError, exit_text};
use crate::config::Resolved;

/// A process that runs `script`.
fn shell(script: &str) -> Process {
    let program = Resolved {
        program: "sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        dir: ".".into(),
        env: Default::default(),
        content: None,
    };
    Process::start(&program, &Launcher::direct(), &[]).expect("there is a shell")
}

/// A deadline that only a hung test reaches.
fn patience() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

async fn line(process: &mut Process) -> String {
    let received = process.receive(patience()).await;
    assert!(matches!(received, Received::Line(_)), "{received:?}");
    String::from_utf8(process.line().to_vec()).expect("the script writes text")
}

async fn exit(process: &Process) -> String {
    exit_text(process.exit_status(Duration::from_secs(60)).await.expect("it ends"))
}

#[test]
fn a_host_short_of_something_is_told_from_a_program_that_cannot_be_started() {
    let cannot_start = |errno: Errno| StartError::CannotStart {
        program: "bot".into(),
        error: errno.into(),
    };
    for errno in [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOSPC] {
        assert!(cannot_start(errno).is_of_host(), "{errno}");
    }
    for errno in [Errno::NOENT, Errno::ACCESS, Errno::NOEXEC, Errno::ISDIR] {
        assert!(!cannot_start(errno).is_of_host(), "{errno}");
    }
    assert!(!StartError::ClosedOutput.is_of_host());
}

#[tokio::test]
async fn lines_go_in_and_come_out() {
    let mut process = shell(r#"while read -r line; do echo "got $line"; done"#);
    for word in ["one", "two"] {
        process.send(format!("{word}\n").as_bytes()).await.expect("it reads");
        assert_eq!(line(&mut process).await, format!("got {word}"));
    }
    process.end(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn what_was_written_before_the_end_is_read_before_the_end_is_seen() {
    let mut process = shell("echo last words; exit 3");
    assert_eq!(exit(&process).await, "exited with status 3");
    assert_eq!(line(&mut process).await, "last words");
    assert_eq!(process.receive(patience()).await, Received::Closed);
}

#[tokio::test]
async fn a_child_that_holds_the_output_does_not_hide_the_end() {
    let mut process = shell("sleep 1000 & exit 3");
    assert_eq!(process.receive(patience()).await, Received::Closed);
    assert_eq!(exit(&process).await, "exited with status 3");
}

#[tokio::test]
async fn a_line_that_is_half_there_when_the_turn_begins_is_dropped_whole() {
    let mut process = shell(r#"printf half; read -r go; printf 'more'; read -r go; printf ' old\nnew\n'"#);
    while process.unfinished() != b"half" {
        process.receive(Instant::now() + Duration::from_millis(10)).await;
    }
    assert_eq!(process.drop_unasked(), Some(1));
    process.send(b"go\n").await.expect("it reads");
    while process.unfinished() != b"more" {
        process.receive(Instant::now() + Duration::from_millis(10)).await;
    }
    assert_eq!(process.drop_unasked(), Some(0), "it is still the same line");
    process.send(b"go\n").await.expect("it reads");
    assert_eq!(line(&mut process).await, "new");
}

#[tokio::test]
async fn whole_lines_that_nobody_asked_for_are_counted_and_dropped() {
    let mut process = shell("printf 'a\nb\nc\n'; read -r go; echo d");
    assert_eq!(line(&mut process).await, "a");
    assert_eq!(process.drop_unasked(), Some(2));
    process.send(b"go\n").await.expect("it reads");
    assert_eq!(line(&mut process).await, "d");
}

#[tokio::test]
async fn output_without_end_is_a_flood() {
    let mut process = shell("yes 'one line after the other, each of them long enough to get there sooner'");
    let mut received = process.receive(patience()).await;
    while matches!(received, Received::Line(_)) {
        received = process.receive(patience()).await;
    }
    assert_eq!(received, Received::Flood);
}

#[tokio::test]
async fn output_without_a_newline_is_a_line_too_long() {
    let mut process = shell("yes | tr -d '\\n'");
    assert_eq!(process.receive(patience()).await, Received::TooLong);
}

#[tokio::test]
async fn a_line_that_went_out_in_part_is_followed_by_no_other() {
    let mut process = shell("sleep 1000");
    assert_eq!(process.send(&[b'x'; 200_000]).await, Err(SendError::NotReading));
    assert_eq!(process.send(b"\n").await, Err(SendError::NotReading));
}

#[tokio::test]
async fn a_process_that_has_ended_cannot_be_sent_to() {
    let mut process = shell("exit 0");
    exit(&process).await;
    assert_eq!(process.send(b"line\n").await, Err(SendError::Closed));
}

#[tokio::test]
async fn the_last_words_of_a_process_are_complete() {
    let process = shell("echo from the shell >&2; kill -9 $$");
    assert_eq!(exit(&process).await, "ended by SIGKILL");
    assert_eq!(process.last_words().await.as_deref(), Some("from the shell\n"));
}

#[tokio::test]
async fn a_process_that_ignores_the_end_of_its_input_is_killed() {
    let process = shell("trap '' TERM HUP; while :; do sleep 1000; done");
    assert!(process.exit_status(Duration::ZERO).await.is_none());
    process.end(Duration::ZERO).await;
}
