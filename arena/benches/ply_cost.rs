//! What a ply costs through the whole arena, against what the pipes alone cost: both measured in the same rounds.
//!
//! The limit is a parent that writes 200 bytes to one of two children and reads the 60 it answers, blocking, all three on
//! one core: no JSON, no rules, no clock, no record. The arena plays whole matches of Kalah between instant bots through
//! scheduler, referee and store, records on, results durable. Ratios are taken round by round, since the clock of a shared
//! machine wanders; with as many jobs as cores the limit has a parent and two children on each.
//!
//! `cargo bench -p mancala-arena --bench ply_cost [-- ROUNDS]`

mod instant;

use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mancala_arena::bot::launch::{Launcher, run_stage};
use mancala_arena::bot::{Process, Program};
use mancala_arena::config::{
    BotSpec, Format, GameChoice, Launch, Limits, OnFault, OpeningSource, Plan, Ponder, Resolved, Sandbox, TimeControl,
    Transcripts,
};
use mancala_arena::referee::Relief;
use mancala_arena::store::{Store, WriterEvent};
use mancala_arena::tournament::{Openings, Pairings, Schedule, Settings, Sink, Stop, Tournament, cores, run};
use rustix::thread::{CpuSet, sched_setaffinity};

const LIMIT_PLIES: u32 = 100_000;
const ROTATIONS: u64 = 10_000;

fn main() -> ExitCode {
    // Bots are started through stages of this very program.
    if let Some(code) = run_stage() {
        return code;
    }
    match std::env::args().nth(1).as_deref() {
        Some("echo") => echo(),
        Some("instant") => instant::play(Duration::ZERO),
        rounds => bench(rounds.and_then(|text| text.parse().ok()).unwrap_or(9)),
    }
    ExitCode::SUCCESS
}

/// The limit's bot.
fn echo() {
    let (mut input, mut output) = (std::io::stdin().lock(), instant::Unbuffered);
    let mut request = [0; 200];
    while input.read_exact(&mut request).is_ok() && output.write_all(&[b'x'; 60]).is_ok() {}
}

/// Time a ply of the limit with one parent and its bots on each of `cores`.
fn limit(cores: &[usize]) -> Duration {
    let took: Vec<Duration> = std::thread::scope(|scope| {
        let on = |core: &usize| {
            let core = *core;
            scope.spawn(move || limit_on(core))
        };
        let threads: Vec<_> = cores.iter().map(on).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("the limit is measured"))
            .collect()
    });
    took.iter().sum::<Duration>() / (cores.len() * cores.len()) as u32
}

fn limit_on(core: usize) -> Duration {
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one).expect("a thread may choose its core");
    let start = || {
        let program = std::env::current_exe().expect("this program has a path");
        let mut command = Command::new(program);
        command
            .arg("echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts")
    };
    let mut bots = [start(), start()];
    let mut pipes: Vec<_> = bots
        .iter_mut()
        .map(|bot| (bot.stdin.take().expect("piped"), bot.stdout.take().expect("piped")))
        .collect();
    let mut answer = [0; 60];
    let mut ask = |ply: u32| {
        let (input, output) = &mut pipes[ply as usize % 2];
        input.write_all(&[b'r'; 200]).expect("the bot reads");
        output.read_exact(&mut answer).expect("the bot answers");
    };
    (0..1_000).for_each(&mut ask);
    let began = Instant::now();
    (0..LIMIT_PLIES).for_each(&mut ask);
    let took = began.elapsed();
    drop(pipes);
    bots.iter_mut().for_each(|bot| drop(bot.wait()));
    took / LIMIT_PLIES
}

/// Time a ply and matches a second of the whole arena, results on the disk.
fn arena(jobs: usize, launcher: &Arc<Launcher>, db: &std::path::Path) -> (Duration, f64) {
    let bot = |name: &str| BotSpec {
        name: name.to_owned(),
        launch: Launch::Command(vec!["instant".to_owned()]),
        dir: None,
        env: Default::default(),
        on_fault: None,
    };
    let game = mancala_arena_rules::open("kalah", &[]).expect("kalah is a game");
    let plan = Plan {
        game: GameChoice {
            name: "kalah".to_owned(),
            options: game.options().to_texts(),
        },
        bots: vec![bot("one"), bot("two")],
        format: Format::RoundRobin,
        rotations: ROTATIONS * jobs as u64,
        openings: OpeningSource::RandomPlies(4),
        seed: 1,
        time: TimeControl::default(),
        on_fault: OnFault::Forfeit,
        ponder: Ponder::Allow,
    };
    let program = |id: usize| {
        let resolved = Resolved {
            program: std::env::current_exe().expect("this program has a path"),
            args: vec!["instant".to_owned()],
            dir: std::env::temp_dir(),
            env: Default::default(),
            content: None,
        };
        Arc::new(Program {
            id,
            name: plan.bots[id].name.clone(),
            resolved,
            launcher: Arc::clone(launcher),
            hidden: Vec::new(),
        })
    };
    let tournament = Arc::new(Tournament {
        id: plan.id().into(),
        programs: vec![program(0), program(1)],
        reliefs: vec![Relief::None; 2],
        pairings: Pairings::fixed(Schedule::new(2, 2, plan.rotations, true, 1).expect("two bots suffice")),
        openings: Openings::new(&game, &plan.openings, 1).expect("kalah has openings"),
        game,
        plan,
    });
    let mut store = Store::open_to_write(db).expect("a new file can be written");
    store
        .add_plan(&tournament.plan, &[None, None])
        .expect("a new file takes a plan");
    let plies = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&plies);
    let writer = store.into_writer(&tournament.id, move |event| match event {
        WriterEvent::Stored(stored) if stored.faults.is_empty() => {
            counted.fetch_add(stored.score.plies.into(), Ordering::Relaxed);
        }
        _ => panic!("an instant bot makes no fault, and its matches are stored: {event:?}"),
    });
    let writer = writer.expect("the plan is there");
    let sink: Arc<dyn Sink> = Arc::new(writer.handle());
    let (_sender, stop) = tokio::sync::watch::channel(Stop::No);
    let live = Arc::default();
    let began = Instant::now();
    let settings = Settings {
        jobs,
        threads: 1,
        pin: true,
        transcripts: Transcripts::default(),
        guard: true,
    };
    run(
        &tournament,
        Box::new(tournament.pairings.clone()),
        settings,
        &stop,
        &sink,
        &live,
    )
    .expect("workers start");
    writer.finish().expect("everything is stored");
    let took = began.elapsed();
    let plies = plies.load(Ordering::Relaxed);
    (
        took / plies as u32,
        tournament.pairings.matches_max() as f64 / took.as_secs_f64(),
    )
}

fn bench(rounds: usize) {
    let dir = std::env::temp_dir().join(format!("ply-cost-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for the results can be made");
    let launcher = |sandbox| Arc::new(Launcher::new(sandbox, Limits::default()).expect("nothing is required"));
    let (off, auto) = (launcher(Sandbox::Off), launcher(Sandbox::Auto));
    let confined = auto.layers().iter().map(|layer| layer.as_str()).collect::<Vec<_>>();
    println!("the sandbox here: {}", confined.join(", "));
    let cores_all = cores();
    let settings = [
        ("jobs 1", 1, &off),
        ("jobs 1, sandbox", 1, &auto),
        ("jobs = cores", cores_all.len(), &off),
    ];
    let mut ratios = settings.map(|_| Vec::new());
    let mut sandbox_ratios = Vec::new();
    println!(
        "{:>5} {:>9} {:<15} {:>9} {:>10} {:>7}",
        "round", "limit us", "arena", "arena us", "matches/s", "ratio"
    );
    for round in 0..rounds {
        let mut plies = Vec::new();
        for (at, (name, jobs, launcher)) in settings.iter().enumerate() {
            let limit = limit(&cores_all[..*jobs]);
            let (ply, matches) = arena(*jobs, launcher, &dir.join(format!("{round}-{at}.db")));
            let ratio = ply.as_secs_f64() / limit.as_secs_f64();
            ratios[at].push(ratio);
            plies.push(ply);
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            println!(
                "{round:>5} {:>9.2} {name:<15} {:>9.2} {matches:>10.0} {ratio:>7.2}",
                micros(limit),
                micros(ply)
            );
        }
        sandbox_ratios.push(plies[1].as_secs_f64() / plies[0].as_secs_f64());
    }
    std::fs::remove_dir_all(&dir).expect("the results can be removed");
    for (ratios, (name, ..)) in ratios.iter_mut().zip(settings) {
        println!("{name}: median ratio to the limit {:.2}", median(ratios));
    }
    println!("sandbox on to off: median ratio {:.2}", median(&mut sandbox_ratios));
    let starts = [&off, &auto].map(|launcher| start_ms(launcher));
    println!(
        "start to exit of a program, median: {:.2} ms, in the sandbox {:.2} ms",
        starts[0], starts[1]
    );
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How long a program that ends at once takes from its start to its end.
fn start_ms(launcher: &Launcher) -> f64 {
    let program = Resolved {
        program: "/bin/true".into(),
        args: Vec::new(),
        dir: std::env::temp_dir(),
        env: Default::default(),
        content: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime can be built");
    let mut took: Vec<f64> = runtime.block_on(async {
        let mut took = Vec::new();
        for _ in 0..50 {
            let began = Instant::now();
            let process = Process::start(&program, launcher, &[]).expect("there is such a program");
            process.exit_status(Duration::from_secs(10)).await.expect("it ends");
            took.push(began.elapsed().as_secs_f64() * 1e3);
        }
        took
    });
    median(&mut took)
}
