//! The calculator: figures, what it says where there are none, what it reads, what it refuses.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::program::{code, run, stderr, stdout};

fn stats(args: &[&str]) -> String {
    let mut all = vec!["stats"];
    all.extend(args);
    let output = run(Path::new("."), &all);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

fn refused(args: &[&str]) -> String {
    let mut all = vec!["stats"];
    all.extend(args);
    let output = run(Path::new("."), &all);
    assert_eq!((code(&output), stdout(&output)), (2, String::new()));
    stderr(&output)
}

/// What the table has for people before the explanation of its words.
fn figures(args: &[&str]) -> String {
    let text = stats(args);
    let (figures, _) = text.split_once("\n\nfrom, to").expect("the words are explained");
    figures.to_owned()
}

#[test]
fn wins_draws_and_losses_give_score_elo_and_their_intervals() {
    assert_eq!(
        figures(&["--wins", "136", "--draws", "111", "--losses", "96"]),
        "\
343 matches, 136 won, 111 tied, 96 lost

       value   from     to
──────────────────────────
score  55.8%  51.5%  60.1%
Elo    +40.7  +10.4  +71.0
nElo   +49.8  +12.8  +86.0
LOS    99.6%
tied   32.4%"
    );
}

#[test]
fn pairs_give_a_sequential_test_with_its_verdict() {
    assert_eq!(
        figures(&["--pairs", "34,54,31,32,64,75", "--elo0", "0", "--elo1", "20"]),
        "\
580 matches, 245 won, 182 tied, 153 lost
290 pairs: 34 LL, 54 LD, 31 WL, 32 DD, 64 WD, 75 WW

                          value   from     to
─────────────────────────────────────────────
score                     57.9%  54.0%  61.7%
Elo                       +55.6  +28.0  +83.2
nElo                      +57.9  +29.4  +85.8
LOS                      100.0%
tied                      31.4%
pairs won for each lost    1.58

SPRT      normalized Elo 0 against 20, by pairs: 20 accepted
          LLR 4.49; -2.94 accepts 0, 2.94 accepts 20
          Elo after a test that stopped here: +52.3 (95 %: +17.6 to +87.8), median-unbiased"
    );
    let undecided = figures(&["--pairs", "13,37,50,25,3", "--elo0", "0", "--elo1", "4"]);
    assert!(
        undecided.contains("by pairs: go on\n") && undecided.contains("548 pairs more"),
        "{undecided}"
    );
}

#[test]
fn results_that_no_number_fits_get_a_bound_or_words() {
    let all_won = stats(&["--wins", "10", "--losses", "0"]);
    assert!(
        all_won.contains("> +200.3") && all_won.contains("n/a (all matches alike)"),
        "{all_won}"
    );
    let one = stats(&["--wins", "0", "--losses", "1"]);
    assert!(one.contains("< +186.6") && one.contains("n/a (1 match)"), "{one}");
    assert!(stats(&["--wins", "0", "--losses", "0"]).contains("n/a (no matches)"));
}

#[test]
fn degenerate_results_are_null_in_json_and_empty_in_csv() {
    let lists = [
        "0,0,0,0,0",
        "0,0,1,0,0",
        "20,0,0,0,0",
        "0,0,20,0,0",
        "0,0,0,0,20",
        "144,3,1,0,0",
    ];
    for pairs in lists {
        for (elo0, elo1) in [("0", "5"), ("-1500", "-500")] {
            for model in ["normalized", "logistic"] {
                for format in ["table", "json", "csv"] {
                    let args = [
                        "--pairs", pairs, "--elo0", elo0, "--elo1", elo1, "--model", model, "--format", format,
                    ];
                    let text = stats(&args);
                    let shown = text.to_lowercase();
                    assert!(!shown.contains("nan") && !shown.contains("inf"), "{args:?}: {text}");
                    if format == "json" {
                        let value: Value = serde_json::from_str(&text).expect("the output is JSON");
                        assert!(value["sprt"]["llr"].is_f64(), "{args:?}: {text}");
                    }
                }
            }
        }
    }
    let value: Value = serde_json::from_str(&stats(&["--pairs", "0,0,0,0,20", "--format", "json"])).unwrap();
    assert_eq!(
        (&value["elo"]["value"], &value["elo"]["high"], &value["nelo"]["value"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert!(value["elo"]["low"].is_f64());
}

#[test]
fn exports_of_a_tournament_are_read_from_a_pipe_and_from_a_file() {
    let dir = TempDir::new().unwrap();
    let played = run(
        dir.path(),
        &[
            "run",
            "--game",
            "kalah",
            "--rotations",
            "6",
            "--move-ms",
            "60000",
            "house:random",
            "house:greedy",
            "house:minimax,depth=2",
        ],
    );
    assert_eq!(code(&played), 0, "{}", stderr(&played));
    for args in [
        vec!["export", "-o", "all.jsonl"],
        vec!["export", "--csv", "-o", "all.csv"],
    ] {
        assert_eq!(code(&run(dir.path(), &args)), 0);
    }
    let read = |file: &str| {
        run(
            dir.path(),
            &["stats", file, "--bots", "greedy", "random", "--format", "json"],
        )
    };
    let (lines, rows) = (read("all.jsonl"), read("all.csv"));
    assert_eq!(code(&lines), 0, "{}", stderr(&lines));
    assert_eq!(stdout(&lines), stdout(&rows));
    let piped = Command::new(env!("CARGO_BIN_EXE_arena-under-test"))
        .current_dir(dir.path())
        .args(["stats", "-", "--bots", "greedy", "random", "--format", "json"])
        .stdin(Stdio::from(std::fs::File::open(dir.path().join("all.jsonl")).unwrap()))
        .output()
        .unwrap();
    assert_eq!(stdout(&piped), stdout(&lines));
    let value: Value = serde_json::from_str(&stdout(&lines)).unwrap();
    assert_eq!(
        (&value["matches"], &value["unit"], &value["units"]),
        (&12.into(), &"pair".into(), &6.into())
    );
    let unread = run(dir.path(), &["stats", "arena.db"]);
    assert_eq!(code(&unread), 2);
    assert!(stderr(&unread).contains("`arena.db`: it is a results file; expected what is exported from it"));
    let unchosen = run(dir.path(), &["stats", "all.csv"]);
    assert_eq!(code(&unchosen), 2);
    assert!(stderr(&unchosen).contains("3 bots; expected two: choose them with --bots A B"));
}

#[test]
fn power_says_how_many_matches_and_how_likely() {
    let needed = stats(&["power", "--elo", "10"]);
    assert!(
        needed.contains("9472 matches (4736 pairs) show it with a probability of 80.0%"),
        "{needed}"
    );
    let likely = stats(&["power", "--elo", "10", "--pairs", "4736"]);
    assert!(likely.contains("with a probability of 80.0%"), "{likely}");
    // As published for normalized Elo: 2,369 matches for 20 at 80 %, here in whole pairs.
    let value: Value = serde_json::from_str(&stats(&["power", "--nelo", "20", "--format", "json"])).unwrap();
    assert_eq!(value["matches"], 2370);
}

#[test]
fn what_cannot_be_counted_is_refused_with_what_was_expected() {
    for (args, expected) in [
        (
            vec![],
            "no results; expected --wins, --draws and --losses, or --pairs, or a file",
        ),
        (
            vec!["--pairs", "1,2,3"],
            "--pairs: 3 numbers; expected 5 (LL,LD,M,WD,WW) or 6 (LL,LD,WL,DD,WD,WW)",
        ),
        (
            vec!["--wins", "1", "--losses", "1", "--elo0", "5", "--elo1", "0"],
            "hypotheses of 5 and 0 Elo: expected elo0 below elo1, by 0.01 or more",
        ),
        (vec!["nothing.pgn"], "cannot open `nothing.pgn`"),
        (
            vec!["-"],
            "standard input: it is empty; expected an export of the arena, or results such as `1-0`",
        ),
        (
            vec!["power", "--elo", "0"],
            "a difference of 0 Elo: expected a number from 0.01 to 2000",
        ),
        (
            vec!["power", "--elo", "10", "--alpha", "0"],
            "--alpha 0: expected an error rate from 0.000001 to 0.5",
        ),
        (
            vec!["power", "--elo", "400", "--draws", "0.5"],
            "--draws 0.5: expected a share from 0 to below 0.182",
        ),
    ] {
        let message = refused(&args);
        assert!(message.contains(expected), "{args:?}: {message}");
    }
}
