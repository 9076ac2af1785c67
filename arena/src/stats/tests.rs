//! Published numbers first, then properties.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

mod counts;
mod groups;
mod page;
mod sequential;

/// A published case: of those of ratings, or of those that only this module needs.
fn golden(id: &str) -> Value {
    let files = [
        include_str!("../rating/testdata/golden.json"),
        include_str!("testdata/golden.json"),
    ];
    let mut cases = files.map(|text| serde_json::from_str::<Value>(text).expect("the file is JSON")[id].clone());
    let [of_ratings, own] = &mut cases;
    let case = if of_ratings.is_null() { own } else { of_ratings }.take();
    assert!(!case.is_null(), "no case `{id}`");
    case
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("the case holds a number here")
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

/// The possible scores with their counts, lowest first.
fn classes(counts: &[u64]) -> Vec<(f64, u64)> {
    let top = (counts.len() - 1) as f64;
    let scored = counts.iter().enumerate();
    scored.map(|(i, &count)| (i as f64 / top, count)).collect()
}

fn check_wilson(id: &str) {
    let case = golden(id);
    let counts: Vec<u64> = match case["input"].get("penta_low_to_high") {
        Some(list) => list
            .as_array()
            .expect("a list")
            .iter()
            .map(|n| n.as_u64().expect("a count"))
            .collect(),
        None => ["losses", "draws", "wins"]
            .map(|key| case["input"][key].as_u64().expect("a count"))
            .to_vec(),
    };
    let expected = &case["expected"]["recommended_wilson_phi"];
    let found = wilson_phi(&classes(&counts), 0.95).expect("there are scores");
    near(found.score, number(&expected["score"]), 1e-9);
    near(found.dispersion, number(&expected["phi"]), 1e-9);
    near(found.low, number(&expected["score_lo"]), 1e-9);
    near(found.high, number(&expected["score_hi"]), 1e-9);
    let (low, high) = found.elo_ends();
    for (end, expected) in [
        (found.elo(), &expected["elo"]),
        (low, &expected["elo_lo"]),
        (high, &expected["elo_hi"]),
    ] {
        match end {
            Some(end) => near(end, number(expected), 1e-6),
            None => assert!(expected.is_string(), "no bound instead of {expected}"),
        }
    }
}

#[test]
fn ten_wins_give_a_lower_bound_only() {
    check_wilson("deg-h2h-all-wins-10");
}

#[test]
fn ten_draws_give_an_interval_of_some_width() {
    check_wilson("deg-h2h-all-draws-10");
}

#[test]
fn one_draw_gives_a_wide_interval() {
    check_wilson("deg-h2h-one-draw");
}

#[test]
fn one_win_each_gives_a_wide_interval() {
    check_wilson("deg-h2h-one-each");
}

#[test]
fn a_lopsided_match_has_an_interval_on_both_sides() {
    check_wilson("deg-h2h-lopsided-1-726-1");
}

#[test]
fn five_pairs_won_outright_give_a_lower_bound() {
    check_wilson("deg-penta-5-0-pairs");
}

#[test]
fn one_pair_gives_an_interval_of_some_width() {
    check_wilson("deg-penta-one-WD-pair");
}

#[test]
fn an_ordinary_pair_count_agrees() {
    check_wilson("deg-penta-regular");
}

#[test]
fn elo_of_a_score_agrees_with_fastchess() {
    for id in ["h2h-wdl-1", "h2h-wdl-2"] {
        let expected = &golden(id)["expected"];
        near(elo_of_score(number(&expected["score"])), number(&expected["elo"]), 1e-6);
    }
}

/// OpenBench's interval: the mean with Student's quantile on one degree of freedom less than there are results.
fn check_student(id: &str) {
    let case = golden(id);
    let counts = case["input"]["results_low_to_high"].as_array().expect("a list");
    let counts: Vec<u64> = counts.iter().map(|n| n.as_u64().expect("a count")).collect();
    let classes = classes(&counts);
    let total = counts.iter().sum::<u64>() as f64;
    let mean = classes.iter().map(|&(x, n)| x * n as f64).sum::<f64>() / total;
    let variance = classes.iter().map(|&(x, n)| (x - mean).powi(2) * n as f64).sum::<f64>() / total;
    let reach = student_quantile(0.95, total - 1.0) * (variance / total).sqrt();
    near(elo_of_score(mean - reach), number(&case["expected"]["lower"]), 1e-6);
    near(elo_of_score(mean + reach), number(&case["expected"]["upper"]), 1e-6);
}

#[test]
fn student_quantiles_agree_with_openbench() {
    check_student("ob-elo-96-111-136");
    check_student("ob-elo-34-54-63-64-75");
}

#[test]
fn normal_quantile_is_the_usual_one() {
    near(normal_quantile(0.95), 1.959_963_984_540_054, 1e-9);
}

#[test]
fn nothing_played_gives_no_interval() {
    assert_eq!(wilson_phi(&classes(&[0, 0, 0]), 0.95), None);
}

proptest! {
    #[test]
    fn expected_scores_of_two_sides_sum_to_one(difference in -4000.0..4000.0_f64) {
        prop_assert!((expected_score(difference) + expected_score(-difference) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn elo_inverts_the_expected_score(difference in -1500.0..1500.0_f64) {
        prop_assert!((elo_of_score(expected_score(difference)) - difference).abs() < 1e-6);
    }

    #[test]
    fn swapping_the_sides_mirrors_the_interval(counts in proptest::collection::vec(0..500_u64, 3)) {
        prop_assume!(counts.iter().sum::<u64>() > 0);
        let mut swapped = counts.clone();
        swapped.reverse();
        let one = wilson_phi(&classes(&counts), 0.95).unwrap();
        let other = wilson_phi(&classes(&swapped), 0.95).unwrap();
        prop_assert!((one.low + other.high - 1.0).abs() < 1e-9 && (one.high + other.low - 1.0).abs() < 1e-9);
        prop_assert!(one.low < one.high && one.low >= 0.0 && one.high <= 1.0);
    }

    #[test]
    fn doubling_every_count_narrows_the_interval(counts in proptest::collection::vec(1..500_u64, 3)) {
        let doubled: Vec<u64> = counts.iter().map(|count| 2 * count).collect();
        let one = wilson_phi(&classes(&counts), 0.95).unwrap();
        let two = wilson_phi(&classes(&doubled), 0.95).unwrap();
        prop_assert!(two.high - two.low < one.high - one.low);
    }
}
