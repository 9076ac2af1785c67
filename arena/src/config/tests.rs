//! Whole plans: what comes out, and what is refused with which words.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

mod directory;

const TWO_BOTS: &str = "[[bot]]\nhouse = \"random\"\n[[bot]]\nhouse = \"greedy\"\n";

/// A directory with a league file in it.
struct League {
    dir: TempDir,
}

impl League {
    fn new(text: &str) -> League {
        let league = League {
            dir: tempfile::tempdir().expect("a directory"),
        };
        league.with("league.toml", text)
    }

    fn with(self, name: &str, text: &str) -> League {
        let path = self.dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
        self
    }

    fn program(self, name: &str, text: &str) -> League {
        let league = self.with(name, text);
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(league.dir.path().join(name), executable).expect("permissions");
        league
    }

    fn prepare(&self, overrides: &Overrides) -> Result<Prepared, ConfigError> {
        self.prepare_with(overrides, no_build)
    }

    fn prepare_with(&self, overrides: &Overrides, run_build: RunBuild) -> Result<Prepared, ConfigError> {
        from_file(&self.dir.path().join("league.toml"), overrides, run_build)
    }

    fn plan(&self) -> Plan {
        self.prepare(&Overrides::default()).expect("a plan").plan
    }

    /// The error with the directory left out, as `DIR`.
    fn error_with(&self, overrides: &Overrides) -> String {
        let error = self.prepare(overrides).expect_err("an error").to_string();
        let canonical = self.dir.path().canonicalize().expect("a directory");
        let error = error.replace(&canonical.display().to_string(), "DIR");
        error.replace(&self.dir.path().display().to_string(), "DIR")
    }

    fn error(&self) -> String {
        self.error_with(&Overrides::default())
    }
}

/// Of plans in which nothing is to be built.
fn no_build(build: &Build) -> Result<(), String> {
    Err(format!("`{}` is built", build.bot))
}

fn args(game: &str, bots: &[&str]) -> Overrides {
    Overrides {
        game: Some(game.to_owned()),
        bots: bots.iter().map(ToString::to_string).collect(),
        ..Overrides::default()
    }
}

fn args_error(overrides: &Overrides) -> String {
    from_args(overrides, no_build).expect_err("an error").to_string()
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.bots.iter().map(|bot| bot.name.as_str()).collect()
}

#[test]
fn what_a_league_file_leaves_out_is_filled_in() {
    let plan = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}")).plan();
    assert_eq!(names(&plan), ["random", "greedy"]);
    assert_eq!((plan.rotations, plan.seed), (50, 1));
    assert_eq!(plan.openings, OpeningSource::RandomPlies(4));
    assert_eq!(plan.time, TimeControl::default());
    let options = plan
        .game
        .options
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()));
    let expected = [
        ("pits", "6"),
        ("seeds", "4"),
        ("empty_capture", "off"),
        ("end", "either"),
    ];
    assert!(
        expected
            .iter()
            .all(|option| options.clone().any(|given| given == *option))
    );
}

#[test]
fn threads_are_the_most_of_any_bot_and_no_part_of_the_plan() {
    let plain = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}"))
        .prepare(&Overrides::default())
        .expect("a plan");
    let threads = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}threads = 4\n"))
        .prepare(&Overrides::default())
        .expect("a plan");
    assert_eq!((plain.threads, threads.threads), (1, 4));
    assert_eq!(plain.plan.id(), threads.plan.id());
    let error = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}threads = 0\n")).error();
    assert!(error.contains("0 threads; at least 1 is needed"), "{error}");
}

#[test]
fn a_plan_survives_its_json() {
    let text = format!("game = \"kalah:pits=3\"\nseed = 9\n[time]\nbank_ms = 500\nincrement_ms = 10\n{TWO_BOTS}");
    let plan = League::new(&text).plan();
    let json = serde_json::to_string(&plan).expect("JSON");
    let back: Plan = serde_json::from_str(&json).expect("a plan");
    assert_eq!((&back, back.id()), (&plan, plan.id()));
}

#[test]
fn the_command_line_goes_over_the_file() {
    let text = format!("game = \"kalah\"\nrotations = 5\nseed = 7\n[time]\nmove_ms = 50\n{TWO_BOTS}");
    let overrides = Overrides {
        rotations: Some(10),
        opening_plies: Some(0),
        bank_ms: Some(3_000),
        ..Overrides::default()
    };
    let plan = League::new(&text).prepare(&overrides).expect("a plan").plan;
    assert_eq!((plan.rotations, plan.seed), (10, 7));
    assert_eq!(plan.openings, OpeningSource::RandomPlies(0));
    assert_eq!((plan.time.move_ms_max, plan.time.bank_ms), (None, Some(3_000)));
}

#[test]
fn a_file_and_the_same_arguments_give_the_same_plan() {
    let file = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}")).plan();
    let arguments = from_args(&args("kalah", &["house:random", "house:greedy"]), no_build).expect("a plan");
    assert_eq!(file.id(), arguments.plan.id());
}

#[test]
fn a_byte_order_mark_and_carriage_returns_change_nothing() {
    let text = format!("game = \"kalah\"\n{TWO_BOTS}");
    let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    assert_eq!(League::new(&windows).plan(), League::new(&text).plan());
}

#[test]
fn an_unknown_key_is_marked() {
    let league = League::new(&format!("game = \"kalah\"\nrotation = 5\n{TWO_BOTS}"));
    assert_eq!(
        league.error(),
        "unknown field `rotation`, expected one of `game`, `format`, `against`, `rounds`, `allow_repeats`, `goal`, `rotations`, `opening_plies`, `openings`, `seed`, `jobs`, \
         `db`, `ponder`, `on_fault`, `sandbox`, `limits`, `transcripts`, `time`, `bot`\n --> DIR/league.toml:2:1\n  |\n2 | rotation = 5\n  | ^^^^^^^^"
    );
}

#[test]
fn a_wrong_type_is_marked_at_its_value() {
    let league = League::new(&format!("game = \"kalah\"\nrotations = \"five\"\n{TWO_BOTS}"));
    assert_eq!(
        league.error(),
        "invalid type: string \"five\", expected u64\n --> DIR/league.toml:2:13\n  |\n\
         2 | rotations = \"five\"\n  |             ^^^^^^"
    );
}

#[test]
fn an_unknown_game_is_marked_and_the_known_ones_are_named() {
    let league = League::new(&format!("game = \"owari\"\n{TWO_BOTS}"));
    let known: Vec<_> = mancala_arena_rules::infos().iter().map(|info| info.name).collect();
    assert_eq!(
        league.error(),
        format!(
            "unknown game `owari`; known games: {}\n --> DIR/league.toml:1:8\n  |\n1 | game = \"owari\"\n  |        ^^^^^^^",
            known.join(", ")
        )
    );
}

#[test]
fn two_names_that_look_alike_are_refused_with_both_commands() {
    let text = "game = \"kalah\"\n[[bot]]\nname = \"Deep Pit\"\nhouse = \"random\"\n\
                [[bot]]\nname = \"deeppit\"\ncommand = \"sh 'my bot.sh'\"\n";
    assert_eq!(
        League::new(text).error(),
        "two bots look alike by name: `Deep Pit` (house:random) and `deeppit` (sh 'my bot.sh'); rename one\n \
         --> DIR/league.toml:6:8\n  |\n6 | name = \"deeppit\"\n  |        ^^^^^^^^^"
    );
    assert_eq!(
        args_error(&args("kalah", &["A=house:random", "a=house:greedy"])),
        "two bots look alike by name: `A` (house:random) and `a` (house:greedy); rename one"
    );
}

#[test]
fn problems_of_a_league_are_told_in_words() {
    let league = |head: &str| League::new(&format!("game = \"kalah\"\n{head}\n{TWO_BOTS}")).error();
    let with_bot = |bot: &str| League::new(&format!("game = \"kalah\"\n{TWO_BOTS}[[bot]]\n{bot}\n")).error();
    let table = [
        (League::new(TWO_BOTS).error(), "`game` is missing"),
        (
            League::new("game = \"kalah\"").error(),
            "0 bots for a game of 2 seats; at least 2 are needed",
        ),
        (league("rotations = 0"), "0 rotations; at least 1 is needed"),
        (league("rotations = -1"), "invalid value: integer `-1`, expected u64"),
        (
            league("opening_plies = 999"),
            "999 opening plies; at most 200 are taken",
        ),
        (
            league("opening_plies = 1\nopenings = \"x\""),
            "both `openings` and `opening_plies`",
        ),
        (
            league("openings = \"none.txt\""),
            "cannot read `DIR/none.txt`: No such file",
        ),
        (league("jobs = 0"), "0 jobs; at least 1 is needed"),
        (league("seed = 1\nseed = 2"), "duplicate key"),
        (league("seed = "), "string values must be quoted"),
        (with_bot("name = \"x\""), "a bot without `house`, `command` or `path`"),
        (
            with_bot("house = \"random\"\ncommand = \"x\""),
            "a bot with more than one of `house`, `command` and `path`",
        ),
        (with_bot("command = \"\""), "an empty command"),
        (with_bot("command = []"), "an empty command"),
        (with_bot("command = 3"), "a command: a string, or a list of strings"),
        (with_bot("command = \"a 'b\""), "a quote is not closed"),
        (
            with_bot("house = \"minimax,4\""),
            "`4` is not `key=value` of house bot `minimax`",
        ),
        (
            with_bot("house = \"random\"\nname = \"\""),
            "`` is no name for bot `house:random`",
        ),
        (with_bot("house = \"random\"\nname = \" a\""), "` a` is no name"),
        (with_bot("house = \"random\"\nname = \"a\\tb\""), "`a\\tb` is no name"),
        (
            with_bot("house = \"random\"\nwhen = 1"),
            "unknown field `when`, expected one of `name`, `house`",
        ),
    ];
    for (error, expected) in table {
        assert!(error.contains(expected), "{expected}:\n{error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn a_game_of_the_command_line_is_checked_as_in_a_file() {
    let error = |game| args_error(&args(game, &["house:random", "house:greedy"]));
    assert_eq!(
        error("kalah:pits=99"),
        "kalah: `pits=99` is out of range; `pits` takes 1 to 12"
    );
    assert!(error("kalah:pit=3").starts_with("unknown option `pit` of kalah; kalah has: "));
    assert!(error("kalah:pits").starts_with("`pits` is not `key=value`"));
    assert_eq!(
        args_error(&Overrides::default()),
        "no game; give one with --game, for example --game kalah"
    );
}

#[test]
fn clocks_of_a_file_are_taken_or_refused() {
    let clock = |time: &str| {
        let league = League::new(&format!("game = \"kalah\"\n[time]\n{time}\n{TWO_BOTS}"));
        match league.prepare(&Overrides::default()) {
            Ok(prepared) => {
                let time = prepared.plan.time;
                format!("{:?} {:?} {}", time.move_ms_max, time.bank_ms, time.increment_ms)
            }
            Err(error) => error.to_string().lines().next().unwrap_or_default().to_owned(),
        }
    };
    let table = [
        ("", "Some(1000) None 0"),
        ("move_ms = 10", "Some(10) None 0"),
        ("bank_ms = 10", "None Some(10) 0"),
        ("bank_ms = 10\nincrement_ms = 5", "None Some(10) 5"),
        ("move_ms = 9\nbank_ms = 10", "Some(9) Some(10) 0"),
        ("clock = false", "None None 0"),
        ("grace_ms = 0", "Some(1000) None 0"),
        ("move_ms = 0", "`move_ms` is 0; it takes 1 to 604800000 milliseconds"),
        (
            "bank_ms = 0\nincrement_ms = 5",
            "`bank_ms` is 0; it takes 1 to 604800000 milliseconds",
        ),
        ("hang_ms = 0", "`hang_ms` is 0; it takes 1 to 604800000 milliseconds"),
        ("start_ms = 0", "`start_ms` is 0; it takes 1 to 604800000 milliseconds"),
        (
            "grace_ms = 9223372036854775807",
            "`grace_ms` is 9223372036854775807; it takes 0 to 604800000 milliseconds",
        ),
        (
            "increment_ms = 5",
            "`increment_ms` without `bank_ms`; an increment goes to a bank",
        ),
        (
            "clock = false\nmove_ms = 5",
            "a limit together with `clock = false`; give one of them",
        ),
        ("move_ms = 1.5", "invalid type: floating point `1.5`, expected u64"),
        ("move_ms = -1", "invalid value: integer `-1`, expected u64"),
        ("move_ms = \"40/10\"", "invalid type: string \"40/10\", expected u64"),
        ("move_ms = inf", "invalid type: floating point `inf`, expected u64"),
    ];
    for (time, expected) in table {
        assert_eq!(clock(time), expected, "{time}");
    }
}

#[test]
fn clocks_of_the_command_line_are_refused_by_their_flags() {
    let bots = || args("kalah", &["house:random", "house:greedy"]);
    let table = [
        (
            Overrides {
                move_ms: Some(0),
                ..bots()
            },
            "--move-ms is 0; it takes 1 to 604800000 milliseconds",
        ),
        (
            Overrides {
                grace_ms: Some(u64::MAX),
                ..bots()
            },
            "--grace-ms is 18446744073709551615; it takes 0 to 604800000 milliseconds",
        ),
        (
            Overrides {
                increment_ms: Some(5),
                ..bots()
            },
            "--increment-ms without --bank-ms; an increment goes to a bank",
        ),
        (
            Overrides {
                move_ms: Some(5),
                no_clock: true,
                ..bots()
            },
            "--no-clock together with a limit; give one of them",
        ),
    ];
    for (overrides, expected) in table {
        assert_eq!(args_error(&overrides), expected);
    }
}

#[test]
fn derived_names_come_from_the_program_and_get_numbers() {
    let league = League::new("").program("mine/run", "#!/bin/sh\n").with("bot.sh", "");
    let path = |name: &str| league.dir.path().join(name).display().to_string();
    let bots = [
        path("mine/run"),
        path("mine/run"),
        format!("sh {}", path("bot.sh")),
        "house:minimax,depth=4".to_owned(),
        "run-3=house:random".to_owned(),
        path("mine/run"),
    ];
    let bots: Vec<_> = bots.iter().map(String::as_str).collect();
    let prepared = from_args(&args("kalah", &bots), no_build).expect("a plan");
    assert_eq!(
        names(&prepared.plan),
        ["run", "run-2", "bot", "minimax-depth-4", "run-3", "run-4"]
    );
    assert_eq!(
        prepared.notices,
        [
            "bots `run` and `run-2` are the same program",
            "bots `run` and `run-4` are the same program"
        ]
    );
}

#[test]
fn programs_of_one_name_in_two_directories_are_told_apart() {
    let bot = |name: &str| format!("[[bot]]\nname = \"{name}\"\ncommand = \"./bot\"\ndir = \"{name}\"\n");
    let league = League::new(&format!("game = \"kalah\"\n{}{}", bot("A"), bot("B")))
        .program("A/bot", "a")
        .program("B/bot", "b")
        .program("bot", "c");
    let programs = league.prepare(&Overrides::default()).expect("a plan").programs;
    let dir = league.dir.path().canonicalize().expect("a directory");
    for (program, name) in programs.iter().zip(["A", "B"]) {
        assert_eq!(program.dir, dir.join(name));
        assert!(program.program.is_absolute());
        assert_eq!(
            program.program.canonicalize().expect("a program"),
            dir.join(name).join("bot")
        );
    }
    assert_ne!(programs[0].content, programs[1].content);
}

#[test]
fn the_content_of_a_bot_includes_its_script() {
    let content = |script: &str| {
        let bot = "[[bot]]\ncommand = [\"sh\", \"bot.sh\"]\n[[bot]]\nhouse = \"random\"\n";
        let league = League::new(&format!("game = \"kalah\"\n{bot}")).with("bot.sh", script);
        league.prepare(&Overrides::default()).expect("a plan").programs[0]
            .content
            .clone()
    };
    assert_eq!(content("one"), content("one"));
    assert_ne!(content("one"), content("two"));
}

#[test]
fn a_program_that_cannot_be_started_is_refused_before_any_match() {
    let error = |bot: &str| {
        let league = League::new(&format!(
            "game = \"kalah\"\n{TWO_BOTS}[[bot]]\nname = \"mine\"\n{bot}\n"
        ));
        league.with("sub/plain", "").error()
    };
    assert_eq!(
        error("command = \"./none\""),
        "cannot start bot `mine`: `DIR/none`: no such file"
    );
    assert_eq!(
        error("command = \"./sub\""),
        "cannot start bot `mine`: `DIR/sub` is a directory without `bot.toml`; \
         name the program in it, or make a bot with `arena new`"
    );
    assert_eq!(
        error("command = \"sub/plain\""),
        "cannot start bot `mine`: `DIR/sub/plain` is not executable; make it so (chmod +x), or name its interpreter \
         (for example `python3 DIR/sub/plain`)"
    );
    assert_eq!(
        error("command = \"plain\"\ndir = \"sub\""),
        "cannot start bot `mine`: `plain` is in no directory of PATH; to run the one in `DIR/sub` write `./plain`"
    );
    assert_eq!(
        error("command = \"no-such-program-anywhere\""),
        "cannot start bot `mine`: `no-such-program-anywhere`: no such program in the directories of PATH"
    );
    assert_eq!(
        args_error(&args("kalah", &["minimax,depth=2", "house:random"])),
        "cannot start bot `minimax,depth=2`: `minimax,depth=2`: no such program in the directories of PATH; \
         did you mean `house:minimax,depth=2`?"
    );
    assert_eq!(
        error("command = \"sh\"\ndir = \"sub/plain\""),
        "cannot start bot `mine`: `DIR/sub/plain` is not a directory; `dir` is where the bot is started"
    );
    assert!(
        error("command = \"sh\"\ndir = \"none\"").starts_with("cannot start bot `mine`: directory `DIR/none`: No such")
    );
}

#[test]
fn a_file_of_openings_with_bad_lines_is_refused_with_all_of_them() {
    let head = "game = \"kalah:pits=2,seeds=1\"\nopenings = \"book.txt\"\n";
    let good = r#"{"pits":[[1,1],[1,1]],"stores":[0,0],"to_move":0}"#;
    let over = r#"{"pits":[[0,0],[0,0]],"stores":[2,2],"to_move":null}"#;
    let book = format!("\u{feff}# a book\r\n\r\n{good}\r\n{over}\r\n{good}\nnonsense\n");
    let error = League::new(&format!("{head}{TWO_BOTS}"))
        .with("book.txt", &book)
        .error();
    assert!(
        error.starts_with("2 lines of `DIR/book.txt` are no openings of kalah\n  line 4: "),
        "{error}"
    );
    assert!(error.contains("\n  line 6: not a position: "), "{error}");

    let book = format!("{good}\r\n{good}\r\n");
    let league = League::new(&format!("{head}{TWO_BOTS}")).with("book.txt", &book);
    let prepared = league.prepare(&Overrides::default()).expect("a plan");
    assert_eq!(prepared.plan.openings, OpeningSource::List(vec![good.to_owned()]));
    assert_eq!(prepared.notices.len(), 1);
    assert!(prepared.notices[0].ends_with("the opening of line 2 stands in line 1 already and is used once"));
}

#[test]
fn a_file_that_is_not_there_or_not_text_is_named() {
    let missing = from_file(Path::new("no/such/league.toml"), &Overrides::default(), no_build);
    let missing = missing.expect_err("an error").to_string();
    assert!(
        missing.starts_with("cannot read `no/such/league.toml`: No such file"),
        "{missing}"
    );
    let league = League::new("");
    fs::write(league.dir.path().join("league.toml"), b"game = \"\xff\"").expect("a file");
    assert!(league.error().starts_with("cannot read `DIR/league.toml`: "));
}

#[test]
fn the_first_league_is_a_plan() {
    let file = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../bots/first-league.toml"));
    let plan = from_file(&file, &Overrides::default(), no_build).expect("a plan").plan;
    assert_eq!(names(&plan), ["random", "greedy", "minimax", "mcts"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Cut, doubled and overwritten text gives a plan or an error that shows a place, never a panic.
    #[test]
    fn no_text_of_a_league_file_makes_a_panic(
        edits in prop::collection::vec((0_usize..400, 0_usize..6, "[\\[\\]\"'=\\n\\r#é\u{feff}a0{}, .-]{0,4}"), 1..6),
    ) {
        let text = format!(
            "game = \"kalah:pits=3\"\nrotations = 5\n[time]\nbank_ms = 9\nincrement_ms = 1\n{TWO_BOTS}name = \"é\"\n"
        );
        let mut text: Vec<char> = text.chars().collect();
        for (at, removed, inserted) in edits {
            let at = at % (text.len() + 1);
            let end = (at + removed).min(text.len());
            text.splice(at..end, inserted.chars());
        }
        let league = League::new(&text.into_iter().collect::<String>());
        if let Err(error) = league.prepare(&Overrides::default()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn processor_time_is_charged_where_the_file_or_an_argument_says_so() {
    let time = |time: &str, overrides: &Overrides| {
        let league = League::new(&format!("game = \"kalah\"\n[time]\n{time}\n{TWO_BOTS}"));
        let time = league.prepare(overrides).expect("a plan").plan.time;
        (time.clock, time.move_ms_max, time.wall_ms_max)
    };
    let none = Overrides::default();
    let cpu = Overrides {
        clock: Some(Clock::Cpu),
        ..Overrides::default()
    };
    let wall = Overrides {
        clock: Some(Clock::Wall),
        ..Overrides::default()
    };
    assert_eq!(time("clock = \"wall\"", &none), (Clock::Wall, Some(1_000), None));
    assert_eq!(time("clock = \"cpu\"", &none), (Clock::Cpu, Some(1_000), Some(11_000)));
    assert_eq!(time("move_ms = 100", &cpu), (Clock::Cpu, Some(100), Some(2_000)));
    assert_eq!(time("bank_ms = 2000", &cpu), (Clock::Cpu, None, Some(21_000)));
    let own = "clock = \"cpu\"\nwall_ms = 1500";
    assert_eq!(time(own, &none), (Clock::Cpu, Some(1_000), Some(1_500)));
    assert_eq!(time(own, &wall), (Clock::Wall, Some(1_000), None));
}

#[test]
fn processor_time_without_a_limit_and_a_wall_limit_without_it_are_refused() {
    let error = |time: &str, overrides: &Overrides| {
        League::new(&format!("game = \"kalah\"\n[time]\n{time}\n{TWO_BOTS}")).error_with(overrides)
    };
    let cpu = Overrides {
        clock: Some(Clock::Cpu),
        ..Overrides::default()
    };
    let found = error("clock = false", &cpu);
    assert!(found.contains("without a limit"), "{found}");
    let found = error("wall_ms = 5", &Overrides::default());
    assert!(found.contains("without `clock = \"cpu\"`"), "{found}");
    let found = error("clock = \"sun\"", &Overrides::default());
    assert!(found.contains("false for no clock"), "{found}");
}

#[test]
fn a_plan_of_the_usual_clock_says_nothing_of_processor_time() {
    let plan = League::new(&format!("game = \"kalah\"\n{TWO_BOTS}")).plan();
    let json = serde_json::to_string(&plan).expect("JSON");
    assert!(!json.contains("clock") && !json.contains("wall"), "{json}");
}

#[test]
fn bots_are_frozen_where_the_file_says_so() {
    let plan = League::new(&format!("game = \"kalah\"\nponder = \"freeze\"\n{TWO_BOTS}")).plan();
    assert_eq!(plan.ponder, Ponder::Freeze);
}

#[test]
fn a_gauntlet_is_against_the_first_bot_or_those_that_are_named() {
    let against = |overrides: &Overrides| from_args(overrides, no_build).expect("a plan").plan.format;
    let gauntlet = |names: &[&str]| Overrides {
        format: Some(FormatName::Gauntlet),
        against: names.iter().map(ToString::to_string).collect(),
        ..args("kalah", &["house:random", "house:greedy", "house:minimax"])
    };
    assert_eq!(against(&gauntlet(&[])), Format::Gauntlet { against: vec![0] });
    assert_eq!(
        against(&gauntlet(&["minimax", "random"])),
        Format::Gauntlet { against: vec![2, 0] }
    );
    assert_eq!(
        args_error(&gauntlet(&["mcts"])),
        "--against: unknown bot `mcts`; the bots are: random, greedy, minimax"
    );
    assert_eq!(
        args_error(&gauntlet(&["greedy", "greedy"])),
        "--against: bot `greedy` is named twice"
    );
    assert_eq!(
        args_error(&Overrides {
            format: None,
            ..gauntlet(&["greedy"])
        }),
        "--against: the format is round-robin; only gauntlet takes this"
    );
}

#[test]
fn a_format_of_the_command_line_replaces_that_of_the_file_with_all_its_keys() {
    let league = League::new(&format!(
        "game = \"kalah\"\nformat = \"gauntlet\"\nagainst = [\"greedy\"]\n{TWO_BOTS}"
    ));
    assert_eq!(league.plan().format, Format::Gauntlet { against: vec![1] });
    let overrides = Overrides {
        format: Some(FormatName::RoundRobin),
        ..Overrides::default()
    };
    assert_eq!(
        league.prepare(&overrides).expect("a plan").plan.format,
        Format::RoundRobin
    );
}

#[test]
fn what_a_format_has_no_use_for_is_refused_where_it_stands() {
    let error = League::new(&format!("game = \"kalah\"\nagainst = [\"greedy\"]\n{TWO_BOTS}")).error();
    assert!(error.contains("league.toml:2:11"), "{error}");
    assert!(
        error.contains("`against`: the format is round-robin; only gauntlet takes this"),
        "{error}"
    );
    let error = League::new(&format!("game = \"kalah\"\nformat = \"gauntlett\"\n{TWO_BOTS}")).error();
    assert!(error.contains("unknown variant `gauntlett`, expected"), "{error}");
    let error = League::new(&format!(
        "game = \"kalah\"\nformat = \"gauntlet\"\nagainst = []\n{TWO_BOTS}"
    ))
    .error();
    assert!(error.contains("name at least one bot"), "{error}");
}

#[test]
fn a_swiss_tournament_has_as_many_rounds_as_tell_the_best_or_as_can_be_played_without_a_repeat() {
    let swiss = |bots: usize, rounds: Option<u64>, allow_repeats: bool| Overrides {
        format: Some(FormatName::Swiss),
        rounds,
        allow_repeats,
        ..args("kalah", &vec!["house:random"; bots])
    };
    let rounds = |overrides: &Overrides| from_args(overrides, no_build).expect("a plan").plan.format;
    for (bots, usual) in [(2, 1), (3, 3), (4, 3), (5, 4), (8, 4), (9, 5)] {
        assert_eq!(rounds(&swiss(bots, None, false)), Format::Swiss { rounds: usual });
    }
    assert_eq!(rounds(&swiss(5, Some(5), false)), Format::Swiss { rounds: 5 });
    assert_eq!(rounds(&swiss(5, Some(7), true)), Format::Swiss { rounds: 7 });
    assert_eq!(
        args_error(&swiss(5, Some(6), false)),
        "--rounds: 6 rounds; 5 bots can play 1 to 5 without a pairing twice (more with `allow_repeats`)"
    );
    assert_eq!(
        args_error(&swiss(4, Some(0), true)),
        "--rounds: 0 rounds; 4 bots can play 1 to 3"
    );
    assert_eq!(
        args_error(&Overrides {
            format: Some(FormatName::Knockout),
            ..swiss(4, Some(2), false)
        }),
        "--rounds: the format is knockout; only swiss takes this"
    );
    assert_eq!(
        args_error(&Overrides {
            format: Some(FormatName::Knockout),
            ..args("mancala-basic:seats=3", &["house:random"; 3])
        }),
        "the format knockout is for games of 2 seats, this one has 3; round-robin, gauntlet and ladder take any number"
    );
}

#[test]
fn a_ladder_looks_for_the_best_the_order_or_one_bot() {
    let ladder = |goal: Option<&str>| Overrides {
        format: Some(FormatName::Ladder),
        goal: goal.map(str::to_owned),
        ..args("kalah", &["house:random", "house:greedy"])
    };
    for (written, goal) in [
        (None, Goal::Best),
        (Some("best"), Goal::Best),
        (Some("order"), Goal::Order),
        (Some("greedy"), Goal::Bot(1)),
    ] {
        let format = from_args(&ladder(written), no_build).expect("a plan").plan.format;
        assert_eq!(format, Format::Ladder { goal, window: 16 });
    }
    assert_eq!(
        args_error(&ladder(Some("worst"))),
        "--goal: neither `best` nor `order`, and unknown bot `worst`; the bots are: random, greedy"
    );
}
