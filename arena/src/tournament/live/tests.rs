use std::sync::Arc;

use mancala_arena_rules::open_text;
use serde_json::json;

use super::{Beside, Live, Publisher};
use crate::config::TimeControl;
use crate::referee::{Judged, Machine};
use crate::tournament::{MatchId, Scheduled};

fn scheduled() -> Scheduled {
    Scheduled {
        id: MatchId(7),
        rotation: 3,
        bots: vec![1, 0],
        opening: 3,
        seed: 5,
    }
}

fn machine() -> Machine {
    let board = open_text("kalah").expect("kalah is a game").start();
    let time = TimeControl {
        bank_ms: Some(60_000),
        ..TimeControl::default()
    };
    Machine::new("7".to_owned(), board, time, &["b".to_owned(), "a".to_owned()])
}

/// Plays the first legal move after `elapsed_us`.
fn play(machine: &mut Machine, elapsed_us: u64) {
    let (mut line, began) = (Vec::new(), std::time::Duration::ZERO);
    machine.write_turn(&mut line);
    let turn: serde_json::Value = serde_json::from_slice(&line).expect("a turn is JSON");
    machine.asked(began);
    let answer = json!({"move": turn["legal"][0]}).to_string();
    let at = began + std::time::Duration::from_micros(elapsed_us);
    assert_eq!(machine.line(answer.as_bytes(), at), Judged::Moved);
}

#[test]
fn whoever_looks_sees_every_ply_of_the_match_on_the_board() {
    let live = Live::default();
    let (slot, mut machine) = (live.slot(), machine());
    assert_eq!(live.boards(), []);
    slot.begin(&scheduled(), machine.board());
    let watching = live.watch();
    for plies in 1..=4 {
        play(&mut machine, 10);
        slot.turn(&machine);
        let [board] = &live.boards()[..] else {
            panic!("there is one board")
        };
        assert_eq!((board.r#match, board.rotation, &board.bots[..]), (7, 3, &[1, 0][..]));
        assert_eq!((board.plies.len(), &board.plies[..]), (plies, machine.plies()));
        assert_eq!(board.bank_ms.as_ref().map(Vec::len), Some(2));
    }
    drop(watching);
    slot.begin(&scheduled(), machine.board());
    assert_eq!(live.boards()[0].plies, []);
}

#[test]
fn who_looks_later_sees_the_earlier_plies_too() {
    let live = Live::default();
    let (slot, mut machine) = (live.slot(), machine());
    slot.begin(&scheduled(), machine.board());
    for _ in 0..3 {
        play(&mut machine, 10);
        slot.turn(&machine);
    }
    assert_eq!(live.boards()[0].plies, [], "nobody looked");
    let _watching = live.watch();
    play(&mut machine, 10);
    slot.turn(&machine);
    assert_eq!(live.boards()[0].plies.len(), 4);
}

#[test]
fn a_long_turn_is_noted_though_nobody_looks() {
    let live = Live::default();
    let (slot, mut machine) = (live.slot(), machine());
    slot.begin(&scheduled(), machine.board());
    play(&mut machine, 10);
    play(&mut machine, 500_000);
    slot.turn(&machine);
    assert_eq!(live.boards()[0].plies.len(), 2);
}

#[test]
fn another_process_is_told_while_it_asks_and_nothing_is_left_behind() {
    let dir = tempfile::tempdir().expect("a directory");
    let db = dir.path().join("arena.db");
    let live = Arc::<Live>::default();
    let (slot, machine) = (live.slot(), machine());
    slot.begin(&scheduled(), machine.board());
    let looking = Beside::of(&db).expect("the path is right");
    looking.ask();
    assert_eq!(names(dir.path()), Vec::<String>::new(), "without a run no mark is left");

    std::fs::write(dir.path().join("arena.db-lock"), "").expect("a file");
    looking.ask();
    let publisher = Publisher::start(&db, "plan", &live, 10, Some(50)).expect("a thread");
    live.note_ended();
    let now = loop {
        match looking.read() {
            Some(now) if now.done == 11 => break now,
            _ => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    assert_eq!((now.plan.as_str(), now.planned), ("plan", Some(50)));
    assert_eq!(now.boards.len(), 1);
    drop(publisher);
    assert_eq!(names(dir.path()), ["arena.db-lock"]);
    assert_eq!(looking.read(), None);
}

fn names(dir: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a directory").flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
