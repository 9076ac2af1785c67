//! `arena repro` and `arena show --sent`: a bot is sent again what it was sent in a stored match.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mancala_arena::record::{Record, Transcript, What};
use mancala_arena_protocol::{FaultCode, excerpt};
use tempfile::TempDir;

use crate::cases::python;
use crate::program::{arena, code, run, stderr, stdout};

/// A bot that plays well but where it has a single legal move late in a match: then it plays a pit that is none.
const RARELY_WRONG: &str = r#"
import json, sys

for text in sys.stdin:
    message = json.loads(text)
    if message["type"] == "hello":
        print('{"type":"hello","protocol":1}', flush=True)
    elif message["type"] == "turn":
        legal = message["legal"]
        move = 99 if len(legal) == 1 and message["ply"] > 20 else legal[0]
        print(f"plays {move}", file=sys.stderr, flush=True)
        print(json.dumps({"move": move, "ply": message["ply"]}), flush=True)
"#;

fn write_bot(dir: &Path, text: &str) -> String {
    fs::write(dir.join("bot.py"), text).expect("it can be written");
    format!("rare={} bot.py", python())
}

/// Plays some matches, and gives what is stored.
fn play(dir: &Path, args: &[&str]) -> Vec<Record> {
    let patient = ["run", "--move-ms", "60000", "--jobs", "2"];
    let output = run(dir, &[&patient[..], args].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let records = stdout(&run(dir, &["export"]));
    { records.lines() }
        .map(|line| serde_json::from_str(line).expect("a record is JSON"))
        .collect()
}

/// A forfeit of the bot that is rarely wrong, and a match that it has played to the end.
fn forfeit_and_whole(dir: &Path) -> (Record, Record) {
    let bot = write_bot(dir, RARELY_WRONG);
    let records = play(dir, &["--game", "kalah", "--rotations", "8", &bot, "house:random"]);
    let (forfeits, wholes): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| !record.faults.is_empty());
    let forfeit = forfeits.into_iter().next().expect("some position is rare, and occurs");
    assert_eq!(forfeit.faults[0].code, FaultCode::IllegalMove);
    (forfeit, wholes.into_iter().next().expect("not every match has one"))
}

fn repro(dir: &Path, record: &Record, more: &[&str]) -> Output {
    let id = record.r#match.to_string();
    run(dir, &[&["repro", &id, "--bot", "rare"], more].concat())
}

#[test]
fn a_forfeit_in_a_rare_position_is_made_again() {
    let dir = TempDir::new().expect("a directory can be made");
    let (forfeit, whole) = forfeit_and_whole(dir.path());
    let fault = &forfeit.faults[0];
    let ply = fault.ply.to_string();

    for more in [&[][..], &["--ply", &ply], &["--move-ms", "60000"]] {
        let output = repro(dir.path(), &forfeit, more);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        let text = stdout(&output);
        assert!(text.contains("\nillegal move again: illegal move 99"), "{text}");
        let told = stderr(&output);
        assert!(told.ends_with("\n  stderr: plays 99\n"), "{told}");
        assert!(!stderr(&output).contains("not the program"), "{}", stderr(&output));
    }
    let output = repro(dir.path(), &whole, &[]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let seat = whole.seats.iter().position(|seat| seat.name == "rare");
    let answers = whole
        .plies
        .iter()
        .filter(|ply| Some(usize::from(ply.seat)) == seat)
        .count();
    let end = format!("\nthe same to the end: {answers} answers as on record");
    assert!(stdout(&output).contains(&end), "{}", stdout(&output));
}

#[test]
fn the_only_bot_that_made_a_fault_needs_no_name() {
    let dir = TempDir::new().expect("a directory can be made");
    let (forfeit, whole) = forfeit_and_whole(dir.path());
    let nameless = |record: &Record| run(dir.path(), &["repro", &record.r#match.to_string()]);
    let output = nameless(&forfeit);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(
        stderr(&output).starts_with("bot `rare`, which made a fault in this match\n"),
        "{}",
        stderr(&output)
    );
    let output = nameless(&whole);
    assert_eq!(code(&output), 2, "{}{}", stdout(&output), stderr(&output));
    assert!(
        stderr(&output).contains("no bot made a fault; name one with --bot: `"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_version_without_the_fault_differs_where_it_was_made() {
    let dir = TempDir::new().expect("a directory can be made");
    let (forfeit, whole) = forfeit_and_whole(dir.path());
    write_bot(dir.path(), &RARELY_WRONG.replace("99 if", "legal[0] if"));
    let output = repro(dir.path(), &forfeit, &[]);
    assert_eq!(code(&output), 1, "{}{}", stdout(&output), stderr(&output));
    let text = stdout(&output);
    let ply = forfeit.faults[0].ply;
    assert!(
        text.contains(&format!(
            "\ndifferent at ply {ply}\n  on record  illegal_move: illegal move 99"
        )),
        "{text}"
    );
    assert!(
        stderr(&output).contains("note: this is not the program that played"),
        "{}",
        stderr(&output)
    );

    // Another program in its place.
    let other = repro(dir.path(), &whole, &["--with", "house:greedy"]);
    assert_eq!(code(&other), 1, "{}{}", stdout(&other), stderr(&other));
    assert!(stdout(&other).contains("\ndifferent at ply "), "{}", stdout(&other));
}

#[test]
fn a_debugger_can_attach_before_anything_is_sent() {
    let dir = TempDir::new().expect("a directory can be made");
    let (forfeit, _) = forfeit_and_whole(dir.path());
    let id = forfeit.r#match.to_string();
    let mut child = arena(dir.path(), &["repro", &id, "--bot", "rare", "--attach"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the arena starts");
    child
        .stdin
        .take()
        .expect("it is piped")
        .write_all(b"\n")
        .expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = stderr(&output);
    let process = told
        .split("the bot is process ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let process = process.unwrap_or_else(|| panic!("{told}"));
    assert!(
        process.parse::<u32>().is_ok() && told.contains(&format!("gdb -p {process}")),
        "{told}"
    );
}

#[test]
fn the_lines_of_a_match_can_be_sent_by_hand() {
    let dir = TempDir::new().expect("a directory can be made");
    let (forfeit, _) = forfeit_and_whole(dir.path());
    let id = forfeit.r#match.to_string();
    let sent = run(dir.path(), &["show", &id, "--sent", "rare"]);
    assert_eq!(code(&sent), 0, "{}", stderr(&sent));
    fs::write(dir.path().join("lines"), &sent.stdout).expect("it can be written");
    let output = Command::new("sh")
        .args(["-c", &format!("{} bot.py < lines", python())])
        .current_dir(dir.path())
        .output()
        .expect("there is a shell");
    let answers = stdout(&output);
    assert_eq!(answers.lines().last(), forfeit.faults[0].received.as_deref());
    // What stands last tells why.
    let lines = stdout(&sent);
    assert!(
        lines
            .lines()
            .last()
            .is_some_and(|line| line.starts_with(r#"{"type":"error","code":"illegal_move""#)),
        "{lines}"
    );
}

/// Compares what is made from the records with what went over the pipes, in every match and for every bot.
#[track_caller]
fn is_as_it_was_sent(args: &[&str]) {
    let dir = TempDir::new().expect("a directory can be made");
    let records = play(
        dir.path(),
        &[args, &["--transcripts", "all", "--rotations", "2"]].concat(),
    );
    let mut lines = 0;
    for record in &records {
        let id = record.r#match.to_string();
        let db = mancala_arena::store::Store::open(&dir.path().join("arena.db")).expect("it is there");
        let said: Transcript = { db.transcript(&record.plan, record.r#match) }
            .expect("it can be read")
            .expect("it was kept");
        for (seat, at) in record.seats.iter().enumerate() {
            let output = run(dir.path(), &["show", &id, "--sent", &at.name]);
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            let is_of_match =
                |line: &&str| !line.starts_with(r#"{"type":"hello""#) && !line.starts_with(r#"{"type":"quit""#);
            let made = stdout(&output);
            // A transcript is kept as it is shown, escaped.
            let made: Vec<String> = made
                .lines()
                .filter(is_of_match)
                .map(|line| excerpt(line.as_bytes(), usize::MAX))
                .collect();
            let of_seat = said
                .lines
                .iter()
                .filter(|line| usize::from(line.seat) == seat && line.what == What::ToBot);
            let were: Vec<&str> = of_seat.map(|line| line.text.as_str()).filter(is_of_match).collect();
            assert_eq!(made, were, "match {id}, {}", at.name);
            lines += made.len();
        }
    }
    assert!(lines > 100, "{lines}");
}

#[test]
fn what_is_made_from_a_record_is_what_was_sent() {
    let scripted = |args: &str| {
        format!(
            "{}={} {args}",
            args.replace([' ', '-'], ""),
            env!("CARGO_BIN_EXE_scripted-bot")
        )
    };
    let observer = scripted("--observe --ready");
    let wrong = scripted("--illegal 5");
    let bots = [observer.as_str(), wrong.as_str(), "house:random"];
    is_as_it_was_sent(&[&["--game", "kalah"], &bots[..]].concat());
    is_as_it_was_sent(&[&["--game", "mancala-basic:seats=3,pits=4,seeds=3"], &bots[..]].concat());
}

#[test]
fn a_bot_or_a_ply_that_is_not_in_the_match_is_refused() {
    let dir = TempDir::new().expect("a directory can be made");
    play(
        dir.path(),
        &["--game", "kalah", "--rotations", "1", "house:random", "house:greedy"],
    );
    for (args, says) in [
        (&["repro", "0", "--bot", "nobody"][..], "its bots: `"),
        (
            &["repro", "0", "--bot", "greedy", "--ply", "9999"],
            "was not asked for ply 9999",
        ),
        (&["repro", "77", "--bot", "greedy"], "match 77 of plan"),
        (&["show", "0", "--sent", "nobody"], "its bots: `"),
    ] {
        let output = run(dir.path(), args);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
}
