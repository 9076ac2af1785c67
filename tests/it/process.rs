//! What bots do beside playing, and what becomes of their processes.

use mancala_arena::config::TimeControl;
use mancala_arena::record::{End, Record, replay};
use mancala_arena_protocol::{FROM_BOT_BYTES_MAX, FaultCode};
use mancala_arena_tests::{Table, opening, patient, wait_until_gone};

use crate::scripted;

/// A match of Kalah against a bot without faults, which ends by the rules.
fn check_plays_on(args: &str) -> Record {
    let mut table = Table::new([scripted(args), scripted("")]);
    let record = table.play("kalah", patient());
    assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]));
    replay(&record).expect("the record replays");
    table.close();
    record
}

fn turns_of(record: &Record, seat: u8) -> u64 {
    record.plies.iter().filter(|ply| ply.seat == seat).count() as u64
}

#[test]
fn a_flood_on_standard_error_blocks_nobody() {
    check_plays_on("--stderr-flood 300000");
}

#[test]
fn bytes_that_are_no_text_on_standard_error_harm_nobody() {
    check_plays_on("--bad-utf8-stderr");
}

#[test]
fn the_last_of_standard_error_is_kept_with_the_fault() {
    let mut table = Table::new([
        scripted("--stderr-flood 100000 --bad-utf8-stderr --crash-at 0"),
        scripted(""),
    ]);
    let record = table.play("kalah", patient());
    let stderr = record.faults[0].stderr.as_deref().expect("it wrote to standard error");
    assert!(
        stderr.starts_with("... (") && stderr.ends_with("\nabout to crash at ply 0\n"),
        "{stderr}"
    );
    assert!(stderr.contains("bytes \u{fffd}\u{fffd}( end"), "{stderr}");
    table.close();
}

#[test]
fn carriage_returns_blanks_and_empty_lines_are_passed_over() {
    let record = check_plays_on("--crlf");
    assert_eq!(record.seats[0].log_lines, 0);
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_passed_over() {
    check_plays_on("--bom");
}

#[test]
fn stray_prints_are_counted() {
    let record = check_plays_on("--garbage");
    assert_eq!(record.seats[0].log_lines, turns_of(&record, 0));
    assert_eq!(record.seats[1].log_lines, 0);
}

#[test]
fn a_second_answer_is_dropped_and_never_played() {
    let record = check_plays_on("--double");
    // What follows the last turn is dropped by the next match.
    assert_eq!(record.seats[0].dropped_lines, turns_of(&record, 0) - 1);
}

#[test]
fn the_longest_line_is_taken() {
    check_plays_on(&format!("--long-line {FROM_BOT_BYTES_MAX}"));
}

#[test]
fn one_process_plays_match_after_match() {
    let mut table = Table::new([scripted(""), scripted("--double")]);
    for _ in 0..20 {
        let record = table.play("kalah", patient());
        assert_eq!(record.end, End::Rules, "{:?}", record.faults);
    }
    for seat in [0, 1] {
        table.message(seat, "end", 20);
        assert_eq!(table.processes(seat).len(), 1);
        assert_eq!(table.messages(seat, "start").len(), 20);
    }
    table.close();
}

#[test]
fn after_a_fault_there_is_a_fresh_process() {
    let mut table = Table::new([scripted("--illegal 0"), scripted("")]);
    for _ in 0..3 {
        let record = table.play("kalah", patient());
        assert_eq!(record.faults[0].code, FaultCode::IllegalMove);
    }
    assert_eq!(table.processes(0).len(), 3);
    assert_eq!(table.processes(1).len(), 1);
    table.close();
}

#[test]
fn a_late_answer_is_late_once_and_goes_to_no_other_match() {
    let short = TimeControl {
        move_ms_max: Some(100),
        ..patient()
    };
    let mut table = Table::new([scripted("--stale 400"), scripted("")]);
    for _ in 0..3 {
        let record = table.play("kalah", short);
        let faults: Vec<_> = record
            .faults
            .iter()
            .map(|fault| (fault.seat, fault.ply, fault.code))
            .collect();
        assert_eq!(faults, [(0, 0, FaultCode::Late)]);
        assert_eq!(record.seats[0].dropped_lines, 0);
    }
    table.close();
}

#[test]
fn a_single_match_bot_gets_a_fresh_process_and_its_quit_each_time() {
    let mut table = Table::new([scripted("--single-match"), scripted("")]);
    for _ in 0..3 {
        assert_eq!(table.play("kalah", patient()).end, End::Rules);
    }
    table.message(0, "quit", 3);
    assert_eq!(table.processes(0).len(), 3);
    assert_eq!(table.processes(1).len(), 1);
    table.close();
}

#[test]
fn bots_that_ignore_quit_are_ended() {
    let mut table = Table::new((0..4).map(|_| scripted("--ignore-quit")));
    let record = table.play("mancala-basic:seats=4,pits=4,seeds=3", patient());
    assert_eq!(record.end, End::Rules, "{:?}", record.faults);
    table.close();
}

#[test]
fn a_bots_own_child_ends_with_it() {
    for args in [
        "--leave-child",
        "--leave-child --crash-at 2",
        "--leave-child --ignore-quit",
    ] {
        let mut table = Table::new([scripted(args), scripted("")]);
        table.play("kalah", patient());
        let started = table.log(0).iter().any(|(_, note)| note.starts_with("child "));
        assert!(started, "{args}: it has started a child");
        // The child is in its parent's group, and whoever is left in the group is waited for.
        table.close();
    }
}

#[test]
fn a_bot_that_nobody_holds_any_more_is_ended() {
    let mut table = Table::new([scripted("--ignore-quit --leave-child"), scripted("")]);
    table.play("kalah", patient());
    let groups = [table.processes(0), table.processes(1)].concat();
    assert_eq!(groups.len(), 2);
    drop(table);
    wait_until_gone(&groups);
}

#[test]
fn every_bot_is_told_the_whole_truth() {
    let args = [
        "--checks-state",
        "--checks-state --observe",
        "--checks-state --observe --ready",
        "--checks-state --ready",
    ];
    let games = [
        "kalah",
        "kalah:empty_capture=on",
        "layli-goobalay",
        "mancala-basic:seats=2",
        "mancala-basic:seats=3",
        "mancala-basic:seats=4,pits=4,seeds=3",
    ];
    for game in games {
        let seats = opening(game, 0, 0).0.seats();
        let mut table = Table::new(args.into_iter().take(seats).map(scripted));
        for seed in 0..10 {
            let record = table.play_from(opening(game, 4, seed), patient());
            assert_eq!(record.faults, [], "{game}");
            replay(&record).expect("the record replays");
        }
        table.close();
    }
}
