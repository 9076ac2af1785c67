//! Workers, servers and networks that fail: cases of the kind "distributed".

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use mancala_arena_tests::wait_for;
use rustix::process::{Signal, kill_process};
use serde_json::Value;

use crate::fleet::{LEASE, Nats, SLOW, league_of, wait_for_results_on_disk, write_bot};

/// A league of one rotation whose matches take several leases.
fn long_matches(nats: &Nats) {
    // About 14 moves a match are the slow bot's.
    write_bot(&nats.dir().join("slow"), 0.4, "");
    league_of(nats, 1, SLOW);
}

/// Waits until the only worker plays a match.
fn wait_for_a_board(nats: &Nats) {
    wait_for("a match is on the board", || {
        let status = nats.status();
        (!status["workers"][0]["on_board"].as_array()?.is_empty()).then_some(())
    });
}

fn played(nats: &Nats, db: &str) -> usize {
    nats.export(db).lines().count()
}

/// automagik-dev/omni#1124: jobs that took longer than the queue's patience were delivered again, and done up to four times.
#[test]
fn c113_matches_that_outlast_their_lease_are_played_once() {
    let Some(nats) = Nats::start("c113") else { return };
    long_matches(&nats);
    let workers: Vec<_> = ["one", "two", "three"]
        .iter()
        .map(|name| nats.worker(name, ""))
        .collect();
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let took: u64 = nats
        .records("fleet.db")
        .iter()
        .map(|record| record["elapsed_us"].as_u64().unwrap())
        .sum();
    assert!(
        took > 2 * 3_500_000,
        "the matches were shorter than their lease: {took} us"
    );
    assert_eq!(played(&nats, "fleet.db"), 2);
    let status = nats.status();
    let counts = status["workers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|worker| worker["played"].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 2, "{status}");
    let said = coordinator.said();
    assert!(!said.contains("refused") && !said.contains("again"), "{said}");
    drop(workers);
}

/// nats-io/nats.rs#224, #557, nats.node#590: consumers went silent after the server had been started again.
#[test]
fn c115_a_server_that_is_started_again_five_times_finds_everybody_working() {
    let Some(mut nats) = Nats::start("c115") else { return };
    nats.league(200);
    let workers: Vec<_> = ["one", "two"].iter().map(|name| nats.worker(name, "")).collect();
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    for time in 1..=5 {
        coordinator.hear_matches(100 * time);
        nats.kill();
        nats.start_again();
    }
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(nats.export("fleet.db"), nats.alone("alone.db"));
    drop(workers);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// nats-io/nats-server#7564: what the server has acknowledged can be lost when it crashes, as it writes to the disk every two
/// minutes.
#[test]
fn c116_a_server_that_forgets_is_told_again() {
    let Some(mut nats) = Nats::start("c116") else { return };
    nats.league(100);
    let workers: Vec<_> = ["one", "two"].iter().map(|name| nats.worker(name, "")).collect();
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    coordinator.hear_matches(100);
    nats.kill();
    let old = nats.dir().join("old");
    copy(&nats.data(), &old);
    nats.start_again();
    coordinator.hear_matches(300);
    nats.kill();
    fs::remove_dir_all(nats.data()).unwrap();
    copy(&old, &nats.data());
    nats.start_again();
    coordinator.hear_matches(400);
    // And once with nothing at all.
    nats.kill();
    fs::remove_dir_all(nats.data()).unwrap();
    nats.start_again();
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(
        nats.export("fleet.db"),
        nats.alone("alone.db"),
        "{}",
        coordinator.said()
    );
    drop(workers);
}

/// OpenBench#14, LeelaChessZero/lczero-client#155, fishtest PR#1979: results were dropped while the server was away, and on its
/// return the worker was refused as a duplicate of itself.
#[test]
fn c118_results_are_kept_while_the_server_is_away_and_their_worker_comes_back() {
    let Some(mut nats) = Nats::start("c118") else { return };
    write_bot(&nats.dir().join("slow"), 0.02, "");
    league_of(&nats, 6, SLOW);
    let mut worker = nats.worker("one", "");
    let id = || fs::read_to_string(nats.dir().join("one/id")).unwrap();
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    coordinator.hear_matches(1);
    let first = id();
    nats.kill();
    let unsent = nats.dir().join("one/unsent");
    wait_for_results_on_disk(&nats.dir().join("one"));
    // It is started again meanwhile: what it has played is not lost.
    worker.kill();
    nats.start_again();
    let _again = nats.worker("one", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(played(&nats, "fleet.db"), 12);
    let workers: BTreeSet<String> = nats
        .records("fleet.db")
        .iter()
        .map(|record| record["host"]["worker"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(workers, BTreeSet::from([first]), "the same worker, by the same name");
    wait_for("nothing is left on disk", || {
        fs::read_dir(&unsent).unwrap().next().is_none().then_some(())
    });
}

/// official-stockfish/fishtest#851: workers told that they were well, and played nothing.
#[test]
fn c119_a_worker_whose_player_hangs_loses_its_matches_and_is_shown_as_stuck() {
    let Some(nats) = Nats::start("c119") else { return };
    long_matches(&nats);
    let hung = nats.worker("hung", "");
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    hung.hear("playing plan");
    let player = hung.player();
    wait_for_a_board(&nats);
    kill_process(player, Signal::STOP).unwrap();
    wait_for("it is shown as stuck", || {
        (nats.status()["workers"][0]["stuck"] == true).then_some(())
    });
    hung.hear("nothing has happened on its boards for");
    let _other = nats.worker("other", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    assert_eq!(played(&nats, "fleet.db"), 2);
}

/// fishtest#94, #98, PR#2081: a worker measured its own speed wrongly, and scaled its clocks by it.
#[test]
fn c121_speed_and_load_are_kept_with_each_match_and_a_pair_meets_one_machine() {
    let Some(nats) = Nats::start("c121") else { return };
    nats.league(20);
    let workers: Vec<_> = ["one", "two"].iter().map(|name| nats.worker(name, "")).collect();
    let mut coordinator = nats.coordinator("fleet.db", "");
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let mut of_rotation: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    for record in nats.records("fleet.db") {
        let host = &record["host"];
        assert!(
            host["speed"].as_f64().unwrap() > 0.0 && host["load"].as_f64().unwrap() >= 0.0,
            "{host}"
        );
        assert_eq!(
            host["limits_factor"],
            Value::Null,
            "limits are the same everywhere unless asked"
        );
        let worker = host["worker"].as_str().unwrap().to_owned();
        of_rotation
            .entry(record["rotation"].as_u64().unwrap())
            .or_default()
            .insert(worker);
    }
    assert_eq!(of_rotation.len(), 60);
    assert!(
        of_rotation.values().all(|workers| workers.len() == 1),
        "{of_rotation:?}"
    );
    drop(workers);
}

/// official-stockfish/fishtest#2412: the process that played died of a segmentation fault, and the log said that a task had
/// ended.
#[test]
fn c122_a_player_that_is_killed_is_told_with_signal_host_and_match() {
    let Some(nats) = Nats::start("c122") else { return };
    long_matches(&nats);
    let worker = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", LEASE);
    worker.hear("playing plan");
    wait_for_a_board(&nats);
    // Twice: what the language's runtime does with the first, for overflowing stacks, is to go on without a handler.
    let player = worker.player();
    for _ in 0..2 {
        kill_process(player, Signal::SEGV).unwrap();
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(coordinator.ended(), 0, "{}", coordinator.said());
    let id = fs::read_to_string(nats.dir().join("one/id")).unwrap();
    let said = coordinator.said();
    let line = said.lines().find(|line| line.contains("SIGSEGV")).expect("it is told");
    assert!(line.starts_with(&format!("worker `{id}` on `")), "{line}");
    assert!(
        line.contains("on the board: 0") && line.contains("played again: 0, 1"),
        "{line}"
    );
    assert_eq!(played(&nats, "fleet.db"), 2);
}

/// A match that ends every player which plays it is given up, with its cause; the others are played, and the run says so.
#[test]
fn a_match_that_nobody_survives_is_parked_with_its_cause() {
    let Some(nats) = Nats::start("a_match_that_nobody_survives") else {
        return;
    };
    // Long enough to be seen on the board and killed there.
    write_bot(&nats.dir().join("slow"), 0.6, "");
    let bots = format!("{SLOW}[[bot]]\nname = \"C\"\nhouse = \"greedy\"\n");
    league_of(&nats, 1, &bots);
    let worker = nats.worker("one", "");
    let mut coordinator = nats.coordinator("fleet.db", &format!("{LEASE} --tries 2"));
    // Whenever a match of the second rotation, with the slow bot, is on the board its player dies.
    for time in 1..=2 {
        wait_for("a match of the second rotation is on the board", || {
            let status = nats.status();
            let on_board = status["workers"][0]["on_board"].as_array()?;
            on_board
                .iter()
                .any(|id| matches!(id.as_u64(), Some(2 | 3)))
                .then_some(())
        });
        kill_process(worker.player(), Signal::KILL).unwrap();
        coordinator.hear_times("SIGKILL", time);
        std::thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(coordinator.ended(), 4, "{}", coordinator.said());
    let said = coordinator.said();
    // The first of the two may have ended before its player did.
    let parked = said
        .lines()
        .find(|line| line.starts_with("parked: match"))
        .expect("it is told");
    assert!(parked.contains("3, tried 2 times: worker `"), "{said}");
    assert!(said.contains("of 6 matches; go on with:"), "{said}");
    // Nothing was credited to a bot for what befell the worker.
    assert!(
        nats.records("fleet.db")
            .iter()
            .all(|record| record["faults"] == Value::from(vec![0; 0]))
    );
    // What was parked is open, and tried again by the next run.
    let mut again = nats.coordinator("fleet.db", LEASE);
    assert_eq!(again.ended(), 0, "{}", again.said());
    assert_eq!(played(&nats, "fleet.db"), 6);
}
