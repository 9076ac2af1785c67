//! Results that were made up, the same in every run: for what is measured with many of them.

use std::path::Path;

use mancala_arena::config::{BotSpec, Format, GameChoice, Launch, OnFault, OpeningSource, Plan, Ponder, TimeControl};
use mancala_arena::record::{End, MatchScore, PlyRecord, RECORD_VERSION, Record, SeatRecord};
use mancala_arena::store::Store;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// Bots called `bot0` and so on.
pub fn names(bots: usize) -> Vec<String> {
    (0..bots).map(|bot| format!("bot{bot}")).collect()
}

/// Makes a results file at `db` with these matches, of two plies each.
pub fn store(db: &Path, names: &[String], scores: &[MatchScore]) {
    let plan = plan(names);
    let id = plan.id();
    let mut store = Store::open_to_write(db).expect("a new file can be written");
    store
        .add_plan(&plan, &vec![None; names.len()])
        .expect("a new file takes a plan");
    let writer = store.into_writer(&id, |_| ()).expect("the plan is there");
    for score in scores {
        writer
            .submit(&record(&plan, &id, score))
            .expect("it is a record of the plan");
    }
    writer.finish().expect("everything is stored");
}

fn plan(names: &[String]) -> Plan {
    let game = mancala_arena_rules::open("kalah", &[]).expect("kalah is a game");
    let bot = |name: &String| BotSpec {
        name: name.clone(),
        launch: Launch::Command(vec!["bot".to_owned()]),
        dir: None,
        env: Default::default(),
        on_fault: None,
    };
    Plan {
        game: GameChoice {
            name: "kalah".to_owned(),
            options: game.options().to_texts(),
        },
        bots: names.iter().map(bot).collect(),
        format: Format::RoundRobin,
        rotations: 1,
        openings: OpeningSource::RandomPlies(4),
        seed: 1,
        time: TimeControl::default(),
        on_fault: OnFault::Forfeit,
        ponder: Ponder::Allow,
    }
}

/// A record that gives this score.
fn record(plan: &Plan, id: &str, score: &MatchScore) -> Record {
    let ply = |seat: u8| PlyRecord {
        seat,
        r#move: seat.into(),
        elapsed_us: 1_000,
        info: None,
    };
    Record {
        record: RECORD_VERSION,
        plan: id.to_owned(),
        r#match: score.r#match,
        rotation: score.rotation,
        game: plan.game.name.clone(),
        options: plan.game.options.clone(),
        // Makes each match one of its own.
        opening: score.r#match.into(),
        seats: score
            .bots
            .iter()
            .map(|&bot| SeatRecord {
                bot,
                name: plan.bots[bot].name.clone(),
                ..SeatRecord::default()
            })
            .collect(),
        seed: 1,
        plies: vec![ply(0), ply(1)],
        end: score.end,
        places: score.places.clone(),
        points: score.points.clone(),
        faults: Vec::new(),
        left: Vec::new(),
        started_ms: 0,
        elapsed_us: 2_000,
        host: None,
    }
}

/// Pairs at random, each playing a rotation; a third of the closer results are ties, the first seat is worth 35 Elo.
pub fn scores(bots: usize, matches: u64) -> Vec<MatchScore> {
    let mut random = ChaCha8Rng::seed_from_u64(bots as u64);
    let mut uniform = move || (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0;
    // The sum of twelve is as good as normal.
    let ratings: Vec<f64> = (0..bots)
        .map(|_| 150.0 * ((0..12).map(|_| uniform()).sum::<f64>() - 6.0))
        .collect();
    let mut list = Vec::with_capacity(matches as usize);
    for rotation in 0..matches / 2 {
        let first = (uniform() * bots as f64) as usize;
        let second = (first + 1 + (uniform() * (bots - 1) as f64) as usize) % bots;
        for seats in [[first, second], [second, first]] {
            let expected = 1.0 / (1.0 + 10_f64.powf((ratings[seats[1]] - ratings[seats[0]] - 35.0) / 400.0));
            let tie = 2.0 / 3.0 * expected.min(1.0 - expected);
            let drawn = uniform();
            let places = if drawn < tie {
                [1, 1]
            } else if drawn < expected + tie / 2.0 {
                [1, 2]
            } else {
                [2, 1]
            };
            list.push(MatchScore {
                r#match: list.len() as u64,
                rotation,
                bots: seats.to_vec(),
                places: places.to_vec(),
                points: vec![24, 24],
                forfeits: vec![false, false],
                end: End::Rules,
                plies: 2,
                moves: vec![1, 1],
                time_us: vec![1_000, 1_000],
                fingerprint: list.len() as u64,
            });
        }
    }
    list
}
