//! Directories that are bots, and the starter kits that `arena new` makes such directories of.

use std::fs;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Output};

use mancala_arena_bots::starters;
use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};

/// Plays the legal move that another file chooses.
const BOT: &str = r#"
import json, sys
from choice import choose

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({"move": choose(message["legal"])}), flush=True)
"#;

const FIRST: &str = "def choose(legal):\n    return legal[0]\n";
const LAST: &str = "def choose(legal):\n    return legal[-1]\n";

/// Nobody's clock runs out, however busy the host.
const PATIENT: [&str; 2] = ["--move-ms", "60000"];

/// A directory with the bot `mine` in it, of which a part is built.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a directory can be made");
    write(
        &place,
        "mine/bot.toml",
        "build = \"sh build.sh\"\nrun = \"python3 bot.py\"\n",
    );
    write(&place, "mine/bot.py", BOT);
    write(&place, "mine/build.sh", "cp choice.src choice.py\n");
    write(&place, "mine/choice.src", FIRST);
    place
}

fn write(place: &TempDir, name: &str, text: &str) {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().expect("it is in a directory")).expect("directories can be made");
    fs::write(path, text).expect("a file can be written");
}

fn arena(dir: &Path, args: &[&str]) -> Output {
    run(dir, &[args, &PATIENT].concat())
}

fn assert_done(output: &Output) {
    let errors = stderr(output);
    assert_eq!(code(output), 0, "{errors}");
    assert!(!errors.contains("forfeits"), "{errors}");
}

fn says(output: &Output, expected: &str) -> bool {
    stderr(output).contains(expected)
}

const BUILDING: &str = "building bot `mine`: sh build.sh\n";

#[test]
fn a_directory_is_built_once_and_plays() {
    let place = place();
    for (bot, built) in [("./mine", true), ("mine", false), ("other=mine/", false)] {
        let output = arena(place.path(), &["play", "kalah", bot, "house:random"]);
        assert_done(&output);
        assert_eq!(says(&output, "building"), built, "{}", stderr(&output));
    }
}

#[test]
fn a_build_that_fails_shows_what_was_run_where_and_what_it_said() {
    let place = place();
    write(
        &place,
        "mine/build.sh",
        "seq 100\nprintf 'choice.src: is \\033[31mwrong\\n' >&2\nexit 3\n",
    );
    let output = arena(place.path(), &["play", "kalah", "./mine", "house:random"]);
    let dir = place.path().canonicalize().expect("it is there").join("mine");
    let dir = dir.display();
    let lines = |range: RangeInclusive<u8>| -> String { range.map(|line| format!("  output: {line}\n")).collect() };
    let (first, last) = (lines(1..=12), lines(90..=100));
    let expected = format!(
        "{BUILDING}error: cannot start bot `mine`: its build has failed (exit status: 3): `sh build.sh` in `{dir}`\n\
         {first}  output: ...\n{last}  output: choice.src: is \\u{{1b}}[31mwrong\n  \
         mend it and give the same command again; the whole output is in `{dir}/.arena-build/output`\n"
    );
    assert_eq!(stderr(&output), expected);
    assert_eq!(code(&output), 3);
}

#[test]
fn a_changed_source_is_built_and_noticed_and_the_old_one_goes_on() {
    let place = place();
    let tournament = ["run", "--game", "kalah", "mine", "house:random", "--rotations", "2"];
    let first = arena(place.path(), &tournament);
    assert_done(&first);
    assert!(says(&first, BUILDING));
    let again = arena(place.path(), &tournament);
    assert_done(&again);
    assert!(says(&again, "4 matches of this plan are in `arena.db` already") && !says(&again, "building"));

    write(&place, "mine/choice.src", LAST);
    let changed = arena(place.path(), &tournament);
    assert_eq!(code(&changed), 2, "{}", stderr(&changed));
    assert!(says(&changed, BUILDING));
    assert!(says(
        &changed,
        "the program of bot `mine` has changed since this plan was begun"
    ));

    write(&place, "mine/choice.src", FIRST);
    let back = arena(place.path(), &tournament);
    assert_done(&back);
    assert_eq!(stdout(&back), stdout(&first));
}

#[test]
fn a_league_names_a_directory_by_its_path_and_a_dry_run_lists_it() {
    let place = place();
    let league = "game = \"kalah\"\nrotations = 1\n[[bot]]\npath = \"../mine\"\n[[bot]]\nhouse = \"greedy\"\n";
    write(&place, "leagues/one.toml", league);
    let dry = arena(place.path(), &["run", "leagues/one.toml", "--dry-run"]);
    assert_done(&dry);
    let dir = place.path().canonicalize().expect("it is there").join("mine");
    let listed = format!("python3 bot.py in {}\n", dir.display());
    assert!(stdout(&dry).contains(&listed), "{}", stdout(&dry));
    assert_done(&arena(place.path(), &["run", "leagues/one.toml"]));
}

#[test]
fn a_bot_is_run_from_its_own_directory_with_the_results_there() {
    let place = place();
    let dir = place.path().join("mine");
    let tournament = ["run", "--game", "kalah", ".", "house:random", "--rotations", "1"];
    assert_done(&arena(&dir, &tournament));
    let again = arena(&dir, &tournament);
    assert_done(&again);
    assert!(says(&again, "2 matches of this plan are in `arena.db` already"));
}

#[test]
fn a_directory_is_compared_with_another() {
    let place = place();
    write(&place, "old/bot.toml", "run = \"python3 bot.py\"");
    write(&place, "old/bot.py", BOT);
    write(&place, "old/choice.py", LAST);
    let output = arena(place.path(), &["compare", "kalah", "./mine", "./old", "--matches", "4"]);
    let asked = "is `mine` better than `old` at kalah?";
    assert!(says(&output, BUILDING) && says(&output, asked), "{}", stderr(&output));
    assert!([0, 1, 5].contains(&code(&output)), "{}", stderr(&output));
}

#[test]
fn a_new_bot_takes_the_place_of_nothing() {
    let place = place();
    for (language, dir, expected) in [
        (
            "python",
            "mine",
            "error: directory `mine` is not empty; name one that is, or that is not there yet\n",
        ),
        (
            "python",
            "mine/bot.py",
            "error: `mine/bot.py` is a file; name a directory that is empty, or not there yet\n",
        ),
    ] {
        let before = fs::read_dir(place.path().join("mine")).expect("it is there").count();
        let output = run(place.path(), &["new", language, dir]);
        assert_eq!((code(&output), stderr(&output)), (2, expected.to_owned()));
        let after = fs::read_dir(place.path().join("mine")).expect("it is there").count();
        assert_eq!(before, after);
    }
    let unnamed = [run(place.path(), &["new", "js"]), run(place.path(), &["new", "js"])];
    assert!(
        code(&unnamed[0]) == 0 && place.path().join("javascript-bot/bot.toml").is_file(),
        "{}",
        stderr(&unnamed[0])
    );
    assert!(
        code(&unnamed[1]) == 2 && says(&unnamed[1], "directory `javascript-bot` is not empty; name one that is"),
        "{}",
        stderr(&unnamed[1])
    );
    let unknown = run(place.path(), &["new", "pyton", "other"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        says(&unknown, "a similar value exists: 'python'"),
        "{}",
        stderr(&unknown)
    );
    let no_game = run(place.path(), &["new", "python", "other", "--game", "chess"]);
    assert_eq!(code(&no_game), 2);
    assert!(
        says(&no_game, "unknown game `chess`; known games:"),
        "{}",
        stderr(&no_game)
    );
    assert!(!place.path().join("other").exists());
}

/// A kit does all that it has to, by the commands that are printed when it is made, and in a league. In a language that is
/// not here it is only made; `tests/run` installs them all where it may.
fn starter_plays(language: &str) {
    let place = tempfile::tempdir().expect("a directory can be made");
    let dir = format!("my {language}");
    let made = run(place.path(), &["new", language, &dir]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    if says(&made, "is not installed") {
        // Past the test harness, which keeps to itself what a test that passes prints.
        let _ = writeln!(
            std::io::stderr(),
            "passed over: {language} is not here, and its starter is not played: {}",
            stderr(&made).trim_end()
        );
        return;
    }
    for (command, quicker) in [
        (" play ", "--pause-ms 0 --move-ms 60000"),
        (" check ", "--strict --move-ms 60000"),
        (" run ", "--db kits.db --move-ms 60000"),
    ] {
        let text = stdout(&made);
        let line = text.lines().find(|line| line.contains(command));
        let line = line
            .expect("the command is printed")
            .replace("--rotations 10", "--rotations 1");
        let output = Command::new("sh")
            .args(["-c", &format!("{line} {quicker}")])
            .current_dir(place.path())
            .output()
            .expect("the shell starts");
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        assert!(!stderr(&output).contains("forfeits"), "{}", stderr(&output));
    }
    let league = "run --game kalah --rotations 10 --db random.db --format json --move-ms 60000 house:random";
    let league: Vec<&str> = league.split(' ').chain([&*dir]).collect();
    let output = run(place.path(), &league);
    assert_done(&output);
    let standings: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("standings are JSON");
    assert_eq!((&standings["matches"], &standings["forfeits"]), (&20.into(), &0.into()));
    let lines = standings["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .flat_map(|table| table["lines"].as_array());
    let line = lines
        .flatten()
        .find(|line| line["name"] != "random")
        .expect("it has played");
    let wins = line["wins"].as_u64().expect("a number");
    assert!(wins > 12, "{wins} of 20 matches won against random moves");
}

/// One test for each, so that they run side by side.
macro_rules! starters {
    ($($name:ident: $language:literal,)*) => {
        $(#[test]
        fn $name() {
            starter_plays($language);
        })*

        #[test]
        fn every_starter_has_a_test() {
            let list = stdout(&run(Path::new("/"), &["new"]));
            for language in starters::languages() {
                assert!([$($language),*].contains(&language), "{language}");
                assert!(list.lines().any(|line| line.split(' ').next() == Some(language)), "{list}");
            }
        }
    };
}

starters! {
    the_starter_in_c_plays: "c",
    the_starter_in_cpp_plays: "cpp",
    the_starter_in_go_plays: "go",
    the_starter_in_java_plays: "java",
    the_starter_in_javascript_plays: "javascript",
    the_starter_in_lua_plays: "lua",
    the_starter_in_perl_plays: "perl",
    the_starter_in_python_plays: "python",
    the_starter_in_ruby_plays: "ruby",
    the_starter_in_rust_plays: "rust",
    the_starter_in_shell_plays: "shell",
    the_starter_in_typescript_plays: "typescript",
}
