//! Which matches there are, under which names, and what becomes of the others when one cannot be played.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use mancala_arena::record::{End, FaultRecord, Record};
use mancala_arena_protocol::FaultCode;

use super::{GOOD, KALAH, Place, hostile, peak_kib};
use crate::program::{code, stderr};

/// A schedule costs nothing before it is played: Disservin/fastchess#197.
#[test]
fn c089_ten_million_rotations_begin_at_once() {
    let place = Place::new();
    let plan = KALAH.replace("--rotations 1 --opening-plies 0", "--rotations 10000000");
    let mut child = place
        .arena(&format!("run {plan} --events"), &["house:random", GOOD])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    let mut messages = BufReader::new(child.stderr.take().expect("it is piped"))
        .lines()
        .map_while(Result::ok);
    let total = messages.next().expect("it says what it plays");
    assert!(total.starts_with("20000000 matches of kalah"), "{total}");
    assert!(messages.any(|line| line.starts_with("match ")));
    let peak = peak_kib(child.id()).expect("it runs");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("there is a `kill`").success());
    let rest: Vec<String> = messages.collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(4), "{rest:?}");
    assert!(peak < 200 * 1024, "{peak} KiB");
    place.nobody_is_left();
}

/// Names that look the same in a table are refused with both bots shown, never changed: Disservin/fastchess#1031.
#[test]
fn c092_names_that_look_alike_are_refused_with_both_bots() {
    for (one, other) in [
        ("A", "A"),
        ("A", "a"),
        ("A", "\u{ff21}"),
        ("deep-pit", "Deep-Pit"),
        ("\u{e9}", "\u{c9}"),
    ] {
        let place = Place::new();
        let bots = [format!("{one}=house:random"), format!("{other}=house:greedy")];
        let output = place.run(&format!("run {KALAH}"), &[&bots[0], &bots[1]]);
        assert_eq!(code(&output), 2, "{one} {other}: {}", stderr(&output));
        let told = format!("`{one}` (house:random) and `{other}` (house:greedy)");
        assert!(stderr(&output).contains(&told), "{}", stderr(&output));
        assert!(!place.path().join("arena.db").exists());
    }
    for name in ["", " ", "A ", "\u{a0}A", "A\\u0007"] {
        let league =
            format!("game = \"kalah\"\n[[bot]]\nname = \"{name}\"\nhouse = \"random\"\n[[bot]]\nhouse = \"greedy\"\n");
        let output = Place::new().with("league.toml", &league).run("run league.toml", &[]);
        assert_eq!(code(&output), 2, "{name}: {}", stderr(&output));
        let message = stderr(&output);
        assert!(message.contains("is no name for bot `house:random`"), "{message}");
        assert!(message.contains("league.toml:3:8"), "{message}");
    }
    // Only names that nobody gave are made different.
    let records = Place::new().play(KALAH, &["house:random", "house:random"]);
    let names: Vec<_> = records[0].seats.iter().map(|seat| seat.name.as_str()).collect();
    assert_eq!(names, ["random", "random-2"]);
}

/// The faults of `bad` in its four matches, where the two matches of the others ended by the rules.
fn faults_in_a_round(place: &Place, bad: &str) -> Vec<FaultRecord> {
    let bots = [bad, GOOD, "other=house:greedy"];
    // These bots count their starts, or remove themselves, in a directory that a sandbox would not let them change.
    let records = place.play(&format!("{KALAH} --jobs 1 --sandbox off"), &bots);
    assert_eq!(records.len(), 6);
    let plays = |record: &Record| record.seats.iter().any(|seat| seat.name == "bad");
    let (with, without): (Vec<_>, Vec<_>) = records.into_iter().partition(plays);
    assert!(
        without
            .iter()
            .all(|record| (record.end, record.faults.len()) == (End::Rules, 0))
    );
    let faults: Vec<_> = with.into_iter().flat_map(|record| record.faults).collect();
    assert!(faults.iter().all(|fault| fault.bot == "bad"), "{faults:?}");
    faults
}

/// A bot that does not start in the middle of a run is started once more, and then forfeits alone:
/// davechurchill/StarcraftAITournamentManager#4.
#[test]
fn c094_a_start_that_fails_is_tried_again_and_then_forfeits_alone() {
    let good = env!("CARGO_BIN_EXE_scripted-bot");
    // Start 1 is the trial before the first match.
    let at_times = |pattern: &str| {
        format!(
            "bad={}",
            hostile(&format!("starts_when_it_likes.sh starts '{pattern}' {good}"))
        )
    };
    assert_eq!(faults_in_a_round(&Place::new(), &at_times("2")), []);

    let place = Place::new();
    let faults = faults_in_a_round(&place, &at_times("[2-9]"));
    assert_eq!(faults.len(), 4);
    for (number, fault) in faults.iter().enumerate() {
        assert_eq!((fault.code, fault.ply), (FaultCode::Exited, 0));
        assert_eq!(fault.message, "exited with status 5 before its `hello`");
        assert_eq!(fault.stderr, Some(format!("start {} fails\n", 3 + 2 * number)));
    }
    let starts = std::fs::read_to_string(place.path().join("starts")).expect("starts are counted");
    assert_eq!(starts.trim(), "9");
}

/// A program that is gone in the middle of a run is a fault of its bot alone: davechurchill/StarcraftAITournamentManager#4.
#[test]
fn c094_a_program_that_is_gone_forfeits_alone() {
    let place = Place::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/removes_itself.sh");
    let copy = place.path().join("removes_itself.sh");
    std::fs::copy(script, &copy).expect("a file can be copied");
    std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let bad = format!("bad=./removes_itself.sh {}", env!("CARGO_BIN_EXE_scripted-bot"));
    let faults = faults_in_a_round(&place, &bad);
    assert_eq!(faults.len(), 4);
    for fault in faults {
        assert_eq!((fault.code, fault.ply), (FaultCode::CannotStart, 0));
        assert!(
            fault.message.contains("removes_itself.sh`: No such file"),
            "{}",
            fault.message
        );
    }
}
