//! How often intervals hold the truth, found by playing tournaments whose truth is known. Slow.
//!
//! The truth of a rating is what an endless tournament would give. That is not quite what results are drawn from: where
//! openings favour seats differently, scores lie closer to even than those of fair openings, and so do ratings.

use std::ops::RangeInclusive;

use super::*;
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, expected_score, normal_quantile};

const PAGE: &str = include_str!("../../../STATISTICS.md");

/// What results are drawn from.
const STRENGTHS: [f64; 8] = [-220.0, -150.0, -80.0, -20.0, 30.0, 90.0, 140.0, 210.0];

/// Of what the weaker side can expect, the share that comes from ties.
const TIED: f64 = 1.0 / 3.0;

/// What the first seat is worth over all openings.
const FIRST_SEAT: f64 = 35.0;

/// A match between two whose expected score is given: win, tie or loss of the first, `tied` of what the weaker one can
/// expect coming from ties.
fn result(draws: &mut Draws, expected: f64, tied: f64) -> [u8; 2] {
    let tie = 2.0 * tied * expected.min(1.0 - expected);
    match draws.uniform() {
        drawn if drawn < tie => DRAW,
        drawn if drawn < expected + tie / 2.0 => WIN,
        _ => LOSS,
    }
}

/// A pair of matches with an opening that favours the first seat by so much.
fn pair(draws: &mut Draws, number: u64, [bot, other]: [usize; 2], difference: f64, favour: f64) -> [MatchScore; 2] {
    [([bot, other], difference), ([other, bot], -difference)].map(|(seats, difference)| {
        let places = result(draws, expected_score(difference + favour), TIED);
        played(number, &seats, &places)
    })
}

/// Every two bots play so many pairs, each from an opening of its own; what it gives to a seat has the standard deviation
/// `opening`.
fn two_seats(draws: &mut Draws, rounds: u64, opening: f64) -> Vec<MatchScore> {
    let mut matches = Vec::new();
    for _ in 0..rounds {
        for (bot, strength) in STRENGTHS.iter().enumerate() {
            for (other, other_strength) in STRENGTHS[..bot].iter().enumerate() {
                let favour = FIRST_SEAT + opening * draws.normals()[0];
                let difference = strength - other_strength;
                let number = matches.len() as u64;
                matches.extend(pair(draws, number, [bot, other], difference, favour));
            }
        }
    }
    matches
}

/// Rotations of four seats among bots drawn at random; each place goes to the best of those left, by strength with
/// Gumbel noise, under which every pair is logistic.
fn four_seats(draws: &mut Draws, rotations: u64) -> Vec<MatchScore> {
    let mut matches = Vec::new();
    for rotation in 0..rotations {
        let mut bots: Vec<(f64, usize)> = (0..STRENGTHS.len()).map(|bot| (draws.uniform(), bot)).collect();
        bots.sort_by(|a, b| a.0.total_cmp(&b.0));
        for turn in 0..4 {
            let seats: Vec<usize> = (0..4).map(|seat| bots[(seat + turn) % 4].1).collect();
            let form: Vec<f64> = seats
                .iter()
                .map(|&bot| STRENGTHS[bot] / ELO_PER_LOGIT - draws.exponential().ln())
                .collect();
            let places: Vec<u8> = form
                .iter()
                .map(|own| 1 + form.iter().filter(|other| *other > own).count() as u8)
                .collect();
            matches.push(played(rotation, &seats, &places));
        }
    }
    matches
}

/// The fit of everybody, or none where some cannot be rated together with the others.
fn fit_of_all(matches: &[MatchScore]) -> Option<ml::Fit> {
    let tally = tally(STRENGTHS.len(), matches);
    let everybody: Vec<usize> = (0..STRENGTHS.len()).collect();
    let together = headtohead::rated_together(STRENGTHS.len(), &tally.rotations().rows());
    (together == [everybody.clone()]).then(|| ml::fit(&tally, &everybody, &Settings::default()))
}

/// How often intervals should hold the truth, in percent.
const USUAL: RangeInclusive<f64> = 93.0..=97.5;

/// How often intervals held the truth, in percent, and half their width on average.
struct Coverage {
    held: f64,
    width: f64,
}

/// Of the intervals of all bots' ratings, when the tournament is played `times` over.
fn coverage(truth: &[f64], times: u64, matches: impl Fn(&mut Draws) -> Vec<MatchScore>) -> Coverage {
    let (mut held, mut asked, mut width) = (0_u64, 0_u64, 0.0);
    let (mut errors, mut squares) = (0.0, 0.0);
    for seed in 0..times {
        // A tournament that gives no number to somebody says nothing about intervals.
        let Some(fit) = fit_of_all(&matches(&mut Draws::new(seed))) else {
            continue;
        };
        for (member, truth) in truth.iter().enumerate() {
            let rating = fit.rating(member);
            asked += 1;
            held += u64::from((rating.value - truth).abs() <= rating.margin);
            width += rating.margin;
            errors += rating.error;
            squares += (rating.value - truth).powi(2);
        }
    }
    let number = asked as f64;
    println!(
        "error {:.1}, scatter of ratings {:.1}",
        errors / number,
        (squares / number).sqrt()
    );
    assert!(
        2 * asked > times * truth.len() as u64,
        "most tournaments could not be rated"
    );
    Coverage {
        held: 100.0 * held as f64 / asked as f64,
        width: width / asked as f64,
    }
}

/// The expected score of the first bot over all openings.
fn score_over_openings(difference: f64, opening: f64) -> f64 {
    let steps = (-400..=400).map(|step| f64::from(step) / 50.0);
    let density = |z: f64| (-z * z / 2.0).exp();
    let sum: f64 = steps
        .clone()
        .map(|z| density(z) * expected_score(difference + opening * z))
        .sum();
    sum / steps.map(density).sum::<f64>()
}

/// What ratings of an endless tournament of two seats would be: those of one in which everybody scores what is expected.
fn endless(opening: f64) -> Vec<f64> {
    const MATCHES: u64 = 1_000;
    let mut matches = Vec::new();
    for (bot, strength) in STRENGTHS.iter().enumerate() {
        for (other, other_strength) in STRENGTHS.iter().enumerate().filter(|&(other, _)| other != bot) {
            let expected = score_over_openings(strength - other_strength + FIRST_SEAT, opening);
            let won = (expected * MATCHES as f64).round() as u64;
            for number in 0..MATCHES {
                let places = if number < won { WIN } else { LOSS };
                matches.push(played(matches.len() as u64, &[bot, other], &places));
            }
        }
    }
    let fit = fit_of_all(&matches).expect("everybody has won and lost");
    (0..STRENGTHS.len()).map(|member| fit.rating(member).value).collect()
}

#[test]
fn intervals_of_ratings_hold_the_truth_about_as_often_as_they_say() {
    if !slow_tests_wanted() {
        return;
    }
    let mut wrong = Vec::new();
    let mut check = |what: &str, found: Coverage| {
        let line = format!("| {what} | {:.1} % | ±{:.0} |", found.held, found.width);
        println!("{line}");
        if !USUAL.contains(&found.held) {
            wrong.push(format!("outside {USUAL:?}: {line}"));
        }
        if !PAGE.contains(&line) {
            wrong.push(format!("not on the page: {line}"));
        }
    };
    for (openings, sd) in [("fair openings", 0.0), ("unfair openings", 200.0)] {
        let truth = endless(sd);
        println!("truth with {openings}: {truth:.1?}");
        for (rounds, times) in [(1, 600), (3, 600), (10, 400)] {
            let what = format!("8 bots, {} matches each, {openings}", 14 * rounds);
            check(&what, coverage(&truth, times, |draws| two_seats(draws, rounds, sd)));
        }
    }
    for (rotations, times) in [(15, 600), (75, 400)] {
        let what = format!("8 bots, {} matches of four", 4 * rotations);
        check(&what, coverage(&STRENGTHS, times, |draws| four_seats(draws, rotations)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Of the interval of one bot's score against another.
fn head_to_head_coverage(truth: f64, matches: impl Fn(&mut Draws) -> Vec<MatchScore>) -> Coverage {
    const TIMES: u64 = 3_000;
    let (mut held, mut width) = (0_u64, 0.0);
    for seed in 0..TIMES {
        let table = head_to_head(&tally(2, &matches(&mut Draws::new(seed))));
        let score = table.get(0, 1).expect("they met").score;
        held += u64::from((score.low..=score.high).contains(&truth));
        width += 50.0 * (score.high - score.low);
    }
    Coverage {
        held: 100.0 * held as f64 / TIMES as f64,
        width: width / TIMES as f64,
    }
}

#[test]
fn intervals_of_head_to_head_scores_hold_the_truth_about_as_often_as_they_say() {
    if !slow_tests_wanted() {
        return;
    }
    let mut wrong = Vec::new();
    let mut check = |what: String, held: Vec<Coverage>| {
        let least = held.iter().map(|found| found.held).fold(f64::INFINITY, f64::min);
        let most = held.iter().map(|found| found.held).fold(0.0, f64::max);
        let width = held.iter().map(|found| found.width).sum::<f64>() / held.len() as f64;
        let line = format!("| {what} | {least:.1} % to {most:.1} % | ±{width:.0} % |");
        println!("{line}");
        for found in &held {
            println!("    {:.1} %, ±{:.1} %", found.held, found.width);
        }
        if least < 93.0 || most > 99.5 {
            wrong.push(format!("outside 93 % to 99.5 %: {line}"));
        }
        if !PAGE.contains(&line) {
            wrong.push(format!("not on the page: {line}"));
        }
    };
    const DIFFERENCES: [f64; 3] = [0.0, 100.0, 250.0];
    for number in [20, 100, 400] {
        let cells = DIFFERENCES
            .into_iter()
            .flat_map(|difference| [0.0, TIED].map(|tied| (difference, tied)));
        let held = cells.map(|(difference, tied)| {
            let expected = expected_score(difference);
            head_to_head_coverage(expected, |draws| {
                (0..number)
                    .map(|id| played(id, &[0, 1], &result(draws, expected, tied)))
                    .collect()
            })
        });
        check(format!("one against one, {number} matches"), held.collect());
    }
    for number in [10, 50, 200] {
        let cells = DIFFERENCES
            .into_iter()
            .flat_map(|difference| [0.0, 200.0].map(|opening| (difference, opening)));
        let held = cells.map(|(difference, opening)| {
            head_to_head_coverage(score_over_openings(difference, opening), |draws| {
                let pairs = (0..number).flat_map(|id| {
                    let favour = opening * draws.normals()[0];
                    pair(draws, id, [0, 1], difference, favour)
                });
                pairs.collect()
            })
        });
        check(format!("one against one, {number} pairs"), held.collect());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn residuals_beyond_two_errors_are_about_as_rare_as_the_normal_law_says() {
    if !slow_tests_wanted() {
        return;
    }
    let within = |matches: &dyn Fn(&mut Draws) -> Vec<MatchScore>| {
        let (mut within, mut asked) = (0_u64, 0_u64);
        for seed in 0..150 {
            let pairs = rated_pairs(&tally(STRENGTHS.len(), &matches(&mut Draws::new(seed))));
            let residuals = pairs.into_iter().flatten().filter_map(|pair| pair?.residual?.z);
            for z in residuals.filter(|z| *z > 0.0) {
                asked += 1;
                within += u64::from(z < normal_quantile(CONFIDENCE));
            }
        }
        100.0 * within as f64 / asked as f64
    };
    for (what, found) in [
        ("140 matches each", within(&|draws| two_seats(draws, 10, 0.0))),
        (
            "140 matches each, unfair openings",
            within(&|draws| two_seats(draws, 10, 200.0)),
        ),
        ("300 matches of four", within(&|draws| four_seats(draws, 75))),
    ] {
        println!("residuals within two errors, {what}: {found:.1} %");
        assert!(USUAL.contains(&found), "{what}: {found}");
    }
}
