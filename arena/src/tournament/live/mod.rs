//! What is on the boards of a running tournament, for whoever looks: the terminal of the run itself, or another process
//! (see [`Publisher`] and [`Beside`]).
//!
//! Each job of the runner has a [`Slot`]. While nobody looks, a job notes there which match begins, and of its plies only
//! whether somebody looks: one relaxed load. While somebody does ([`Live::watch`]), every ply is added to the slot.
//!
//! What a reader would get wrong: a slot is not a snapshot made for a look. Plies that were played before the look began are
//! added at the next turn of that match, so a board may be behind once, for as long as that turn takes; a turn that
//! took long is always noted, so that only a match of instant moves can be.

mod beside;
mod fleet;
mod rate;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use mancala_arena_rules::AnyMatch;
use serde::{Deserialize, Serialize};

pub use beside::{Beside, Now, Publisher};
pub use fleet::{FleetNow, FleetWorker};
pub use rate::Rate;

use super::Scheduled;
use crate::record::{LeaveRecord, PlyRecord};
use crate::referee::Machine;

/// A ply that took as long is noted whether somebody looks or not: that costs nothing beside it.
const LONG_US: u64 = 1_000;

/// The boards of a run.
#[derive(Debug, Default)]
pub struct Live {
    watchers: Arc<AtomicUsize>,
    ended: AtomicU64,
    slots: Mutex<Vec<Arc<Slot>>>,
    /// Where others play.
    fleet: Mutex<Option<FleetNow>>,
}

/// Where a job notes what is on its board.
#[derive(Debug)]
pub struct Slot {
    watchers: Arc<AtomicUsize>,
    /// Matches begun and turns, of all matches.
    steps: AtomicU64,
    /// With the instant at which the last turn began.
    board: Mutex<Option<(Board, Instant)>>,
}

/// A match on the board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Board {
    /// Its id.
    pub r#match: u64,
    /// The rotation that it belongs to.
    pub rotation: u64,
    /// The bots by seat, by their place in the plan's list.
    pub bots: Vec<usize>,
    /// The position before ply 0, JSON in its wire form.
    pub opening: String,
    /// The plies so far.
    pub plies: Vec<PlyRecord>,
    /// Who has left so far.
    pub left: Vec<LeaveRecord>,
    /// What is left of each seat's bank, where there are banks.
    pub bank_ms: Option<Vec<u64>>,
    /// How long ago the turn began that is being waited for.
    pub turn_ms: u64,
}

/// Somebody looks, for as long as this lives.
#[derive(Debug)]
pub struct Watching(Arc<AtomicUsize>);

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Live {
    /// Says that somebody looks: from now on the boards are kept up with every ply.
    pub fn watch(&self) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(Arc::clone(&self.watchers))
    }

    /// The matches on the boards, by job. A job between two matches shows the one that has just ended.
    pub fn boards(&self) -> Vec<Board> {
        let slots = lock(&self.slots).clone();
        slots.iter().filter_map(|slot| slot.look()).collect()
    }

    /// The match on each board, with a count that grows whenever something happens on that board.
    pub fn steps(&self) -> Vec<(u64, u64)> {
        let slots = lock(&self.slots).clone();
        let steps = |slot: &Arc<Slot>| {
            let noted = lock(&slot.board);
            Some((noted.as_ref()?.0.r#match, slot.steps.load(Ordering::Relaxed)))
        };
        slots.iter().filter_map(steps).collect()
    }

    /// How many matches of this run have ended.
    pub fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// The fleet that plays, where one does.
    pub fn fleet(&self) -> Option<FleetNow> {
        lock(&self.fleet).clone()
    }

    /// What the fleet does now.
    pub fn tell_fleet(&self, now: FleetNow) {
        *lock(&self.fleet) = Some(now);
    }

    /// A match has ended, and counts.
    pub fn note_ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// A slot for one more job.
    pub(super) fn slot(&self) -> Arc<Slot> {
        let slot = Arc::new(Slot {
            watchers: Arc::clone(&self.watchers),
            steps: AtomicU64::new(0),
            board: Mutex::default(),
        });
        lock(&self.slots).push(Arc::clone(&slot));
        slot
    }
}

impl Slot {
    /// A match begins.
    pub(super) fn begin(&self, scheduled: &Scheduled, opening: &dyn AnyMatch) {
        self.step();
        let mut slot = lock(&self.board);
        // What the last match has left is used again.
        let (mut opening_text, mut plies) = slot
            .take()
            .map_or_else(Default::default, |(board, _)| (board.opening, board.plies));
        opening_text.clear();
        opening.write_position(&mut opening_text);
        plies.clear();
        let board = Board {
            r#match: scheduled.id.0,
            rotation: scheduled.rotation,
            bots: scheduled.bots.clone(),
            opening: opening_text,
            plies,
            left: Vec::new(),
            bank_ms: None,
            turn_ms: 0,
        };
        *slot = Some((board, Instant::now()));
    }

    /// A turn of that match begins.
    pub(super) fn turn(&self, machine: &Machine) {
        self.step();
        let long = machine.last_ply().is_some_and(|ply| ply.elapsed_us >= LONG_US);
        if self.watchers.load(Ordering::Relaxed) == 0 && !long {
            return;
        }
        if let Some((board, began)) = &mut *lock(&self.board) {
            board.plies.extend_from_slice(&machine.plies()[board.plies.len()..]);
            board.left.extend_from_slice(&machine.left()[board.left.len()..]);
            board.bank_ms = machine.banks_ms();
            *began = Instant::now();
        }
    }

    /// Only the job of this board counts: that needs no more than a load and a store.
    fn step(&self) {
        self.steps
            .store(self.steps.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    fn look(&self) -> Option<Board> {
        let noted = lock(&self.board).clone();
        noted.map(|(board, began)| Board {
            turn_ms: began.elapsed().as_millis() as u64,
            ..board
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding a board")
}
