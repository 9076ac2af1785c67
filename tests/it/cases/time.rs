//! Clocks: what counts as late, what does not, and how a clock is written.

use std::time::{Duration, Instant};

use mancala_arena::record::Record;
use mancala_arena_protocol::FaultCode;

use super::{GOOD, KALAH, Place, bad, forfeits, plays_on};
use crate::program::{code, stderr};

/// How long `bad` took for its moves in a match, together.
fn own_ms(record: &Record) -> u64 {
    let own = |seat: u8| record.seats[usize::from(seat)].name == "bad";
    let plies = record.plies.iter().filter(|ply| own(ply.seat));
    plies.map(|ply| ply.elapsed_us).sum::<u64>() / 1_000
}

/// Many matches side by side cost no bot its time: lucasart/c-chess-cli#22.
#[test]
fn c047_many_matches_side_by_side_make_no_bot_late() {
    let args = "--game kalah --rotations 8 --opening-plies 0 --move-ms 2000 --jobs 16";
    assert_eq!(plays_on(args, "sleeps.py 80").len(), 16);
}

/// Each move has the whole limit, however long the match: Disservin/fastchess#505.
#[test]
fn c049_each_move_has_the_whole_limit() {
    let args = "--game kalah:pits=12,seeds=10 --rotations 1 --opening-plies 0 --move-ms 1500";
    for record in plays_on(args, "sleeps.py 60") {
        assert!(own_ms(&record) > 1_500, "{} ms", own_ms(&record));
    }
}

/// A limit for each move is kept to, at the first move: Disservin/fastchess#302.
#[test]
fn c050_the_first_move_that_takes_too_long_is_late() {
    for fault in forfeits(&KALAH.replace("60000", "2000"), "sleeps.py 30000", FaultCode::Late) {
        assert_eq!(fault.ply, u32::from(fault.seat), "{fault:?}");
        assert!(fault.message.contains("2000 ms"), "{}", fault.message);
    }
}

/// A clock is taken as it is written, or refused by its name; nothing is guessed: cutechess/cutechess#810.
#[test]
fn c052_a_clock_is_taken_or_refused_by_its_name() {
    let taken = [
        "--move-ms 10",
        "--bank-ms 10",
        "--bank-ms 10 --increment-ms 0",
        "--bank-ms 5 --move-ms 1",
        "--no-clock",
    ];
    for clock in taken {
        let output = Place::new().run(&format!("run --game kalah --dry-run {clock}"), &["house:random", GOOD]);
        assert_eq!(code(&output), 0, "{clock}: {}", stderr(&output));
    }
    let refused = [
        ("--move-ms 0", "--move-ms"),
        ("--move-ms 0.5", "--move-ms"),
        ("--move-ms 10xxx", "--move-ms"),
        ("--move-ms 1e3", "--move-ms"),
        ("--move-ms=-1", "--move-ms"),
        ("--move-ms=", "--move-ms"),
        ("--move-ms inf", "--move-ms"),
        ("--move-ms 99999999999999999999", "--move-ms"),
        ("--bank-ms 0", "--bank-ms"),
        ("--bank-ms 0 --increment-ms 5", "--bank-ms"),
        ("--bank-ms 1:30", "--bank-ms"),
        ("--bank-ms 40/10", "--bank-ms"),
        ("--bank-ms 10+0.1", "--bank-ms"),
        ("--bank-ms 10 --increment-ms xxx", "--increment-ms"),
        ("--increment-ms 5", "--bank-ms"),
        ("--no-clock --move-ms 5", "--move-ms"),
        ("--no-clock --bank-ms 5", "--bank-ms"),
    ];
    for (clock, named) in refused {
        let output = Place::new().run(&format!("run --game kalah --dry-run {clock}"), &["house:random", GOOD]);
        assert_eq!(code(&output), 2, "{clock}: {}", stderr(&output));
        assert!(stderr(&output).contains(named), "{clock}: {}", stderr(&output));
    }
}

/// A run in which every match is lost on time comes to its end: Disservin/fastchess#231.
#[test]
fn c053_a_run_of_losses_on_time_ends() {
    let began = Instant::now();
    let args = "--game kalah --rotations 4 --opening-plies 0 --move-ms 2000 --jobs 4";
    assert_eq!(forfeits(args, "never_answers.py", FaultCode::Late).len(), 8);
    assert!(
        began.elapsed() < Duration::from_secs(30),
        "two limits of two seconds, one after the other"
    );
}

/// A bank is for one match, from its start: waiting for others costs nothing: OpenHands/benchmarks#637.
#[test]
fn c055_a_match_that_waits_loses_no_time() {
    let args = "--game kalah:pits=4,seeds=3 --rotations 6 --opening-plies 0 --bank-ms 3000 --jobs 1";
    let records = Place::new().play(args, &[&bad("sleeps.py 80"), GOOD]);
    assert!(records.iter().all(|record| record.faults.is_empty()), "{records:?}");
    let all: u64 = records.iter().map(own_ms).sum();
    assert!(all > 3_000, "{all} ms");
}

/// What a ply costs the arena does not add up in a long match: official-stockfish/Stockfish#4192.
#[test]
fn c056_a_long_match_wears_no_bank_down() {
    let args = "--game kalah:pits=12,seeds=10 --rotations 1 --opening-plies 0 --bank-ms 2000 --increment-ms 500";
    let records = Place::new().play(args, &[&bad("sleeps.py 30"), "good=house:random"]);
    for record in records {
        assert_eq!(record.faults, []);
        assert!(own_ms(&record) > 2_000, "{} ms", own_ms(&record));
    }
}
