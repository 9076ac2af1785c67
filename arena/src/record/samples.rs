//! Records for tests: random matches, played by the rules.

use mancala_arena_rules::{AnyGame, Seat};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::json;

use super::{End, FaultRecord, LeaveRecord, LeftBy, PlyRecord, RECORD_VERSION, Record, SeatRecord};
use crate::config::{BotSpec, Format, GameChoice, Launch, OnFault, OpeningSource, Plan, Ponder, TimeControl};

/// A plan for `game` with one bot for each seat.
pub fn plan(game: &dyn AnyGame, seed: u64) -> Plan {
    let bot = |place: usize| BotSpec {
        name: format!("bot-{place}"),
        launch: Launch::Command(vec![format!("./bot-{place}")]),
        dir: None,
        env: Default::default(),
        on_fault: None,
    };
    Plan {
        game: GameChoice {
            name: game.info().name.to_owned(),
            options: game.options().to_texts(),
        },
        bots: (0..game.seats()).map(bot).collect(),
        format: Format::RoundRobin,
        rotations: 50,
        openings: OpeningSource::RandomPlies(0),
        seed,
        time: TimeControl::default(),
        on_fault: OnFault::default(),
        ponder: Ponder::default(),
    }
}

/// The content hashes that go with [`plan`]: the first bot's program has none.
pub fn contents(plan: &Plan) -> Vec<Option<String>> {
    (0..plan.bots.len())
        .map(|place| (place > 0).then(|| format!("{place:064}")))
        .collect()
}

/// Whether seats leave a random match before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaving {
    /// None does.
    Never,
    /// Now and then one does, by a fault or by resigning.
    Sometimes,
}

/// Match `id` of `plan`, played with random legal moves.
pub fn played(plan: &Plan, id: u64, leaving: Leaving) -> Record {
    let game = mancala_arena_rules::open(&plan.game.name, &plan.game.options).expect("the plan's game is one of ours");
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed ^ id);
    let mut playing = game.start();
    let mut opening = String::new();
    playing.write_position(&mut opening);
    let seats = game.seats();
    let bot_of = |seat: usize| (seat + id as usize) % seats;
    let mut record = Record {
        record: RECORD_VERSION,
        plan: plan.id(),
        r#match: id,
        rotation: id / seats as u64,
        game: plan.game.name.clone(),
        options: plan.game.options.clone(),
        opening: serde_json::from_str(&opening).expect("a position is JSON"),
        seats: (0..seats)
            .map(|seat| SeatRecord {
                bot: bot_of(seat),
                name: plan.bots[bot_of(seat)].name.clone(),
                content: contents(plan)[bot_of(seat)].clone(),
                ..SeatRecord::default()
            })
            .collect(),
        seed: rng.next_u64(),
        plies: Vec::new(),
        end: End::Rules,
        places: Vec::new(),
        points: Vec::new(),
        faults: Vec::new(),
        left: Vec::new(),
        started_ms: 1_700_000_000_000 + id,
        elapsed_us: 12_345,
        host: None,
    };
    while let Some(seat) = playing.to_move() {
        if leaving == Leaving::Sometimes && rng.next_u32() % 20 == 0 {
            let by = if rng.next_u32() % 2 == 0 {
                LeftBy::Fault
            } else {
                LeftBy::Resignation
            };
            leave(&mut record, seat, playing.ply(), by);
            playing.leave(seat);
            continue;
        }
        let index = rng.next_u32() as usize % playing.legal_len();
        record.plies.push(PlyRecord {
            seat: seat.index() as u8,
            r#move: playing
                .nth_to_wire(index)
                .expect("the index is below the number of legal moves"),
            elapsed_us: rng.next_u32() as u64 % 1_000,
            info: None,
        });
        playing.play_nth(index);
    }
    let outcome = playing.outcome().expect("the match is over");
    let reason = playing.ended().expect("the match is over");
    record.end = match (End::from(reason), record.left.last()) {
        (End::Resignation, Some(LeaveRecord { by: LeftBy::Fault, .. })) => End::Fault,
        (end, _) => end,
    };
    record.places = outcome.places.to_vec();
    record.points = outcome.points.to_vec();
    record
}

fn leave(record: &mut Record, seat: Seat, ply: u32, by: LeftBy) {
    let seat = seat.index() as u8;
    if by == LeftBy::Fault {
        record.faults.push(FaultRecord {
            seat,
            bot: record.seats[usize::from(seat)].name.clone(),
            ply,
            code: mancala_arena_protocol::FaultCode::IllegalMove,
            message: "illegal move 7".to_owned(),
            received: None,
            legal: None,
            late_ms: None,
            exit: None,
            hint: None,
            then: None,
            stderr: None,
        });
    }
    record.left.push(LeaveRecord { seat, ply, by });
}

/// `record` with every optional field filled, and text that is hard to keep.
pub fn filled(mut record: Record) -> Record {
    let hard = "tab\t quote\" back\\ nul\0 bell\u{7} line\n e\u{301} \u{1F330} \u{2028} , ; ' <b>";
    record.seats[0].log_lines = 3;
    record.seats[0].dropped_lines = u64::from(u32::MAX) + 1;
    record.seats[1].unknown = 1;
    record.seats[1].content = Some("a program that was changed".to_owned());
    record.plies[0].info = Some(json!({"score": 0.1 + 0.2, "depth": 12, "pv": [1, 2], "text": hard, "tiny": 5e-324}));
    record.plies[2].info = Some(json!("any value"));
    record.faults.push(FaultRecord {
        seat: 1,
        bot: hard.to_owned(),
        ply: 4,
        code: mancala_arena_protocol::FaultCode::Late,
        message: hard.to_owned(),
        received: Some(hard.to_owned()),
        legal: Some(json!([0, 2, 3])),
        late_ms: Some(1.0 / 3.0),
        exit: Some("signal 9".to_owned()),
        hint: Some(hard.to_owned()),
        then: None,
        stderr: Some(hard.to_owned()),
    });
    record
}
