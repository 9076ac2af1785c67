//! What standings cost: seat term, full covariance and CR3 errors, from scores in memory and, as the whole command, from
//! a results file. One core; the scores are made up, the same in every run.
//!
//! `cargo bench -p mancala-arena --bench standings [-- memory]`; `memory` leaves the file out.

mod made_up;

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use mancala_arena::rating::{Standings, Tally};
use mancala_arena::record::MatchScore;

/// Bots and matches.
const SIZES: [(usize, u64); 2] = [(100, 100_000), (1_000, 1_000_000)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|argument| argument == "standings") {
        // Called by itself below: the program under test.
        return mancala_arena::main();
    }
    for (bots, matches) in SIZES {
        let scores = made_up::scores(bots, matches);
        let names = made_up::names(bots);
        for _ in 0..3 {
            let began = Instant::now();
            let mut tally = Tally::new(bots);
            scores.iter().for_each(|score| tally.add(score));
            let tallied = began.elapsed();
            let standings = Standings::of(&names, &tally, None, None);
            println!(
                "{bots} bots, {matches} matches from memory: {:.3} s, of which {:.3} s to count; {} table",
                began.elapsed().as_secs_f64(),
                tallied.as_secs_f64(),
                standings.tables.len()
            );
        }
        if !arguments.iter().any(|argument| argument == "memory") {
            from_file(&names, &scores);
        }
    }
    ExitCode::SUCCESS
}

/// Times `arena standings` on a results file with these matches, of two plies each.
fn from_file(names: &[String], scores: &[MatchScore]) {
    let dir = std::env::temp_dir().join(format!("standings-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for the results can be made");
    let db = dir.join("arena.db");
    made_up::store(&db, names, scores);
    for _ in 0..3 {
        let began = Instant::now();
        let output = Command::new(std::env::current_exe().expect("this program has a path"))
            .arg("standings")
            .arg("--db")
            .arg(&db)
            .stderr(Stdio::inherit())
            .output()
            .expect("this program starts");
        assert!(output.status.success() && !output.stdout.is_empty());
        println!(
            "{} bots, {} matches from a file: {:.3} s for `arena standings`",
            names.len(),
            scores.len(),
            began.elapsed().as_secs_f64()
        );
    }
    std::fs::remove_dir_all(&dir).expect("the results can be removed");
}
