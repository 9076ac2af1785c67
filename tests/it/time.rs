//! Clocks that are fair: what the arena or its host was guilty of is nobody's fault.
//!
//! What is measured differs by an order of magnitude from what would be wrong, and no outcome depends on a busy host.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mancala_arena::config::{Clock, Ponder, TimeControl};
use mancala_arena::record::{End, Record};
use mancala_arena_protocol::FaultCode;
use mancala_arena_tests::{LOG_VARIABLE, Table, patient, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::scripted;

fn arena(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena-under-test"));
    command.current_dir(dir).args(args).stdin(Stdio::null());
    command
}

fn stdout(mut command: Command) -> String {
    let output = command.output().expect("the arena starts");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

fn signal(child: &Child, signal: Signal) {
    let id = Pid::from_raw(child.id() as i32).expect("a process id is not 0");
    kill_process(id, signal).expect("the arena runs");
}

/// The arguments of a tournament of two matches, with 2 s a move.
fn slow_tournament<'a>(bot: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["run", "--game", "kalah", "--rotations", "1", "--jobs", "1"];
    args.extend([
        "--move-ms",
        "2000",
        "--opening-plies",
        "0",
        "--db",
        "time.db",
        "--sandbox",
        "off",
    ]);
    args.extend(more);
    args.extend([bot, bot]);
    args
}

const SLOW_BOT: &str = concat!(env!("CARGO_BIN_EXE_scripted-bot"), " --late 300");

/// Stops the arena in the middle of a turn for longer than a move may take and lets it go on; gives everything it said.
fn stopped_in_a_match(dir: &Path, args: &[&str]) -> String {
    let log = dir.join("log");
    let mut child = arena(dir, args)
        .env(LOG_VARIABLE, &log)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    // A bot that has just been given its turn thinks for far longer than it takes to notice.
    wait_for("some turns to be given", || {
        let read = std::fs::read_to_string(&log).unwrap_or_default();
        (read.matches(r#""type":"turn""#).count() >= 3).then_some(())
    });
    signal(&child, Signal::STOP);
    std::thread::sleep(Duration::from_secs(4));
    signal(&child, Signal::CONT);
    let mut said = String::new();
    let mut messages = child.stderr.take().expect("it is piped");
    messages.read_to_string(&mut said).expect("messages are UTF-8");
    assert!(child.wait().expect("it ends").success(), "{said}");
    said
}

#[test]
fn a_move_that_came_while_the_arena_was_stopped_is_void_and_the_match_is_played_again() {
    let dir = TempDir::new().unwrap();
    let said = stopped_in_a_match(dir.path(), &slow_tournament(SLOW_BOT, &[]));
    assert!(said.contains("void, and played again: match "), "{said}");
    let matches = stdout(arena(dir.path(), &["matches", "--db", "time.db", "--format", "csv"]));
    assert_eq!(matches.lines().count(), 1 + 2, "{matches}");
    assert!(!matches.contains("fault,"), "{matches}");
    let standings = stdout(arena(dir.path(), &["standings", "--db", "time.db"]));
    assert!(
        standings.contains("2 matches") && standings.contains("0 forfeits"),
        "{standings}"
    );
    assert!(standings.contains("voids: 1;"), "{standings}");
}

#[test]
fn bots_that_were_stopped_off_turn_run_again_after_a_void_match() {
    let dir = TempDir::new().unwrap();
    // A bot that is still stopped would not say that it is ready.
    let bot = format!("{SLOW_BOT} --ready");
    let said = stopped_in_a_match(dir.path(), &slow_tournament(&bot, &["--ponder", "freeze"]));
    assert!(said.contains("void, and played again: match "), "{said}");
    assert!(!said.contains("forfeits"), "{said}");
}

#[test]
fn without_the_guard_it_is_late() {
    let dir = TempDir::new().unwrap();
    let said = stopped_in_a_match(dir.path(), &slow_tournament(SLOW_BOT, &["--guard", "off"]));
    assert!(said.contains("forfeits match ") && !said.contains("void"), "{said}");
}

#[test]
fn a_dry_run_says_which_cores_a_match_has_and_warns_of_too_many_jobs() {
    let dir = TempDir::new().unwrap();
    let league = "game = \"kalah\"\n[[bot]]\nhouse = \"random\"\nthreads = 2\n[[bot]]\nhouse = \"greedy\"\n";
    std::fs::write(dir.path().join("league.toml"), league).unwrap();
    let said = |more: &[&str]| {
        let output = arena(dir.path(), &[&["run", "league.toml", "--dry-run"], more].concat())
            .output()
            .expect("the arena starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).expect("messages are UTF-8")
    };
    assert!(said(&[]).contains("each match on a set of "), "{}", said(&[]));
    let many = said(&["--jobs", "60000"]);
    assert!(many.contains("warning: 60000 matches of 2 threads for "), "{many}");
    assert!(!said(&["--jobs", "1", "--no-pin"]).contains("each match on"));
}

/// So many milliseconds of processor time a move, within so many by the wall.
fn processor_time(move_ms_max: u64, wall_ms_max: u64) -> TimeControl {
    TimeControl {
        move_ms_max: Some(move_ms_max),
        clock: Clock::Cpu,
        wall_ms_max: Some(wall_ms_max),
        ..patient()
    }
}

/// A match of Kalah that is charged by processor time.
fn charged(bot: &str, time: TimeControl) -> Record {
    let mut table = Table::new([scripted(bot), scripted("")]);
    let record = table.play("kalah", time);
    table.close();
    record
}

/// Processes that compute until they are dropped, two for each core.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Load {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let spin = |_| Command::new("sh").args(["-c", "while :; do :; done"]).spawn();
        Load(
            (0..2 * cores)
                .map(spin)
                .collect::<Result<_, _>>()
                .expect("a shell starts"),
        )
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn on_a_loaded_host_nobody_is_late_who_keeps_to_its_processor_time() {
    let _load = Load::new();
    let record = charged("--burn 60", processor_time(100, 60_000));
    assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]));
    let charged = record.plies.iter().filter(|ply| ply.seat == 0);
    let charged: Vec<u64> = charged.map(|ply| ply.elapsed_us).collect();
    assert!(charged.iter().all(|us| (60_000..=120_000).contains(us)), "{charged:?}");
}

#[test]
fn a_bot_that_computes_beyond_its_processor_time_is_late() {
    let record = charged("--burn 600000", processor_time(200, 600_000));
    let fault = &record.faults[0];
    assert_eq!((fault.seat, fault.code), (0, FaultCode::Late));
    assert!(
        fault.message.contains("within 200 ms of processor time"),
        "{}",
        fault.message
    );
}

#[test]
fn a_bot_that_only_waits_is_stopped_by_the_wall_limit() {
    let record = charged("--late 600000", processor_time(100_000, 1_000));
    let fault = &record.faults[0];
    assert_eq!((fault.seat, fault.code), (0, FaultCode::Late));
    assert!(
        fault.message.contains("within the wall limit of 1000 ms"),
        "{}",
        fault.message
    );
}

#[test]
fn waiting_is_not_charged_as_processor_time() {
    let record = charged("--late 300", processor_time(100, 60_000));
    assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]));
}

#[test]
fn a_frozen_bot_computes_nothing_off_turn_and_plays_on() {
    // The other bot thinks for 50 ms a move, in which one that is not frozen computes.
    let mut table = Table::new([scripted("--spin"), scripted("--late 50")]);
    let off_turn = |table: &mut Table, ponder| {
        table.ponder = ponder;
        let record = table.play("kalah", patient());
        assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]));
        table.off_turn.last().expect("a match was played")[0]
    };
    let free = off_turn(&mut table, Ponder::Allow);
    let frozen = off_turn(&mut table, Ponder::Freeze);
    assert!(frozen < free / 10, "{frozen:?} frozen, {free:?} free");
    // It is told of the end, and to quit.
    table.message(0, "end", 2);
    table.close();
}
