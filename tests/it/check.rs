//! `arena check` finds what is wrong with a bot, and nothing where nothing is wrong.
//!
//! Limits are short only for bots that never do what is waited for, so that no finding that is looked for depends on how
//! busy the machine is.

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tempfile::TempDir;

use crate::cases::{hostile, python};
use crate::program::{code, run, stderr, stdout};
use crate::spec::block;

/// Bots that are checked side by side: most of the time one waits.
const SIDE_BY_SIDE: usize = 8;

/// A limit that only bots reach that never answer.
const SHORT: &str = "--move-ms 300";

/// A limit that nobody reaches, in one game.
const LONG: &str = "--move-ms 20000 --game kalah";

/// A limit that nobody reaches, in all that the bot plays.
const ALL: &str = "--move-ms 20000";

/// How a bot of the table is made.
#[derive(Clone, Copy)]
enum Bot {
    /// Arguments of the scripted bot.
    Scripted(&'static str),
    /// A file of `tests/hostile` with its arguments.
    Hostile(&'static str),
    /// Python that follows `tests/hostile/bot.py`.
    Python(&'static str),
}
use Bot::{Hostile, Python, Scripted};

/// A bot, arguments of `arena check`, the check that it must not pass, how that ends, and a word of the finding.
type Wrong = (Bot, &'static str, &'static str, &'static str, &'static str);

const WRONG: &[Wrong] = &[
    // It does not start as it should.
    (
        Scripted("--start-exit 3"),
        LONG,
        "hello",
        "failed",
        "exited with status 3 before its `hello`",
    ),
    (
        Scripted("--no-hello"),
        LONG,
        "hello",
        "failed",
        "no `hello` within 10000 ms",
    ),
    (
        Scripted("--bad-protocol"),
        LONG,
        "hello",
        "failed",
        "protocol 9 was not offered",
    ),
    (
        Python(r#"write(b'{"type": "hello", "protocol": "1"}\n')"#),
        LONG,
        "hello",
        "failed",
        "`protocol` is",
    ),
    (
        Python("play(hello=lambda m: write(line(HELLO | {'protocol': m['protocols'][0]})))"),
        LONG,
        "versions",
        "failed",
        "protocol 1000",
    ),
    (
        Python("play(hello=lambda m: write(line(HELLO | {'games': ['kalah', 'owari']})))"),
        ALL,
        "announced",
        "warning",
        "unknown game `owari`",
    ),
    (
        Python("play(hello=lambda m: write(line(HELLO | {'features': ['redy']})))"),
        LONG,
        "announced",
        "warning",
        "unknown feature `redy`",
    ),
    (
        Scripted("--ready --never-ready"),
        LONG,
        "ready",
        "failed",
        "no `ready` within",
    ),
    // It does not play as it should.
    (
        Scripted("--crash-at 3 --exit-code 7"),
        LONG,
        "first-turns",
        "failed",
        "exited with status 7",
    ),
    (
        Hostile("dies_on_turn.py 2 segv"),
        LONG,
        "first-turns",
        "failed",
        "SIGSEGV",
    ),
    (
        Scripted("--hang 2"),
        SHORT,
        "first-turns",
        "failed",
        "no answer within 300 ms",
    ),
    (Scripted("--not-json 2"), LONG, "first-turns", "failed", "not a message"),
    (
        Scripted("--illegal 3"),
        LONG,
        "first-turns",
        "failed",
        "illegal move 99",
    ),
    (
        Scripted("--illegal-then-exit 1"),
        LONG,
        "first-turns",
        "failed",
        "illegal move 99",
    ),
    (
        Scripted("--long-line 70000"),
        LONG,
        "first-turns",
        "failed",
        "a line of more than 65536 bytes",
    ),
    (
        Scripted("--no-newline 0"),
        SHORT,
        "first-turns",
        "failed",
        "without a newline",
    ),
    (
        Scripted("--close-output 1"),
        LONG,
        "first-turns",
        "failed",
        "closed its output before its move",
    ),
    (
        Scripted("--close-input 1"),
        LONG,
        "first-turns",
        "failed",
        "closed its input",
    ),
    (
        Scripted("--flood 1"),
        LONG,
        "first-turns",
        "failed",
        "bytes of output in one turn",
    ),
    (
        Scripted("--no-reading"),
        SHORT,
        "first-turns",
        "failed",
        "no answer within 300 ms",
    ),
    (Scripted("--illegal 15"), LONG, "matches", "failed", "illegal move 99"),
    (
        Hostile("never_flushes.py"),
        SHORT,
        "first-turns",
        "failed",
        "flush=True",
    ),
    (
        Hostile("raises.py"),
        LONG,
        "first-turns",
        "failed",
        "pit 7 is not on my board",
    ),
    (Hostile("bad_utf8.py"), LONG, "first-turns", "failed", "not UTF-8"),
    (
        Hostile("repeats_a_key.py"),
        LONG,
        "first-turns",
        "failed",
        "repeated key `move`",
    ),
    (
        Hostile("nests_deep.py 100"),
        LONG,
        "first-turns",
        "failed",
        "nested more than 64 deep",
    ),
    (
        Hostile("odd_value.py NaN score"),
        LONG,
        "first-turns",
        "failed",
        "`NaN` is not JSON",
    ),
    (
        Hostile(r#"odd_value.py '"LEGAL"'"#),
        LONG,
        "first-turns",
        "failed",
        "an integer pit number",
    ),
    (
        Hostile("odd_value.py 1.5"),
        LONG,
        "first-turns",
        "failed",
        "an integer pit number",
    ),
    (
        Hostile("exits_after_hello.py"),
        LONG,
        "first-turns",
        "failed",
        "exited with status 0",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m) | {'ply': m['ply'] + 1})))"),
        LONG,
        "first-turns",
        "failed",
        "it answers ply",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m, 2))))"),
        LONG,
        "first-turns",
        "failed",
        "illegal move 2",
    ),
    (
        Hostile("crashes_in_some_matches.py"),
        LONG,
        "first-turns",
        "failed",
        "exited with status 7",
    ),
    // It takes for granted what is not.
    (
        Python(
            "play(turn=lambda m: write(line(answer(m))) if m['ply'] or sum(map(sum, m['position']['pits'])) == 48 else 1 / 0)",
        ),
        LONG,
        "positions",
        "failed",
        "ZeroDivisionError",
    ),
    (
        Python(
            "games = HELLO | {'games': ['kalah']}\nplay(hello=lambda m: write(line(games)), turn=lambda m: write(line(answer(m))) if len(m['position']['pits'][0]) == 6 else 1 / 0)",
        ),
        ALL,
        "variants",
        "failed",
        "kalah:pits=",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m))) if len(m['position']['pits']) == 2 else 1 / 0)"),
        ALL,
        "seats",
        "failed",
        "mancala-basic:seats=3",
    ),
    (
        Python("play(other=lambda m: m.get('faults') and 1 / 0)"),
        LONG,
        "forfeits",
        "failed",
        "exited with status 1",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m))) if len(m['since']) < 20 else 1 / 0)"),
        LONG,
        "late-join",
        "failed",
        "ZeroDivisionError",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m))) if m['move_ms_max'] else None)"),
        LONG,
        "clocks",
        "failed",
        "KeyError: 'move_ms_max'",
    ),
    (
        Python(
            "def other(m):\n    if m['type'] not in ('start', 'end', 'quit'): sys.exit('what is ' + m['type'])\nplay(other=other)",
        ),
        LONG,
        "unknown-messages",
        "failed",
        "what is x_check",
    ),
    (
        Python(
            "FIELDS = 'type match ply seat position legal since move_ms_max bank_ms increment_ms last_ms'.split()\nplay(turn=lambda m: write(line(answer(m))) if set(m) <= set(FIELDS) else sys.exit(str(set(m) - set(FIELDS))))",
        ),
        LONG,
        "unknown-fields",
        "failed",
        "x_check",
    ),
    (
        Python(
            "sys.stdin = open(0, 'rb')\nclass Short:\n    buffer = iter(lambda: sys.stdin.readline(4096), b'')\nstdin, sys.stdin = sys.stdin, Short\nShort.buffer = iter(lambda: stdin.readline(4096), b'')\nplay()",
        ),
        LONG,
        "long-lines",
        "failed",
        "JSONDecodeError",
    ),
    (
        Python(
            "class Raw:\n    buffer = (text for data in iter(lambda: os.read(0, 1 << 20), b'') for text in data.splitlines())\nsys.stdin = Raw\nplay()",
        ),
        LONG,
        "pieces",
        "failed",
        "JSONDecodeError",
    ),
    (
        Python("import struct\nplay(other=lambda m: m['type'] == 'start' and struct.pack('q', m['seed']))"),
        LONG,
        "seeds",
        "failed",
        "9223372036854775808",
    ),
    (
        Python("play(other=lambda m: m['type'] == 'start' and int(m['match'].replace('again-', '')))"),
        LONG,
        "texts",
        "failed",
        "ValueError",
    ),
    (
        Python(
            "seen = 0\ndef other(m):\n    global seen\n    seen += m['type'] == 'start'\n    if seen > 100: sys.exit('no room for another match')\nplay(other=other)",
        ),
        LONG,
        "many-matches",
        "failed",
        "no room for another match",
    ),
    // It plays well, and should not be as it is.
    (
        Python("import random\nplay(turn=lambda m: write(line(answer(m, random.choice(m['legal'])))))"),
        LONG,
        "deterministic",
        "warning",
        "asked again",
    ),
    (
        Python(
            "turns = 0\ndef turn(m):\n    global turns\n    turns += 1\n    write(line(answer(m, m['legal'][turns % len(m['legal'])])))\nplay(turn=turn)",
        ),
        LONG,
        "independent",
        "warning",
        "in a process of its own",
    ),
    (
        Python("held = []\nplay(other=lambda m: m['type'] == 'start' and held.append(os.urandom(1 << 20)))"),
        LONG,
        "memory",
        "warning",
        "MiB after 200",
    ),
    (
        Scripted("--garbage"),
        LONG,
        "log-lines",
        "warning",
        "thinking of a move",
    ),
    (
        Scripted("--double"),
        LONG,
        "unasked",
        "warning",
        "answers that nobody waited for",
    ),
    (
        Python("play(other=lambda m: m['type'] == 'start' and write(b'{\"move\":0}\\n'))"),
        LONG,
        "unasked",
        "warning",
        "answers that nobody waited for",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m) | {'confidence': 0.5})))"),
        LONG,
        "unknown-output",
        "warning",
        "field `confidence`",
    ),
    (
        Python("play(turn=lambda m: write(line({'type': 'think'}) + line(answer(m))))"),
        LONG,
        "unknown-output",
        "warning",
        "type `think`",
    ),
    (
        Python("play(turn=lambda m: write(line(answer(m) if m['ply'] % 3 else {'move': m['legal'][0]})))"),
        LONG,
        "names-ply",
        "warning",
        "answers do",
    ),
    (
        Python("play(turn=lambda m: write(line({'type': 'resign'})))"),
        LONG,
        "resigns",
        "warning",
        "matches",
    ),
    (Scripted("--spin"), LONG, "idle", "warning", "ms of processor time"),
    // It does not end as it should.
    (
        Scripted("--ignore-quit"),
        LONG,
        "quit",
        "failed",
        "still ran after 1000 ms",
    ),
    (
        Hostile("ignores_the_end.py"),
        LONG,
        "end-of-input",
        "failed",
        "still ran after 1000 ms",
    ),
    (
        Python("play(other=lambda m: m['type'] == 'quit' and sys.exit(1))"),
        LONG,
        "quit",
        "warning",
        "exited with status 1",
    ),
    (
        Python("import time\nplay()\nbroken = sys.stdin.buffer.closed\ntime.sleep(1000)"),
        LONG,
        "broken-off",
        "failed",
        "still ran after 1000 ms",
    ),
];

/// The command of a bot of the table, whose script is written where it is needed.
fn command(bot: Bot, dir: &TempDir) -> String {
    match bot {
        Scripted(args) => format!("{} {args}", env!("CARGO_BIN_EXE_scripted-bot")),
        Hostile(script) => hostile(script),
        Python(text) => {
            let script = dir.path().join("bot.py");
            fs::write(&script, format!("{}\n{text}\n", include_str!("../hostile/bot.py"))).expect("it can be written");
            format!("{} '{}'", python(), script.display())
        }
    }
}

/// The exit code and the findings of `arena check` with these arguments.
fn findings(dir: &TempDir, bot: &str, args: &str) -> (i32, Vec<Value>) {
    let args: Vec<&str> = ["check", bot, "--format", "json"]
        .into_iter()
        .chain(args.split_whitespace())
        .collect();
    let output = run(dir.path(), &args);
    let findings = serde_json::from_str(&stdout(&output));
    let findings = findings.unwrap_or_else(|error| panic!("{bot}: {error}: {}", stderr(&output)));
    (code(&output), findings)
}

/// What is wrong with what is found of a wrong bot.
fn missed(wrong: &Wrong) -> Option<String> {
    let (bot, args, check, verdict, says) = *wrong;
    let dir = TempDir::new().expect("a directory can be made");
    let command = command(bot, &dir);
    let (code, findings) = findings(&dir, &command, args);
    let of = |check: &str| findings.iter().find(|finding| finding["check"] == check);
    let found = of(check)?;
    // What people are shown of a cause that an earlier check has told: that check's words, and where it was met again.
    let told = found["same_as"].as_str().map_or(Some(found), of)?;
    let parts = ["seen", "advice", "stderr"].map(|part| &told[part]);
    let text: String = { parts.into_iter().chain([&found["at"]]) }
        .filter_map(Value::as_str)
        .map(|part| format!("{part}\n"))
        .collect();
    let has_failed = findings.iter().any(|finding| finding["verdict"] == "failed");
    let is_right = found["verdict"] == verdict && text.contains(says) && code == i32::from(has_failed);
    let shown = findings.iter().map(|finding| format!("\n  {finding}"));
    (!is_right).then(|| {
        format!(
            "{command}\n  {check} should have {verdict} with `{says}`; exit code {code}{}",
            shown.collect::<String>()
        )
    })
}

#[test]
fn every_wrong_bot_gets_a_finding_that_names_its_fault() {
    let (next, all_missed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(wrong) = WRONG.get(next.fetch_add(1, Ordering::Relaxed)) {
                    all_missed.lock().expect("nobody panics with it").extend(missed(wrong));
                }
            });
        }
    });
    let all_missed = all_missed.into_inner().expect("nobody panics with it");
    assert!(all_missed.is_empty(), "{}", all_missed.join("\n"));
}

/// Nothing failed, nothing warned of.
#[track_caller]
fn is_good(bot: &str) {
    let dir = TempDir::new().expect("a directory can be made");
    let (code, findings) = findings(&dir, bot, &format!("{ALL} --strict"));
    let bad = findings
        .iter()
        .filter(|finding| !["passed", "skipped"].contains(&finding["verdict"].as_str().unwrap_or_default()));
    assert_eq!(bad.collect::<Vec<_>>(), Vec::<&Value>::new(), "{bot}");
    assert_eq!(code, 0);
}

#[test]
fn nothing_is_wrong_with_the_bots_of_the_specification() {
    let dir = TempDir::new().expect("a directory can be made");
    for (language, interpreter) in [("python", python()), ("sh", "sh")] {
        let script = dir.path().join(language);
        fs::write(&script, block(&format!("{language} smallest-bot"))).expect("it can be written");
        is_good(&format!("{interpreter} '{}'", script.display()));
    }
}

#[test]
fn nothing_is_wrong_with_the_starter_bots() {
    let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/../bots");
    is_good(&format!("{} '{bots}/python/first_bot.py'", python()));
    is_good(&format!("sh '{bots}/shell/first_bot.sh'"));
}

#[test]
fn nothing_is_wrong_with_house_bots() {
    is_good("house:random");
    is_good("house:minimax,depth=2");
}

#[test]
fn what_a_bot_may_do_is_no_fault() {
    for args in [
        "--ready --observe",
        "--single-match",
        "--crlf --bom",
        "--stderr-flood 10000",
        "--observe --checks-state",
    ] {
        is_good(&format!("{} {args}", env!("CARGO_BIN_EXE_scripted-bot")));
    }
}

#[test]
fn findings_are_lines_for_people_and_the_transcript_holds_what_was_said() {
    let dir = TempDir::new().expect("a directory can be made");
    let bot = format!("talker={} --garbage --illegal 20", env!("CARGO_BIN_EXE_scripted-bot"));
    let output = run(
        dir.path(),
        &[
            "check",
            &bot,
            "--game",
            "kalah",
            "--move-ms",
            "20000",
            "--transcript",
            "said.txt",
        ],
    );
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    let line = |begins: &str| {
        text.lines()
            .find(|line| line.starts_with(begins))
            .unwrap_or_else(|| panic!("{begins}: {text}"))
    };
    assert!(line("passed   hello ").contains("`hello` after"));
    assert!(line("failed   matches ").contains("kalah, seat 1, ply 2"));
    assert!(line("skipped  ready ").contains("does not announce"));
    assert!(line("warning  log-lines ").contains("thinking of a move"));
    assert!(
        text.contains("expected  a legal move in time at every turn") && text.contains("to do "),
        "{text}"
    );
    let said = fs::read_to_string(dir.path().join("said.txt")).expect("it was written");
    for part in [
        "check matches, kalah, seat 1\n",
        "talker  > {\"type\":\"start\"",
        "talker  < (log line) thinking of a move",
        "talker  < {\"move\":99}",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_cause_is_told_whole_once() {
    let dir = TempDir::new().expect("a directory can be made");
    let script = "play(turn=lambda m: write(line(answer(m))) if m['ply'] < 16 else 1 / (m['ply'] - m['ply']))";
    let bot = command(Python(script), &dir);
    let output = run(
        dir.path(),
        &["check", &bot, "--game", "kalah", "--move-ms", "20000", "--strict"],
    );
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let text = stdout(&output);
    assert_eq!(text.matches("ZeroDivisionError").count(), 1, "{text}");
    assert!(
        text.contains("\nfailed   long-lines        same as matches, in kalah, seat "),
        "{text}"
    );
    assert!(text.contains(" failed (1 cause), "), "{text}");

    let (_, findings) = findings(&dir, &bot, LONG);
    let failed = findings.iter().filter(|finding| finding["verdict"] == "failed");
    for finding in failed.filter(|finding| finding["check"] != "matches") {
        assert_eq!(finding["same_as"], "matches", "{finding}");
    }
}

#[test]
fn warnings_fail_where_they_are_told_to() {
    let dir = TempDir::new().expect("a directory can be made");
    let bot = format!("{} --garbage", env!("CARGO_BIN_EXE_scripted-bot"));
    assert_eq!(findings(&dir, &bot, LONG).0, 0);
    assert_eq!(findings(&dir, &bot, &format!("{LONG} --strict")).0, 1);
}

#[test]
fn what_cannot_be_checked_is_told_by_the_exit_code() {
    let dir = TempDir::new().expect("a directory can be made");
    let exit = |args: &[&str]| code(&run(dir.path(), &[&["check"], args].concat()));
    assert_eq!(exit(&["no-such-program-anywhere"]), 3);
    assert_eq!(exit(&["house:random", "--game", "chess"]), 2);
    assert_eq!(exit(&["house:random", "--move-ms", "0"]), 2);
}
