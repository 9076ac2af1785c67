//! The boards of a running tournament for other processes, by two files beside the results file.
//!
//! Whoever looks keeps touching `FILE-watched`. While that is fresh, the run writes what is on its boards to `FILE-live`, each
//! time whole and under another name first. So a run that nobody looks at pays for one look at a file's time now and then.
//! Both files are taken away when the run ends; those that a killed run has left are stale, and mean nothing.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{Board, FleetNow, Live, Rate, Watching};
use crate::store;

/// How often the run writes while somebody looks.
const WRITE_EVERY: Duration = Duration::from_millis(250);

/// How often it asks whether somebody looks, while nobody does.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// Whoever looks has touched the mark within this time.
const WATCHED: Duration = Duration::from_secs(3);

/// What the run has written is of now for so long.
const FRESH: Duration = Duration::from_secs(2);

/// What a running tournament says of itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Now {
    /// The plan's id.
    pub plan: String,
    /// The machine that it runs on.
    pub host: String,
    /// Matches of the plan that have been played, in earlier runs too.
    pub done: u64,
    /// How many there will be, where that is known before.
    pub planned: Option<u64>,
    /// Matches a second, over the last few seconds.
    pub rate: Option<f64>,
    /// What is on the boards.
    pub boards: Vec<Board>,
    /// The fleet that plays, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fleet: Option<FleetNow>,
}

/// The run's side: a thread that tells of it for as long as this lives.
#[derive(Debug)]
pub struct Publisher {
    end: Sender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Publisher {
    /// Tells of the run of the plan `plan` with results in `db`, of which `before` matches had been played when it began.
    ///
    /// # Errors
    /// When the path cannot be resolved, or no thread started.
    pub fn start(db: &Path, plan: &str, live: &Arc<Live>, before: u64, planned: Option<u64>) -> io::Result<Publisher> {
        let files = Files::of(db)?;
        let (end, ended) = channel();
        let mut run = Run {
            files,
            plan: plan.to_owned(),
            live: Arc::clone(live),
            before,
            planned,
            rate: Rate::default(),
            watching: None,
        };
        let thread = std::thread::Builder::new().name("live".to_owned()).spawn(move || {
            let mut pause = Duration::ZERO;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                pause = run.look_round();
            }
            run.files.remove();
        })?;
        Ok(Publisher {
            end,
            thread: Some(thread),
        })
    }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        // A thread that has panicked hears nothing, and has nothing to remove that is not stale soon.
        let _ = self.end.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What the publishing thread works with.
struct Run {
    files: Files,
    plan: String,
    live: Arc<Live>,
    before: u64,
    planned: Option<u64>,
    /// How fast matches of this run end.
    rate: Rate,
    /// While somebody looks.
    watching: Option<Watching>,
}

impl Run {
    /// Writes if somebody looks; gives the time until the next round.
    fn look_round(&mut self) -> Duration {
        if !is_younger(&self.files.watched, WATCHED) {
            if self.watching.take().is_some() {
                self.rate = Rate::default();
                let _ = fs::remove_file(&self.files.live);
            }
            return ASK_EVERY;
        }
        if self.watching.is_none() {
            self.watching = Some(self.live.watch());
        }
        let ended = self.live.ended();
        self.rate.note(ended, Instant::now());
        let now = Now {
            plan: self.plan.clone(),
            host: store::host(),
            done: self.before + ended,
            planned: self.planned,
            rate: self.rate.per_second(),
            boards: self.live.boards(),
            fleet: self.live.fleet(),
        };
        // Whoever looks sees that nothing comes; the run goes on.
        let _ = self.files.write(&now);
        WRITE_EVERY
    }
}

/// The looking side, for a results file.
#[derive(Clone, Debug)]
pub struct Beside(Files);

impl Beside {
    /// Of the results file `db`.
    ///
    /// # Errors
    /// When the path cannot be resolved.
    pub fn of(db: &Path) -> io::Result<Beside> {
        Files::of(db).map(Beside)
    }

    /// Says that somebody looks. To be repeated every second.
    pub fn ask(&self) {
        // Without a run nobody would take the mark away. Where it cannot be made, there is nothing to see.
        if self.0.lock.exists() {
            let _ = fs::write(
                &self.0.watched,
                "the run tells what is on its boards while this is being touched\n",
            );
        }
    }

    /// What the run tells of itself; `None` when there is none, or it has not been asked yet.
    pub fn read(&self) -> Option<Now> {
        if !is_younger(&self.0.live, FRESH) {
            return None;
        }
        serde_json::from_slice(&fs::read(&self.0.live).ok()?).ok()
    }
}

/// The files beside a results file.
#[derive(Clone, Debug)]
struct Files {
    lock: PathBuf,
    live: PathBuf,
    partial: PathBuf,
    watched: PathBuf,
}

impl Files {
    fn of(db: &Path) -> io::Result<Files> {
        Ok(Files {
            lock: store::beside(db, "lock")?,
            live: store::beside(db, "live")?,
            partial: store::beside(db, "live-partial")?,
            watched: store::beside(db, "watched")?,
        })
    }

    fn write(&self, now: &Now) -> io::Result<()> {
        fs::write(&self.partial, serde_json::to_vec(now)?)?;
        fs::rename(&self.partial, &self.live)
    }

    fn remove(&self) {
        for file in [&self.live, &self.partial, &self.watched] {
            let _ = fs::remove_file(file);
        }
    }
}

/// Whether the file is there and was written less than `age` ago.
fn is_younger(path: &Path, age: Duration) -> bool {
    let written = fs::metadata(path).and_then(|metadata| metadata.modified());
    // A time in the future is that of a clock that was set back meanwhile.
    written.is_ok_and(|written| written.elapsed().map_or(true, |elapsed| elapsed < age))
}
