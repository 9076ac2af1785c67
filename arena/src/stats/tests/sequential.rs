//! Sequential tests, their estimates, planning and confidence sequences: published numbers, every small table, then
//! simulations.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::super::*;
use super::counts::{counts, tables};
use super::{golden, near, number};

fn sprt(elo0: f64, elo1: f64, model: Model) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("the hypotheses are in order")
}

fn model(word: &Value) -> Model {
    match word.as_str() {
        Some("normalized" | "Normalized") => Model::Normalized,
        Some("logistic" | "Logistic") => Model::Logistic,
        other => panic!("unknown model {other:?}"),
    }
}

/// The ratio of a case that names hypotheses and model.
fn llr(id: &str) -> f64 {
    let input = &golden(id)["input"];
    sprt(number(&input["elo0"]), number(&input["elo1"]), model(&input["model"])).llr(&counts(input))
}

#[test]
fn ratios_agree_with_fishtest_and_fastchess() {
    for id in [
        "sprt-normalized-trinomial-1",
        "sprt-normalized-trinomial-2",
        "sprt-logistic-trinomial-1",
        "sprt-logistic-trinomial-2",
        "sprt-normalized-pentanomial-1",
        "sprt-normalized-pentanomial-3",
        "sprt-logistic-pentanomial-1",
    ] {
        let case = golden(id);
        near(
            llr(id),
            number(&case["expected"]["llr_fishtest"]),
            number(&case["tol"]["llr_fishtest"]),
        );
        near(
            llr(id),
            number(&case["expected"]["llr_fastchess"]),
            number(&case["tol"]["llr_fastchess"]),
        );
    }
}

#[test]
fn ratios_agree_with_the_published_example() {
    for row in [1, 3, 4, 6] {
        let id = format!("sprt-vdbergh-example1.6-row{row}");
        let case = golden(&id);
        near(
            llr(&id),
            number(&case["expected"]["exact"]),
            number(&case["tol"]["abs"]),
        );
    }
}

#[test]
fn both_models_agree_with_a_running_fishtest() {
    let case = golden("sprt-penta-5variants");
    let counts = counts(&case["input"]);
    let test = |elo1: &str, model| sprt(0.0, number(&case["input"][elo1]), model).llr(&counts);
    near(
        test("lelo1", Model::Logistic),
        number(&case["expected"]["logistic_exact"]),
        1e-6,
    );
    near(
        test("nelo1", Model::Normalized),
        number(&case["expected"]["normalized_exact"]),
        1e-6,
    );
}

#[test]
fn the_ratio_of_pairs_agrees_with_openbench() {
    let case = golden("sprt-openbench-main");
    let found = sprt(0.5, 2.5, Model::Normalized).llr(&counts(&case["input"]));
    near(found, number(&case["expected"]["pentanomial_normalized"]), 1e-6);
}

#[test]
fn ten_wins_have_a_ratio() {
    let case = golden("deg-sprt-allwins");
    let counts = counts(&case["input"]);
    near(
        sprt(0.0, 5.0, Model::Logistic).llr(&counts),
        number(&case["expected"]["fishtest_logistic"]),
        1e-6,
    );
    near(
        sprt(0.0, 5.0, Model::Normalized).llr(&counts),
        number(&case["expected"]["normalized"]),
        1e-5,
    );
}

#[test]
fn bounds_agree_with_fastchess() {
    let case = golden("sprt-bounds-asymmetric");
    let (alpha, beta) = (number(&case["input"]["alpha"]), number(&case["input"]["beta"]));
    let (lower, upper) = Sprt::new(0.0, 5.0, alpha, beta, Model::Normalized).unwrap().bounds();
    near(lower, number(&case["expected"]["lower"]), 1e-9);
    near(upper, number(&case["expected"]["upper"]), 1e-9);
}

#[test]
fn no_test_is_made_of_what_is_none() {
    for (elo0, elo1, alpha, beta, expected) in [
        (
            f64::NAN,
            5.0,
            0.05,
            0.05,
            "hypothesis of NaN Elo: expected a number from -2000 to 2000",
        ),
        (
            0.0,
            1e9,
            0.05,
            0.05,
            "hypothesis of 1000000000 Elo: expected a number from -2000 to 2000",
        ),
        (
            5.0,
            0.0,
            0.05,
            0.05,
            "hypotheses of 5 and 0 Elo: expected elo0 below elo1, by 0.01 or more",
        ),
        (
            5.0,
            5.0 + 1e-9,
            0.05,
            0.05,
            "hypotheses of 5 and 5.000000001 Elo: expected elo0 below elo1, by 0.01 or more",
        ),
        (
            0.0,
            5.0,
            0.0,
            0.05,
            "alpha of 0: expected an error rate above 0 and below 0.5, such as 0.05",
        ),
        (
            0.0,
            5.0,
            0.05,
            0.5,
            "beta of 0.5: expected an error rate above 0 and below 0.5, such as 0.05",
        ),
    ] {
        let error = Sprt::new(elo0, elo1, alpha, beta, Model::Normalized).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
}

/// Hypotheses as people put them, and far beyond.
const HYPOTHESES: [(f64, f64); 6] = [
    (0.0, 5.0),
    (-3.0, 1.0),
    (0.0, 100.0),
    (-1500.0, -500.0),
    (500.0, 1500.0),
    (-ELO_MAX, ELO_MAX),
];

/// fastchess issue 879: the ratio was no number, and the test never ended.
#[test]
fn a_lost_test_with_far_hypotheses_is_decided() {
    for model in [Model::Normalized, Model::Logistic] {
        let test = sprt(-1500.0, -500.0, model);
        let counts = Counts::Pairs([144, 3, 1, 0, 0]);
        assert!(test.llr(&counts).is_finite());
        assert_ne!(test.decide(&counts), Verdict::GoOn, "{model:?}");
    }
}

/// fastchess issue 877: the solver did not return when all matches were lost.
#[test]
fn every_small_table_has_a_finite_ratio_that_swaps_with_the_bots() {
    let one_sided = [[20, 0, 0, 0, 0], [0, 0, 20, 0, 0], [0, 0, 0, 0, 20]].map(Counts::Pairs);
    for counts in tables(3, 12).into_iter().chain(tables(5, 6)).chain(one_sided) {
        for (elo0, elo1) in HYPOTHESES {
            for model in [Model::Normalized, Model::Logistic] {
                let found = sprt(elo0, elo1, model).llr(&counts);
                assert!(found.is_finite(), "{counts:?} {elo0} {elo1} {model:?}: {found}");
                let mirrored = sprt(-elo1, -elo0, model).llr(&counts.swapped());
                assert!(
                    (found + mirrored).abs() <= 1e-6 * (1.0 + found.abs()),
                    "{counts:?} {elo0} {elo1} {model:?}: {found} {mirrored}"
                );
            }
        }
    }
}

#[test]
fn every_small_table_has_a_finite_estimate_and_forecast_or_none() {
    for counts in tables(3, 12).into_iter().chain(tables(5, 8)) {
        let differ = counts.half_points().iter().filter(|&&n| n > 0).count() > 1;
        for (elo0, elo1) in [(0.0, 0.01), (0.0, 5.0), (0.0, 100.0), (-1500.0, -500.0)] {
            for model in [Model::Normalized, Model::Logistic] {
                let test = sprt(elo0, elo1, model);
                let (estimate, forecast) = (test.estimate(&counts, CONFIDENCE), test.forecast_from(&counts));
                assert_eq!((estimate.is_some(), forecast.is_some()), (differ, differ), "{counts:?}");
                let (Some(estimate), Some(forecast)) = (estimate, forecast) else {
                    continue;
                };
                let ends = [estimate.low, estimate.elo, estimate.high];
                let known: Vec<f64> = ends.into_iter().flatten().collect();
                assert!(
                    known.is_sorted_by(|a, b| a < b),
                    "{counts:?} {elo0} {elo1} {model:?}: {ends:?}"
                );
                assert!(known.iter().all(|elo| elo.abs() <= ELO_RANGE) && (0.0..=1.0).contains(&estimate.los));
                assert!(
                    forecast.units.is_finite() && (0.0..=1.0).contains(&forecast.accept_h1),
                    "{counts:?}: {forecast:?}"
                );
            }
        }
    }
}

#[test]
fn estimates_after_a_test_agree_with_fishtest() {
    for id in ["sprt-elo-estimate-1", "sprt-elo-estimate-2", "sprt-elo-estimate-4"] {
        let case = golden(id);
        let (input, expected) = (&case["input"], &case["expected"]);
        let test = sprt(
            number(&input["elo0"]),
            number(&input["elo1"]),
            model(&input["elo_model"]),
        );
        let found = test.estimate(&counts(input), 0.95).expect("the scores differ");
        near(found.elo.unwrap(), number(&expected["elo"]), 1e-4);
        near(found.low.unwrap(), number(&expected["ci"][0]), 1e-4);
        near(found.high.unwrap(), number(&expected["ci"][1]), 1e-4);
        near(found.los, number(&expected["LOS"]), 1e-4);
    }
}

#[test]
fn plans_of_tests_agree_with_fishtest() {
    let case = golden("sprt-planning");
    let rows = case["expected"].as_array().expect("a list");
    assert!(!rows.is_empty());
    for row in rows {
        let at = |key: &str| number(&row[key]);
        let test = Sprt::new(at("elo0"), at("elo1"), at("alpha"), at("beta"), model(&row["model"])).unwrap();
        // fishtest plans with the variance between equals, and takes from it what pairs of unfair openings cancel.
        let variance = (1.0 - at("draw_ratio")) / 4.0 - (expected_score(at("rms_bias")) - 0.5).powi(2);
        let mean = expected_score(at("elo_logistic"));
        let found = test.forecast(
            &Moments {
                mean,
                variance,
                unit: Unit::Match,
            },
            0.0,
        );
        // Halfway between the hypotheses fishtest takes differences of nearly equal numbers, and loses some digits.
        near(found.accept_h1 / at("pass_prob"), 1.0, 1e-9);
        near(found.units / at("expected_games"), 1.0, 1e-8);
    }
}

#[test]
fn plans_of_fixed_length_agree_with_r() {
    let case = golden("fixed-n-planning");
    for (nelo, key) in [(5.0, "nelo5"), (20.0, "nelo20")] {
        let expected = number(&case["expected"][key]);
        near(matches_needed(nelo, 0.8, 0.05) / expected, 1.0, 1e-9);
        near(matches_needed(-nelo, 0.8, 0.05) / expected, 1.0, 1e-9);
        near(power(nelo, expected, 0.05), 0.8, 1e-9);
    }
}

#[test]
fn holm_agrees_with_r() {
    let case = golden("p-adjust");
    let list = |value: &Value| -> Vec<f64> { value.as_array().expect("a list").iter().map(number).collect() };
    let (p_values, expected) = (list(&case["input"]["p"]), list(&case["expected"]["holm"]));
    for (found, expected) in holm(&p_values).into_iter().zip(&expected) {
        near(found, *expected, 1e-9);
    }
    let reversed: Vec<f64> = p_values.into_iter().rev().collect();
    for (found, expected) in holm(&reversed).into_iter().zip(expected.into_iter().rev()) {
        near(found, expected, 1e-9);
    }
}

#[test]
fn the_confidence_sequence_agrees_with_confseq() {
    let case = golden("confseq-mixed-scores");
    let block: Vec<f64> = case["input"]["x_block"]
        .as_array()
        .expect("a list")
        .iter()
        .map(number)
        .collect();
    let expected = &case["expected"]["predmix_empbern_twosided"];
    let mut sequence = AnytimeInterval::new(0.95);
    let mut checked = 0;
    for score in block.iter().cycle().take(200) {
        sequence.add(*score);
        let times = case["input"]["t"].as_array().expect("a list");
        if let Some(at) = times.iter().position(|t| t.as_u64() == Some(sequence.scores())) {
            let (low, high) = sequence.interval();
            near(low, number(&expected["lower"][at]), 1e-9);
            near(high, number(&expected["upper"][at]), 1e-9);
            checked += 1;
        }
    }
    assert_eq!(checked, 4);
}

#[test]
fn the_confidence_sequence_is_bounded_and_has_some_width_whatever_comes() {
    for score in [0.0, 0.5, 1.0] {
        let mut sequence = AnytimeInterval::new(0.95);
        assert_eq!((sequence.interval(), sequence.mean()), ((0.0, 1.0), None));
        for _ in 0..10_000 {
            sequence.add(score);
            let (low, high) = sequence.interval();
            assert!(
                0.0 <= low && low < high && high <= 1.0 && low <= score && score <= high,
                "{sequence:?}"
            );
        }
    }
}

/// Reproducible draws.
struct Draws(ChaCha8Rng);

impl Draws {
    fn new(seed: u64) -> Draws {
        Draws(ChaCha8Rng::seed_from_u64(seed))
    }

    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A match between bots whose scores are `score` on average, a share `draws` of the matches being ties.
    fn scored(&mut self, score: f64, draws: f64) -> Scored {
        let drawn = self.uniform();
        if drawn < draws {
            Scored::Draw
        } else if drawn < score + draws / 2.0 {
            Scored::Win
        } else {
            Scored::Loss
        }
    }

    /// A pair from an opening that favours one seat by up to `unfair` of the score.
    fn pair(&mut self, score: f64, draws: f64, unfair: f64) -> (Scored, Scored) {
        let favour = unfair * (2.0 * self.uniform() - 1.0);
        (self.scored(score + favour, draws), self.scored(score - favour, draws))
    }
}

fn slow_tests_wanted() -> bool {
    std::env::var_os("ARENA_SLOW_TESTS").is_some()
}

/// How many simulations, in a run of all tests and when slow ones are wanted.
fn times(usual: u64, slow: u64) -> u64 {
    if slow_tests_wanted() { slow } else { usual }
}

/// The share of tests that accept H1, and how many pairs they take, where matches score `score`.
fn accepted(test: &Sprt, score: f64, draws: f64, times: u64) -> (f64, f64) {
    let (mut accepted, mut played) = (0, 0);
    for seed in 0..times {
        let mut law = Draws::new(seed);
        let mut pairs = Pairs::default();
        let verdict = loop {
            let (one, other) = law.pair(score, draws, 0.1);
            pairs.add(one, other);
            match test.decide(&pairs.counts()) {
                Verdict::GoOn => {}
                verdict => break verdict,
            }
        };
        accepted += u64::from(verdict == Verdict::AcceptH1);
        played += pairs.counts().total();
    }
    (accepted as f64 / times as f64, played as f64 / times as f64)
}

/// The mean score whose normalized Elo in matches of [`Draws::pair`] is `nelo`.
fn score_of_nelo(nelo: f64, draws: f64) -> f64 {
    // The variance of a pair's half-points over their number is that of the matches, less what the opening moves against
    // each other: 0.1 squared over 3, for matches whose chance is drawn evenly from 0.1 below to 0.1 above.
    let unfair = 0.1_f64.powi(2) / 3.0;
    let mut score = 0.5;
    for _ in 0..50 {
        let variance = score * (1.0 - score) - draws / 4.0 - unfair;
        score = 0.5 + nelo / NELO_PER_DEVIATION * variance.sqrt();
    }
    score
}

#[test]
fn a_test_errs_no_more_often_than_it_says() {
    let test = sprt(0.0, 60.0, Model::Normalized);
    let times = times(150, 4_000);
    // Three standard errors of a share of 0.05.
    let allowed = 0.05 + 3.0 * (0.05 * 0.95 / times as f64).sqrt();
    for draws in [0.0, 0.3, 0.6] {
        for (nelo, wrong) in [(0.0, Verdict::AcceptH1), (60.0, Verdict::AcceptH0)] {
            let (accepted, pairs) = accepted(&test, score_of_nelo(nelo, draws), draws, times);
            let errors = if wrong == Verdict::AcceptH1 {
                accepted
            } else {
                1.0 - accepted
            };
            println!(
                "nelo {nelo}, {draws} drawn: {:.2} % errors, {pairs:.0} pairs on average",
                100.0 * errors
            );
            assert!(errors <= allowed, "nelo {nelo}, {draws} drawn: {errors}");
            assert!(pairs > 30.0, "the bounds are met at once: {pairs}");
        }
    }
}

#[test]
fn looking_after_every_match_does_not_raise_the_false_alarms_of_a_confidence_sequence() {
    let times = times(100, 2_000);
    for draws in [0.0, 0.3, 0.8] {
        let mut alarms = 0;
        let mut plain_alarms = 0;
        for seed in 0..times {
            let mut law = Draws::new(seed);
            let mut sequence = AnytimeInterval::new(0.95);
            let mut counts = [0_u64; 3];
            let (mut alarm, mut plain_alarm) = (false, false);
            for _ in 0..1_000 {
                let scored = law.scored(0.5, draws) as usize;
                counts[scored] += 1;
                sequence.add(scored as f64 / 2.0);
                let (low, high) = sequence.interval();
                alarm |= low > 0.5 || high < 0.5;
                let plain = Counts::Matches(counts).interval(0.95).unwrap();
                plain_alarm |= sequence.scores() >= 20 && (plain.low > 0.5 || plain.high < 0.5);
            }
            alarms += u64::from(alarm);
            plain_alarms += u64::from(plain_alarm);
        }
        let [share, plain] = [alarms, plain_alarms].map(|number| number as f64 / times as f64);
        println!(
            "{draws} drawn: {:.2} % false alarms, {:.1} % by the interval of fixed length",
            100.0 * share,
            100.0 * plain
        );
        assert!(share <= 0.05, "{draws} drawn: {share}");
        assert!(
            plain > 0.15,
            "{draws} drawn: an interval of fixed length should not stand looking: {plain}"
        );
    }
}

#[test]
fn the_estimate_after_a_test_is_above_the_truth_as_often_as_below() {
    if !slow_tests_wanted() {
        return;
    }
    let test = sprt(0.0, 60.0, Model::Logistic);
    for truth in [0.0, 30.0, 60.0] {
        let times = 2_000;
        let (mut above, mut held, mut plain_sum) = (0, 0, 0.0);
        for seed in 0..times {
            let mut law = Draws::new(seed);
            let mut pairs = Pairs::default();
            while test.decide(&pairs.counts()) == Verdict::GoOn {
                let (one, other) = law.pair(expected_score(truth), 0.3, 0.1);
                pairs.add(one, other);
            }
            let found = test.estimate(&pairs.counts(), 0.95).expect("the scores differ");
            above += u64::from(found.elo.is_none_or(|elo| elo > truth));
            held += u64::from(found.low.is_none_or(|low| low <= truth) && found.high.is_none_or(|high| truth <= high));
            plain_sum += elo_of_score(pairs.counts().moments().unwrap().mean);
        }
        let [above, held] = [above, held].map(|number| 100.0 * number as f64 / times as f64);
        println!(
            "truth {truth}: {above:.1} % above, {held:.1} % of intervals hold, plain mean {:.1}",
            plain_sum / times as f64
        );
        assert!(
            (42.0..58.0).contains(&above),
            "truth {truth}: {above} % of estimates are above"
        );
        assert!(held >= 92.0, "truth {truth}: {held} % of intervals hold it");
    }
}
