//! The transcript of a match: what was said, kept, shown; and the hints that come with a fault.

use std::fs;

use mancala_arena::config::TimeControl;
use mancala_arena::record::{FaultRecord, Transcript, TranscriptLine, What};
use mancala_arena_protocol::FaultCode;
use mancala_arena_tests::{Entrant, Table, patient, wait_for};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};
use crate::scripted;

/// The lines of one kind to or from the bot in `seat`.
fn lines(transcript: &Transcript, seat: u8, what: What) -> Vec<&str> {
    let of = |line: &&TranscriptLine| (line.seat, line.what) == (seat, what);
    transcript
        .lines
        .iter()
        .filter(of)
        .map(|line| line.text.as_str())
        .collect()
}

fn message(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn kinds(transcript: &Transcript, seat: u8) -> Vec<String> {
    let kind = |text: &str| message(text)["type"].as_str().unwrap_or("move").to_owned();
    lines(transcript, seat, What::ToBot).into_iter().map(kind).collect()
}

#[test]
fn it_has_every_line_that_the_bots_have_read_in_the_order_of_time() {
    let mut table = Table::new([scripted("--observe"), scripted("--ready")]);
    let record = table.play("kalah", patient());
    let transcript = table.transcript();
    let times: Vec<u64> = transcript.lines.iter().map(|line| line.at_us).collect();
    assert!(
        times.is_sorted() && times.last() <= Some(&record.elapsed_us),
        "{times:?}"
    );
    for seat in [0, 1] {
        let sent = lines(&transcript, seat, What::ToBot).into_iter().map(message);
        table.message(seat.into(), "end", 1);
        let read = table.log(seat.into()).into_iter().map(|(_, note)| note);
        let read = read.filter(|note| note != "started").map(|note| message(&note));
        assert_eq!(Vec::from_iter(sent), Vec::from_iter(read));
        let moves = record.plies.iter().filter(|ply| ply.seat == seat);
        let answers = lines(&transcript, seat, What::FromBot).into_iter().map(message);
        let answers = answers.filter(|answer| answer["type"].is_null());
        assert_eq!(
            Vec::from_iter(answers.map(|answer| answer["move"].clone())),
            Vec::from_iter(moves.map(|ply| ply.r#move.clone()))
        );
    }
    table.close();
}

#[test]
fn stray_prints_and_dropped_answers_are_marked() {
    let mut table = Table::new([scripted("--garbage"), scripted("--double")]);
    for _ in 0..2 {
        let record = table.play("kalah", patient());
        let transcript = table.transcript();
        let prints = lines(&transcript, 0, What::Log);
        assert_eq!(prints.len() as u64, record.seats[0].log_lines);
        assert!(prints.iter().all(|line| *line == "thinking of a move"));
        // What was left of the match before is dropped too, before the match begins.
        let dropped = lines(&transcript, 1, What::Dropped).len() as u64;
        assert!([0, 1].contains(&(dropped - record.seats[1].dropped_lines)), "{dropped}");
    }
    table.close();
}

#[test]
fn each_match_has_its_own() {
    let mut table = Table::new([scripted(""), scripted("--single-match")]);
    for first in [true, false] {
        table.play("kalah", patient());
        let transcript = table.transcript();
        let (kept, fresh) = (kinds(&transcript, 0), kinds(&transcript, 1));
        assert_eq!(kept[0], if first { "hello" } else { "start" });
        assert_eq!(fresh[..2], ["hello", "start"]);
        for kinds in [kept, fresh] {
            assert_eq!(kinds.iter().filter(|kind| *kind == "start").count(), 1);
        }
    }
    table.close();
}

#[test]
fn it_outlives_the_process() {
    for (args, said) in [
        ("--start-exit 3", &[][..]),
        ("--crash-at 0", &["hello"]),
        ("--illegal 0", &["hello", "move"]),
    ] {
        let mut table = Table::new([scripted(args), scripted("")]);
        for _ in 0..2 {
            assert_eq!(table.play("kalah", patient()).faults.len(), 1);
            let transcript = table.transcript();
            let from = lines(&transcript, 0, What::FromBot).into_iter();
            let from: Vec<_> = from
                .map(|text| message(text)["type"].as_str().unwrap_or("move").to_owned())
                .collect();
            assert_eq!(from, said, "{args}");
        }
        table.close();
    }
}

#[test]
fn bytes_without_a_newline_are_kept() {
    let time = TimeControl {
        move_ms_max: Some(2_000),
        ..patient()
    };
    let mut table = Table::new([scripted("--no-newline 0"), scripted("")]);
    let record = table.play("kalah", time);
    assert_eq!(record.faults[0].code, FaultCode::Late);
    assert_eq!(lines(&table.transcript(), 0, What::Unfinished), [r#"{"move":0}"#]);
    table.close();
}

#[test]
fn of_a_flood_the_beginning_and_the_end_are_kept() {
    let mut table = Table::new([scripted("--flood 0"), scripted("")]);
    let record = table.play("kalah", patient());
    assert_eq!(record.faults[0].code, FaultCode::OutputFlood);
    let transcript = table.transcript();
    assert_eq!(lines(&transcript, 0, What::Gap).len(), 1);
    assert_eq!(kinds(&transcript, 0), ["hello", "start", "turn", "error"]);
    assert!(transcript.to_text().len() < 2 * 1024 * 1024);
    table.close();
}

const BAD: &str = concat!("bad=", env!("CARGO_BIN_EXE_scripted-bot"), " --illegal 6 --garbage");

/// Plays 2 matches between a bot that makes a fault and one that does not.
fn tournament(dir: &TempDir, bad: &str, more: &[&str]) {
    let mut args = vec!["run", "--game", "kalah", "--rotations", "1", "--move-ms", "60000"];
    args.extend(more);
    args.extend([bad, "house:greedy"]);
    let output = run(dir.path(), &args);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

#[test]
fn a_run_keeps_that_of_matches_with_a_fault() {
    let dir = TempDir::new().unwrap();
    tournament(&dir, BAD, &[]);
    let output = run(dir.path(), &["show", "0", "--transcript"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let shown = stdout(&output);
    let has = |parts: &[&str]| shown.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    for parts in [
        &["     1  bad", "  > {\"type\":\"start\""][..],
        &["     1  bad", "  < {\"move\":99}"],
        &["     1  bad", "  < (log line) thinking of a move"],
        &["     1  bad", "  > {\"type\":\"error\",\"code\":\"illegal_move\""],
        &["     2  greedy", "  > {\"type\":\"end\""],
    ] {
        assert!(has(parts), "{parts:?}: {shown}");
    }
    assert!(!stdout(&run(dir.path(), &["export"])).contains("thinking of a move"));
}

#[test]
fn what_was_not_kept_is_said_with_how_to_keep_it() {
    let dir = TempDir::new().unwrap();
    let good = concat!("good=", env!("CARGO_BIN_EXE_scripted-bot"));
    for (bot, kept, more) in [
        (good, false, &[][..]),
        (BAD, false, &["--transcripts", "none"]),
        (good, true, &["--transcripts", "all"]),
    ] {
        let db = format!("{bot}{kept}.db").replace('/', "_");
        let more: Vec<&str> = more.iter().chain(&["--db", &db]).copied().collect();
        tournament(&dir, bot, &more);
        let output = run(dir.path(), &["show", "1", "--transcript", "--db", &db]);
        assert_eq!(code(&output), if kept { 0 } else { 2 }, "{more:?}: {}", stderr(&output));
        assert_eq!(
            stderr(&output).contains("--transcripts all"),
            !kept,
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn a_league_file_says_which_are_kept() {
    let dir = TempDir::new().unwrap();
    let league = "game = \"kalah\"\nrotations = 1\ntranscripts = \"all\"\n\
                  [[bot]]\nhouse = \"random\"\n[[bot]]\nhouse = \"greedy\"\n";
    fs::write(dir.path().join("league.toml"), league).unwrap();
    let played = run(dir.path(), &["run", "league.toml", "--move-ms", "60000"]);
    assert_eq!(code(&played), 0, "{}", stderr(&played));
    let output = run(dir.path(), &["show", "1", "--transcript"]);
    assert!(stdout(&output).contains("{\"type\":\"turn\""), "{}", stderr(&output));
}

#[test]
fn a_single_match_writes_it_to_a_file_or_to_standard_output() {
    let dir = TempDir::new().unwrap();
    let args = [
        "play",
        "kalah",
        "house:random",
        "house:greedy",
        "--move-ms",
        "60000",
        "--transcript",
    ];
    let printed = run(dir.path(), &[&args[..], &["-"]].concat());
    assert!(
        stdout(&printed).contains("  > {\"type\":\"end\""),
        "{}",
        stderr(&printed)
    );
    let written = run(dir.path(), &[&args[..], &["match.txt"]].concat());
    assert_eq!(code(&written), 0, "{}", stderr(&written));
    let text = fs::read_to_string(dir.path().join("match.txt")).unwrap();
    assert!(text.contains("  < {\"type\":\"hello\""), "{text}");
    let refused = run(dir.path(), &[&args[..], &["no/such/match.txt"]].concat());
    assert!(stderr(&refused).contains("cannot write the transcript to `no/such/match.txt`"));
}

#[test]
fn stray_prints_are_counted_when_a_match_is_over() {
    let dir = TempDir::new().unwrap();
    let talker = format!("talker={} --garbage", env!("CARGO_BIN_EXE_scripted-bot"));
    let args = ["play", "kalah", "--move-ms", "60000", &talker, "house:random"];
    let output = run(dir.path(), &args);
    let told = stderr(&output);
    let moves = told.matches(": seat 1 talker plays ").count();
    let line = format!(
        "\nbot `talker` wrote {moves} lines to its standard output that are no messages, the first: `thinking of a move`; \
         print to standard error instead\n"
    );
    assert!(told.contains(&line), "{told}");
    assert!(!told.contains("`random` wrote"), "{told}");
}

/// A bot in shell that says hello and then, when its first turn has come, does `then`.
fn shell(then: &str) -> Entrant {
    let hello = r#"read -r hello; echo '{"type":"hello","protocol":1}'; read -r start; read -r turn"#;
    Entrant::new("sh", ["-c".to_owned(), format!("{hello}; {then}")])
}

/// The fault of a bot in seat 0.
fn fault(bot: Entrant, time: TimeControl) -> FaultRecord {
    let mut table = Table::new([bot, scripted("")]);
    let mut record = table.play("kalah", time);
    table.close();
    record.faults.remove(0)
}

/// A limit that only the bot that never answers reaches.
fn short() -> TimeControl {
    TimeControl {
        move_ms_max: Some(2_000),
        start_ms_max: 4_000,
        ..patient()
    }
}

#[track_caller]
fn check_hint(bot: Entrant, code: FaultCode, says: &str) {
    let fault = fault(bot, short());
    assert_eq!(fault.code, code, "{fault:?}");
    let hint = fault.hint.as_deref().unwrap_or_default();
    assert!(hint.contains(says), "{fault:?}");
}

#[test]
fn what_is_held_back_until_the_input_is_closed_was_not_flushed() {
    let at_turn = shell(r#"cat > /dev/null; echo '{"move":0}'"#);
    let at_hello = Entrant::new("sh", ["-c", r#"cat > /dev/null; echo '{"type":"hello","protocol":1}'"#]);
    for (bot, bytes) in [(at_turn, "11 bytes"), (at_hello, "30 bytes")] {
        // On a busy machine the bot may not have written them in time.
        let hint = wait_for("a bot that ends at once", || {
            let hint = fault(bot.clone(), short()).hint.expect("there is a hint");
            assert!(hint.contains("flush=True"), "{hint}");
            hint.contains(bytes).then_some(hint)
        });
        assert!(hint.contains("as soon as its input was closed"), "{hint}");
    }
}

#[test]
fn silence_without_a_cause_is_told_to_flush() {
    check_hint(scripted("--hang 0"), FaultCode::Late, "flush=True");
    check_hint(scripted("--no-hello"), FaultCode::NoHello, "flush=True");
}

#[test]
fn bytes_without_a_newline_are_told_to_end_in_one() {
    check_hint(scripted("--no-newline 0"), FaultCode::Late, "newline");
}

#[test]
fn nearly_messages_are_told_what_they_lack() {
    check_hint(
        shell("echo '{ move: 2 }'; cat"),
        FaultCode::NotAMessage,
        "JSON.stringify",
    );
    check_hint(
        shell(r#"echo "{'move': 2}"; cat"#),
        FaultCode::NotAMessage,
        "json.dumps",
    );
    check_hint(shell(r#"echo '{"move":NaN}'; cat"#), FaultCode::NotAMessage, "NaN");
    check_hint(shell("echo 2; cat > /dev/null"), FaultCode::Late, "{\"move\":2}");
    let glued = r#"echo 'thinking{"move":2}'; cat > /dev/null; echo 'what was held back'"#;
    check_hint(
        shell(glued),
        FaultCode::Late,
        "a debug print without a newline before the message",
    );
}

#[test]
fn a_greeting_in_utf16_is_named() {
    let bot = |bytes: &str| Entrant::new("sh", ["-c".to_owned(), format!("printf '{bytes}'; cat > /dev/null")]);
    check_hint(bot(r"\377\376{\0\042\0\n\0"), FaultCode::NoHello, "UTF-16");
    check_hint(bot(r"{\0\042\0\n\0"), FaultCode::NoHello, "UTF-16");
}

#[test]
fn the_end_of_a_process_is_explained_where_it_has_a_name() {
    check_hint(shell("exit 127"), FaultCode::Exited, "not there");
    check_hint(shell("no-such-command-anywhere"), FaultCode::Exited, "not there");
    check_hint(shell("kill -SEGV $$"), FaultCode::Exited, "memory that is not its own");
    check_hint(shell("exit 0"), FaultCode::Exited, "`quit`");
    assert_eq!(fault(scripted("--crash-at 0 --exit-code 1"), patient()).hint, None);
}

#[test]
fn the_lines_of_a_script_that_end_in_cr_lf_are_named() {
    let dir = TempDir::new().unwrap();
    for (name, line) in [("direct", "#!/bin/sh\r\n"), ("by-env", "#!/usr/bin/env sh\r\n")] {
        let script = dir.path().join(name);
        fs::write(&script, line).unwrap();
        fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let output = run(dir.path(), &["play", "kalah", &format!("bad=./{name}"), "house:random"]);
        assert_eq!(code(&output), 3, "{}", stderr(&output));
        assert!(
            stderr(&output).contains("\n  hint: the lines of the script end in CR LF"),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn the_last_words_are_of_the_match_in_which_the_fault_was_made() {
    let mut table = Table::new([scripted("--stderr-between --illegal-in 2"), scripted("")]);
    for number in [0, 1] {
        assert_eq!(table.play("kalah", patient()).faults, []);
        let written = |log: &[(u32, String)]| log.iter().filter(|(_, note)| note == "written").count() > number;
        wait_for("words after the match", || written(&table.log(0)).then_some(()));
    }
    let fault = table.play("kalah", patient()).faults.remove(0);
    assert_eq!(fault.stderr, None, "what it wrote was of earlier matches");
    let fresh = table.play("kalah", patient());
    assert_eq!(fresh.faults, []);
    table.close();

    let mut table = Table::new([scripted("--stderr-between --illegal-in 0"), scripted("")]);
    let fault = table.play("kalah", patient()).faults.remove(0);
    assert_eq!(
        fault.stderr.as_deref(),
        Some("started\n"),
        "it was started for this match"
    );
    table.close();
}

#[test]
fn what_was_written_just_before_the_fault_is_among_the_last_words() {
    for _ in 0..20 {
        let fault = fault(shell("echo 'here it comes' >&2; echo '{\"move\":99}'; cat"), patient());
        assert_eq!(fault.stderr.as_deref(), Some("here it comes\n"));
    }
}

#[test]
fn of_many_last_words_the_last_8_kib_are_kept_and_the_others_counted() {
    let fault = fault(scripted("--stderr-flood 100000 --crash-at 0"), patient());
    let stderr = fault.stderr.expect("it wrote to standard error");
    let (head, kept) = stderr.split_once('\n').expect("there is a first line");
    assert_eq!((head, kept.len()), ("... (91832 bytes dropped)", 8 * 1024));
}

#[test]
fn the_help_explains_every_fault_and_every_command() {
    let dir = TempDir::new().unwrap();
    let help = |topic: &[&str]| run(dir.path(), &[&["help"], topic].concat());
    let faults = stdout(&help(&["faults"]));
    for code in FaultCode::ALL {
        assert!(faults.contains(&format!("\n{}: ", code.as_str())), "{faults}");
    }
    assert_eq!(stdout(&help(&[])), stdout(&run(dir.path(), &["--help"])));
    assert_eq!(stdout(&help(&["show"])), stdout(&run(dir.path(), &["show", "--help"])));
    let unknown = help(&["fault"]);
    assert_eq!(code(&unknown), 2);
    assert!(
        stderr(&unknown).contains("`fault` is no command"),
        "{}",
        stderr(&unknown)
    );
}
