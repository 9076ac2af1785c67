//! What went wrong for others who run bots, as trials of this arena: the whole program, real processes, hostile bots.
//!
//! A test bears the number of its case; its comment says what it guards, and which public report it is about. The bots are
//! in `tests/hostile`, each with a head that says what it does wrong. Limits are short only where a bot never does what is
//! waited for, so that no outcome depends on how busy the machine is.
//!
//! Cases that other tests guard already:
//!
//! | case | what | guarded by |
//! |---|---|---|
//! | C013 | a program that cannot be started is refused at once | `program::a_bot_that_cannot_start_is_refused_before_the_first_match` |
//! | C017 | bytes that are no text on standard error | `process::bytes_that_are_no_text_on_standard_error_harm_nobody` |
//! | C019 | standard error that nobody would read | `process::a_flood_on_standard_error_blocks_nobody`, `process::the_last_of_standard_error_is_kept_with_the_fault` |
//! | C023 | an answer without its newline | `faults::late_without_a_newline`, and in the arena `a_line_that_is_half_there_when_the_turn_begins_is_dropped_whole` |
//! | C025 | CR LF, blanks, empty lines | `process::carriage_returns_blanks_and_empty_lines_are_passed_over` |
//! | C026 | a byte order mark | `process::a_byte_order_mark_before_the_first_line_is_passed_over` |
//! | C035 | an answer that comes in the next match | `process::a_late_answer_is_late_once_and_goes_to_no_other_match` |
//! | C040 | turns that withhold or repeat a ply | `process::every_bot_is_told_the_whole_truth`, and in the arena `no_ply_is_missed_or_told_twice` |
//! | C073 | file systems without a write-ahead log | in the arena `a_file_system_that_refuses_the_write_ahead_log_gets_a_rollback_journal` |
//! | C074 | announced matches that are lost | `program::a_killed_tournament_goes_on_and_loses_nothing_that_was_announced` |
//! | C079 | files of other versions, broken migrations | in the arena `a_file_of_a_newer_version_is_refused`, `an_older_file_is_brought_up_to_date_with_a_copy_kept`, `a_migration_that_fails_leaves_the_file_as_it_was` |
//! | C080 | two runs on one file | `program::a_second_runner_on_the_same_file_is_refused`, and in the arena `a_lock_file_left_by_a_killed_run_means_nothing` |
//! | C082 | odd numbers of bots | in the arena `each_bot_each_pair_and_each_seat_occurs_equally_often`, for 2 to 9 bots; `a_swiss_tournament_repeats_nothing_and_is_fair_with_byes`, for 2 to 16 |
//! | C083 | second byes, byes that are not credited | in the arena `more_rounds_repeat_as_little_as_they_can`, `a_swiss_table_counts_byes_as_won_against_an_opponent_with_the_same_points` |
//! | C085 | a dry run that lists something else | `program::a_dry_run_lists_exactly_what_is_played`, `formats::a_gauntlet_plays_exactly_what_the_dry_run_lists` |
//! | C086 | openings that are not repeated with seats swapped | in the arena `a_rotation_is_one_opening_with_each_bot_once_in_each_seat`, `all_groups_of_a_round_get_the_same_opening` |
//! | C088 | files of openings with bad lines | in the arena `a_file_of_openings_is_read_with_care`, `a_file_of_openings_with_bad_lines_is_refused_with_all_of_them` |
//! | C091 | seats, openings and seeds that hang on the jobs | `formats::a_swiss_tournament_is_the_same_however_it_is_played` and its like, `program::a_tournament_gives_the_same_results_whatever_the_jobs`, `program::a_killed_tournament_goes_on_and_loses_nothing_that_was_announced` |

mod distributed;
mod process;
mod protocol;
mod sandbox;
mod schedule;
mod store;
mod time;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use mancala_arena::record::{End, Record, replay};
use mancala_arena_protocol::FaultCode;
use mancala_arena_tests::wait_for;
use tempfile::TempDir;

use crate::program::{arena, code, run, stderr, stdout};

/// A bot without fault that plays the first legal move.
const GOOD: &str = concat!("good=", env!("CARGO_BIN_EXE_scripted-bot"));

/// One opening of Kalah, and nobody's clock runs out: with two bots a match in each seat.
const KALAH: &str = "--game kalah --rotations 1 --opening-plies 0 --move-ms 60000";

/// `bad` with the command of a hostile bot: a file of `tests/hostile`, and its arguments.
fn bad(script: &str) -> String {
    format!("bad={}", hostile(script))
}

/// The command of a hostile bot.
pub fn hostile(script: &str) -> String {
    let (file, args) = script.split_once(' ').unwrap_or((script, ""));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("hostile").join(file);
    let interpreter = if file.ends_with(".sh") { "sh" } else { python() };
    format!("{interpreter} '{}' {args}", path.display())
}

/// Python as a command that nothing in the environment changes: itself, where `python3` is only a script that looks for it.
pub fn python() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let output = Command::new("python3")
            .args(["-c", "import sys; print(sys.executable, end='')"])
            .output()
            .expect("the hostile bots need `python3`");
        format!("'{}' -BES", stdout(&output))
    })
}

/// A directory in which tournaments are played, with the results in `arena.db`.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(TempDir::new().expect("a directory can be made"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file.
    fn with(self, name: &str, text: &str) -> Place {
        std::fs::write(self.path().join(name), text).expect("a file can be written");
        self
    }

    /// The arena with these arguments, to be started.
    fn arena(&self, args: &str, bots: &[&str]) -> Command {
        let args: Vec<&str> = args.split_whitespace().chain(bots.iter().copied()).collect();
        arena(self.path(), &args)
    }

    /// Runs the arena.
    fn run(&self, args: &str, bots: &[&str]) -> Output {
        let output = self.arena(args, bots).output().expect("the arena starts");
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        output
    }

    /// Plays a tournament to its end. Every record follows the rules, and nobody's process is left.
    fn play(&self, args: &str, bots: &[&str]) -> Vec<Record> {
        let output = self.run(&format!("run {args}"), bots);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        self.nobody_is_left();
        self.records()
    }

    /// As [`Place::play`], and gives the most memory that the arena has held, in KiB.
    fn play_measured(&self, args: &str, bots: &[&str]) -> (Vec<Record>, u64) {
        let mut child = self
            .arena(&format!("run {args}"), bots)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the arena starts");
        let mut peak = 0;
        let status = wait_for("the run ends", || {
            peak = peak.max(peak_kib(child.id()).unwrap_or(0));
            child.try_wait().expect("it can be waited for")
        });
        assert_eq!(status.code(), Some(0));
        assert!(peak > 0, "it was looked at while it ran");
        self.nobody_is_left();
        (self.records(), peak)
    }

    /// What is stored, in the order of ids.
    fn records(&self) -> Vec<Record> {
        let output = run(self.path(), &["export"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let records = stdout(&output);
        let records = records
            .lines()
            .map(|line| serde_json::from_str(line).expect("a record is strict JSON"));
        records
            .inspect(|record| drop(replay(record).expect("a record follows the rules")))
            .collect()
    }

    /// How many matches are stored, also while a run goes on.
    fn records_so_far(&self) -> usize {
        stdout(&run(self.path(), &["export"])).lines().count()
    }

    /// Waits until no process works in this directory, as bots do.
    fn nobody_is_left(&self) {
        wait_for("the bots are gone", || workers_in(self.path()).is_empty().then_some(()));
    }
}

/// The living processes that work in a directory or below it.
fn workers_in(dir: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc").flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    // What has ended works nowhere.
    ids.filter(|id: &u32| std::fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|at| at.starts_with(dir)))
        .collect()
}

/// The most memory that a process has held so far, in KiB; `None` once it has ended.
fn peak_kib(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim_end_matches("kB").trim().parse().ok()
}

/// Whether the tests that take long are wanted.
pub fn slow_tests_wanted() -> bool {
    std::env::var_os("ARENA_SLOW_TESTS").is_some()
}

/// In each of these matches of two, `bad` has made one fault, of this kind, and has lost by it. Gives what is kept of them.
fn forfeits_of(records: &[Record], code: FaultCode) -> Vec<mancala_arena::record::FaultRecord> {
    assert!(!records.is_empty());
    let fault = |record: &Record| {
        let [fault] = &record.faults[..] else {
            panic!("one fault is expected: {:?}", record.faults)
        };
        assert_eq!((fault.bot.as_str(), fault.code), ("bad", code), "{fault:?}");
        assert_eq!(record.end, End::Fault);
        assert_eq!(record.places[usize::from(fault.seat)], 2);
        fault.clone()
    };
    records.iter().map(fault).collect()
}

/// Plays a hostile bot against a good one: [`forfeits_of`] its matches.
fn forfeits(args: &str, script: &str, code: FaultCode) -> Vec<mancala_arena::record::FaultRecord> {
    forfeits_of(&Place::new().play(args, &[&bad(script), GOOD]), code)
}

/// Plays a hostile bot against a good one: it does no harm, and every match ends by the rules.
fn plays_on(args: &str, script: &str) -> Vec<Record> {
    let records = Place::new().play(args, &[&bad(script), GOOD]);
    for record in &records {
        assert_eq!((record.end, &record.faults[..]), (End::Rules, &[][..]), "{script}");
    }
    records
}
