use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

fn frame(seats: usize) -> Frame {
    Frame {
        seats,
        rotation_len: seats as u64,
        rotates_seats: true,
        seed: 1,
    }
}

fn swiss(bots: usize, rounds: u64, rotations: u64) -> Pairings {
    Pairings::rounds(frame(2), Form::Swiss(Swiss::new(bots, rounds)), bots, rotations).expect("pairings")
}

fn knockout(bots: usize, rotations: u64) -> Pairings {
    Pairings::rounds(frame(2), Form::Knockout(Knockout::new(bots)), bots, rotations).expect("pairings")
}

fn ladder(bots: usize, seats: usize, goal: Goal, rotations: u64) -> Pairings {
    Pairings::ladder(frame(seats), bots, goal, 4, rotations).expect("pairings")
}

fn the_ladder(pairings: &Pairings) -> &Ladder {
    match pairings.kind() {
        Kind::Ladder(ladder) => ladder,
        other => panic!("{other:?}"),
    }
}

fn in_rounds(pairings: &Pairings) -> &Rounds {
    match pairings.kind() {
        Kind::Rounds(rounds) => rounds,
        other => panic!("{other:?}"),
    }
}

/// Results as a function of the match: whatever its order, jobs or interruptions.
#[derive(Clone, Copy, Debug)]
struct World {
    seed: u64,
    /// Loses every match, as a bot that cannot start does.
    absent: Option<usize>,
    /// Whether the better bot, by its place, always wins.
    sure: bool,
}

impl World {
    fn places(&self, of: &Scheduled) -> Vec<u8> {
        if let Some(seat) = of.bots.iter().position(|bot| Some(*bot) == self.absent) {
            return (0..of.bots.len())
                .map(|other| if other == seat { of.bots.len() as u8 } else { 1 })
                .collect();
        }
        let strength = |seat: usize| match self.sure {
            true => of.bots[seat] as u64,
            false => {
                let bytes = crate::tournament::schedule::draw("trial", self.seed, of.id.0 * 8 + seat as u64);
                u64::from(bytes[0]) % 3
            }
        };
        let all: Vec<u64> = (0..of.bots.len()).map(strength).collect();
        all.iter()
            .map(|own| 1 + all.iter().filter(|other| *other < own).count() as u8)
            .collect()
    }
}

/// Plays to the end with up to `jobs` matches on the board, of which an arbitrary one ends next; gives all of them in the
/// order of their ids.
fn play(pairings: &mut Pairings, world: World, jobs: usize, mut stop_after: usize) -> Vec<(Scheduled, Vec<u8>)> {
    let mut board: Vec<Scheduled> = Vec::new();
    let mut played = Vec::new();
    let mut turn = world.seed;
    loop {
        let next = if board.len() < jobs {
            pairings.next()
        } else {
            Next::Wait
        };
        match next {
            Next::Match(scheduled) => board.push(scheduled),
            Next::End if board.is_empty() => break,
            Next::Wait | Next::End => {
                turn = turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let ended = board.swap_remove((turn >> 33) as usize % board.len());
                let places = world.places(&ended);
                pairings
                    .settle(ended.id, &ended.bots, &places)
                    .expect("it was given out");
                played.push((ended, places));
                stop_after -= 1;
                if stop_after == 0 {
                    break;
                }
            }
        }
    }
    played.sort_by_key(|(scheduled, _)| scheduled.id);
    played
}

/// As [`play`] to the end, interrupted once: what was on the board is lost, what had ended is stored.
fn play_in_two(fresh: &Pairings, world: World, jobs: usize, cut: usize) -> Vec<(Scheduled, Vec<u8>)> {
    let mut played = play(&mut fresh.clone(), world, jobs, cut);
    let mut resumed = fresh.clone();
    resumed.leave_out(played.iter().map(|(scheduled, _)| scheduled.id.0).collect());
    for (scheduled, places) in &played {
        resumed
            .settle(scheduled.id, &scheduled.bots, places)
            .expect("it is stored");
    }
    played.extend(play(&mut resumed, world, jobs, usize::MAX));
    played.sort_by_key(|(scheduled, _)| scheduled.id);
    played
}

fn worlds(bots: usize) -> impl Strategy<Value = World> {
    (any::<u64>(), proptest::option::of(0..bots), any::<bool>()).prop_map(|(seed, absent, sure)| World {
        seed,
        absent,
        sure,
    })
}

/// Same results, same ids, seats, openings and seeds: whatever runs side by side, in whatever order it ends, and when it
/// is interrupted.
fn check_same_however_played(fresh: &Pairings, world: World, cut: usize) -> Vec<(Scheduled, Vec<u8>)> {
    let one = play(&mut fresh.clone(), world, 1, usize::MAX);
    assert_eq!(one, play(&mut fresh.clone(), world, 8, usize::MAX));
    assert_eq!(one, play_in_two(fresh, world, 3, 1 + cut % one.len()));
    let ids: HashSet<_> = one.iter().map(|(scheduled, _)| scheduled.id).collect();
    assert_eq!(ids.len(), one.len());
    assert!(ids.iter().all(|id| id.0 < fresh.matches_max()));
    one
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_swiss_tournament_repeats_nothing_and_is_fair_with_byes(
        (bots, rounds, world) in (2_usize..=16)
            .prop_flat_map(|bots| (Just(bots), 1..=Swiss::rounds_max(bots), worlds(bots))),
        rotations in 1_u64..=2,
        cut in any::<usize>(),
    ) {
        let fresh = swiss(bots, rounds, rotations);
        let played = check_same_however_played(&fresh, world, cut);
        prop_assert_eq!(played.len() as u64, rounds * (bots as u64 / 2) * rotations * 2);
        let mut pairings = fresh.clone();
        play(&mut pairings, world, 1, usize::MAX);
        let over = in_rounds(&pairings).played();
        let mut met = HashSet::new();
        let mut byes = HashMap::new();
        for round in over {
            let mut at_a_table = HashSet::new();
            for table in &round.tables {
                prop_assert!(met.insert(table.bots), "{:?} again", table.bots);
                table.bots.iter().for_each(|bot| assert!(at_a_table.insert(*bot)));
                prop_assert_eq!(table.settled, 2 * rotations);
            }
            prop_assert_eq!(round.bye.is_some(), bots % 2 == 1);
            if let Some(bot) = round.bye {
                prop_assert!(at_a_table.insert(bot));
                *byes.entry(bot).or_insert(0) += 1;
            }
            prop_assert_eq!(at_a_table.len(), bots);
        }
        prop_assert!(byes.values().all(|byes| *byes == 1), "{:?}", byes);
        let points: u64 = standings(bots, over).iter().map(|line| line.halves).sum();
        prop_assert_eq!(points, rounds * (bots as u64).div_ceil(2) * 2);
    }

    #[test]
    fn a_knockout_ends_with_one_bot_that_lost_no_tie(
        (bots, world) in (2_usize..=17).prop_flat_map(|bots| (Just(bots), worlds(bots))),
        rotations in 1_u64..=3,
        cut in any::<usize>(),
    ) {
        let fresh = knockout(bots, rotations);
        check_same_however_played(&fresh, world, cut);
        let mut pairings = fresh.clone();
        play(&mut pairings, world, 1, usize::MAX);
        let rounds = in_rounds(&pairings);
        prop_assert_eq!(rounds.played().len() as u32, bots.next_power_of_two().ilog2());
        let ties = rounds.played().iter().flat_map(|round| &round.tables);
        prop_assert_eq!(ties.clone().count(), bots - 1);
        let out: HashSet<usize> = ties
            .clone()
            .map(|tie| tie.bots[usize::from(winner(tie) == tie.bots[0])])
            .collect();
        prop_assert_eq!(out.len(), bots - 1);
        let Form::Knockout(form) = rounds.form() else { panic!("{:?}", rounds.form()) };
        let last = form.winner(rounds.played()).expect("it is over");
        prop_assert!(!out.contains(&last));
        for tie in ties {
            let more = tie.settled / 2 - rotations;
            prop_assert!(more <= EXTRA_ROTATIONS_MAX);
            prop_assert!(more == EXTRA_ROTATIONS_MAX || tie.halves[0] != tie.halves[1]);
        }
    }

    #[test]
    fn a_ladder_ends_and_starves_nobody(
        (bots, seats, goal, world) in (2_usize..=4).prop_flat_map(|seats| (seats..=7, Just(seats))).prop_flat_map(
            |(bots, seats)| {
                let goal = prop_oneof![Just(Goal::Best), Just(Goal::Order), (0..bots).prop_map(Goal::Bot)];
                (Just(bots), Just(seats), goal, worlds(bots))
            }
        ),
        cut in any::<usize>(),
    ) {
        let fresh = ladder(bots, seats, goal, 12);
        let played = check_same_however_played(&fresh, world, cut);
        let mut pairings = fresh.clone();
        play(&mut pairings, world, 1, usize::MAX);
        let ladder = the_ladder(&pairings);
        prop_assert!(ladder.open().is_empty() || ladder.rotations() == ladder.rotations_max());
        prop_assert_eq!(played.len() as u64, ladder.rotations() * seats as u64);
        let mut groups = HashMap::new();
        for (scheduled, _) in &played {
            let of_it: &mut HashSet<Vec<usize>> = groups.entry(scheduled.rotation).or_default();
            prop_assert!(of_it.insert(scheduled.bots.clone()));
        }
        prop_assert!(groups.values().all(|seatings| seatings.len() == seats));
        // A quarter of the even share, but for the rotation that is due.
        let quarter = ladder.rotations() * seats as u64 / (4 * bots as u64);
        prop_assert!(ladder.plays().iter().all(|plays| plays + 1 >= quarter), "{:?}", ladder.plays());
    }

    #[test]
    fn a_fixed_format_is_the_same_however_it_is_played(
        (bots, seats) in (2_usize..=4).prop_flat_map(|seats| (seats..=6, Just(seats))),
        gauntlet in any::<bool>(),
        cut in any::<usize>(),
        seed in any::<u64>(),
    ) {
        let schedule = match gauntlet {
            true => Schedule::gauntlet(&[0], bots, seats, 2, true, 1),
            false => Schedule::new(bots, seats, 2, true, 1),
        };
        let fresh = Pairings::fixed(schedule.expect("a schedule"));
        let world = World { seed, absent: None, sure: false };
        let played = check_same_however_played(&fresh, world, cut);
        prop_assert_eq!(played.len() as u64, fresh.matches_max());
    }
}

#[test]
fn a_swiss_tournament_of_all_rounds_is_a_round_robin_for_any_number_of_bots() {
    for bots in [2, 3, 7, 16, 17, 30] {
        let rounds = Swiss::rounds_max(bots);
        let mut pairings = swiss(bots, rounds, 1);
        let world = World {
            seed: 5,
            absent: Some(0),
            sure: false,
        };
        play(&mut pairings, world, 4, usize::MAX);
        let over = in_rounds(&pairings).played();
        let met: HashSet<_> = over
            .iter()
            .flat_map(|round| &round.tables)
            .map(|table| table.bots)
            .collect();
        assert_eq!(met.len(), bots * (bots - 1) / 2, "{bots} bots");
    }
}

#[test]
fn more_rounds_repeat_as_little_as_they_can() {
    for (bots, rounds) in [(2, 5), (5, 7), (5, 12), (6, 11), (7, 7), (7, 20), (9, 7)] {
        let mut pairings = swiss(bots, rounds, 1);
        let world = World {
            seed: 3,
            absent: Some(1),
            sure: true,
        };
        play(&mut pairings, world, 4, usize::MAX);
        let over = in_rounds(&pairings).played();
        let mut meetings = vec![0; bots * bots];
        let mut byes = vec![0; bots];
        for round in over {
            round
                .tables
                .iter()
                .for_each(|table| meetings[table.bots[0] * bots + table.bots[1]] += 1);
            round.bye.iter().for_each(|bot| byes[*bot] += 1);
        }
        let upper = (0..bots * bots)
            .filter(|at| at / bots < at % bots)
            .map(|at| meetings[at]);
        for counts in [upper.collect::<Vec<_>>(), byes] {
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{bots} bots, {rounds} rounds: {counts:?}");
        }
    }
}

#[test]
fn many_bots_are_paired_by_their_points() {
    let mut pairings = swiss(101, 8, 1);
    let world = World {
        seed: 0,
        absent: None,
        sure: true,
    };
    play(&mut pairings, world, 8, usize::MAX);
    let lines = standings(101, in_rounds(&pairings).played());
    let first: Vec<usize> = lines.iter().take(3).map(|line| line.bot).collect();
    assert_eq!((lines[0].halves, first[0]), (16, 0), "{first:?}");
    assert!(first.contains(&1) || first.contains(&2), "{first:?}");
}

/// Who meets in the rounds of a Swiss tournament in which the bot listed first always wins.
fn tables_when_the_better_wins(bots: usize, rounds: u64) -> Vec<(Vec<[usize; 2]>, Option<usize>)> {
    let mut pairings = swiss(bots, rounds, 1);
    play(
        &mut pairings,
        World {
            seed: 0,
            absent: None,
            sure: true,
        },
        1,
        usize::MAX,
    );
    let of = |round: &Round| (round.tables.iter().map(|table| table.bots).collect(), round.bye);
    in_rounds(&pairings).played().iter().map(of).collect()
}

#[test]
fn the_upper_half_meets_the_lower_half_of_its_points() {
    let rounds = tables_when_the_better_wins(8, 3);
    assert_eq!(rounds[0], (vec![[0, 4], [1, 5], [2, 6], [3, 7]], None));
    assert_eq!(rounds[1], (vec![[0, 2], [1, 3], [4, 6], [5, 7]], None));
    assert_eq!(rounds[2].0[0], [0, 1]);
}

#[test]
fn the_bye_goes_to_the_last_who_had_none() {
    let byes: Vec<_> = tables_when_the_better_wins(5, 5)
        .into_iter()
        .map(|round| round.1)
        .collect();
    assert_eq!(byes[0], Some(4));
    assert_eq!(byes.iter().collect::<HashSet<_>>().len(), 5);
}

#[test]
fn a_swiss_table_counts_byes_as_won_against_an_opponent_with_the_same_points() {
    let mut pairings = swiss(3, 3, 1);
    play(
        &mut pairings,
        World {
            seed: 0,
            absent: None,
            sure: true,
        },
        1,
        usize::MAX,
    );
    let lines = standings(3, in_rounds(&pairings).played());
    // Each rests once and meets both others: 3, 2 and 1 points.
    let shown: Vec<_> = lines
        .iter()
        .map(|line| (line.bot, line.halves, line.buchholz, line.sonneborn_berger))
        .collect();
    assert_eq!(
        shown,
        [
            (0, 6, 4 + 2 + 6, 2 * (4 + 2 + 6)),
            (1, 4, 6 + 2 + 4, 2 * (2 + 4)),
            (2, 2, 6 + 4 + 2, 2 * 2)
        ]
    );
}

#[test]
fn a_result_that_hangs_on_missing_ones_is_refused() {
    let fresh = swiss(4, 3, 1);
    let played = play(
        &mut fresh.clone(),
        World {
            seed: 0,
            absent: None,
            sure: true,
        },
        1,
        usize::MAX,
    );
    let mut resumed = fresh.clone();
    for (scheduled, places) in &played[1..4] {
        resumed
            .settle(scheduled.id, &scheduled.bots, places)
            .expect("it is of the first round");
    }
    let (of_the_second, places) = &played[4];
    let id = of_the_second.id;
    assert_eq!(
        resumed.settle(id, &of_the_second.bots, places),
        Err(Misfit::TooEarly { id })
    );
    let id = played[0].0.id;
    assert_eq!(resumed.settle(id, &[0, 1], &[1, 2]), Err(Misfit::Others { id }));
}

#[test]
fn a_ladder_finds_the_best_in_fewer_rotations_than_a_round_robin_plays_and_knows_it() {
    let mut pairings = ladder(8, 2, Goal::Best, 100);
    let world = World {
        seed: 0,
        absent: None,
        sure: true,
    };
    play(&mut pairings, world, 4, usize::MAX);
    let ladder = the_ladder(&pairings);
    assert_eq!(ladder.ranking()[0], 0);
    assert!(ladder.open().is_empty());
    assert!(
        ladder.rotations() < ladder.rotations_max() / 4,
        "{} of {}",
        ladder.rotations(),
        ladder.rotations_max()
    );
}

#[test]
fn a_ladder_about_one_bot_lets_it_play_most() {
    let mut pairings = ladder(6, 2, Goal::Bot(3), 20);
    let world = World {
        seed: 9,
        absent: None,
        sure: false,
    };
    play(&mut pairings, world, 4, usize::MAX);
    let plays = the_ladder(&pairings).plays();
    assert!((0..6).all(|bot| bot == 3 || plays[bot] < plays[3]), "{plays:?}");
}

#[test]
fn a_ladder_about_equal_bots_ends_at_its_most_rotations() {
    let mut pairings = ladder(4, 2, Goal::Order, 30);
    play(
        &mut pairings,
        World {
            seed: 4,
            absent: None,
            sure: false,
        },
        4,
        usize::MAX,
    );
    let ladder = the_ladder(&pairings);
    assert_eq!((ladder.rotations(), ladder.rotations_max()), (180, 180));
    assert!(!ladder.open().is_empty());
}

#[test]
fn what_no_format_takes_is_refused_with_the_numbers() {
    let error = Pairings::ladder(frame(2), 101, Goal::Best, 4, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "101 bots; a ladder takes at most 100, other formats up to 1000"
    );
    let error = Pairings::rounds(frame(2), Form::Knockout(Knockout::new(4)), 4, 0).unwrap_err();
    assert_eq!(error, ScheduleError::NoRotations);
    let error = Pairings::rounds(frame(2), Form::Swiss(Swiss::new(4, 3)), 4, u64::MAX).unwrap_err();
    assert!(
        matches!(error, ScheduleError::TooManyMatches { per_round: 12, .. }),
        "{error}"
    );
}
