//! What a ply costs, against what two pipes and a context switch cost: both measured in the same rounds.
//!
//! The limit is a parent that writes 200 bytes to one of two children and reads the 60 it answers, blocking, all three on
//! one core: no JSON, no rules, no clock, no record. The referee plays whole matches of instant bots with everything
//! switched on. Ratios are taken round by round, since the clock of a shared machine wanders.
//!
//! `cargo bench -p mancala-arena --bench ply_cost [-- ROUNDS]`

use std::io::{BufRead, Read, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mancala_arena::bot::{Bot, Program, Retirements};
use mancala_arena::config::{Ponder, Resolved, TimeControl};
use mancala_arena::referee::{Setup, Silent, play};
use mancala_arena_bots::client::{self, Turn};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("echo") => echo(),
        Some("instant") => client::run(|turn: &Turn| turn.legal[0].clone()).expect("the arena talks sense"),
        Some("scan") => scan(),
        _ => bench(),
    }
}

fn echo() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut request = [0; 200];
    let answer = [b'x'; 60];
    while input.read_exact(&mut request).is_ok() && output.write_all(&answer).and_then(|()| output.flush()).is_ok() {}
}

fn scan() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if line.starts_with("{\"type\":\"hello\"") {
            output.write_all(b"{\"type\":\"hello\",\"protocol\":1}\n").unwrap();
        } else if line.starts_with("{\"type\":\"turn\"") {
            let at = line.find("\"legal\":[").unwrap() + 9;
            let mv = line[at..].split([',', ']']).next().unwrap();
            let p = line.find("\"ply\":").unwrap() + 6;
            let ply = line[p..].split([',', ']']).next().unwrap();
            writeln!(output, "{{\"move\":{mv},\"ply\":{ply}}}").unwrap();
        } else {
            continue;
        }
        output.flush().unwrap();
    }
}

fn limit(plies: u32) -> Duration {
    let start = || {
        Command::new(std::env::current_exe().unwrap())
            .arg("echo")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut bots = [start(), start()];
    let mut pipes: Vec<_> = bots
        .iter_mut()
        .map(|bot| (bot.stdin.take().unwrap(), bot.stdout.take().unwrap()))
        .collect();
    let request = [b'r'; 200];
    let mut answer = [0; 60];
    let mut ask = |ply: u32| {
        let (input, output) = &mut pipes[ply as usize % 2];
        input.write_all(&request).unwrap();
        output.read_exact(&mut answer).unwrap();
    };
    (0..100).for_each(&mut ask);
    let began = Instant::now();
    (0..plies).for_each(&mut ask);
    let took = began.elapsed();
    drop(pipes);
    bots.iter_mut().for_each(|bot| drop(bot.wait()));
    took
}

fn bench() {
    let mut set = rustix::thread::CpuSet::new();
    set.set(1);
    rustix::thread::sched_setaffinity(None, &set).unwrap();
    let game = mancala_arena_rules::open_text("kalah").unwrap();
    {
        use mancala_arena::referee::Machine;
        let mut out = Vec::new();
        for _ in 0..5 {
            let (mut plies, began) = (0u32, Instant::now());
            for id in 0..20000u64 {
                let mut m = Machine::new(
                    id.to_string(),
                    game.start(),
                    TimeControl::default(),
                    &["a".into(), "b".into()],
                );
                let mut t = Duration::ZERO;
                while m.to_move().is_some() {
                    out.clear();
                    m.write_turn(&mut out);
                    let text = std::str::from_utf8(&out).unwrap();
                    let at = text.find("\"legal\":[").unwrap() + 9;
                    let mv = text[at..].split([',', ']']).next().unwrap();
                    let line = format!("{{\"move\":{mv}}}");
                    m.asked(t);
                    t += Duration::from_micros(5);
                    m.line(line.as_bytes(), t);
                    plies += 1;
                }
                std::hint::black_box(m.into_report());
            }
            println!("machine {} ns a ply", began.elapsed().as_nanos() as u32 / plies);
        }
    }
    for kind in ["scan"] {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        for _ in 0..7 {
            let l = limit(20_000).as_nanos() as f64 / 20_000.0;
            let (plies, took) = runtime.block_on(async {
                let program = |id: usize| {
                    Arc::new(Program {
                        id,
                        name: format!("b{id}"),
                        resolved: Resolved {
                            program: std::env::current_exe().unwrap(),
                            args: vec![kind.into()],
                            dir: ".".into(),
                            env: Default::default(),
                            content: None,
                        },
                    })
                };
                let (mut a, mut b) = (Bot::new(program(0)), Bot::new(program(1)));
                let mut retirements = Retirements::default();
                let mut plies = 0;
                let mut began = Instant::now();
                for id in 0..1000 {
                    if id == 5 {
                        began = Instant::now();
                        plies = 0;
                    }
                    let setup = Setup {
                        plan: "p".into(),
                        id,
                        rotation: 0,
                        game: game.clone(),
                        opening: game.start(),
                        seed: 0,
                        time: TimeControl::default(),
                        ponder: Ponder::Allow,
                    };
                    let record = play(setup, &mut [&mut a, &mut b], &mut retirements, &mut Silent).await;
                    assert!(record.faults.is_empty());
                    plies += record.plies.len();
                }
                (plies, began.elapsed())
            });
            let ours = took.as_nanos() as f64 / plies as f64;
            println!(
                "{kind}: limit {:.2} us, referee {:.2} us, ratio {:.2} plies {}",
                l / 1e3,
                ours / 1e3,
                ours / l,
                plies
            );
        }
    }
}
