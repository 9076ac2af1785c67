//! The process of a worker that plays: orders come line by line, and what becomes of them goes back so.
//!
//! It plays through the same runner as everywhere; its matches come from a queue instead of pairings, and its results go to
//! the worker instead of a results file. It knows nothing of the server, and ends with the worker.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{Notify, watch};

use super::wire::{Assignment, Order, Said, line};
use crate::config::{self, ConfigError, Prepared, RunBuild, TimeControl};
use crate::record::{Record, Transcript, VoidRecord};
use crate::store::Common;
use crate::tournament::{self, Live, Next, Scheduled, Settings, Sink, Source, Stop, Tournament};

/// How often it is told what is on the boards.
const STEPS_EVERY: Duration = Duration::from_millis(250);

/// Results gather for so long before they are written together: each time that the worker is woken costs as much as some
/// plies.
const GATHER: Duration = Duration::from_millis(20);

/// So many bytes that the worker has not read are too many for a new match to begin.
const UNREAD_MAX: usize = 1 << 20;

/// Reads what is to be played.
///
/// # Errors
/// When it is none.
pub fn read_assignment(input: &mut dyn BufRead) -> io::Result<Assignment> {
    let mut text = String::new();
    input.read_line(&mut text)?;
    serde_json::from_str(&text).map_err(io::Error::other)
}

/// The plan, with programs of this machine, made as everywhere. Programs that have to be built are, by `run_build`.
///
/// # Errors
/// [`ConfigError`], which names the bot.
pub fn prepare(assignment: &Assignment, run_build: RunBuild) -> Result<(Prepared, Vec<String>), ConfigError> {
    let descriptor = &assignment.descriptor;
    let mut plan = descriptor.plan.clone();
    for place in &descriptor.parked_bots {
        // Nobody starts it: its matches are not sent out.
        plan.bots[*place].launch = config::Launch::House {
            name: "random".to_owned(),
            params: Vec::new(),
        };
    }
    let mut prepared = config::from_plan(plan, &assignment.dirs, run_build)?;
    let mut differs = Vec::new();
    let bots = prepared
        .programs
        .iter_mut()
        .zip(&descriptor.bots)
        .zip(&descriptor.plan.bots);
    for (place, ((program, shipped), spec)) in bots.enumerate() {
        if descriptor.parked_bots.contains(&place) {
            continue;
        }
        if program.content != shipped.content && !matches!(spec.launch, config::Launch::House { .. }) {
            differs.push(spec.name.clone());
        }
        // The files are those that the plan was made with. What runs them here is told apart, and is no other bot.
        program.content.clone_from(&shipped.content);
    }
    prepared.plan = descriptor.plan.clone();
    prepared.sandbox = assignment.sandbox.unwrap_or(descriptor.sandbox);
    prepared.limits = descriptor.limits;
    prepared.threads = descriptor.threads;
    Ok((prepared, differs))
}

/// Time limits on a machine that computes at another speed.
pub fn scaled(time: TimeControl, factor: Option<f64>) -> TimeControl {
    let Some(factor) = factor else { return time };
    let scale = |ms: u64| (ms as f64 * factor).round() as u64;
    TimeControl {
        move_ms_max: time.move_ms_max.map(scale),
        bank_ms: time.bank_ms.map(scale),
        increment_ms: scale(time.increment_ms),
        wall_ms_max: time.wall_ms_max.map(scale),
        ..time
    }
}

/// Says why it cannot play.
pub fn say_unfit(bot: Option<String>, why: String) {
    let _ = io::stdout().write_all(line(&Said::Unfit { bot, why }).as_bytes());
}

/// Plays what is ordered on `input` until that ends or says so. The bots can be started.
///
/// # Errors
/// When the workers' threads cannot be started.
pub fn play(
    tournament: &Arc<Tournament>,
    assignment: &Assignment,
    differs: Vec<String>,
    input: Box<dyn BufRead + Send>,
) -> io::Result<()> {
    let (to_worker, lines) = channel();
    let unread = Arc::new(AtomicUsize::new(0));
    let voice = Voice {
        to: to_worker,
        unread: Arc::clone(&unread),
    };
    voice.say(&Said::Ready { differs });
    let descriptor = &assignment.descriptor;
    let settings = Settings {
        jobs: assignment.jobs,
        threads: descriptor.threads,
        pin: assignment.pin,
        transcripts: descriptor.transcripts,
        guard: descriptor.guard,
    };
    let live = Arc::<Live>::default();
    let writer = {
        let live = Arc::clone(&live);
        std::thread::Builder::new()
            .name("voice".to_owned())
            .spawn(move || speak(&lines, &unread, &live))?
    };
    let (stop_sender, stop) = watch::channel(Stop::No);
    let queue = Arc::<Queue>::default();
    {
        let queue = Arc::clone(&queue);
        std::thread::Builder::new()
            .name("orders".to_owned())
            .spawn(move || obey(input, &queue, &stop_sender))?;
    }
    let sink: Arc<dyn Sink> = Arc::new(Results {
        voice: voice.clone(),
        common: descriptor.common(),
        queue: Arc::clone(&queue),
    });
    let report = tournament::run(tournament, Box::new(Assigned(queue)), settings, &stop, &sink, &live)?;
    drop(sink);
    voice.say(&Said::Over {
        why: report.pause.map(|pause| pause.to_string()),
    });
    drop(voice);
    writer.join().expect("the voice does not panic");
    Ok(())
}

/// Matches that are to be played.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    fed: Arc<Notify>,
}

#[derive(Default)]
struct Waiting {
    matches: VecDeque<Scheduled>,
    /// The batch of each match that has not ended.
    issue_of: HashMap<u64, u64>,
}

impl Queue {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().expect("nobody panics while holding the queue")
    }
}

struct Assigned(Arc<Queue>);

impl Source for Assigned {
    fn next(&mut self) -> Next {
        self.0.lock().matches.pop_front().map_or(Next::Wait, Next::Match)
    }

    fn settle(&mut self, _: &Scheduled, _: &[u8]) -> bool {
        false
    }

    fn fed(&self) -> Arc<Notify> {
        Arc::clone(&self.0.fed)
    }
}

/// Takes orders until there are no more.
fn obey(mut input: Box<dyn BufRead + Send>, queue: &Queue, stop: &watch::Sender<Stop>) {
    let mut text = String::new();
    loop {
        text.clear();
        match input.read_line(&mut text) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        match serde_json::from_str::<Order>(&text) {
            Ok(Order::Play(batch)) => {
                let mut waiting = queue.lock();
                for scheduled in batch.matches {
                    waiting.issue_of.insert(scheduled.id.0, batch.issue);
                    waiting.matches.push_back(scheduled);
                }
                drop(waiting);
                queue.fed.notify_waiters();
            }
            Ok(Order::Finish) => {
                stop.send_replace(Stop::AfterMatches);
            }
            Err(error) => {
                let _ = writeln!(io::stderr(), "an order that is not understood: {error}");
            }
        }
    }
    // The worker is gone, and with it whoever would take results.
    stop.send_replace(Stop::Now);
    std::thread::park();
}

/// The way to the worker.
#[derive(Clone)]
struct Voice {
    to: Sender<String>,
    unread: Arc<AtomicUsize>,
}

impl Voice {
    fn say(&self, said: &Said) {
        self.pass(line(said));
    }

    /// Lines that belong together.
    fn pass(&self, lines: String) {
        self.unread.fetch_add(lines.len(), Ordering::Relaxed);
        // Nobody listens any more only when it is over.
        let _ = self.to.send(lines);
    }
}

/// Writes what is said, and every now and then what is on the boards, until nobody says anything more.
fn speak(lines: &Receiver<String>, unread: &AtomicUsize, live: &Live) {
    let mut output = io::stdout().lock();
    let mut steps_at = std::time::Instant::now();
    loop {
        let said = lines.recv_timeout(STEPS_EVERY.saturating_sub(steps_at.elapsed()));
        let mut text = match said {
            Ok(line) => {
                std::thread::sleep(GATHER);
                line
            }
            Err(RecvTimeoutError::Timeout) => String::new(),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let mut taken = text.len();
        // As much as there is, in one piece.
        while text.len() < UNREAD_MAX
            && let Ok(more) = lines.try_recv()
        {
            taken += more.len();
            text += &more;
        }
        if steps_at.elapsed() >= STEPS_EVERY {
            steps_at = std::time::Instant::now();
            text += &line(&Said::Steps(live.steps()));
        }
        let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
        unread.fetch_sub(taken, Ordering::Relaxed);
        if written.is_err() {
            // The worker is gone: the end of its orders says so too.
            return;
        }
    }
}

/// Results on their way to the worker.
struct Results {
    voice: Voice,
    common: Common,
    queue: Arc<Queue>,
}

impl Sink for Results {
    fn deliver(&self, record: Record, transcript: Option<Transcript>) -> bool {
        let Some(issue) = self.queue.lock().issue_of.remove(&record.r#match) else {
            return true;
        };
        let ended = Said::Ended {
            issue,
            r#match: record.r#match,
        };
        let packed = self.common.pack(&record, transcript.as_ref());
        let packed = packed.expect("what is played here is of the plan");
        self.voice.pass(line(&ended) + &line(&packed));
        true
    }

    fn is_full(&self) -> bool {
        self.voice.unread.load(Ordering::Relaxed) > UNREAD_MAX
    }

    fn void(&self, void: VoidRecord) {
        self.voice.say(&Said::Void(void));
    }
}
