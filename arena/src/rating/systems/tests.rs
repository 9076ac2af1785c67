//! Published numbers first, then results that leave something open, then properties.

use proptest::prelude::*;
use serde_json::Value;
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skillratings::weng_lin::WengLinRating;

use super::likelihood::{Layout, Likelihood, Top};
use super::pairwise::{Model, Ties};
use super::payoff::Ahead;
use super::rao_kupper::Threshold;
use super::results::Results;
use super::*;
use crate::rating::tests::{DRAW, LOSS, WIN, from_counts, from_places, near, number, numbers, played};
use crate::stats::ELO_PER_LOGIT;

const S4: &str = include_str!("../testdata/s4.csv");
const M20: &str = include_str!("../testdata/m20.csv");
const PLACE6: &str = include_str!("../testdata/place6.csv");

fn golden(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("testdata/golden.json")).expect("the file is JSON");
    all[id]["expected"].clone()
}

fn rated_by(system: &str, settings: Settings, bots: usize, matches: &[MatchScore]) -> Report {
    let info = SYSTEMS.into_iter().find(|info| info.name == system).expect("a system");
    let mut system = (info.start)(bots, &settings);
    matches.iter().for_each(|score| system.add(score));
    system.report()
}

fn without_seats() -> Settings {
    Settings {
        seat_term: false,
        ..Settings::default()
    }
}

fn with_prior(prior: f64) -> Settings {
    Settings {
        prior,
        ..without_seats()
    }
}

/// By bot, the column of that name; absent for those without.
fn column(report: &Report, key: &str, bots: usize) -> Vec<Option<f64>> {
    let index = report
        .columns
        .iter()
        .position(|column| column.key == key)
        .expect("a column");
    let mut values = vec![None; bots];
    for rated in report.groups.iter().flat_map(|group| &group.bots) {
        values[rated.bot] = Some(rated.values[index]);
    }
    values
}

fn parameter<'a>(group: &'a Group, key: &str) -> &'a Parameter {
    let found = group.parameters.iter().find(|parameter| parameter.key == key);
    found.unwrap_or_else(|| panic!("no {key}: {group:?}"))
}

/// Compares a column, divided by `scale`, with published numbers.
fn check_column(report: &Report, key: &str, scale: f64, expected: &Value, tolerance: f64) {
    let expected = numbers(expected);
    for (found, expected) in column(report, key, expected.len()).into_iter().zip(expected) {
        near(found.expect("a number") / scale, expected, tolerance);
    }
}

fn check_davidson(id: &str, seat_term: bool, matches: &[MatchScore]) {
    let expected = golden(id);
    let settings = Settings {
        seat_term,
        ..Settings::default()
    };
    let report = rated_by("davidson", settings, numbers(&expected["elo_mean0"]).len(), matches);
    let group = &report.groups[0];
    let scale = parameter(group, "scale").value;
    check_column(&report, "rating", scale, &expected["elo_mean0"], 1e-4);
    check_column(&report, "error", scale, &expected["sd_mean0"], 1e-3);
    let nu = parameter(group, "nu");
    near(nu.value, number(&expected["nu"]), 1e-7);
    near(
        parameter(group, "log_likelihood").value,
        number(&expected["loglik"]),
        1e-5,
    );
    if let Some(error) = expected.get("log_nu_sd") {
        near(nu.error.expect("it was fitted") / nu.value, number(error), 1e-6);
        near(scale, number(&expected["display_scale_2_over_2plus_nu"]), 1e-8);
    }
    if let Some(advantage) = expected.get("adv") {
        near(parameter(group, "first_seat").value / scale, number(advantage), 1e-4);
    }
}

#[test]
fn davidson_agrees_with_r_plackettluce() {
    check_davidson("davidson-s4", false, &from_counts(S4));
}

#[test]
fn davidson_with_a_seat_term_agrees_with_an_independent_fit() {
    check_davidson("davidson-adv-s4", true, &from_counts(S4));
    let h2h = from_counts(include_str!("testdata/h2h_wdl.csv"));
    check_davidson("davidson-adv-h2h_wdl", true, &h2h);
}

#[test]
fn rao_kupper_agrees_with_bayeselo_without_prior() {
    for (id, data) in [("bayeselo-ml-s4", S4), ("bayeselo-ml-m20", M20)] {
        let expected = golden(id);
        let bots = numbers(&expected["elo"]).len();
        let report = rated_by("rao-kupper", Settings::default(), bots, &from_counts(data));
        let group = &report.groups[0];
        let scale = parameter(group, "scale").value;
        near(scale, number(&expected["scale"]), 1e-6);
        check_column(&report, "rating", scale, &expected["elo"], 1e-3);
        near(
            parameter(group, "first_seat").value / scale,
            number(&expected["adv"]),
            1e-3,
        );
        near(parameter(group, "draw_elo").value, number(&expected["drawelo"]), 1e-3);
        near(
            parameter(group, "log_likelihood").value,
            number(&expected["loglik"]),
            1e-5,
        );
    }
}

/// A likelihood whose last parameters are held.
struct Held<L> {
    free: L,
    last: Vec<f64>,
}

impl<L: Likelihood> Likelihood for Held<L> {
    fn value(&self, at: &[f64]) -> f64 {
        self.free.value(&[at, &self.last].concat())
    }

    fn add_slopes(&self, at: &[f64], gradient: &mut [f64], information: &mut [f64]) {
        let (all, size) = ([at, &self.last].concat(), at.len());
        let (mut first, mut second) = (vec![0.0; all.len()], vec![0.0; all.len() * all.len()]);
        self.free.add_slopes(&all, &mut first, &mut second);
        for i in 0..size {
            gradient[i] += first[i];
            for j in 0..=i {
                information[i * size + j] += second[i * all.len() + j];
            }
        }
    }
}

/// Rao-Kupper with invented draws, first seat and threshold (in Elo) held, of some of four bots: ratings about their
/// mean, with errors.
fn bayeselo(matches: &[MatchScore], bots: &[usize], prior: f64, seat: f64, threshold: f64) -> Vec<(f64, f64)> {
    let mut results = Results::new(4);
    matches.iter().for_each(|score| results.add(score));
    let meetings = rao_kupper::with_draws(results.meetings(), prior);
    let index = |bot| bots.binary_search(&bot).ok();
    let among: Vec<_> = meetings
        .into_iter()
        .filter_map(|(mut meeting, ends)| {
            (meeting.bot, meeting.opponent) = (index(meeting.bot)?, index(meeting.opponent)?);
            Some((meeting, ends))
        })
        .collect();
    let all = Layout {
        members: bots.len(),
        seats: 2,
        ties: 1,
    };
    let held = Held {
        free: Threshold.likelihood(pairwise::rows(all, &among), Ties::Fitted(all.tie(0))),
        last: vec![seat / ELO_PER_LOGIT, threshold / ELO_PER_LOGIT],
    };
    let free = Layout {
        seats: 1,
        ties: 0,
        ..all
    };
    let top: Top = free.maximise(&held, vec![0.0; free.size()]).expect("it has a top");
    let members: Vec<_> = (0..bots.len()).map(|member| free.bot(member)).collect();
    let in_elo = |(value, error): (f64, f64)| (value * ELO_PER_LOGIT, error * ELO_PER_LOGIT);
    top.about_mean(&members).into_iter().map(in_elo).collect()
}

#[test]
fn errors_and_virtual_draws_agree_with_bayeselo_where_it_holds_seat_and_threshold() {
    let default = golden("bayeselo-default-s4");
    let fitted = golden("bayeselo-ml-s4");
    let (seat, threshold) = (number(&fitted["adv"]), number(&fitted["drawelo"]));
    for (expected, prior, seat, threshold) in [(default, 2.0, 32.8, 97.3), (fitted, 0.0, seat, threshold)] {
        let found = bayeselo(&from_counts(S4), &[0, 1, 2, 3], prior, seat, threshold);
        let expected = numbers(&expected["elo"]).into_iter().zip(numbers(&expected["sd_cov"]));
        for ((value, error), (elo, sd)) in found.into_iter().zip(expected) {
            near(value, elo, 1e-3);
            near(error, sd, 1e-3);
        }
    }
}

#[test]
fn virtual_draws_spread_over_opponents_as_in_bayeselo_when_the_bots_fall_in_parts() {
    let expected = numbers(&golden("deg-pool-disconnected4")["bayeselo_prior2"]["elo"]);
    let matches = from_counts(include_str!("../testdata/disconnected4.csv"));
    for bots in [[0, 1], [2, 3]] {
        let found = bayeselo(&matches, &bots, 2.0, 0.0, 97.3);
        near(found[0].0 - found[1].0, expected[bots[0]] - expected[bots[1]], 1e-3);
    }
}

#[test]
fn rao_kupper_with_a_prior_rates_what_has_no_top_as_bayeselo_does() {
    for (id, data) in [
        ("deg-pool-allwins2", include_str!("../testdata/allwins2.csv")),
        ("deg-pool-onegame", include_str!("../testdata/onegame.csv")),
        ("deg-pool-alldraws2", include_str!("../testdata/alldraws2.csv")),
    ] {
        let report = rated_by("rao-kupper", with_prior(2.0), 2, &from_counts(data));
        let group = &report.groups[0];
        assert_eq!(group.remarks, [Remark::TiesAssumed], "{id}");
        let scale = parameter(group, "scale").value;
        let expected = &golden(id)["bayeselo_prior2"];
        near(scale, number(&expected["scale"]), 1e-6);
        check_column(&report, "rating", scale, &expected["elo"], 1e-3);
        check_column(&report, "error", scale, &expected["sd_cov"], 1e-3);
    }
}

fn check_places(id: &str, prior: f64) -> Report {
    let expected = golden(id);
    let report = rated_by("plackett-luce", with_prior(prior), 6, &from_places(PLACE6));
    check_column(&report, "log_worth", 1.0, &expected["logworth_mean0"], 1e-5);
    for (key, log) in ["delta_2", "delta_3"]
        .iter()
        .zip(numbers(&expected["log_delta2,log_delta3"]))
    {
        near(parameter(&report.groups[0], key).value.ln(), log, 1e-5);
    }
    let log_likelihood = parameter(&report.groups[0], "log_likelihood").value;
    near(log_likelihood, number(&expected["loglik"]), 1e-5);
    report
}

#[test]
fn plackett_luce_with_ties_agrees_with_r() {
    let report = check_places("pl-ties-place6-npseudo0", 0.0);
    let expected = golden("pl-ties-place6-npseudo0");
    check_column(&report, "error", 1.0, &expected["sd"], 1e-5);
    for (key, error) in ["delta_2", "delta_3"].iter().zip(numbers(&expected["sd_ties"])) {
        let delta = parameter(&report.groups[0], key);
        near(delta.error.expect("it was fitted") / delta.value, error, 1e-5);
    }
}

#[test]
fn plackett_luce_with_a_ghost_agrees_with_r() {
    check_places("pl-ties-place6-npseudo0.5", 0.5);
    let sweep: Vec<_> = (0..3).map(|rotation| played(rotation, &[0, 1], &WIN)).collect();
    let report = rated_by("plackett-luce", with_prior(0.5), 2, &sweep);
    let worths = column(&report, "log_worth", 2);
    let expected = number(&golden("deg-plackettluce-allwins")["npseudo0.5_logworth_b_minus_a"]);
    near(worths[1].expect("rated") - worths[0].expect("rated"), expected, 1e-6);
    let report = rated_by("plackett-luce", Settings::default(), 2, &sweep);
    assert_eq!(report.unrated, [(0, Unrated::OneSided), (1, Unrated::OneSided)]);
}

#[test]
fn plackett_luce_of_two_seats_is_davidson() {
    let one = rated_by("plackett-luce", without_seats(), 20, &from_counts(M20));
    let other = rated_by("davidson", without_seats(), 20, &from_counts(M20));
    for key in ["rating", "margin"] {
        for (one, other) in column(&one, key, 20).into_iter().zip(column(&other, key, 20)) {
            near(one.expect("rated"), other.expect("rated"), 1e-6);
        }
    }
}

#[test]
fn glicko2_agrees_with_the_example_of_its_paper() {
    let rated = |rating, deviation| Glicko2Rating {
        rating,
        deviation,
        volatility: 0.06,
    };
    let results = [
        (rated(1400.0, 30.0), Outcomes::WIN),
        (rated(1550.0, 100.0), Outcomes::LOSS),
        (rated(1700.0, 300.0), Outcomes::LOSS),
    ];
    let after = glicko2_rating_period(&rated(1500.0, 200.0), &results, &Glicko2Config::new());
    let expected = golden("glicko2-paper");
    near(after.rating, number(&expected["rating"]), 1e-6);
    near(after.deviation, number(&expected["rd"]), 1e-6);
    near(after.volatility, number(&expected["vol"]), 1e-9);
    // What the paper prints, which rounds on its way.
    near(after.rating, 1464.06, 0.01);
    near(after.deviation, 151.52, 0.01);
    near(after.volatility, 0.05999, 1e-5);
}

#[test]
fn a_glicko2_period_ends_with_a_rotation_once_bots_played_enough() {
    let pair = |rotation: u64| [[0, 1], [1, 0]].map(|bots| played(rotation, &bots, &WIN));
    let periods = |rotations: usize| {
        let matches: Vec<_> = (0..rotations as u64).flat_map(pair).collect();
        let report = rated_by("glicko2", Settings::default(), 2, &matches);
        parameter(&report.groups[0], "periods").value
    };
    let full = glicko2::PERIOD_MATCHES / 2;
    assert_eq!(
        [1, full, full + 1, 2 * full, 2 * full + 1].map(periods),
        [1.0, 1.0, 2.0, 2.0, 3.0]
    );
}

#[test]
fn weng_lin_agrees_with_openskill_and_without_drift_with_skillratings() {
    let check = |places: &[u8], tau: f64, expected: &Value| {
        let before = vec![WengLinRating::new(); places.len()];
        let after = weng_lin::update(&before, places, tau);
        for (after, expected) in after.iter().zip(expected.as_array().expect("a list")) {
            near(after.rating, number(&expected[0]), 1e-9);
            near(after.uncertainty, number(&expected[1]), 1e-9);
        }
    };
    for (id, places) in [
        ("wenglin-openskill-win", &WIN[..]),
        ("wenglin-openskill-draw", &DRAW),
        ("wenglin-openskill-ffa4_tie", &[1, 2, 2, 4]),
        ("wenglin-openskill-ffa4_all_tie", &[1, 1, 1, 1]),
    ] {
        check(places, weng_lin::TAU, &golden(id)["BradleyTerryFull"]);
    }
    let expected = golden("wenglin-skillratings");
    check(&WIN, 0.0, &expected["win"]);
    check(&[1, 2, 3, 4], 0.0, &expected["ffa4"]);
    check(&[1, 2, 2, 4], 0.0, &expected["ffa4_1224"]);
}

/// Three bots in a circle that is not even, and one that loses to all: chances to win.
const BIASED_CYCLE: [[f64; 4]; 4] = [
    [0.5, 0.8, 0.2, 0.9],
    [0.2, 0.5, 0.7, 0.9],
    [0.8, 0.3, 0.5, 0.9],
    [0.1, 0.1, 0.1, 0.5],
];

fn game<const N: usize>(rows: [[f64; N]; N], payoff: impl Fn(f64) -> f64) -> Ahead {
    rows.map(|row| row.map(&payoff).to_vec()).to_vec()
}

fn check_numbers(found: &[f64], expected: &Value, tolerance: f64) {
    for (found, expected) in found.iter().zip(numbers(expected)) {
        near(*found, expected, tolerance);
    }
}

#[test]
fn alpha_rank_agrees_with_openspiel() {
    let circle = game([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]], |lead| lead);
    check_numbers(
        &alpha_rank::masses(&circle, 100.0),
        &golden("alpharank-rps")["pi"],
        1e-9,
    );
    let biased = game(BIASED_CYCLE, |chance| chance - 0.5);
    let expected = golden("alpharank-biased-cycle");
    check_numbers(&alpha_rank::masses(&biased, 10.0), &expected["alpha10"], 1e-6);
    check_numbers(&alpha_rank::masses(&biased, 100.0), &expected["alpha100"], 1e-6);
    // Raised until nothing moves it stays where it is at 100.
    check_numbers(&alpha_rank::settled(&biased).1, &expected["alpha100"], 1e-6);
}

#[test]
fn nash_averaging_agrees_with_openspiel() {
    let expected = golden("nash-avg-biased-cycle");
    for (key, game) in [
        ("antisymmetrised_prob", game(BIASED_CYCLE, |chance| chance - 0.5)),
        ("logit", game(BIASED_CYCLE, |chance| (chance / (1.0 - chance)).ln())),
    ] {
        let weights = nash::mixture(&game).expect("it settles");
        check_numbers(&weights, &expected[key]["p"], 1e-6);
        check_numbers(&nash::values(&game, &weights), &expected[key]["value"], 1e-6);
    }
    let rows = [
        [0.0, 234.0, 34.0, -270.0],
        [-234.0, 0.0, -38.0, -464.0],
        [-34.0, 38.0, 0.0, -270.0],
        [270.0, 464.0, 270.0, 0.0],
    ];
    let weights = nash::mixture(&game(rows, |lead| lead)).expect("it settles");
    check_numbers(&weights, &golden("nash-avg-game0")["p"], 1e-6);
}

#[test]
fn copies_share_the_weight_of_one_in_the_mixture() {
    // Two rocks, a paper, a pair of scissors.
    let rows = [
        [0.0, 0.0, -1.0, 1.0],
        [0.0, 0.0, -1.0, 1.0],
        [1.0, 1.0, 0.0, -1.0],
        [-1.0, -1.0, 1.0, 0.0],
    ];
    let weights = nash::mixture(&game(rows, |lead| lead)).expect("it settles");
    for (weight, expected) in weights.iter().zip([1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0]) {
        near(*weight, expected, 1e-6);
    }
}

/// What a system says of all bots together: rated or why not.
fn whys(report: &Report, bots: usize) -> Vec<Option<Unrated>> {
    let mut whys = vec![None; bots];
    report.unrated.iter().for_each(|&(bot, why)| whys[bot] = Some(why));
    whys
}

#[test]
fn a_bot_that_did_not_play_has_no_number_in_any_system() {
    let matches = from_counts(include_str!("../testdata/nodraw3.csv"));
    for info in SYSTEMS {
        let report = rated_by(info.name, Settings::default(), 4, &matches);
        let expected = [None, None, None, Some(Unrated::NoMatches)];
        assert_eq!(whys(&report, 4), expected, "{}", info.name);
    }
}

#[test]
fn no_matches_rate_nobody_in_any_system() {
    for info in SYSTEMS {
        let report = rated_by(info.name, Settings::default(), 2, &[]);
        assert_eq!(whys(&report, 2), [Some(Unrated::NoMatches); 2], "{}", info.name);
        assert!(report.groups.is_empty(), "{}", info.name);
    }
}

#[test]
fn bots_in_parts_are_rated_part_by_part() {
    let matches = from_counts(include_str!("../testdata/disconnected4.csv"));
    for name in ["elo", "glicko2", "weng-lin", "davidson", "rao-kupper", "plackett-luce"] {
        let report = rated_by(name, Settings::default(), 4, &matches);
        assert_eq!(report.groups.len(), 2, "{name}");
        assert!(report.groups.iter().all(|group| group.bots.len() == 2), "{name}");
    }
    for name in ["alpha-rank", "nash"] {
        let report = rated_by(name, Settings::default(), 4, &matches);
        assert_eq!(whys(&report, 4), [Some(Unrated::NeverMet); 4], "{name}");
    }
}

#[test]
fn likelihoods_have_no_number_for_a_sweep_and_equal_ones_for_draws() {
    let sweep = from_counts(include_str!("../testdata/allwins2.csv"));
    let draws = from_counts(include_str!("../testdata/alldraws2.csv"));
    for name in ["davidson", "rao-kupper"] {
        let report = rated_by(name, Settings::default(), 2, &sweep);
        assert_eq!(whys(&report, 2), [Some(Unrated::OneSided); 2], "{name}");
        let report = rated_by(name, Settings::default(), 2, &draws);
        assert_eq!(
            report.groups[0].bots.iter().map(|bot| bot.rank).collect::<Vec<_>>(),
            [1, 1]
        );
        assert!(report.groups[0].remarks.contains(&Remark::TiesAssumed), "{name}");
        assert!(
            report.groups[0].bots[0].values[1] > 50.0,
            "{name}: draws leave something open"
        );
    }
    let report = rated_by("plackett-luce", Settings::default(), 2, &draws);
    assert_eq!(whys(&report, 2), [Some(Unrated::NoFit); 2]);
}

#[test]
fn wins_and_draws_without_a_loss_take_an_assumed_propensity_to_tie() {
    // Strength and propensity would run away together: the limit has wins and draws only.
    let matches: Vec<_> = (0..10)
        .map(|rotation| played(rotation, &[0, 1], if rotation < 5 { &WIN } else { &DRAW }))
        .collect();
    for name in ["davidson", "rao-kupper"] {
        let report = rated_by(name, without_seats(), 2, &matches);
        assert_eq!(report.groups[0].remarks, [Remark::TiesAssumed], "{name}");
        let rating = report.groups[0].bots[0].values[0];
        assert!(rating > 50.0 && rating < 200.0, "{name}: {rating}");
    }
}

#[test]
fn notes_fit_a_terminal_and_names_differ() {
    for info in SYSTEMS {
        for note in info.notes {
            assert!(note.chars().count() <= 80, "{}: {note}", info.name);
        }
        assert_eq!(SYSTEMS.iter().filter(|other| other.name == info.name).count(), 1);
    }
}

/// Bots of the small tables below.
const BOTS: usize = 4;

/// A few matches of two to `seats_max` of [`BOTS`] bots.
fn tables(seats_max: usize) -> impl Strategy<Value = Vec<MatchScore>> {
    let seating = Just([0, 1, 2, 3]).prop_shuffle();
    let one = (seating, 2..=seats_max, prop::array::uniform4(1..=4_u8));
    prop::collection::vec(one, 0..40).prop_map(|all| {
        let each = all.into_iter().enumerate();
        each.map(|(index, (bots, seats, places))| played(index as u64 / 2, &bots[..seats], &places[..seats]))
            .collect()
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    (any::<bool>(), any::<bool>()).prop_map(|(seat_term, prior)| Settings {
        seat_term,
        prior: f64::from(u8::from(prior)),
        ..Settings::default()
    })
}

fn all_numbers(report: &Report) -> impl Iterator<Item = f64> {
    let groups = report.groups.iter();
    groups.flat_map(|group| {
        let values = group.bots.iter().flat_map(|bot| bot.values.iter().copied());
        let parameters = group.parameters.iter();
        values.chain(parameters.flat_map(|parameter| [Some(parameter.value), parameter.error].into_iter().flatten()))
    })
}

proptest! {
    #[test]
    fn every_number_is_finite_and_every_bot_is_told_of_once(matches in tables(4), settings in settings()) {
        for info in SYSTEMS {
            let report = rated_by(info.name, settings, BOTS, &matches);
            prop_assert!(all_numbers(&report).all(f64::is_finite), "{}: {:?}", info.name, report);
            let rated = report.groups.iter().flat_map(|group| &group.bots).map(|rated| rated.bot);
            let mut told: Vec<usize> = rated.chain(report.unrated.iter().map(|&(bot, _)| bot)).collect();
            told.sort_unstable();
            prop_assert_eq!(told, [0, 1, 2, 3]);
        }
    }

    #[test]
    fn renaming_the_bots_renames_the_ratings(
        matches in tables(4),
        settings in settings(),
        names in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let renamed: Vec<MatchScore> = matches
            .iter()
            .map(|score| MatchScore {
                bots: score.bots.iter().map(|&bot| names[bot]).collect(),
                ..score.clone()
            })
            .collect();
        for info in SYSTEMS {
            let before = rated_by(info.name, settings, BOTS, &matches);
            let after = rated_by(info.name, settings, BOTS, &renamed);
            for column in before.columns {
                let after = self::column(&after, column.key, BOTS);
                for (bot, before) in self::column(&before, column.key, BOTS).into_iter().enumerate() {
                    let same = match (before, after[names[bot]]) {
                        (Some(before), Some(after)) => (before - after).abs() <= 1e-5 * (1.0 + before.abs()),
                        (before, after) => before.is_none() && after.is_none(),
                    };
                    prop_assert!(same, "{} {}: {before:?} {after:?}", info.name, column.key);
                }
            }
        }
    }

    #[test]
    fn turning_every_result_round_turns_the_ratings_round(matches in tables(2), settings in settings()) {
        let turned: Vec<MatchScore> = matches
            .iter()
            .map(|score| MatchScore {
                places: score.places.iter().map(|place| 5 - place).collect(),
                ..score.clone()
            })
            .collect();
        for (name, middle) in [
            ("elo", 1500.0),
            ("glicko2", 1500.0),
            ("weng-lin", 25.0),
            ("davidson", 0.0),
            ("rao-kupper", 0.0),
            ("plackett-luce", 0.0),
        ] {
            let [before, after] = [&matches, &turned].map(|matches| {
                let report = rated_by(name, settings, BOTS, matches);
                column(&report, report.columns[0].key, BOTS)
            });
            for (before, after) in before.into_iter().zip(after) {
                let opposite = match (before, after) {
                    (Some(before), Some(after)) => (before + after - 2.0 * middle).abs() <= 1e-5 * (1.0 + before.abs()),
                    (before, after) => before.is_none() && after.is_none(),
                };
                prop_assert!(opposite, "{name}: {before:?} {after:?}");
            }
        }
    }

    #[test]
    fn nobody_gains_on_the_nash_mixture(leads in prop::collection::vec(-5..=5_i8, 36)) {
        let ahead: Ahead = (0..6)
            .map(|i| (0..6).map(|j| f64::from(leads[6 * i + j] - leads[6 * j + i]) / 20.0).collect())
            .collect();
        let weights = nash::mixture(&ahead).expect("it settles");
        prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(nash::values(&ahead, &weights).iter().all(|value| *value < 1e-7), "{weights:?}");
    }
}

#[test]
fn who_beats_the_other_leads_in_every_system() {
    for (places, best) in [(WIN, 0), (LOSS, 1)] {
        // The other wins once, so that every model has a top.
        let mut matches: Vec<_> = (0..9).map(|rotation| played(rotation, &[0, 1], &places)).collect();
        matches.push(played(9, &[1, 0], &places));
        for info in SYSTEMS {
            let report = rated_by(info.name, without_seats(), 2, &matches);
            assert_eq!(report.groups[0].bots[0].bot, best, "{}", info.name);
        }
    }
}
