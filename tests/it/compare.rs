//! `arena compare` as a program: its answers, its exit codes, and that it goes on.

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{code, run, stderr, stdout};

/// Nobody's clock runs out.
const PATIENT: &[&str] = &["--move-ms", "60000"];

fn compare(dir: &TempDir, args: &[&str]) -> std::process::Output {
    run(dir.path(), &[&["compare"], args, PATIENT].concat())
}

fn place() -> TempDir {
    TempDir::new().expect("a directory can be made")
}

/// The result as JSON.
fn answer(dir: &TempDir, args: &[&str]) -> Value {
    let output = compare(dir, &[args, &["--format", "json"]].concat());
    serde_json::from_str(&stdout(&output)).unwrap_or_else(|error| panic!("{error}: {}", stderr(&output)))
}

#[test]
fn a_bot_that_is_better_is_found_to_be() {
    let dir = place();
    let output = compare(&dir, &["kalah", "new=house:greedy", "old=house:random"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    let verdict = text.lines().last().expect("there is a verdict");
    assert!(verdict.starts_with("`new` is better than `old`: after "), "{text}");
    assert!(stderr(&output).contains("0 against +20 normalized Elo, alpha 5 %, beta 5 %; at most 10000 pairs"));
}

#[test]
fn a_bot_that_is_worse_is_not_better_by_any_rule() {
    for rule in [&[][..], &["--anytime"], &["--matches", "100"]] {
        let args = [&["kalah", "new=house:random", "old=house:greedy"], rule].concat();
        let output = compare(&place(), &args);
        assert_eq!(code(&output), 1, "{rule:?}: {}", stderr(&output));
    }
}

#[test]
fn copies_of_a_bot_are_not_better_and_never_separated() {
    let dir = place();
    let copies = ["kalah", "one=house:minimax,depth=1", "other=house:minimax,depth=1"];
    let test = answer(&dir, &copies);
    assert_eq!((&test["answer"], &test["score"]), (&"not_better".into(), &0.5.into()));
    let watched = compare(&dir, &[&copies[..], &["--anytime", "--pairs-max", "200"]].concat());
    assert_eq!(code(&watched), 5, "{}", stdout(&watched));
}

#[test]
fn bots_that_repeat_themselves_are_warned_about() {
    let args = ["kalah", "one=house:minimax,depth=1", "other=house:minimax,depth=2"];
    let result = answer(
        &place(),
        &[&args[..], &["--opening-plies", "0", "--matches", "40"]].concat(),
    );
    assert_eq!(result["pairs_distinct"], 1);
    assert!(
        result["warnings"][0]
            .as_str()
            .is_some_and(|text| text.contains("only 1 of 20 pairs are distinct"))
    );
}

#[test]
fn the_same_command_gives_the_same_answer_without_playing_again() {
    let dir = place();
    let args = ["kalah", "new=house:greedy", "old=house:random", "--jobs", "4"];
    let first = answer(&dir, &args);
    let stored = || stdout(&run(dir.path(), &["export"])).lines().count();
    let played = stored();
    assert_eq!(answer(&dir, &args), first);
    assert_eq!(stored(), played);
    assert_eq!(answer(&place(), &[&args[..3], &["--jobs", "1"]].concat()), first);
}

#[test]
fn a_longer_comparison_goes_on_where_the_shorter_one_ended() {
    let dir = place();
    let args = [
        "kalah",
        "one=house:random",
        "other=house:random,seed=2",
        "--anytime",
        "--pairs-max",
    ];
    let pairs = |most: &str| answer(&dir, &[&args[..], &[most]].concat())["pairs"].clone();
    assert_eq!(pairs("20"), 20);
    let stored: Value = stdout(&run(dir.path(), &["export"])).lines().count().into();
    assert!(stored.as_u64() >= Some(40), "{stored}");
    assert_eq!(pairs("60"), 60);
}

#[test]
fn what_cannot_be_compared_is_refused_with_what_was_expected() {
    let refused = |args: &[&str], expected: &str| {
        let output = compare(&place(), args);
        assert_eq!(code(&output), 2, "{args:?}");
        assert!(stderr(&output).contains(expected), "{args:?}: {}", stderr(&output));
    };
    let bots = ["house:greedy", "house:random"];
    let with = |more: &[&'static str]| [&["kalah"], &bots[..], more].concat();
    refused(&with(&["--matches", "7"]), "expected an even number");
    refused(&with(&["--elo0", "5", "--elo1", "2"]), "expected elo0 below elo1");
    refused(
        &with(&["--alpha", "0.7"]),
        "expected an error rate above 0 and below 0.5",
    );
    refused(&with(&["--elo1", "nan"]), "expected a number");
    refused(&with(&["--anytime", "--elo1", "5"]), "cannot be used with");
    refused(&["mancala-basic:seats=3", bots[0], bots[1]], "a game of 3 seats");
    refused(&["chess", bots[0], bots[1]], "unknown game `chess`");
}
