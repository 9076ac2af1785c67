//! The starter bots, and those that SPEC.md begins with, play whole matches of every game.

use std::path::{Path, PathBuf};
use std::process::Command;

use mancala_arena::record::replay;
use mancala_arena_tests::{Entrant, Table, opening, patient};

use crate::spec::block;

const GAMES: [&str; 4] = [
    "layli-goobalay",
    "kalah",
    "mancala-basic:seats=2",
    "mancala-basic:seats=3",
];

/// The program plays every game against itself and makes no fault.
fn check(interpreter: &str, script: &Path) {
    if Command::new(interpreter).args(["-c", ""]).status().is_err() {
        eprintln!("not tested: there is no `{interpreter}` here");
        return;
    }
    let bot = Entrant::new(interpreter, [script.display().to_string()]);
    for game in GAMES {
        let seats = opening(game, 0, 0).0.seats();
        let mut table = Table::new(vec![bot.clone(); seats]);
        for seed in 0..3 {
            let record = table.play_from(opening(game, 3, seed), patient());
            assert_eq!(record.faults, [], "{game}");
            replay(&record).expect("the record replays");
            assert!(
                record
                    .seats
                    .iter()
                    .all(|seat| seat.log_lines + seat.dropped_lines + seat.unknown == 0)
            );
        }
        table.close();
    }
}

fn starter(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../bots")
        .join(path)
        .canonicalize()
        .expect("the starter bot is there")
}

/// The block of SPEC.md with this label, as a file.
fn check_block(interpreter: &str, label: &str) {
    let dir = tempfile::tempdir().expect("a directory can be made");
    let script = dir.path().join("bot");
    std::fs::write(&script, block(label)).expect("a file can be written");
    check(interpreter, &script);
}

#[test]
fn the_python_starter_plays_every_game() {
    check("python3", &starter("python/first_bot.py"));
}

#[test]
fn the_shell_starter_plays_every_game() {
    check("sh", &starter("shell/first_bot.sh"));
}

#[test]
fn the_smallest_bot_in_python_plays_every_game() {
    check_block("python3", "python smallest-bot");
}

#[test]
fn the_smallest_bot_in_the_shell_plays_every_game() {
    check_block("sh", "sh smallest-bot");
}
