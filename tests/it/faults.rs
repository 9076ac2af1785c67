//! Each kind of fault, made by a real process in a real match.
//!
//! Limits are short only where the bot that makes the fault never does what is waited for, and sits where the other bot is
//! not asked before it: no outcome here depends on how busy the machine is.

use mancala_arena::config::TimeControl;
use mancala_arena::record::{End, FaultRecord, LeaveRecord, LeftBy, replay};
use mancala_arena_protocol::{FROM_BOT_BYTES_MAX, FaultCode};
use mancala_arena_tests::{Entrant, Table, patient, wait_for};
use serde_json::json;

use crate::scripted;

/// A match of Kalah in which the bot in seat 0 makes a fault with `code` at `ply`. Whatever the fault, the other bot wins
/// and is told so, the record replays, and no process is left. Gives the fault.
fn check(bad: Entrant, time: TimeControl, code: FaultCode, ply: u32) -> FaultRecord {
    check_against(bad, scripted(""), time, code, ply)
}

fn check_against(bad: Entrant, good: Entrant, time: TimeControl, code: FaultCode, ply: u32) -> FaultRecord {
    let mut table = Table::new([bad, good]);
    let mut record = table.play("kalah", time);
    assert_eq!(record.faults.len(), 1, "{:?}", record.faults);
    let fault = &record.faults[0];
    assert_eq!((fault.seat, fault.code, fault.ply), (0, code, ply), "{fault:?}");
    assert_eq!((record.end, &record.places[..]), (End::Fault, &[2, 1][..]));
    let by = LeftBy::Fault;
    assert_eq!(record.left, [LeaveRecord { seat: 0, ply, by }]);
    replay(&record).expect("the record replays");

    let end = table.message(1, "end", 1);
    assert_eq!((&end["places"], &end["reason"]), (&json!([2, 1]), &json!("fault")));
    let told = &end["faults"][0];
    assert_eq!(
        (&told["seat"], &told["ply"], &told["code"]),
        (&json!(0), &json!(ply), &json!(code.as_str()))
    );
    assert_eq!(told["message"], fault.message);
    table.close();
    record.faults.remove(0)
}

/// So many milliseconds a move.
fn per_move(move_ms_max: u64) -> TimeControl {
    TimeControl {
        move_ms_max: Some(move_ms_max),
        ..patient()
    }
}

/// So many milliseconds to start.
fn to_start(start_ms_max: u64) -> TimeControl {
    TimeControl {
        start_ms_max,
        ..patient()
    }
}

#[test]
fn cannot_start_what_is_not_there() {
    let missing = Entrant::new("/no/such/bot", [""; 0]);
    let fault = check(missing, patient(), FaultCode::CannotStart, 0);
    assert!(fault.message.contains("/no/such/bot"), "{}", fault.message);
}

#[test]
fn cannot_start_a_directory() {
    check(Entrant::new("/tmp", [""; 0]), patient(), FaultCode::CannotStart, 0);
}

#[test]
fn no_hello() {
    let fault = check(scripted("--no-hello"), to_start(4_000), FaultCode::NoHello, 0);
    assert_eq!(fault.message, "no `hello` within 4000 ms; nothing was received");
}

#[test]
fn no_hello_but_another_message() {
    let fault = check(
        Entrant::new("echo", [r#"{"move":1}"#]),
        patient(),
        FaultCode::NoHello,
        0,
    );
    assert_eq!(fault.received.as_deref(), Some(r#"{"move":1}"#));
}

#[test]
fn no_hello_but_lines_without_end() {
    let fault = check(
        Entrant::new("yes", ["no hello"]),
        to_start(4_000),
        FaultCode::NoHello,
        0,
    );
    assert_eq!(fault.exit, None);
}

#[test]
fn no_hello_is_also_no_ready() {
    let fault = check(
        scripted("--ready --never-ready"),
        to_start(4_000),
        FaultCode::NoHello,
        0,
    );
    assert!(fault.message.contains("`ready`"), "{}", fault.message);
}

#[test]
fn a_bot_that_is_never_ready_makes_no_other_late() {
    let others = [scripted("--ready"), scripted("--ready")];
    let mut table = Table::new(std::iter::once(scripted("--ready --never-ready")).chain(others));
    let record = table.play("mancala-basic:seats=3", to_start(4_000));
    let faults: Vec<_> = record.faults.iter().map(|fault| (fault.seat, fault.code)).collect();
    assert_eq!(faults, [(0, FaultCode::NoHello)]);
    assert_eq!(record.end, End::Rules);
    table.close();
}

#[test]
fn unsupported_protocol() {
    let fault = check(scripted("--bad-protocol"), patient(), FaultCode::UnsupportedProtocol, 0);
    assert_eq!(fault.message, "protocol 9 was not offered; offered: 1");
}

#[test]
fn exited_before_its_hello() {
    let fault = check(scripted("--start-exit 3"), patient(), FaultCode::Exited, 0);
    assert_eq!(fault.exit.as_deref(), Some("exited with status 3"));
    assert_eq!(fault.stderr.as_deref(), Some("cannot go on\n"));
}

#[test]
fn exited_with_a_status() {
    let fault = check(scripted("--crash-at 2 --exit-code 7"), patient(), FaultCode::Exited, 2);
    assert_eq!(fault.exit.as_deref(), Some("exited with status 7"));
    assert_eq!(fault.stderr.as_deref(), Some("about to crash at ply 2\n"));
}

#[test]
fn exited_with_status_0_is_a_fault_all_the_same() {
    let fault = check(scripted("--crash-at 0"), patient(), FaultCode::Exited, 0);
    assert_eq!(fault.message, "exited with status 0 before its move");
}

#[test]
fn exited_by_a_signal() {
    let signals = [(6, "SIGABRT"), (9, "SIGKILL"), (15, "SIGTERM")];
    for (number, name) in signals {
        let bot = scripted(&format!("--crash-at 2 --signal {number}"));
        let fault = check(bot, patient(), FaultCode::Exited, 2);
        assert_eq!(fault.exit, Some(format!("ended by {name}")));
        assert_eq!(fault.stderr.as_deref(), Some("about to crash at ply 2\n"));
    }
}

#[test]
fn exited_without_any_clock_is_noticed() {
    let no_clock = TimeControl {
        move_ms_max: None,
        hang_ms_max: 3_600_000,
        ..patient()
    };
    check(scripted("--crash-at 2 --exit-code 1"), no_clock, FaultCode::Exited, 2);
}

#[test]
fn closed_output() {
    let fault = check(scripted("--close-output 0"), patient(), FaultCode::ClosedOutput, 0);
    assert_eq!(fault.exit, None, "it lives on");
}

#[test]
fn closed_input() {
    let fault = check(scripted("--close-input 0"), patient(), FaultCode::ClosedInput, 2);
    assert_eq!(fault.exit, None, "it lives on");
}

#[test]
fn not_reading() {
    // A line that is longer than the pipe: a bot's name is part of `start`.
    let good = Entrant {
        name: "n".repeat(70_000),
        ..scripted("")
    };
    check_against(scripted("--no-reading"), good, patient(), FaultCode::NotReading, 0);
}

#[test]
fn late_without_an_answer() {
    let fault = check(scripted("--hang 0"), per_move(100), FaultCode::Late, 0);
    assert_eq!(fault.received, None);
    assert_eq!(fault.late_ms, None, "it never came");
}

#[test]
fn late_with_an_answer_that_comes_too_late() {
    check(scripted("--late 60000"), per_move(100), FaultCode::Late, 0);
}

#[test]
fn late_without_a_newline() {
    let fault = check(scripted("--no-newline 0"), per_move(2_000), FaultCode::Late, 0);
    assert_eq!(fault.received.as_deref(), Some(r#"{"move":0}"#));
    assert!(fault.message.contains("10 bytes"), "{}", fault.message);
}

#[test]
fn not_a_message() {
    let fault = check(scripted("--not-json 2"), patient(), FaultCode::NotAMessage, 2);
    assert_eq!(fault.received.as_deref(), Some(r#"{"move" 3}"#));
}

#[test]
fn line_too_long() {
    let bot = scripted(&format!("--long-line {}", FROM_BOT_BYTES_MAX + 1));
    let fault = check(bot, patient(), FaultCode::LineTooLong, 0);
    assert!(
        fault
            .received
            .is_some_and(|received| received.starts_with(r#"{"move":0}"#))
    );
}

#[test]
fn output_flood() {
    check(scripted("--flood 0"), patient(), FaultCode::OutputFlood, 0);
}

#[test]
fn output_flood_from_the_start() {
    let script = r#"echo '{"type":"hello","protocol":1}'; exec yes 'no end of words, whoever is to move'"#;
    check(Entrant::new("sh", ["-c", script]), patient(), FaultCode::OutputFlood, 0);
}

#[test]
fn illegal_move() {
    let fault = check(scripted("--illegal 2"), patient(), FaultCode::IllegalMove, 2);
    assert_eq!(fault.received.as_deref(), Some(r#"{"move":99}"#));
    assert_eq!(fault.legal, Some(json!([1, 2, 3, 4, 5])));
    assert!(fault.message.ends_with("; legal: 1, 2, 3, 4, 5"), "{}", fault.message);
}

#[test]
fn the_first_cause_is_the_same_every_time() {
    // The bot ends right after its illegal move: whichever the arena notices first, the move came first.
    let mut table = Table::new([scripted("--illegal-then-exit 0"), scripted("")]);
    for _ in 0..50 {
        let record = table.play("kalah", patient());
        let codes: Vec<FaultCode> = record.faults.iter().map(|fault| fault.code).collect();
        assert_eq!(codes, [FaultCode::IllegalMove]);
    }
    table.close();
}

#[test]
fn the_author_is_told_before_the_process_is_ended() {
    let mut table = Table::new([scripted("--illegal 0"), scripted("")]);
    // On a busy machine a process may be ended before it has read why: then the next one may be quicker.
    let (error, fault) = wait_for("a bot that reads its error", || {
        let mut record = table.play("kalah", patient());
        Some((table.messages(0, "error").pop()?, record.faults.remove(0)))
    });
    assert_eq!(error["code"], "illegal_move");
    assert_eq!(error["message"], fault.message);
    assert_eq!(error["received"], r#"{"move":99}"#);
    assert_eq!(error["legal"], json!([0, 1, 2, 3, 4, 5]));
    table.close();
}

#[test]
fn with_three_seats_the_others_play_on() {
    let mut table = Table::new([
        scripted(""),
        scripted("--crash-at 1 --exit-code 1"),
        scripted("--checks-state"),
    ]);
    let record = table.play("mancala-basic:seats=3,pits=4,seeds=3", patient());
    assert_eq!(record.faults.len(), 1, "{:?}", record.faults);
    assert_eq!(record.places[1], 3);
    assert_eq!(record.end, End::Rules);
    replay(&record).expect("the record replays");
    for seat in [0, 2] {
        assert_eq!(table.message(seat, "end", 1)["places"], json!(record.places));
    }
    table.close();
}
