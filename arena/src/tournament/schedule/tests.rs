use std::collections::{HashMap, HashSet};

use super::*;

fn schedule(bots: usize, seats: usize, rotations: u64) -> Schedule {
    Schedule::new(bots, seats, rotations, true, 1).expect("a schedule")
}

fn every_size() -> impl Iterator<Item = (usize, usize)> {
    (2..=9).flat_map(|bots| (2..=4.min(bots)).map(move |seats| (bots, seats)))
}

/// Counts from the matches themselves what [`Schedule::balance`] counts from groups.
fn counted(schedule: &Schedule) -> Balance {
    let (bots, seats) = (schedule.bots, schedule.seats);
    let mut plays = vec![0; bots];
    let mut meets = vec![0; bots * bots];
    let mut sits = vec![0; bots * seats];
    let mut follows = vec![0; bots * bots];
    for id in 0..schedule.len() {
        let seated = schedule.get(MatchId(id)).bots;
        for (seat, &bot) in seated.iter().enumerate() {
            plays[bot] += 1;
            sits[bot * seats + seat] += 1;
            follows[bot * bots + seated[(seat + 1) % seats]] += 1;
            for &other in seated.iter().filter(|&&other| other > bot) {
                meets[bot * bots + other] += 1;
            }
        }
    }
    let upper = (0..bots * bots).filter(|at| at / bots < at % bots);
    let apart = (0..bots * bots).filter(|at| at / bots != at % bots);
    Balance {
        bots,
        matches: schedule.len(),
        per_named: None,
        per_bot: Spread::of(plays.into_iter()),
        per_pair: Spread::of(upper.map(|at| meets[at])),
        per_seat: Spread::of(sits.into_iter()),
        per_neighbour: (seats > 2).then(|| Spread::of(apart.map(|at| follows[at]))),
    }
}

#[test]
fn each_bot_each_pair_and_each_seat_occurs_equally_often() {
    for (bots, seats) in every_size() {
        let balance = schedule(bots, seats, 6).balance();
        for spread in [balance.per_bot, balance.per_pair, balance.per_seat] {
            assert_eq!(spread.min, spread.max, "{bots} bots, {seats} seats: {balance}");
        }
    }
}

#[test]
fn neighbours_even_out_over_the_rounds() {
    for (bots, seats) in every_size().filter(|(_, seats)| *seats > 2) {
        let rounds = circles(seats).len() as u64;
        let spread = schedule(bots, seats, rounds).balance().per_neighbour.expect("seats");
        assert_eq!(spread.min, spread.max, "{bots} bots, {seats} seats");
    }
}

#[test]
fn the_balance_is_what_the_matches_show() {
    for (bots, seats) in every_size() {
        for (rotations, rotates) in [(1, true), (5, true), (3, false)] {
            let schedule = Schedule::new(bots, seats, rotations, rotates, 1).expect("a schedule");
            assert_eq!(schedule.balance(), counted(&schedule), "{bots} bots, {seats} seats");
        }
    }
    let selected = schedule(14, 4, 8);
    assert_eq!(selected.balance(), counted(&selected));
}

#[test]
fn a_match_occurs_once_and_seats_different_bots() {
    for (bots, seats) in every_size() {
        let schedule = schedule(bots, seats, 2);
        let mut seen = HashSet::new();
        for id in 0..schedule.len() {
            let scheduled = schedule.get(MatchId(id));
            assert_eq!(scheduled.id, MatchId(id));
            assert_eq!(scheduled.bots.iter().collect::<HashSet<_>>().len(), seats);
            assert!(scheduled.bots.iter().all(|bot| *bot < bots));
            assert!(
                seen.insert((scheduled.opening, scheduled.bots)),
                "match {id} repeats another"
            );
        }
    }
}

#[test]
fn a_rotation_is_one_opening_with_each_bot_once_in_each_seat() {
    for (bots, seats) in every_size() {
        let schedule = schedule(bots, seats, 3);
        for rotation in 0..schedule.len() / seats as u64 {
            let matches: Vec<_> = (0..seats as u64)
                .map(|order| schedule.get(MatchId(rotation * seats as u64 + order)))
                .collect();
            assert!(matches.iter().all(|m| m.rotation == rotation));
            assert!(matches.iter().all(|m| m.opening == matches[0].opening));
            for seat in 0..seats {
                let sat: HashSet<_> = matches.iter().map(|m| m.bots[seat]).collect();
                assert_eq!(sat.len(), seats);
            }
        }
    }
}

#[test]
fn all_groups_of_a_round_get_the_same_opening() {
    let schedule = schedule(5, 2, 3);
    let per_round = schedule.groups() * schedule.rotation_len();
    for id in 0..schedule.len() {
        assert_eq!(schedule.get(MatchId(id)).opening, id / per_round);
    }
}

#[test]
fn at_every_moment_bots_have_played_nearly_equally_often() {
    for (bots, seats) in every_size() {
        let schedule = schedule(bots, seats, 1);
        let mut rotations = vec![0_u64; bots];
        for rotation in 0..schedule.groups() {
            for bot in schedule.get(MatchId(rotation * seats as u64)).bots {
                rotations[bot] += 1;
            }
            let spread = Spread::of(rotations.iter().copied());
            assert!(
                spread.max - spread.min <= 2,
                "{bots} bots, {seats} seats: {rotations:?} after rotation {rotation}"
            );
        }
    }
}

#[test]
fn many_bots_get_a_selection_in_which_each_plays_equally_often() {
    for (bots, seats) in [(16, 3), (17, 3), (31, 3), (13, 4), (14, 4), (20, 4), (40, 4), (101, 4)] {
        let schedule = schedule(bots, seats, 60);
        let balance = schedule.balance();
        assert!(schedule.groups() < 2_000, "{balance}");
        assert_eq!(balance.per_bot.min, balance.per_bot.max);
        assert_eq!(balance.per_seat.min, balance.per_seat.max);
        let Spread { min, max } = balance.per_pair;
        assert!(max * 10 <= min * 11, "{seats} seats: {balance}");
    }
}

#[test]
fn a_gauntlet_has_one_of_the_named_bots_in_every_match_and_each_group_equally_often() {
    for (bots, seats) in every_size() {
        for named in [vec![0], vec![bots - 1], vec![1, 0]] {
            if bots - named.len() < seats - 1 {
                continue;
            }
            let schedule = Schedule::gauntlet(&named, bots, seats, 3, true, 1).expect("a schedule");
            let mut groups = HashMap::new();
            let mut sits = vec![0; bots * seats];
            for id in 0..schedule.len() {
                let mut seated = schedule.get(MatchId(id)).bots;
                for (seat, bot) in seated.iter().enumerate() {
                    sits[bot * seats + seat] += 1;
                }
                assert_eq!(seated.iter().filter(|bot| named.contains(bot)).count(), 1, "{seated:?}");
                seated.sort_unstable();
                *groups.entry(seated).or_insert(0) += 1;
            }
            let choices = (0..seats - 1).fold(1, |count, at| count * (bots - named.len() - at) / (at + 1));
            assert_eq!(groups.len(), named.len() * choices);
            assert!(groups.values().all(|matches| *matches == 3 * seats));
            let balance = schedule.balance();
            let per_named = (3 * seats * choices) as u64;
            let spread = |of: u64| Spread { min: of, max: of };
            assert_eq!(balance.per_named, Some(spread(per_named)));
            let others = (bots - named.len()) as u64;
            let per_other = named.len() as u64 * per_named * (seats as u64 - 1) / others;
            assert_eq!(balance.per_bot, spread(per_other));
            assert_eq!(balance.per_seat, spread(per_other / seats as u64));
            assert_eq!(balance.per_pair, spread(per_other / named.len() as u64));
            assert!(sits.chunks(seats).all(|seats| seats.iter().all(|sat| *sat == seats[0])));
        }
    }
}

#[test]
fn a_gauntlet_of_many_bots_is_a_selection_in_which_the_others_play_equally_often() {
    let schedule = Schedule::gauntlet(&[3], 41, 4, 60, true, 1).expect("a schedule");
    assert!(schedule.groups() < 2_000);
    let balance = schedule.balance();
    assert_eq!(balance.per_bot.min, balance.per_bot.max);
    assert_eq!(balance.per_pair.min, balance.per_pair.max);
}

#[test]
fn fixed_seats_keep_the_order_of_the_plan() {
    let schedule = Schedule::new(4, 3, 2, false, 1).expect("a schedule");
    assert_eq!((schedule.len(), schedule.rotation_len()), (8, 1));
    for id in 0..schedule.len() {
        assert!(schedule.get(MatchId(id)).bots.is_sorted());
    }
}

#[test]
fn ten_million_rotations_cost_nothing_in_advance() {
    let schedule = schedule(9, 2, 10_000_000);
    assert_eq!(schedule.len(), 720_000_000);
    let last = schedule.get(MatchId(719_999_999));
    assert_eq!((last.opening, last.rotation), (9_999_999, 359_999_999));
    assert_eq!(
        schedule.balance().per_pair,
        Spread {
            min: 20_000_000,
            max: 20_000_000
        }
    );
    assert_eq!(size_of_val(&schedule.tables), size_of::<Tables>());
}

#[test]
fn the_largest_schedule_has_exact_ids() {
    let schedule = schedule(2, 2, MATCHES_MAX / 2);
    assert_eq!(schedule.len(), MATCHES_MAX);
    assert_eq!(schedule.get(MatchId(MATCHES_MAX - 1)).rotation, MATCHES_MAX / 2 - 1);
}

#[test]
fn what_cannot_be_scheduled_is_refused_with_the_numbers() {
    let error = |bots, seats, rotations| Schedule::new(bots, seats, rotations, true, 1).unwrap_err().to_string();
    assert_eq!(
        error(1, 3, 1),
        "1 bot for a game of 3 seats; add 2: the same program may be listed again under another name"
    );
    assert_eq!(error(2, 2, 0), "0 rotations leave nothing to play; ask for at least 1");
    assert_eq!(
        error(3, 2, u64::MAX),
        "18446744073709551615 rotations of 6 matches are more than 9007199254740992 matches; \
         at most 1501199875790165 rotations fit"
    );
    assert_eq!(error(1_001, 2, 1), "1001 bots; a schedule takes at most 1000");
    let error = Schedule::gauntlet(&[0, 1], 3, 3, 1, true, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a gauntlet with 1 bot beside the named ones; a match has one of those and 2 of the others"
    );
}

#[test]
fn match_seeds_are_these() {
    let schedule = schedule(2, 2, 2);
    let seeds: Vec<_> = (0..4).map(|id| schedule.get(MatchId(id)).seed).collect();
    assert_eq!(
        seeds,
        [3404019945682511, 6342648613408804, 8293685487631345, 5682313899419598]
    );
    assert_ne!(match_seed(2, MatchId(0)), match_seed(1, MatchId(0)));
}

#[test]
fn the_first_matches_are_these() {
    let first = |bots, seats, count| -> Vec<_> {
        let schedule = schedule(bots, seats, 2);
        (0..count).map(|id| schedule.get(MatchId(id)).bots).collect()
    };
    assert_eq!(first(4, 2, 6), [[0, 3], [3, 0], [1, 2], [2, 1], [1, 3], [3, 1]]);
    assert_eq!(
        first(3, 3, 6),
        [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [1, 0, 2], [0, 2, 1]]
    );
}

#[test]
fn the_balance_reads_as_a_sentence() {
    assert_eq!(
        schedule(3, 2, 50).balance().to_string(),
        "300 matches of 3 bots: each bot plays 200 times, each pair meets 100 times, each bot takes each seat 100 times"
    );
    assert_eq!(
        schedule(4, 3, 1).balance().to_string(),
        "12 matches of 4 bots: each bot plays 9 times, each pair meets 6 times, each bot takes each seat 3 times, \
         each bot moves right after each other 3 times"
    );
}
