//! What bots are as processes: they end too early, too late, or with others behind them.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mancala_arena::record::{End, Record, Then};
use mancala_arena_protocol::FaultCode;
use mancala_arena_tests::wait_for;

use super::{GOOD, KALAH, Place, bad, forfeits, hostile, workers_in};
use crate::program::{code, run, stderr, stdout};

/// So many openings of Kalah, each in both seats.
fn rotations(number: u32) -> String {
    KALAH.replace("--rotations 1", &format!("--rotations {number}"))
}

/// Writing to a bot that has just ended ends nothing but its own match: Disservin/fastchess#1062.
#[test]
fn c001_a_bot_that_exits_before_its_move_forfeits() {
    let faults = forfeits(
        &(rotations(10) + " --jobs 4"),
        "exits_after_hello.py",
        FaultCode::Exited,
    );
    assert_eq!(faults.len(), 20);
    for fault in faults {
        assert_eq!(fault.message, "exited with status 0 before its move");
    }
}

/// That a bot has died is noticed without any clock, and how it died is told: Disservin/fastchess#1029.
#[test]
fn c002_without_a_clock_a_death_is_noticed_and_told() {
    let no_clock = KALAH.replace("--move-ms 60000", "--no-clock");
    let deaths = [
        ("exit", "exited with status 3"),
        ("segv", "ended by SIGSEGV"),
        ("abort", "ended by SIGABRT"),
        ("kill", "ended by SIGKILL"),
    ];
    for (how, told) in deaths {
        let began = Instant::now();
        for fault in forfeits(&no_clock, &format!("dies_on_turn.py 2 {how}"), FaultCode::Exited) {
            assert_eq!(fault.exit.as_deref(), Some(told));
            assert!(fault.message.contains(told), "{}", fault.message);
        }
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "without a clock a bot is hung after 60 s"
        );
    }
}

/// Bots that stay after the end are ended, all of them within one grace: AndyGrant/OpenBench#19.
#[test]
fn c004_bots_that_ignore_the_end_are_ended_together() {
    let place = Place::new();
    let stays = hostile("ignores_the_end.py");
    let (one, other) = (format!("one={stays}"), format!("other={stays}"));
    let mut child = place
        .arena(&format!("run {} --jobs 8", rotations(4)), &[&one, &other])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the arena starts");
    wait_for("all matches are stored", || {
        let stored = run(place.path(), &["export"]);
        (stdout(&stored).lines().count() == 8).then_some(())
    });
    // Sixteen processes with a grace of one second each.
    let began = Instant::now();
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    place.nobody_is_left();
    assert!(place.records().iter().all(|record| record.end == End::Rules));
}

/// What a script has started ends with the script, and standard error of both is kept: cutechess/cutechess#31.
#[test]
fn c007_a_wrapped_bot_ends_with_its_wrapper() {
    let wrapped = format!("wrapper.sh {}", hostile("never_answers.py"));
    let clock = KALAH.replace("60000", "2000");
    for fault in forfeits(&clock, &wrapped, FaultCode::Late) {
        let stderr = fault.stderr.expect("both wrote something");
        assert_eq!(stderr, "the wrapper starts it\nthe wrapped program hangs\n");
    }
}

/// The Ctrl-C of a terminal goes to the whole group of the arena, and no bot is in it: notnil/chess#114.
#[test]
fn c008_a_terminals_interrupt_is_no_bots_crash() {
    let place = Place::new();
    let sleeper = bad("sleeps.py 30");
    let plan = format!("run {} --jobs 8", rotations(8));
    let child = place
        .arena(&plan, &[&sleeper, GOOD])
        .process_group(0)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    wait_for("all bots play", || (workers_in(place.path()).len() > 16).then_some(()));
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.expect("there is a `kill`").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 4, "{}", stderr(&output));
    place.nobody_is_left();
    assert!(place.records().len() < 16);
    // What was on the board is played again.
    let records = place.play(plan.trim_start_matches("run "), &[&sleeper, GOOD]);
    assert_eq!(records.len(), 16);
    assert!(records.iter().all(|record| record.end == End::Rules), "{records:?}");
}

/// Processes that have ended are taken note of at once: tokio-rs/tokio#2685.
#[test]
fn c010_no_zombies_gather() {
    let place = Place::new();
    let mut child = place
        .arena(
            &format!("run {} --jobs 2", rotations(30)),
            &[&bad("exits_after_hello.py"), GOOD],
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the arena starts");
    let mut most = 0;
    let status = wait_for("the run ends", || {
        most = most.max(zombies_of(child.id()));
        child.try_wait().expect("it can be waited for")
    });
    assert_eq!((status.code(), place.records().len()), (Some(0), 60));
    // One that has just ended, for each bot at a board.
    assert!(most <= 4, "{most} zombies");
}

/// The children of a process that have ended and that it has not waited for.
fn zombies_of(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    let is_one = |stat: String| {
        // The name of the program, in brackets, may hold anything.
        let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        fields.next() == Some("Z") && fields.next() == Some(&parent.to_string())
    };
    let stats = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(|stat| is_one(stat.clone())).count()
}

/// The arena with a limit of open files, a soft one with `-S` before it.
fn with_files(place: &Place, limit: &str, args: &str, bots: &[&str]) -> std::process::Output {
    let arena = place.arena(args, bots);
    let mut limited = Command::new("sh");
    let script = format!(r#"ulimit {limit} && exec "$0" "$@""#);
    limited
        .args(["-c", &script])
        .arg(arena.get_program())
        .args(arena.get_args());
    limited.current_dir(place.path()).output().expect("there is a shell")
}

/// How many open files the refusal of so many jobs asks for, before anything is stored.
fn files_needed(jobs: u32) -> u64 {
    let place = Place::new();
    let plan = format!("run {} --jobs {jobs}", rotations(40));
    let refused = with_files(&place, "-n 32", &plan, &["house:random", GOOD]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert!(!place.path().join("arena.db").exists(), "nothing is stored");
    let message = stderr(&refused);
    let needed = message.split(" need ").nth(1).and_then(|rest| rest.split(',').next());
    let needed = needed.and_then(|number| number.parse().ok());
    needed.unwrap_or_else(|| panic!("the number is told: {message}"))
}

/// The limit of open files is raised, or the run refused before its first match; never is it met in the middle of one:
/// Disservin/fastchess#678.
#[test]
fn c011_the_limit_of_open_files_is_looked_at_first() {
    // Bots that end all the time; bots that go as slowly as they may while others are started.
    let exits = bad("exits_after_hello.py");
    let lingers = concat!("bad=", env!("CARGO_BIN_EXE_scripted-bot"), " --illegal 0 --ignore-quit");
    for (jobs, other) in [(64, "house:random"), (64, exits.as_str()), (1, lingers)] {
        let needed = files_needed(jobs);
        assert!(needed > u64::from(jobs) * 2 * 3, "{needed}");
        let place = Place::new();
        let limits = format!("-Sn 32 && ulimit -Hn {needed}");
        let played = with_files(
            &place,
            &limits,
            &format!("run {} --jobs {jobs}", rotations(40)),
            &[other, GOOD],
        );
        assert_eq!(code(&played), 0, "{}", stderr(&played));
        let records = place.records();
        assert_eq!(records.len(), 80);
        let faults: Vec<_> = records.iter().flat_map(|record| &record.faults).collect();
        assert!(
            faults.iter().all(|fault| fault.code != FaultCode::CannotStart),
            "{faults:?}"
        );
    }
}

/// Two programs of one name are told apart by where they are and what is in them: cutechess/cutechess#858.
#[test]
fn c014_which_program_plays_under_a_name_is_told() {
    let good = env!("CARGO_BIN_EXE_scripted-bot");
    let league = "game = \"kalah\"\nrotations = 1\n[[bot]]\nname = \"a\"\ndir = \"A\"\ncommand = \"./bot\"\n\
                  [[bot]]\nname = \"b\"\ndir = \"B\"\ncommand = \"./bot\"\n\
                  [[bot]]\nname = \"c\"\ndir = \"C\"\ncommand = \"./bot\"\n";
    let place = Place::new().with("league.toml", league);
    for (dir, text) in [("A", "one"), ("B", "other"), ("C", "one"), (".", "none")] {
        let script = format!("#!/bin/sh\necho {text} >&2\nexec {good} --single-match --crash-at 0\n");
        std::fs::create_dir_all(place.path().join(dir)).expect("a directory can be made");
        let bot = place.path().join(dir).join("bot");
        std::fs::write(&bot, script).expect("a file can be written");
        std::fs::set_permissions(&bot, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("it is ours");
    }
    let listed = place.run("run league.toml --dry-run", &[]);
    assert_eq!(code(&listed), 0, "{}", stderr(&listed));
    assert!(
        stderr(&listed).contains("note: bots `a` and `c` are the same program"),
        "{}",
        stderr(&listed)
    );
    // In a sandbox the scripts would not find the program that they become.
    let records = place.play("league.toml --sandbox off", &[]);
    let listing = stdout(&listed);
    for (name, dir, says) in [("a", "A", "one\n"), ("b", "B", "other\n"), ("c", "C", "one\n")] {
        let program = place.path().canonicalize().expect("it is there").join(dir).join("bot");
        let seats = records.iter().flat_map(|record| &record.seats);
        let content = { seats }
            .find(|seat| seat.name == name)
            .and_then(|seat| seat.content.clone());
        let content = content.expect("it is kept");
        let told = |line: &str| {
            let mut cells = line.split_whitespace();
            cells.next() == Some(name) && line.contains(&content) && line.contains(&program.display().to_string())
        };
        assert!(listing.lines().any(told), "{name} {content}: {listing}");
        let faults = records.iter().flat_map(|record| &record.faults);
        let own = faults
            .filter(|fault| fault.bot == name)
            .filter_map(|fault| fault.stderr.as_deref());
        let own: Vec<_> = own.collect();
        assert_eq!(own.len(), 2);
        assert!(own.iter().all(|stderr| stderr.starts_with(says)), "{name}: {own:?}");
    }
}

/// A crash costs its own match and nothing else, however many there are: Disservin/fastchess#343.
#[test]
fn c016_no_crash_costs_a_worker() {
    let records = Place::new().play(
        &(rotations(12) + " --jobs 4"),
        &[&bad("crashes_in_some_matches.py"), GOOD],
    );
    assert_eq!(records.len(), 24);
    for record in &records {
        let crashes: Vec<_> = record
            .faults
            .iter()
            .map(|fault| (fault.bot.as_str(), fault.code))
            .collect();
        if record.r#match % 3 == 0 {
            assert_eq!(crashes, [("bad", FaultCode::Exited)]);
        } else {
            assert_eq!((record.end, &crashes[..]), (End::Rules, &[][..]));
        }
    }
}

/// Why a program failed is said by itself: in the results, in the list of the run, and where its match is shown:
/// AndyGrant/OpenBench#201.
#[test]
fn c020_the_last_words_of_a_crash_are_kept_and_shown() {
    let place = Place::new();
    let output = place.run(&format!("run {KALAH}"), &[&bad("raises.py"), GOOD]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let words = "RuntimeError: pit 7 is not on my board";
    let records: Vec<Record> = place.records();
    assert_eq!(records.len(), 2);
    for record in records {
        let [fault] = &record.faults[..] else {
            panic!("{:?}", record.faults)
        };
        let last = fault.stderr.as_deref().expect("it wrote a traceback");
        assert!(last.contains("Traceback") && last.trim_end().ends_with(words), "{last}");
        assert_eq!(fault.exit.as_deref(), Some("exited with status 1"));
        let shown = run(place.path(), &["show", &record.r#match.to_string()]);
        for text in [stdout(&shown), stderr(&output)] {
            assert!(text.contains(words) && text.contains("exited with status 1"), "{text}");
        }
    }
}

/// A process that fails is started again where the league says so, and plays on from the same turn.
#[test]
fn a_bot_that_is_started_again_plays_on() {
    let records = Place::new().play(
        &format!("{KALAH} --on-fault restart:100"),
        &[&bad("dies_on_turn.py 3 segv"), GOOD],
    );
    for record in records {
        assert_eq!(record.end, End::Rules);
        assert!(!record.faults.is_empty());
        for fault in &record.faults {
            assert_eq!(
                (fault.code, fault.then),
                (FaultCode::Exited, Some(Then::Restarted)),
                "{fault:?}"
            );
        }
        assert_eq!(record.score().forfeits, [false, false]);
    }
}

/// A house bot plays on where the league says so, for this bot and in this match alone.
#[test]
fn a_house_bot_plays_on_for_one_that_failed() {
    let bot = "name = \"bad\"\non_fault = \"substitute:greedy\"\ncommand = \"\"\"";
    let league = format!(
        "game = \"kalah\"\nrotations = 1\n[[bot]]\n{bot}{}\"\"\"\n[[bot]]\nhouse = \"random\"\n",
        hostile("dies_on_turn.py 2 exit")
    );
    let records = Place::new()
        .with("league.toml", &league)
        .play("league.toml --jobs 1", &[]);
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.end, End::Rules);
        let [fault] = &record.faults[..] else {
            panic!("{:?}", record.faults)
        };
        assert_eq!((fault.code, fault.then), (FaultCode::Exited, Some(Then::Substituted)));
        assert!(fault.ply >= 1, "it played a move itself, in each match");
    }
}
