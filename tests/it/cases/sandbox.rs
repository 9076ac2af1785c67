//! What bots do to the host and to each other, and what is left of them.
//!
//! What the host does not give cannot be tested on it: `arena doctor` says so, and so do these tests.

use std::io::Write;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mancala_arena::record::End;
use mancala_arena_protocol::FaultCode;
use mancala_arena_tests::wait_for;

use super::{GOOD, KALAH, Place, bad, forfeits, forfeits_of, hostile, plays_on, python, slow_tests_wanted};
use crate::program::{code, run, stderr, stdout};

/// A bot whose file is its own business.
const OTHER: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"move": message["legal"][0]}), flush=True)
"#;

/// Whether this host gives these layers of the sandbox; if not, says why.
fn host_gives(layers: &[&str]) -> bool {
    let doctor = run(Path::new("/"), &["doctor", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&doctor)).expect("JSON");
    let states = answer["layers"].as_array().expect("a list");
    let missing = states
        .iter()
        .filter(|layer| layers.iter().any(|name| layer["layer"] == *name) && layer["state"] == "missing");
    let missing: Vec<_> = missing.map(ToString::to_string).collect();
    if !missing.is_empty() {
        let _ = writeln!(std::io::stderr(), "not tested here: {missing:?}");
    }
    missing.is_empty()
}

/// The living processes with this text on their command line.
fn processes_with(text: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.filter(|line| line.contains(text)).collect()
}

/// Directories of the arena's making that are left: cgroups and scratch directories of a process.
fn left_by(arena: u32) -> Vec<String> {
    let mut left = Vec::new();
    let mut places = vec![std::env::temp_dir(), "/sys/fs/cgroup".into()];
    while let Some(place) = places.pop() {
        for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("mancala-arena-") && name.contains(&format!("-{arena}-")) {
                left.push(entry.path().display().to_string());
            }
            if entry.path().starts_with("/sys/fs/cgroup") && entry.path().is_dir() {
                places.push(entry.path());
            }
        }
    }
    left
}

/// The arena is killed in mid-match and takes its bots with it, those that have made sessions of their own included:
/// Disservin/fastchess#94.
#[test]
fn c005_nothing_outlives_an_arena_that_is_killed() {
    let rounds = if slow_tests_wanted() { 25 } else { 3 };
    for (sandbox, mode) in [("auto", "hang"), ("auto", "spin"), ("off", "hang"), ("off", "spin")] {
        let place = Place::new();
        for round in 0..rounds {
            // In the command line of whatever the bot leaves.
            let mark = format!("mark-{}-{sandbox}-{mode}-{round}", std::process::id());
            let bot = format!("bad={} {mark}", hostile(&format!("leaves_others.py {mode}")));
            let args = format!("run {KALAH} --rotations 50 --jobs 2 --sandbox {sandbox}").replace("--rotations 1 ", "");
            let mut arena = place
                .arena(&args, &[&bot, GOOD])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .expect("the arena starts");
            // The bot and those it has left: in the first round all of them are waited for, later ones are cut short
            // somewhere on the way.
            let wanted = if round == 0 { 5 } else { round % 5 };
            wait_for("the bot has made others", || {
                (processes_with(&mark).len() >= wanted).then_some(())
            });
            std::thread::sleep(Duration::from_millis(37 * round as u64 % 300));
            arena.kill().expect("it can be killed");
            arena.wait().expect("it ends");
            wait_for("nothing is left", || processes_with(&mark).is_empty().then_some(()));
            place.nobody_is_left();
            wait_for("no directory is left", || left_by(arena.id()).is_empty().then_some(()));
        }
    }
}

/// The arena is killed again and again while bots leave processes behind, and in the end every match is stored, once:
/// Disservin/fastchess#94.
#[test]
fn c005_no_match_is_lost_or_doubled_by_a_kill() {
    let rounds = if slow_tests_wanted() { 50 } else { 5 };
    let place = Place::new();
    let mark = format!("plays-on-{}", std::process::id());
    let bot = format!("bad={} {mark}", hostile("leaves_others.py plays"));
    let args = format!("{KALAH} --jobs 2").replace("--rotations 1", &format!("--rotations {}", 8 * rounds));
    let mut stored = 0;
    for round in 0..rounds {
        let mut arena = place
            .arena(&format!("run {args}"), &[&bot, GOOD])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the arena starts");
        wait_for("matches are stored", || {
            let now = place.records_so_far();
            (now > stored).then_some(())
        });
        std::thread::sleep(Duration::from_millis(41 * round % 300));
        arena.kill().expect("it can be killed");
        arena.wait().expect("it ends");
        wait_for("nothing is left", || processes_with(&mark).is_empty().then_some(()));
        stored = place.records_so_far();
    }
    let all = 16 * rounds;
    assert!((stored as u64) < all, "it was killed before its end");
    let records = place.play(&args, &[&bot, GOOD]);
    let ids: Vec<u64> = records.iter().map(|record| record.r#match).collect();
    assert_eq!(ids, Vec::from_iter(0..all));
    assert!(records.iter().all(|record| record.end == End::Rules), "{records:?}");
}

/// A bot that leaves processes behind in every match leaves none: AndyGrant/OpenBench#19.
#[test]
fn c004_what_a_bot_leaves_behind_goes_with_it() {
    for sandbox in ["auto", "off"] {
        let place = Place::new();
        let mark = format!("left-{}-{sandbox}", std::process::id());
        let bot = format!("bad={} {mark}", hostile("leaves_others.py hang"));
        let args = KALAH.replace("--move-ms 60000", "--move-ms 2000");
        place.play(&format!("{args} --sandbox {sandbox}"), &[&bot, GOOD]);
        assert_eq!(processes_with(&mark), [""; 0]);
    }
}

/// A sandbox that is required and cannot be had ends the run before it begins; one that is not is missed aloud:
/// containers/bubblewrap#632.
#[test]
fn c104_a_sandbox_that_is_required_fails_closed() {
    let place = Place::new();
    let args = format!("run {KALAH} --sandbox required");
    // Without this right no namespace can be made: as on a host that forbids it.
    let mut command = Command::new("setpriv");
    let run = |args: &str| {
        let mut command = Command::new("setpriv");
        command
            .args([
                "--inh-caps=-all",
                "--bounding-set=-all",
                env!("CARGO_BIN_EXE_arena-under-test"),
            ])
            .args(args.split(' '))
            .args([GOOD, "house:random"])
            .current_dir(place.path());
        command.output().expect("setpriv is there")
    };
    let is_root = command.arg("--version").output().is_ok() && rustix::process::getuid().is_root();
    if !is_root {
        // Then there is no cgroup for memory as a rule, and the same must come out.
        return assert!(host_gives(&["memory"]) || code(&place.run(&args, &[GOOD, "house:random"])) == 2);
    }
    let refused = run(&args);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(
        stderr(&refused).contains("this host cannot confine bots: "),
        "{}",
        stderr(&refused)
    );
    assert!(stderr(&refused).contains("processes: "), "{}", stderr(&refused));
    let played = run(&format!("run {KALAH} --sandbox auto"));
    assert_eq!(code(&played), 0, "{}", stderr(&played));
    assert!(
        stderr(&played).contains("note: bots are confined without "),
        "{}",
        stderr(&played)
    );
}

/// Memory is limited for a bot with all its children, and the verdict says so: judge0#284.
#[test]
fn c106_memory_is_limited_and_the_verdict_says_so() {
    if host_gives(&["memory"]) {
        let faults = forfeits(KALAH, "attacks_the_host.py memory", FaultCode::MemoryLimit);
        assert_eq!(faults[0].message, "used more memory than the limit of 1024 MiB");
    }
}

/// A bot sees nothing of the arena, the results, the other bots and the network: Cryptyc/Sc2LadderServer#33.
#[test]
fn c109_a_bot_reaches_nothing_but_its_scratch() {
    if !host_gives(&["processes", "files", "network", "syscalls"]) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("there is a loopback");
    let port = listener.local_addr().expect("it is bound").port();
    let place = Place::new().with("other.py", OTHER);
    let path = |name: &str| place.path().join(name).display().to_string();
    let secrets = [
        path("arena.db"),
        path("arena.db-wal"),
        path("other.py"),
        "/etc/shadow".into(),
    ];
    let bad = format!("bad={}", hostile(&format!("snoops.py {port} {}", secrets.join(","))));
    let records = place.play(KALAH, &[&bad, &format!("other={} other.py", python())]);
    let said = records[0].faults[0].stderr.clone().expect("it has said something");
    let allowed: Vec<&str> = said.lines().filter(|line| line.ends_with(": allowed")).collect();
    assert_eq!(allowed, ["write to the scratch directory: allowed"], "{said}");
    assert_eq!(said.matches(": refused").count(), 5 + secrets.len(), "{said}");
    assert!(said.contains("sees 0 other processes"), "{said}");
}

/// The most memory that the arena holds with bots that write no more than they must, in KiB: the larger of two runs.
fn peak_of_good_bots(args: &str) -> u64 {
    let other = GOOD.replace("good=", "other=");
    let peaks = [(), ()].map(|()| Place::new().play_measured(args, &[&other, GOOD]).1);
    peaks[0].max(peaks[1])
}

/// What floods may cost the arena, in KiB.
const FLOOD_KIB_MAX: u64 = 2 * 1024;

/// Output without end and without a newline, as fast as a compiled program can write it, is not collected:
/// DMOJ/judge-server#649.
#[test]
fn c107_a_line_without_end_costs_its_bot_the_match_and_no_memory() {
    let place = Place::new();
    let program = place.path().join("floods_without_newline");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile/floods_without_newline.c");
    match Command::new("cc")
        .arg("-O2")
        .arg("-o")
        .args([&program, &source])
        .status()
    {
        Ok(status) => assert!(status.success(), "{}", source.display()),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "not tested here: no `cc`: {error}");
            return;
        }
    }
    let args = format!("{KALAH} --jobs 1");
    let usual = peak_of_good_bots(&args);
    let (records, peak) = place.play_measured(&args, &[&format!("bad={}", program.display()), GOOD]);
    assert_eq!(forfeits_of(&records, FaultCode::LineTooLong).len(), 2);
    assert!(peak < usual + FLOOD_KIB_MAX, "{peak} KiB, with good bots {usual} KiB");
}

/// Prints that are no messages, on both outputs, cost neither memory nor the match; the lines are counted:
/// DMOJ/judge-server#649.
#[test]
fn c107_a_flood_of_prints_is_counted_and_not_kept() {
    let args = format!("{KALAH} --jobs 1");
    let usual = peak_of_good_bots(&args);
    let (records, peak) = Place::new().play_measured(&args, &[&bad("talks_too_much.py"), GOOD]);
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]));
        for (seat, index) in record.seats.iter().zip(0..) {
            let turns = record.plies.iter().filter(|ply| ply.seat == index).count() as u64;
            let prints = if seat.name == "bad" { 20_000 * turns } else { 0 };
            assert_eq!(seat.log_lines, prints, "{turns} turns of {}", seat.name);
        }
    }
    assert!(peak < usual + FLOOD_KIB_MAX, "{peak} KiB, with good bots {usual} KiB");
}

/// Many threads are no attack: ioi/isolate#139.
#[test]
fn c110_forty_threads_are_welcome() {
    plays_on(KALAH, "attacks_the_host.py threads");
}

/// More processes than the limit are refused, the verdict names it, and the other matches go on: ioi/isolate#139.
#[test]
fn c110_a_fork_bomb_ends_its_own_match() {
    if host_gives(&["pids"]) {
        let faults = forfeits(KALAH, "attacks_the_host.py processes", FaultCode::OtherLimit);
        assert!(
            faults[0].message.starts_with("was refused more than 512 processes"),
            "{}",
            faults[0].message
        );
    }
}

/// The scratch directory is small, and gone afterwards: google/nsjail#69.
#[test]
fn c112_the_disk_is_not_filled() {
    if host_gives(&["files"]) {
        let faults = forfeits(KALAH, "attacks_the_host.py disk", FaultCode::Exited);
        let said = faults[0].stderr.as_deref().expect("it has said something");
        assert!(said.contains("wrote 64 MiB") || said.contains("wrote 63 MiB"), "{said}");
    }
}
