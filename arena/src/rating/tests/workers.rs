use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use super::{DRAW, LOSS, WIN, played};
use crate::rating::workers::{LEVEL, Odd, WorkerLine, Workers, WorkersReport};
use crate::record::{HostRecord, MatchScore};

fn host(worker: &str) -> HostRecord {
    HostRecord {
        worker: worker.to_owned(),
        name: format!("{worker}.example"),
        speed: 20.0,
        load: 0.5,
        limits_factor: None,
    }
}

/// How a worker treats the bots that play there.
#[derive(Clone, Copy)]
struct Machine {
    /// Of 100 matches that bot 0 would lose, so many are won there.
    favour: u32,
    /// By how much moves take longer.
    slowness: f64,
    /// Of 100 rotations so many have a late move.
    late: u32,
}

const FAIR: Machine = Machine {
    favour: 0,
    slowness: 1.0,
    late: 2,
};

/// A match with the worker that played it, and whether a move was late.
type Told = (MatchScore, String, bool);

/// Rotations of pairs of `bots`, given out to workers in turn by chance. The openings favour a seat, so that matches of one
/// rotation are mostly won by either side once.
fn matches(rng: &mut ChaCha8Rng, bots: usize, rotations: u64, machines: &[Machine]) -> Vec<Told> {
    let mut told = Vec::new();
    let pairs: Vec<(usize, usize)> = (0..bots)
        .flat_map(|one| (one + 1..bots).map(move |two| (one, two)))
        .collect();
    for rotation in 0..rotations {
        let (one, two) = pairs[rotation as usize % pairs.len()];
        let at = rng.next_u32() as usize % machines.len();
        let machine = machines[at];
        let opening = rng.next_u32() % 100;
        let late = rng.next_u32() % 100 < machine.late;
        for seats in [[one, two], [two, one]] {
            let mut places = if rng.next_u32().is_multiple_of(4) {
                DRAW
            } else if rng.next_u32() % 100 < opening {
                WIN
            } else {
                LOSS
            };
            let seat = seats.iter().position(|&bot| bot == 0);
            if let Some(seat) = seat
                && rng.next_u32() % 100 < machine.favour
            {
                places = if seat == 0 { WIN } else { LOSS };
            }
            let mut score = played(rotation, &seats, &places);
            score.r#match = told.len() as u64;
            for (time, bot) in score.time_us.iter_mut().zip(seats) {
                let chance = 0.5 + f64::from(rng.next_u32() % 1_000) / 1_000.0;
                *time = (5_000.0 * (bot + 1) as f64 * chance * machine.slowness) as u64;
            }
            told.push((score, format!("w{at}"), late));
        }
    }
    told
}

fn report<'a>(bots: usize, told: impl IntoIterator<Item = &'a Told>) -> WorkersReport {
    let mut workers = Workers::new(bots);
    for (score, worker, late) in told {
        workers.add(score, Some(&host(worker)), u64::from(*late), *late);
    }
    workers.report()
}

fn odd(report: &WorkersReport) -> Vec<(&str, &[Odd])> {
    let odd = report.lines.iter().filter(|line| !line.odd.is_empty());
    odd.map(|line| (line.worker.as_deref().expect("all have names"), &line.odd[..]))
        .collect()
}

fn with(machine: Machine, others: usize) -> Vec<Machine> {
    let mut machines = vec![FAIR; others];
    machines.insert(1, machine);
    machines
}

#[test]
fn fair_workers_are_not_odd() {
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let found = report(4, &matches(&mut rng, 4, 1_200, &[FAIR; 6]));
        assert_eq!(odd(&found), [], "{seed}");
        assert!(
            found
                .lines
                .iter()
                .all(|line| line.results.is_some() && line.late_p.is_some())
        );
    }
}

#[test]
fn a_worker_that_favours_a_bot_is_odd_and_the_bot_is_named() {
    let favouring = Machine { favour: 40, ..FAIR };
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let found = report(4, &matches(&mut rng, 4, 1_200, &with(favouring, 5)));
    assert_eq!(odd(&found), [("w1", &[Odd::Results][..])]);
    let test = found.lines[1].results.expect("it is tested");
    assert_eq!(test.bot, 0);
    assert!((0.1..0.3).contains(&test.excess) && test.p < 1e-4, "{test:?}");
}

/// Bot 1 wins all on one worker: against bot 0 as the second of the pair, against bot 2 as the first.
#[test]
fn a_favour_to_a_bot_in_the_middle_does_not_cancel() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut told = matches(&mut rng, 3, 600, &[FAIR; 4]);
    for (score, worker, _) in &mut told {
        if worker == "w2"
            && let Some(seat) = score.bots.iter().position(|bot| *bot == 1)
        {
            score.places = if seat == 0 { WIN } else { LOSS }.to_vec();
        }
    }
    let found = report(3, &told);
    let test = found.lines[2].results.expect("it is tested");
    assert!(
        found.lines[2].odd == [Odd::Results] && test.bot == 1 && test.excess > 0.2,
        "{test:?}"
    );
}

#[test]
fn a_slow_worker_is_odd_and_a_slightly_slow_one_is_not() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for others in [1, 2, 6] {
        let found = report(
            3,
            &matches(&mut rng, 3, 900, &with(Machine { slowness: 2.0, ..FAIR }, others)),
        );
        let slow = found.lines[1].time.expect("there are many rotations");
        // Of two workers the median is between them.
        let expected = if others == 1 { 2.0_f64.sqrt() } else { 2.0 };
        assert!((slow.ratio / expected).ln().abs() < 0.1 && slow.low < slow.ratio && slow.ratio < slow.high);
        assert_eq!(slow.z.is_some(), others == 6);
        let expected: &[(&str, &[Odd])] = &[("w0", &[Odd::Time]), ("w1", &[Odd::Time])];
        assert_eq!(odd(&found), if others == 1 { expected } else { &expected[1..] });
        let found = report(
            3,
            &matches(&mut rng, 3, 900, &with(Machine { slowness: 1.15, ..FAIR }, others)),
        );
        assert_eq!(odd(&found), []);
    }
}

#[test]
fn times_of_fast_bots_do_not_count() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut told = matches(&mut rng, 3, 300, &with(FAIR, 2));
    for (score, worker, _) in &mut told {
        for seat in 0..2 {
            if score.bots[seat] == 2 {
                score.time_us[seat] = if worker == "w1" { 5 * 45 } else { 5 * 10 };
            }
        }
    }
    let found = report(3, &told);
    assert_eq!(found.fast_bots, [2]);
    assert_eq!(odd(&found), []);
}

#[test]
fn a_worker_on_which_moves_come_late_is_odd() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let found = report(3, &matches(&mut rng, 3, 600, &with(Machine { late: 20, ..FAIR }, 3)));
    assert_eq!(odd(&found), [("w1", &[Odd::Late][..])]);
}

/// Bot 2 is late in a third of its rotations, wherever: whoever is given more of these is late more often, and not odd.
#[test]
fn a_late_bot_is_not_held_against_the_worker_that_was_given_it() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut told = matches(&mut rng, 3, 900, &[FAIR; 2]);
    for (score, worker, late) in &mut told {
        let with_late_bot = score.bots.contains(&2);
        *late = with_late_bot && score.rotation % 9 < 3;
        if with_late_bot && score.rotation % 10 < 8 {
            *worker = "w0".to_owned();
        }
    }
    let found = report(3, &told);
    let share = |line: &WorkerLine| line.late as f64 / line.matches as f64;
    assert!(share(&found.lines[0]) > 1.5 * share(&found.lines[1]));
    assert!(
        found.lines.iter().all(|line| !line.odd.contains(&Odd::Late)),
        "{found:?}"
    );
}

#[test]
fn one_worker_alone_is_not_tested() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let found = report(3, &matches(&mut rng, 3, 300, &[Machine { late: 20, ..FAIR }]));
    let line = &found.lines[0];
    assert_eq!(
        (found.lines.len(), line.results, line.time, line.late_p),
        (1, None, None, None)
    );
    assert_eq!(line.matches, 600);
    assert_eq!(report(2, &[]).lines, []);
}

#[test]
fn names_of_workers_and_the_order_of_matches_change_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let told = matches(
        &mut rng,
        3,
        600,
        &with(
            Machine {
                favour: 20,
                slowness: 1.5,
                late: 10,
            },
            4,
        ),
    );
    let found = report(3, &told);
    let renamed: Vec<Told> = told
        .iter()
        .map(|(score, worker, late)| (score.clone(), worker.replace('w', "x").replace("x1", "a"), *late))
        .collect();
    let again = report(3, &renamed);
    let close = |one: f64, other: f64| (one - other).abs() < 1e-9;
    let check = |one: &WorkerLine, other: &WorkerLine| {
        let (results, others) = (one.results.expect("tested"), other.results.expect("tested"));
        assert!(results.bot == others.bot && close(results.p, others.p) && close(results.excess, others.excess));
        assert!(close(one.time.expect("known").ratio, other.time.expect("known").ratio));
        assert!(close(one.late_p.expect("tested"), other.late_p.expect("tested")));
        assert_eq!(one.odd, other.odd);
    };
    check(&found.lines[1], &again.lines[0]);
    check(&found.lines[0], &again.lines[1]);
    check(&found.lines[4], &again.lines[4]);
    let backwards = report(3, told.iter().rev());
    found
        .lines
        .iter()
        .zip(&backwards.lines)
        .for_each(|(one, other)| check(one, other));
}

/// What is called odd though nothing is: in 400 tournaments at the level of 1 % some 4 of them, for results and for late
/// moves each.
#[test]
fn fair_tournaments_are_called_odd_as_often_as_the_level_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let (mut below, mut results, mut late) = ([0; 2], 0, 0);
    for _ in 0..400 {
        let found = report(3, &matches(&mut rng, 3, 300, &[Machine { late: 10, ..FAIR }; 3]));
        let least = |p: &dyn Fn(&WorkerLine) -> Option<f64>| found.lines.iter().filter_map(p).fold(1.0, f64::min);
        let of_results = least(&|line| line.results.map(|test| test.p));
        results += u32::from(of_results < LEVEL);
        late += u32::from(least(&|line| line.late_p) < LEVEL);
        below[0] += u32::from(of_results < 0.1);
        below[1] += u32::from(least(&|line| line.late_p) < 0.1);
    }
    assert!(results <= 10 && late <= 10, "{results} and {late} of 400");
    // Three workers depend on each other, so Holm's method errs a little less often than the level says.
    assert!(
        below.iter().all(|count| (12..=55).contains(count)),
        "{below:?} of 400 below 10 %"
    );
}

#[test]
fn rotations_shared_by_two_workers_and_unfinished_ones_are_compared_by_seats() {
    let mut rng = ChaCha8Rng::seed_from_u64(10);
    let told = matches(&mut rng, 2, 400, &[FAIR]);
    // Each rotation's two matches go to two workers: all of `a` begin with bot 0.
    let mut workers = Workers::new(2);
    for (at, (score, ..)) in told.iter().enumerate() {
        workers.add(score, (at % 2 == 1).then(|| host("a")).as_ref(), 0, false);
    }
    let found = workers.report();
    assert_eq!(
        found
            .lines
            .iter()
            .map(|line| line.worker.as_deref())
            .collect::<Vec<_>>(),
        [Some("a"), None]
    );
    // No bot sat in the same seat on both: there is nothing to compare.
    assert!(
        found
            .lines
            .iter()
            .all(|line| line.results.is_none() && line.matches == 400)
    );
    assert_eq!((found.lines[1].load, &found.lines[1].speed), (None, &None));
    // Now only the first match of each, by chance here or there.
    let mut workers = Workers::new(2);
    for (score, ..) in told.iter().step_by(2) {
        workers.add(
            score,
            rng.next_u32().is_multiple_of(2).then(|| host("a")).as_ref(),
            0,
            false,
        );
    }
    assert!(
        workers
            .report()
            .lines
            .iter()
            .all(|line| line.results.is_some_and(|test| test.p > LEVEL))
    );
}

/// Three seats: the share of others beaten, averaged over the three matches.
#[test]
fn more_seats_are_shares_of_the_others() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut workers = Workers::new(3);
    for rotation in 0..300 {
        let worker = ["a", "b", "c"][rng.next_u32() as usize % 3];
        for turn in 0..3 {
            let seats = [turn % 3, (turn + 1) % 3, (turn + 2) % 3];
            let mut places = [[1, 2, 3], [1, 1, 3], [2, 1, 3], [3, 2, 1], [1, 3, 1]][rng.next_u32() as usize % 5];
            if worker == "b" {
                let seat = seats.iter().position(|bot| *bot == 2).expect("it sits somewhere");
                places = [2, 2, 2];
                places[seat] = 1;
            }
            workers.add(&played(rotation, &seats, &places), Some(&host(worker)), 0, false);
        }
    }
    let found = workers.report();
    let test = found.lines[1].results.expect("it is tested");
    assert_eq!((found.lines[1].odd.as_slice(), test.bot), (&[Odd::Results][..], 2));
    assert!(test.excess > 0.2 && test.excess < 0.5, "{test:?}");
}
