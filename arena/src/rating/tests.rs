//! Published numbers first, then properties; simulations are in [`coverage`].

use serde_json::Value;

use super::draws::Draws;
use super::ml::{Errors, Method, Seats, Settings};
use super::*;
use crate::record::{End, MatchScore};

mod coverage;
mod tallying;
mod workers;

/// A match of which only bots and places are told.
pub(super) fn played(rotation: u64, bots: &[usize], places: &[u8]) -> MatchScore {
    MatchScore {
        r#match: rotation,
        rotation,
        bots: bots.to_vec(),
        places: places.to_vec(),
        points: vec![0; bots.len()],
        forfeits: vec![false; bots.len()],
        end: End::Rules,
        plies: 10,
        moves: vec![5; bots.len()],
        time_us: vec![5_000; bots.len()],
        fingerprint: rotation,
    }
}

pub(super) const WIN: [u8; 2] = [1, 2];
pub(super) const DRAW: [u8; 2] = [1, 1];
pub(super) const LOSS: [u8; 2] = [2, 1];

/// Matches from lines `first,second,w,d,l`, each a rotation of its own.
pub(super) fn from_counts(text: &str) -> Vec<MatchScore> {
    let mut matches = Vec::new();
    for line in text.lines().skip(1) {
        let numbers: Vec<usize> = line.split(',').map(|n| n.parse().expect("a number")).collect();
        for (places, count) in [WIN, DRAW, LOSS].iter().zip(&numbers[2..]) {
            for _ in 0..*count {
                matches.push(played(matches.len() as u64, &numbers[..2], places));
            }
        }
    }
    matches
}

/// Matches from lines `first,second,score of the first,rotation`.
fn from_pairs(text: &str) -> Vec<MatchScore> {
    let lines = text.lines().skip(1).map(|line| {
        let fields: Vec<f64> = line.split(',').map(|n| n.parse().expect("a number")).collect();
        let places = [LOSS, DRAW, WIN][(2.0 * fields[2]) as usize];
        played(fields[3] as u64, &[fields[0] as usize, fields[1] as usize], &places)
    });
    lines.collect()
}

/// Matches from lines `bots by seat,places by seat`, numbers set apart by blanks, each a rotation of its own.
pub(super) fn from_places(text: &str) -> Vec<MatchScore> {
    let lines = text.lines().skip(1).enumerate().map(|(i, line)| {
        let (bots, places) = line.split_once(',').expect("two fields");
        let bots: Vec<usize> = bots.split(' ').map(|n| n.parse().expect("a bot")).collect();
        let places: Vec<u8> = places.split(' ').map(|n| n.parse().expect("a place")).collect();
        played(i as u64, &bots, &places)
    });
    lines.collect()
}

fn tally(bots: usize, matches: &[MatchScore]) -> Tally {
    let mut tally = Tally::new(bots);
    for score in matches {
        tally.add(score);
    }
    tally
}

fn golden(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("testdata/golden.json")).expect("the file is JSON");
    all[id]["expected"].clone()
}

pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().expect("the case holds a number here")
}

pub(super) fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .expect("the case holds a list here")
        .iter()
        .map(number)
        .collect()
}

/// For results that know nothing of seats.
const WITHOUT_SEATS: Settings = Settings {
    seat_term: false,
    method: Method::Cr3,
    corrected: true,
    prior: 0.0,
};

pub(super) fn near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
}

fn check_ratings(id: &str, matches: &[MatchScore], seat_term: bool) -> ml::Fit {
    let expected = numbers(&golden(id)["elo_mean0"]);
    let all: Vec<usize> = (0..expected.len()).collect();
    // Errors as other programs give them.
    let settings = Settings {
        seat_term,
        corrected: false,
        ..Settings::default()
    };
    let fit = ml::fit(&tally(expected.len(), matches), &all, &settings);
    for (member, expected) in expected.iter().enumerate() {
        near(fit.rating(member).value, *expected, 1e-5);
    }
    fit
}

fn check_errors(id: &str, matches: &[MatchScore], seat_term: bool) {
    let fit = check_ratings(id, matches, seat_term);
    let expected = golden(id);
    for (member, expected) in numbers(&expected["sd_CR3"]).iter().enumerate() {
        near(fit.rating(member).error, *expected, 1e-5);
    }
    near(fit.difference(0, 1).error, number(&expected["sd_diff01_CR3"]), 1e-5);
    assert_eq!(fit.errors, Errors::Rotations);
    if let Some(advantage) = expected.get("adv") {
        let Seats::Fitted(seats) = fit.seats else {
            panic!("no term for seats: {:?}", fit.seats)
        };
        near(seats[0].value - seats[1].value, number(advantage), 1e-5);
        // The two are opposite, so the error of their difference is twice that of one.
        near(2.0 * seats[0].error, number(&expected["adv_sd_CR3"]), 1e-5);
    }
}

#[test]
fn ratings_agree_with_bradleyterry2_on_s4() {
    check_ratings("bt-half-s4", &from_counts(include_str!("testdata/s4.csv")), false);
}

#[test]
fn ratings_with_a_seat_term_agree_with_bradleyterry2_on_s4() {
    check_ratings("bt-half-adv-s4", &from_counts(include_str!("testdata/s4.csv")), true);
}

#[test]
fn ratings_agree_with_bradleyterry2_without_draws() {
    check_ratings("bt-nodraw3", &from_counts(include_str!("testdata/nodraw3.csv")), false);
}

#[test]
fn ratings_of_twenty_bots_agree_with_bradleyterry2() {
    check_ratings("bt-half-m20", &from_counts(include_str!("testdata/m20.csv")), false);
}

#[test]
fn errors_agree_with_sandwich_on_single_matches() {
    check_errors("robust-se-s4", &from_counts(include_str!("testdata/s4.csv")), true);
}

#[test]
fn errors_agree_with_sandwich_on_pairs() {
    check_errors(
        "robust-se-pairs5",
        &from_pairs(include_str!("testdata/pairs5.csv")),
        true,
    );
}

#[test]
fn errors_agree_with_sandwich_on_placements_of_two_to_four() {
    check_errors(
        "robust-se-place6",
        &from_places(include_str!("testdata/place6.csv")),
        false,
    );
}

#[test]
fn running_elo_agrees_with_skillratings() {
    let expected = &golden("elo-1000-1000");
    let after = elo::update(&[1000.0, 1000.0], &WIN, 32.0);
    near(after[0], number(&expected["ra"]), 1e-9);
    near(after[1], number(&expected["rb"]), 1e-9);
    let expected = &golden("elo-1613-1609");
    let after = elo::update(&[1613.0, 1609.0], &LOSS, 32.0);
    near(after[0], number(&expected["ra"]), 1e-7);
    near(after[1], number(&expected["rb"]), 1e-7);
}

#[test]
fn running_elo_of_many_seats_agrees_with_multielo() {
    for (id, before, places) in [
        ("multielo-2", &[1200.0, 1000.0][..], &[1, 2][..]),
        ("multielo-4", &[1200.0, 1000.0, 1100.0, 900.0], &[1, 2, 3, 4]),
    ] {
        let after = elo::update(before, places, 32.0);
        for (found, expected) in after.iter().zip(numbers(&golden(id)["ratings"])) {
            near(*found, expected, 1e-7);
        }
    }
}

fn names(bots: usize) -> Vec<String> {
    (0..bots).map(|bot| format!("bot{bot}")).collect()
}

fn standings(bots: usize, matches: &[MatchScore]) -> Standings {
    Standings::from_scores(&names(bots), matches.to_vec(), &Options::default())
}

/// Ranks, names and ratings, one line a bot; `--` between tables.
fn told(standings: &Standings) -> String {
    let tables = standings.tables.iter().map(|table| {
        let lines = table.lines.iter().map(|line| {
            let rank = line.rank.map_or("-".to_owned(), |rank| rank.to_string());
            let rating = match line.rating {
                Rating::Fitted { value, low, high } => {
                    assert!(low < value && value < high && (high - low).is_finite(), "{line:?}");
                    format!("{value:.0}")
                }
                Rating::Anchor { value } => format!("{value:.0}"),
                Rating::Bound { low, high } => {
                    let end = |end: Option<f64>| end.map_or(String::new(), |end| format!("{end:.0}"));
                    format!("{}..{}", end(low), end(high))
                }
                Rating::Unknown => "?".to_owned(),
            };
            format!("{rank} {} {rating}", line.name)
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    tables.collect::<Vec<_>>().join("\n--\n")
}

#[test]
fn ten_wins_of_ten_give_bounds_and_no_number() {
    let found = standings(2, &from_counts(include_str!("testdata/allwins2.csv")));
    assert_eq!(told(&found), "1 bot0 200..\n2 bot1 ..-200");
    assert_eq!(found.tables[0].reference, Reference::Opponents);
}

#[test]
fn one_match_gives_bounds() {
    let found = standings(2, &from_counts(include_str!("testdata/onegame.csv")));
    assert_eq!(told(&found), "1 bot0 -187..\n2 bot1 ..187");
}

#[test]
fn no_match_leaves_everybody_unrated() {
    let found = standings(2, &[]);
    assert_eq!(told(&found), "- bot0 ?\n- bot1 ?");
    assert_eq!((found.matches, found.distinct), (0, 0));
}

#[test]
fn ten_draws_share_a_rank_with_some_width() {
    let found = standings(2, &from_counts(include_str!("testdata/alldraws2.csv")));
    assert_eq!(told(&found), "1 bot0 0\n1 bot1 0");
}

#[test]
fn a_bot_that_has_not_played_stands_last_without_a_rank() {
    let found = standings(3, &from_counts(include_str!("testdata/alldraws2.csv")));
    assert_eq!(told(&found), "1 bot0 0\n1 bot1 0\n- bot2 ?");
}

#[test]
fn parts_without_matches_between_get_a_table_each() {
    let found = standings(4, &from_counts(include_str!("testdata/disconnected4.csv")));
    assert_eq!(told(&found), "1 bot0 54\n2 bot1 -54\n--\n1 bot2 26\n2 bot3 -26");
    assert!(found.tables.iter().all(|table| table.kind == TableKind::Apart));
}

#[test]
fn groups_linked_one_way_get_a_table_each_better_first() {
    let found = standings(4, &from_counts(include_str!("testdata/bridge4.csv")));
    let kinds: Vec<_> = found.tables.iter().map(|table| table.kind).collect();
    assert_eq!(kinds, [TableKind::Apart, TableKind::Below]);
    assert_eq!(found.tables[1].lines[0].name, "bot2");
}

#[test]
fn a_bot_that_beat_everybody_is_bounded_against_the_fitted() {
    let found = standings(3, &from_counts(include_str!("testdata/sweep3.csv")));
    let lines = &found.tables[0].lines;
    assert_eq!(lines[0].name, "bot0");
    let Rating::Bound {
        low: Some(low),
        high: None,
    } = lines[0].rating
    else {
        panic!("{:?}", lines[0].rating)
    };
    assert!(low > 100.0 && low < 300.0, "{low}");
    assert!(matches!(lines[1].rating, Rating::Fitted { .. }));
}

#[test]
fn a_seat_that_wins_everything_has_no_fitted_advantage() {
    let matches: Vec<_> = (0..20)
        .flat_map(|rotation| [played(rotation, &[0, 1], &WIN), played(rotation, &[1, 0], &WIN)])
        .collect();
    let found = standings(2, &matches);
    assert_eq!(told(&found), "1 bot0 0\n1 bot1 0");
    assert_eq!(found.tables[0].seat_term, Some(Seats::Unbounded));
    near(found.seats[0].share, 1.0, 0.0);
}

#[test]
fn bots_that_never_change_seats_leave_the_seat_term_out() {
    let matches: Vec<_> = (0..20)
        .map(|i| played(i, &[0, 1], &[WIN, LOSS, DRAW][i as usize % 3]))
        .collect();
    assert_eq!(standings(2, &matches).tables[0].seat_term, Some(Seats::Fixed));
}

#[test]
fn a_rating_that_hangs_on_one_rotation_has_errors_from_the_model() {
    let matches = [played(0, &[0, 1], &WIN), played(0, &[1, 0], &DRAW)];
    let found = standings(2, &matches);
    assert_eq!(found.tables[0].errors, Some(Errors::Model));
    told(&found);
}

#[test]
fn an_anchor_moves_everybody_and_is_exact_itself() {
    let matches = from_counts(include_str!("testdata/s4.csv"));
    let options = Options {
        anchor: Some(Anchor { bot: 0, rating: 1500.0 }),
        elo_k: None,
    };
    let found = Standings::from_scores(&names(4), matches, &options);
    let lines = &found.tables[0].lines;
    assert_eq!(lines[0].rating, Rating::Anchor { value: 1500.0 });
    let Rating::Fitted { value, .. } = lines[3].rating else {
        panic!("{:?}", lines[3])
    };
    near(
        value - 1500.0,
        *numbers(&golden("bt-half-adv-s4")["elo_anchor0"])
            .last()
            .expect("four bots"),
        1e-5,
    );
}

#[test]
fn an_anchor_without_a_rating_is_named() {
    let options = Options {
        anchor: Some(Anchor { bot: 1, rating: 1500.0 }),
        elo_k: None,
    };
    let found = Standings::from_scores(&names(2), [played(0, &[0, 1], &WIN)], &options);
    assert_eq!(found.anchor_unrated.as_deref(), Some("bot1"));
}

#[test]
fn order_of_arrival_changes_nothing_but_the_running_number() {
    let matches = from_pairs(include_str!("testdata/pairs5.csv"));
    let mut reversed = matches.clone();
    reversed.reverse();
    assert_eq!(standings(5, &matches), standings(5, &reversed));
    let options = Options {
        elo_k: Some(32.0),
        ..Options::default()
    };
    let first = Standings::from_scores(&names(5), matches, &options);
    let second = Standings::from_scores(&names(5), reversed, &options);
    assert_ne!(first, second);
}

#[test]
fn turning_every_result_round_turns_the_signs() {
    let matches = from_places(include_str!("testdata/place6.csv"));
    let turned: Vec<_> = matches
        .iter()
        .map(|score| {
            let last = *score.places.iter().max().expect("seats");
            let places = score.places.iter().map(|place| last + 1 - place).collect();
            MatchScore {
                places,
                ..score.clone()
            }
        })
        .collect();
    let all: Vec<usize> = (0..6).collect();
    let (one, other) = (
        ml::fit(&tally(6, &matches), &all, &Settings::default()),
        ml::fit(&tally(6, &turned), &all, &Settings::default()),
    );
    for member in all {
        near(one.rating(member).value, -other.rating(member).value, 1e-6);
        near(one.rating(member).margin, other.rating(member).margin, 1e-6);
    }
}

#[test]
fn the_names_of_bots_do_not_matter_to_ratings() {
    let matches = from_pairs(include_str!("testdata/pairs5.csv"));
    let renumbered: Vec<_> = matches
        .iter()
        .map(|score| MatchScore {
            bots: score.bots.iter().map(|bot| 4 - bot).collect(),
            ..score.clone()
        })
        .collect();
    let all: Vec<usize> = (0..5).collect();
    let (one, other) = (
        ml::fit(&tally(5, &matches), &all, &Settings::default()),
        ml::fit(&tally(5, &renumbered), &all, &Settings::default()),
    );
    for member in all {
        near(one.rating(member).value, other.rating(4 - member).value, 1e-6);
        near(one.rating(member).error, other.rating(4 - member).error, 1e-6);
    }
}

#[test]
fn doubling_every_match_narrows_the_interval_and_moves_nothing() {
    let matches = from_pairs(include_str!("testdata/pairs5.csv"));
    let again = matches.iter().map(|score| MatchScore {
        rotation: score.rotation + 1_000,
        fingerprint: score.fingerprint + 1_000,
        ..score.clone()
    });
    let doubled: Vec<_> = matches.iter().cloned().chain(again).collect();
    let all: Vec<usize> = (0..5).collect();
    let (one, two) = (
        ml::fit(&tally(5, &matches), &all, &Settings::default()),
        ml::fit(&tally(5, &doubled), &all, &Settings::default()),
    );
    for member in all {
        near(one.rating(member).value, two.rating(member).value, 1e-6);
        assert!(two.rating(member).margin < 0.75 * one.rating(member).margin);
    }
}

#[test]
fn a_difference_is_that_of_the_ratings_and_turns_its_sign() {
    let matches = from_pairs(include_str!("testdata/pairs5.csv"));
    let fit = ml::fit(&tally(5, &matches), &[0, 1, 2, 3, 4], &Settings::default());
    let difference = fit.difference(1, 3);
    near(difference.value, fit.rating(1).value - fit.rating(3).value, 1e-9);
    near(difference.value, -fit.difference(3, 1).value, 1e-9);
    near(difference.margin, fit.difference(3, 1).margin, 1e-9);
}

#[test]
fn copies_of_a_match_are_counted_once_as_distinct() {
    let copies = (0..10).map(|i| MatchScore {
        fingerprint: 7,
        ..played(i, &[0, 1], &WIN)
    });
    let found = Standings::from_scores(&names(2), copies, &Options::default());
    assert_eq!((found.matches, found.distinct), (10, 1));
}

#[test]
fn head_to_head_takes_whole_rotations_where_they_are_complete() {
    let matches = from_pairs(include_str!("testdata/pairs5.csv"));
    let table = head_to_head(&tally(5, &matches));
    let row = table.get(0, 1).expect("they met");
    let column = table.get(1, 0).expect("they met");
    assert_eq!(row.unit, Unit::Rotation);
    assert_eq!(
        (row.wins, row.draws, row.losses),
        (column.losses, column.draws, column.wins)
    );
    near(row.score.low, 1.0 - column.score.high, 1e-9);
    assert_eq!(table.get(2, 2), None);
    let single = head_to_head(&tally(4, &from_counts(include_str!("testdata/s4.csv"))));
    assert_eq!(single.get(0, 1).expect("they met").unit, Unit::Match);
}

#[test]
fn a_circle_leaves_the_same_excess_to_each_of_its_pairs() {
    let circle = "first,second,w,d,l\n0,1,40,0,10\n1,0,10,0,40\n1,2,40,0,10\n2,1,10,0,40\n2,0,40,0,10\n0,2,10,0,40";
    let tally = tally(3, &from_counts(circle));
    let pairs = rated_pairs(&tally);
    let residual = |bot: usize, opponent: usize| {
        let pair = pairs[bot][opponent].expect("they are rated together");
        near(pair.superiority, 0.5, 1e-6);
        pair.residual.expect("they met")
    };
    let z = |bot, opponent| residual(bot, opponent).z.expect("they met often");
    near(z(0, 1), z(1, 2), 1e-6);
    near(z(0, 1), z(2, 0), 1e-6);
    near(z(0, 1), -z(1, 0), 1e-12);
    // A circle of three has one degree of freedom, so that each excess by itself says what the test of cycles says.
    let rotations = tally.rotations();
    let rows = rotations.rows();
    let found =
        cycles::cycles(&ml::fit(&tally, &[0, 1, 2], &WITHOUT_SEATS), &rotations, &rows).expect("pairs met often");
    let matches = residual(0, 1).matches as f64;
    near(residual(0, 1).expected, matches / 2.0, 1e-6);
    let squares = 3.0 * residual(0, 1).excess().powi(2) / (matches / 4.0);
    near(z(0, 1).powi(2), squares / found.dispersion, 1e-6);
}

#[test]
fn two_bots_alone_have_nothing_beyond_their_ratings() {
    let matches: Vec<_> = (0..20)
        .map(|i| played(i, &[0, 1], &[WIN, LOSS, WIN, DRAW][i as usize % 4]))
        .collect();
    let pair = rated_pairs(&tally(2, &matches))[0][1].expect("they are rated together");
    let residual = pair.residual.expect("they met");
    near(residual.excess(), 0.0, 1e-6);
    assert_eq!((residual.matches, residual.z), (20, None));
    let (value, error) = (pair.difference.value, pair.difference.error);
    near(pair.superiority, crate::stats::normal_cdf(value / error), 1e-9);
    assert!(pair.superiority > 0.5);
}

#[test]
fn bots_that_cannot_be_rated_together_are_not_compared() {
    let pairs = rated_pairs(&tally(4, &from_counts(include_str!("testdata/disconnected4.csv"))));
    assert!(pairs[0][1].is_some() && pairs[2][3].is_some());
    assert!(pairs[0][2].is_none() && pairs[3][1].is_none() && pairs[0][0].is_none());
}

#[test]
fn copies_of_a_rotation_narrow_no_interval() {
    let once = from_pairs(include_str!("testdata/pairs5.csv"));
    let again = once.iter().map(|score| MatchScore {
        rotation: score.rotation + 1_000,
        ..score.clone()
    });
    let copied: Vec<_> = once.iter().cloned().chain(again).collect();
    let all: Vec<usize> = (0..5).collect();
    let (one, two) = (
        ml::fit(&tally(5, &once), &all, &Settings::default()),
        ml::fit(&tally(5, &copied), &all, &Settings::default()),
    );
    assert_eq!(one.clusters, two.clusters);
    for member in all {
        near(one.rating(member).value, two.rating(member).value, 1e-6);
        near(one.rating(member).margin, two.rating(member).margin, 1e-6);
    }
}

#[test]
fn a_deterministic_pair_with_one_opening_has_no_narrow_interval() {
    let matches: Vec<_> = (0..1_000)
        .map(|number| MatchScore {
            fingerprint: 7,
            ..played(number / 2, &[[0, 1], [1, 0]][number as usize % 2], &WIN)
        })
        .collect();
    let found = standings(2, &matches);
    assert_eq!((found.distinct, found.tables[0].errors), (2, Some(Errors::Model)));
    let Rating::Fitted { low, high, .. } = found.tables[0].lines[0].rating else {
        panic!("{:?}", found.tables[0].lines[0])
    };
    assert!(high - low > 400.0, "{low} to {high}");
    let table = head_to_head(&tally(2, &matches));
    let score = table.get(0, 1).expect("they met").score;
    assert!(score.high - score.low > 0.3, "{score:?}");
}

#[test]
fn critical_values_agree_with_tukey_for_independent_errors() {
    let case = &golden("tukey-z")["qtukey_over_sqrt2"];
    for (&members, expected) in [2, 3, 4, 5, 6, 7, 8, 9, 10, 20].iter().zip(numbers(case)) {
        // Relative to the last, each variance is 2 and each covariance 1.
        let size = members - 1;
        let covariance = (0..size * size).map(|at| if at % (size + 1) == 0 { 2.0 } else { 1.0 });
        let root = cholesky::Cholesky::of(covariance.collect(), size, 0.0).expect("it is positive definite");
        // The case is exact; ours comes from ten thousand draws.
        near(ranks::largest_difference(members, &root, 0.95), expected, 0.04);
    }
}

fn cycles_of(bots: usize, text: &str) -> Cycles {
    let tally = tally(bots, &from_counts(text));
    let (rotations, all) = (tally.rotations(), (0..bots).collect::<Vec<_>>());
    let rows = rotations.rows();
    cycles::cycles(&ml::fit(&tally, &all, &WITHOUT_SEATS), &rotations, &rows).expect("pairs met often")
}

#[test]
fn a_circle_is_found_with_its_deviance() {
    let found = cycles_of(3, include_str!("testdata/cycle3.csv"));
    near(found.deviance, 115.6, 0.05);
    assert_eq!(found.freedom, 1);
    assert!(found.p < 1e-9, "{found:?}");
    let circle = found.strongest.expect("there is one circle");
    assert_eq!(circle.bots, [0, 1, 2]);
    assert!(circle.p < 1e-9, "{circle:?}");
}

#[test]
fn twenty_bots_whose_ratings_say_everything_show_no_circle() {
    let found = cycles_of(20, include_str!("testdata/m20.csv"));
    near(found.deviance, 124.0, 0.5);
    assert_eq!(found.freedom, 165);
    assert!(found.p > 0.05, "{found:?}");
}

#[test]
fn equal_bots_leave_every_rank_open_and_unequal_ones_do_not() {
    let found = standings(20, &from_counts(include_str!("testdata/m20.csv")));
    for line in &found.tables[0].lines {
        let (rank, ranks) = (line.rank.expect("all are rated"), line.ranks.expect("all are rated"));
        assert!((ranks.best..=ranks.worst).contains(&rank), "{line:?}");
    }
    assert!(found.tables[0].lines[0].ranks.expect("rated").worst < 20);
    let equal = standings(2, &from_counts(include_str!("testdata/alldraws2.csv")));
    let open = Some(RankRange { best: 1, worst: 2 });
    assert!(equal.tables[0].lines.iter().all(|line| line.ranks == open));
}

fn fitted(bots: usize, matches: &[MatchScore], method: Method, prior: f64) -> Standings {
    let settings = Settings {
        method,
        prior,
        ..Settings::default()
    };
    Standings::fitted(&names(bots), &tally(bots, matches), None, None, &settings)
}

#[test]
fn virtual_draws_give_numbers_to_bots_that_won_everything() {
    let matches = from_counts(include_str!("testdata/allwins2.csv"));
    let found = fitted(2, &matches, Method::Cr3, 2.0);
    // 10 wins and 2 draws: 11 points of 12.
    near(
        found.tables[0].lines[0].ahead.expect("both are rated").value,
        crate::stats::elo_of_score(11.0 / 12.0),
        1e-6,
    );
    check_numbers(&found, &"prior");
    let more = fitted(2, &matches, Method::Cr3, 8.0);
    assert!(more.tables[0].lines[0].ahead.expect("rated").value < 350.0);
}

#[test]
fn a_bootstrap_agrees_with_cr3_where_there_are_many_rotations() {
    let matches = from_counts(include_str!("testdata/s4.csv"));
    let errors = |method| -> Vec<f64> {
        let lines = &fitted(4, &matches, method, 0.0).tables[0].lines;
        lines.iter().filter_map(|line| Some(line.ahead?.error)).collect()
    };
    for (bootstrap, cr3) in errors(Method::Bootstrap).iter().zip(errors(Method::Cr3)) {
        assert!((bootstrap / cr3 - 1.0).abs() < 0.12, "{bootstrap} beside {cr3}");
    }
}

#[test]
fn naive_errors_agree_with_bradleyterry2() {
    let matches = from_counts(include_str!("testdata/s4.csv"));
    let found = fitted(4, &matches, Method::Naive, 0.0);
    let expected = number(&golden("robust-se-s4")["sd_diff01_naive"]);
    near(found.tables[0].lines[0].ahead.expect("rated").error, expected, 1e-5);
}

/// Every number is finite and every interval has a width.
fn check_numbers(found: &Standings, of: &dyn std::fmt::Debug) {
    let good = |estimate: &ml::Estimate| {
        estimate.value.is_finite() && estimate.margin.is_finite() && estimate.margin > 1e-6 && estimate.error > 1e-6
    };
    for table in &found.tables {
        for line in &table.lines {
            let fine = match line.rating {
                Rating::Fitted { value, low, high } => {
                    low.is_finite() && high.is_finite() && low < value - 1e-6 && value + 1e-6 < high
                }
                Rating::Bound { low, high } => {
                    low.is_none_or(f64::is_finite)
                        && high.is_none_or(f64::is_finite)
                        && (low.is_some() || high.is_some())
                }
                Rating::Anchor { value } => value.is_finite(),
                Rating::Unknown => line.matches == 0,
            };
            assert!(fine, "{line:?} of {of:?}");
            assert!(line.ahead.as_ref().is_none_or(good), "{line:?} of {of:?}");
            assert!(line.share.is_none_or(f64::is_finite));
            if let Some(ranks) = line.ranks {
                assert!(1 <= ranks.best && ranks.best <= ranks.worst && ranks.worst <= table.lines.len());
            }
        }
        if let Some(Seats::Fitted(seats)) = &table.seat_term {
            assert!(seats.iter().all(good), "{seats:?} of {of:?}");
        }
        if let Some(cycles) = &table.cycles {
            let numbers = [cycles.p, cycles.deviance, cycles.dispersion];
            assert!(numbers.iter().all(|number| number.is_finite()), "{cycles:?} of {of:?}");
        }
    }
    assert!(found.seats.iter().all(|seat| seat.share.is_finite()));
}

#[test]
fn no_small_pool_of_two_seats_gives_a_number_that_is_none() {
    // All sets of up to three matches (four when there is time) among three bots, or five among two; in rotations of
    // one match or two.
    let most = if slow_tests_wanted() { 4 } else { 3 };
    for (bots, most) in [(2, 5), (3, most)] {
        let mut meetings = Vec::new();
        for one in 0..bots {
            for other in (0..bots).filter(|&other| other != one) {
                meetings.extend([WIN, DRAW, LOSS].map(|places| ([one, other], places)));
            }
        }
        for length in 1..=most {
            for choice in 0..meetings.len().pow(length) {
                let chosen: Vec<usize> = (0..length)
                    .map(|at| choice / meetings.len().pow(at) % meetings.len())
                    .collect();
                // The order of matches changes nothing, so one order is enough.
                if !chosen.is_sorted() {
                    continue;
                }
                for by in [1, 2] {
                    let matches: Vec<_> = (0..)
                        .zip(&chosen)
                        .map(|(number, &chosen)| {
                            let (seats, places) = &meetings[chosen];
                            MatchScore {
                                fingerprint: number,
                                ..played(number / by, seats, places)
                            }
                        })
                        .collect();
                    check_numbers(&standings(bots, &matches), &(by, &chosen));
                }
            }
        }
    }
}

#[test]
fn no_small_pool_of_many_seats_gives_a_number_that_is_none() {
    for seats in [3, 4] {
        for seed in 0..2_000 {
            let mut draws = Draws::new(seed);
            let number = 1 + seed % 5;
            let matches: Vec<_> = (0..number)
                .map(|id| {
                    let turn = (draws.uniform() * seats as f64) as usize;
                    let bots: Vec<usize> = (0..seats).map(|seat| (seat + turn) % seats).collect();
                    let places: Vec<u8> = (0..seats).map(|_| 1 + (draws.uniform() * seats as f64) as u8).collect();
                    MatchScore {
                        fingerprint: id,
                        ..played(id / (1 + seed % 3), &bots, &places)
                    }
                })
                .collect();
            check_numbers(&standings(seats, &matches), &matches);
        }
    }
}

fn slow_tests_wanted() -> bool {
    std::env::var_os("ARENA_SLOW_TESTS").is_some()
}
