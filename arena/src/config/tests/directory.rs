//! Directories that are bots: how they are named and described, what counts of them, and when they are built.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use super::*;

const HEAD: &str = "game = \"kalah\"\n[[bot]]\nhouse = \"random\"\n";

/// A league with the bot in `bot`, which is described so.
fn with_bot(description: &str) -> League {
    League::new(&format!("{HEAD}[[bot]]\npath = \"bot\"\n")).with("bot/bot.toml", description)
}

/// A bot of which nothing is built.
fn script() -> League {
    with_bot("run = \"sh bot.sh\"").with("bot/bot.sh", "")
}

/// A bot that is built by [`copy`].
fn built() -> League {
    with_bot("build = \"cp source program\"\nrun = \"./program\"").with("bot/source", "one")
}

/// Copies the source to the program, and notes that it has.
fn copy(build: &Build) -> Result<(), String> {
    assert_eq!(build.words[0], "cp");
    let notes = build.dir.join(".builds");
    let before = fs::read_to_string(&notes).unwrap_or_default();
    fs::write(notes, format!("{before}{}\n", build.command())).expect("a note");
    let source = fs::read_to_string(build.dir.join("source")).expect("a source");
    if source.contains("wrong") {
        return Err("it is wrong".to_owned());
    }
    let program = build.dir.join("program");
    fs::write(&program, source).expect("a program");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("permissions");
    Ok(())
}

/// The content of the bot in `bot`.
fn content(league: &League) -> String {
    let prepared = league.prepare_with(&Overrides::default(), copy).expect("a plan");
    prepared.programs[1].content.clone().expect("a program has content")
}

fn builds(league: &League) -> usize {
    let notes = fs::read_to_string(league.dir.path().join("bot/.builds"));
    notes.unwrap_or_default().lines().count()
}

#[test]
fn a_directory_is_its_run_command_in_it() {
    let league = with_bot("name = \"mine\"\nrun = \"sh 'a file' -x\"").with("bot/a file", "");
    let prepared = league.prepare(&Overrides::default()).expect("a plan");
    let bot = &prepared.plan.bots[1];
    let words = ["sh", "a file", "-x"].map(str::to_owned).to_vec();
    assert_eq!((&*bot.name, &bot.launch), ("mine", &Launch::Command(words)));
    assert_eq!(bot.dir.as_deref(), Some(Path::new("bot")));
    let program = &prepared.programs[1];
    let dir = league.dir.path().join("bot").canonicalize().expect("a directory");
    assert_eq!(
        (&program.dir, &*program.args),
        (&dir, &["a file", "-x"].map(str::to_owned)[..])
    );
}

#[test]
fn a_directory_that_says_no_name_gives_its_own() {
    assert_eq!(names(&script().plan()), ["random", "bot"]);
    let named = League::new(&format!("{HEAD}[[bot]]\nname = \"here\"\npath = \"bot\"\n"))
        .with("bot/bot.toml", "name = \"there\"\nrun = \"sh\"");
    assert_eq!(names(&named.plan()), ["random", "here"]);
}

#[test]
fn a_name_that_is_taken_gets_a_number() {
    let twice = League::new(&format!("{HEAD}{}", "[[bot]]\npath = \"bot\"\n".repeat(2)))
        .with("bot/bot.toml", "name = \"mine\"\nrun = \"sh\"");
    assert_eq!(names(&twice.plan()), ["random", "mine", "mine-2"]);
}

#[test]
fn a_copied_directory_is_called_what_it_is_called() {
    let description = "name = \"mine\"\nrun = \"sh\"";
    let copied = League::new(&format!("{HEAD}[[bot]]\npath = \"new\"\n[[bot]]\npath = \"old/\"\n"))
        .with("new/bot.toml", description)
        .with("old/bot.toml", description);
    assert_eq!(names(&copied.plan()), ["random", "new", "old"]);
}

#[test]
fn however_a_directory_is_written_the_plan_is_the_same() {
    let id = |path: &str| {
        let league = League::new(&format!("{HEAD}[[bot]]\npath = \"{path}\"\n"));
        league.with("bot/bot.toml", "run = \"sh\"").plan().id()
    };
    assert_eq!(id("bot"), id("./bot"));
    assert_eq!(id("bot"), id("bot/./"));
}

#[test]
fn a_directory_is_a_bot_of_the_command_line() {
    let league = script();
    let dir = league.dir.path().display();
    let written = [format!("{dir}/bot"), format!("me={dir}/bot/")];
    let plan = from_args(&args("kalah", &[&written[0], &written[1]]), no_build)
        .expect("a plan")
        .plan;
    assert_eq!(names(&plan), ["bot", "me"]);
    assert_eq!(plan.bots[0].launch, plan.bots[1].launch);
    assert_eq!(plan.bots[0].dir, plan.bots[1].dir);
    for (bot, expected) in [
        (
            dir.to_string(),
            format!("`{dir}` is a directory without `bot.toml`; name the program"),
        ),
        (
            format!("{dir}/bot -x"),
            format!("`{dir}/bot` is a bot's directory; name it without"),
        ),
        ("me=".to_owned(), "bot `me=`: an empty command".to_owned()),
    ] {
        let error = args_error(&args("kalah", &["house:random", &bot]));
        assert!(error.contains(&expected), "{error}");
    }
}

#[test]
fn problems_of_a_description_are_shown_where_they_are() {
    let table = [
        ("name = \"x\"", "DIR/bot/bot.toml: `run` is missing"),
        ("run = \"\"", "an empty command"),
        ("run = \"sh 'x\"", "a quote is not closed"),
        ("run = \"sh\"\nbuild = \" \"", "an empty command"),
        ("run = [\"sh\"]", "expected a string"),
        (
            "run = \"sh\"\nname = \" x\"",
            "` x` is no name for a bot; a name is not",
        ),
        ("run = ", "string values must be quoted"),
    ];
    for (description, expected) in table {
        let error = with_bot(description).error();
        let placed = error.contains("DIR/bot/bot.toml");
        assert!(placed && error.contains(expected), "{expected}:\n{error}");
    }
    assert_eq!(
        with_bot("run = \"sh\"\nbuilt = \"make\"").error(),
        "unknown field `built`, expected one of `name`, `build`, `run`\n \
         --> DIR/bot/bot.toml:2:1\n  |\n2 | built = \"make\"\n  | ^^^^^"
    );
}

#[test]
fn a_path_that_is_no_bot_is_refused_where_the_league_says_it() {
    let error = |bot: &str| {
        let league = League::new(&format!("{HEAD}[[bot]]\n{bot}\n"));
        league.with("plain/file", "").error()
    };
    let table = [
        ("path = \"none\"", "`DIR/none`: no such directory; expected one with"),
        ("path = \"plain\"", "`DIR/plain` is a directory without `bot.toml`"),
        (
            "path = \"plain/file\"",
            "`DIR/plain/file` is a file; expected a directory",
        ),
        ("path = \"plain\"\ndir = \"plain\"", "both `path` and `dir`"),
        ("path = \"plain\"\nhouse = \"random\"", "a bot with more than one of"),
    ];
    for (bot, expected) in table {
        let error = error(bot);
        let placed = error.contains("--> DIR/league.toml:");
        assert!(placed && error.contains(expected), "{expected}:\n{error}");
    }
}

#[test]
fn every_file_of_a_directory_counts_by_path_and_content() {
    let before = content(&script());
    assert_eq!(content(&script()), before);
    assert_ne!(content(&script().with("bot/bot.sh", "other")), before);
    let read = content(&script().with("bot/lib/arena.sh", "one"));
    assert_ne!(read, before);
    assert_ne!(content(&script().with("bot/lib/arena.sh", "two")), read);
    assert_ne!(content(&script().with("bot/lib/other.sh", "one")), read);
}

#[test]
fn what_tools_and_the_arena_leave_in_a_directory_does_not_count() {
    let before = content(&script());
    let left = [
        ".git/HEAD",
        ".hidden",
        "__pycache__/bot.pyc",
        "node_modules/a/index.js",
        "target/debug/bot",
        "lib/target/bot",
        "venv/bin/python",
        "arena.db",
        "arena.db-wal",
        "arena.db-lock",
        "bot.toml",
    ];
    for name in left {
        let league = script().with(&format!("bot/{name}"), "run = \"sh bot.sh\"\n# something");
        assert_eq!(content(&league), before, "{name}");
    }
    assert_ne!(content(&script().with("bot/lib/bot.toml", "")), before);
}

#[test]
fn links_count_as_files_and_lead_into_no_circle() {
    let league = script().with("elsewhere", "one");
    let link = |target: &str, name: &str| {
        symlink(target, league.dir.path().join("bot").join(name)).expect("a link");
    };
    link(".", "circle");
    link("none", "dangling");
    assert_eq!(content(&league), content(&script()));
    link("../elsewhere", "linked");
    let one = content(&league);
    assert_eq!(one, content(&script().with("bot/linked", "one")));
    assert_ne!(one, content(&league.with("elsewhere", "two")));
}

#[test]
fn a_directory_with_more_than_a_bot_is_refused() {
    let league = script();
    let many = league.dir.path().join("bot/many");
    fs::create_dir(&many).expect("a directory");
    for number in 0..10_000 {
        File::create(many.join(number.to_string())).expect("a file");
    }
    let expected = "cannot start bot `bot`: `DIR/bot` has more than 10000 files or 1024 MiB";
    assert!(league.error().starts_with(expected), "{}", league.error());
    let large = script().with("bot/large", "");
    let file = File::options().write(true).open(large.dir.path().join("bot/large"));
    let made = file.and_then(|file| file.set_len((1 << 30) + 1));
    made.expect("a file with a hole");
    assert!(large.error().starts_with(expected), "{}", large.error());
}

#[test]
fn a_program_is_built_once_as_long_as_nothing_changes() {
    let league = built();
    let first = content(&league);
    assert_eq!((content(&league), builds(&league)), (first.clone(), 1));
    // A file that was touched is the same file.
    let source = File::options().append(true).open(league.dir.path().join("bot/source"));
    let touched = source.and_then(|file| file.set_modified(SystemTime::now() + Duration::from_secs(3_600)));
    touched.expect("times can be set");
    assert_eq!((content(&league), builds(&league)), (first, 1));
}

#[test]
fn whatever_changes_a_build_is_due() {
    let league = built();
    let one = content(&league);
    let league = league.with("bot/source", "two");
    let two = content(&league);
    let league = league.with("bot/another source", "");
    let three = content(&league);
    assert!(one != two && two != three);
    assert_eq!(builds(&league), 3);
    fs::remove_file(league.dir.path().join("bot/program")).expect("the program is there");
    assert_eq!((content(&league), builds(&league)), (three.clone(), 4));
    let league = league.with("bot/bot.toml", "build = \"cp -p source program\"\nrun = \"./program\"");
    assert_eq!((content(&league), builds(&league)), (three, 5));
}

#[test]
fn after_a_build_that_failed_the_next_one_is_due_though_the_old_source_is_back() {
    let league = built();
    let before = content(&league);
    let league = league.with("bot/source", "wrong");
    let error = league.prepare_with(&Overrides::default(), copy).expect_err("an error");
    assert_eq!(error.to_string(), "cannot start bot `bot`: it is wrong");
    let league = league.with("bot/source", "one");
    assert_eq!((content(&league), builds(&league)), (before, 3));
}

#[test]
fn a_build_without_its_tool_says_so_and_runs_nothing() {
    let error = with_bot("build = \"no-such-compiler x\"\nrun = \"./program\"").error();
    let expected = "cannot start bot `bot`: `no-such-compiler`: no such program in the directories of PATH";
    assert_eq!(error, expected);
}
