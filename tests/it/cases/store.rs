//! The results file: what is in it while a run goes on, and after all that can go wrong with files.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use mancala_arena::bot;
use mancala_arena::config::{self, Overrides};
use mancala_arena::store::Store;

use super::{Place, slow_tests_wanted};
use crate::program::{arena, code, run, stderr, stdout};

/// A plan of so many openings in two seats each, whose matches are the same in every run.
fn plan(rotations: u32) -> String {
    format!("run --game kalah --rotations {rotations} --move-ms 60000 --events")
}

const BOTS: [&str; 2] = ["house:random", "house:greedy"];

/// The matches that a run has announced.
fn announced(messages: &str) -> usize {
    messages.lines().filter(|line| line.starts_with("match ")).count()
}

/// While many matches are written at once every record and every message is whole, also when the run is killed:
/// official-stockfish/fishtest#2142.
#[test]
fn c076_records_are_whole_while_the_run_goes_on() {
    let place = Place::new();
    let mut child = place
        .arena(&format!("{} --jobs 32", plan(1_000_000)), &BOTS)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    let messages = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let mut events = messages.map_while(Result::ok).filter(|line| line.starts_with("match "));
    let mut announced = 0;
    for _ in 0..5 {
        for line in events.by_ref().take(20) {
            // `match 7: a place 1 (30 points), b place 2 (18 points); 40 plies, ended by the rules`
            let (number, rest) = line["match ".len()..].split_once(": ").expect("a number comes first");
            let number: Result<u64, _> = number.parse();
            let whole = rest.matches(" place ").count() == 2 && rest.contains(" plies, ended by ");
            assert!(number.is_ok() && whole, "{line}");
        }
        announced += 20;
        let stored = place.records().len();
        assert!(stored >= announced, "{stored} stored, {announced} announced");
    }
    child.kill().expect("it runs");
    child.wait().expect("it has been killed");
    assert!(place.records().len() >= announced);
    let verified = run(place.path(), &["verify"]);
    assert_eq!(code(&verified), 0, "{}", stdout(&verified));
}

/// A damaged file is named, left as it is, and what can be read of it is saved: TCEC-Chess/tceccutechess#13.
#[test]
fn c077_a_damaged_file_stops_the_run_and_is_left_as_it_is() {
    let place = Place::new();
    place.play(plan(30).trim_start_matches("run "), &BOTS);
    let whole = std::fs::read(place.path().join("arena.db")).expect("it is there");
    let copy = place.path().join("copy.db");
    for part in [1, 4, 7] {
        let cut = &whole[..whole.len() * part / 8];
        let same = |after: &str| {
            assert!(
                std::fs::read(&copy).expect("it is there") == cut,
                "{after}, cut at {part}/8"
            );
        };
        std::fs::write(&copy, cut).expect("a file can be written");
        let verified = place.run("verify --db copy.db", &[]);
        assert_eq!(code(&verified), 1, "{}{}", stdout(&verified), stderr(&verified));
        same("after verify");
        for _ in 0..2 {
            let resumed = place.run(&format!("{} --db copy.db", plan(30)), &BOTS);
            assert_eq!(code(&resumed), 2, "{}", stderr(&resumed));
            assert!(stderr(&resumed).contains("`copy.db` is "), "{}", stderr(&resumed));
            same("after a run");
        }
        let saved = place.run("export --skip-damaged --db copy.db", &[]);
        assert!(stdout(&saved).lines().count() < 60);
        same("after an export");
    }
}

/// A shell's commands, with the arena and its arguments as `"$0" "$@"`.
fn in_shell(place: &Place, shell: &[&str], script: &str, db: &str) -> Output {
    let run = arena(place.path(), &[]);
    Command::new(shell[0])
        .args(&shell[1..])
        .args(["-c", script])
        .arg(run.get_program())
        .args(plan(300).split_whitespace())
        .args(["--db", db])
        .args(BOTS)
        .current_dir(place.path())
        .output()
        .expect("there is a shell")
}

/// After a run that could not go on: what it had announced is stored, and the same command plays the rest.
fn check_goes_on(place: &Place, messages: &str, stored: usize, exported: &str) {
    let announced = announced(messages);
    assert!(announced < 600, "{announced}: {messages}");
    assert!(stored >= announced, "{stored} stored, {announced} announced");
    place.play(plan(300).trim_start_matches("run "), &BOTS);
    let undisturbed = run(place.path(), &["export", "--no-times"]);
    assert!(
        exported == stdout(&undisturbed),
        "the results are those of an undisturbed run"
    );
}

/// A full disk stops the run, loses nothing that was announced, and when there is room again the run goes on.
#[test]
fn a_full_disk_stops_the_run_and_costs_nothing() {
    let place = Place::new();
    let script = r#"
        mkdir disk && mount -t tmpfs -o size=240k none disk || exit 77
        "$0" "$@" 2>messages
        echo $?
        mount -o remount,size=64m disk
        "$0" export --db disk/arena.db | wc -l
        "$0" "$@" 2>/dev/null >table
        echo $?
        "$0" export --no-times --db disk/arena.db >exported
    "#;
    if Command::new("unshare")
        .args(["-m", "true"])
        .output()
        .is_ok_and(|output| output.status.success())
    {
        let output = in_shell(&place, &["unshare", "-m", "sh"], script, "disk/arena.db");
        if code(&output) != 77 {
            let read = |name: &str| std::fs::read_to_string(place.path().join(name)).expect("it was written");
            let (messages, numbers) = (read("messages"), stdout(&output));
            let numbers: Vec<usize> = numbers
                .lines()
                .map(|line| line.trim().parse().expect("a number"))
                .collect();
            assert_eq!((numbers[0], numbers[2]), (2, 0), "{messages}");
            assert!(messages.contains("the disk is full"), "{messages}");
            return check_goes_on(&place, &messages, numbers[1], &read("exported"));
        }
    }
    eprintln!("not tested: a file system of some size cannot be mounted here");
}

/// A limit on the size of files is told like a full disk, and costs as little.
#[test]
fn a_limit_on_the_size_of_files_stops_the_run_and_costs_nothing() {
    let place = Place::new();
    let limited = in_shell(&place, &["sh"], r#"ulimit -f 200 && exec "$0" "$@""#, "limited.db");
    assert_eq!(limited.status.code(), Some(2), "{:?}", limited.status);
    let stored = run(place.path(), &["export", "--db", "limited.db"]);
    let rest = in_shell(&place, &["sh"], r#"exec "$0" "$@""#, "limited.db");
    assert_eq!(code(&rest), 0, "{}", stderr(&rest));
    let exported = run(place.path(), &["export", "--no-times", "--db", "limited.db"]);
    check_goes_on(
        &place,
        &stderr(&limited),
        stdout(&stored).lines().count(),
        &stdout(&exported),
    );
}

/// A results file can be opened and closed without end: no file, no lock and no byte stays behind.
#[test]
fn a_results_file_is_opened_and_closed_without_end() {
    let place = Place::new();
    let path = place.path().join("arena.db");
    let bots = BOTS.map(str::to_owned).to_vec();
    let game = Some("kalah".to_owned());
    let overrides = Overrides {
        game,
        bots,
        ..Overrides::default()
    };
    let plan = config::from_args(&overrides, bot::build).expect("a plan").plan;
    let visit = || {
        let mut store = Store::open_to_write(&path).expect("it can be written");
        store.add_plan(&plan, &[None, None]).expect("the plan is taken");
        drop(store);
        Store::open(&path)
            .expect("it can be read")
            .done(&plan.id())
            .expect("the plan is there")
            .len()
    };
    let open_files = || {
        let files = std::fs::read_dir("/proc/self/fd").expect("there is a /proc").flatten();
        let targets = files.filter_map(|file| std::fs::read_link(file.path()).ok());
        targets.filter(|target| target.starts_with(place.path())).count()
    };
    assert_eq!(visit(), 0);
    let length = std::fs::metadata(&path).expect("it is there").len();
    let visits = if slow_tests_wanted() { 2_000 } else { 40 };
    for _ in 0..visits {
        assert_eq!(visit(), 0);
    }
    assert_eq!(std::fs::metadata(&path).expect("it is there").len(), length);
    assert_eq!(open_files(), 0);
    let left = std::fs::read_dir(place.path()).expect("it is there").count();
    assert_eq!(left, 1, "the file alone is left");
}
