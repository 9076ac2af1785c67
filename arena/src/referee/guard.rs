//! The guard of a worker: when it was not running, so that no bot is called late for what was not its doing.
//!
//! A task on the worker's own runtime beats every few milliseconds and notes when a beat comes far too late: the arena was
//! stopped, the host was stalled or suspended, the worker was kept off its core. What matters is the delay of whoever
//! reads the answers, so each worker has its own guard.
//!
//! What a reader would get wrong: a stall does not make an answer void, and a void is not a pardon. A match is void only
//! when a move *came*, later than the limit allows, by no more than the worker stood still between asking and answer. A
//! bot that answers later than that, or not at all, has made its fault.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::time::{Instant, sleep};

/// How often the guard looks whether its worker runs.
const PERIOD: Duration = Duration::from_millis(10);

/// Delays below this are what a time control's grace is for.
const STALL_MIN: Duration = Duration::from_millis(20);

/// What a worker needs after a stall until it has read what came meanwhile.
const RECOVERY: Duration = Duration::from_millis(10);

/// Stalls that are remembered.
const STALLS_KEPT: usize = 64;

/// A time in which the worker did not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stall {
    /// The last time that it was seen running before.
    pub from: Instant,
    /// When it was seen running again.
    pub to: Instant,
    /// Whether the host was suspended. The clock of [`Instant`] stands still meanwhile.
    pub suspended: bool,
}

/// The stalls of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stalled {
    /// For how long the worker did not run, all together.
    pub length: Duration,
    /// Whether the host was suspended.
    pub suspended: bool,
}

/// Notes when its worker did not run.
#[derive(Debug)]
pub struct Guard(Mutex<Beats>);

#[derive(Debug)]
struct Beats {
    last: Instant,
    /// By how much the clock that runs on while the host is suspended is ahead.
    suspended: Duration,
    stalls: VecDeque<Stall>,
}

impl Default for Guard {
    fn default() -> Guard {
        Guard(Mutex::new(Beats {
            last: Instant::now(),
            suspended: suspended_so_far(),
            stalls: VecDeque::with_capacity(STALLS_KEPT),
        }))
    }
}

impl Guard {
    /// Beats for ever; to be spawned on the worker's runtime.
    pub async fn beat(&self) {
        loop {
            self.beats().beat(Instant::now(), suspended_so_far());
            sleep(PERIOD).await;
        }
    }

    /// How the worker stood still between `from` and `to`, which is now or was just now.
    pub fn stalled(&self, from: Instant, to: Instant) -> Stalled {
        let mut beats = self.beats();
        // Whoever reads the late answer may be woken before the guard is.
        beats.beat(to, suspended_so_far());
        stalled(beats.stalls.make_contiguous(), from, to)
    }

    fn beats(&self) -> MutexGuard<'_, Beats> {
        self.0.lock().expect("nobody panics while holding a guard's beats")
    }
}

impl Beats {
    fn beat(&mut self, now: Instant, suspended_so_far: Duration) {
        let suspended = suspended_so_far.saturating_sub(self.suspended) >= STALL_MIN;
        if suspended || now.saturating_duration_since(self.last) >= PERIOD + STALL_MIN {
            if self.stalls.len() == STALLS_KEPT {
                self.stalls.pop_front();
            }
            self.stalls.push_back(Stall {
                from: self.last,
                to: now,
                suspended,
            });
        }
        self.suspended = suspended_so_far;
        self.last = self.last.max(now);
    }
}

/// What of `stalls`, which do not overlap, lies between `from` and `to`.
pub fn stalled(stalls: &[Stall], from: Instant, to: Instant) -> Stalled {
    let within = stalls.iter().filter(|stall| stall.from <= to && from <= stall.to);
    within.fold(Stalled::default(), |sum, stall| Stalled {
        length: sum.length + stall.to.min(to).saturating_duration_since(stall.from.max(from)),
        suspended: sum.suspended || stall.suspended,
    })
}

impl Stalled {
    /// How much later than its limit an answer may come and be no fault of its bot.
    pub fn excuse(self) -> Duration {
        if self.length.is_zero() {
            Duration::ZERO
        } else {
            self.length + RECOVERY
        }
    }

    /// Whether a turn that ended so much too late is void.
    pub fn excuses(self, late: Duration) -> bool {
        self.suspended || late < self.excuse()
    }
}

/// How long the host has been suspended since it was started.
fn suspended_so_far() -> Duration {
    let at = |clock| {
        let time = clock_gettime(clock);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    // In this order the difference is never too large by the time between the two calls.
    let boot = at(ClockId::Boottime);
    boot.saturating_sub(at(ClockId::Monotonic))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a turn asked at 0 ms is void, with a limit up to `until`, an answer `at`, and stalls from and to.
    fn is_void(until: u64, at: u64, stalls: &[(u64, u64)]) -> bool {
        let base = Instant::now() + Duration::from_secs(1);
        let ms = |ms| base + Duration::from_millis(ms);
        let stall = |&(from, to): &(u64, u64)| Stall {
            from: ms(from),
            to: ms(to),
            suspended: false,
        };
        let stalls: Vec<Stall> = stalls.iter().map(stall).collect();
        let late = Duration::from_millis(at - until);
        stalled(&stalls, base, ms(at)).excuses(late)
    }

    #[test]
    fn a_late_answer_without_a_stall_is_late() {
        assert!(!is_void(100, 101, &[]));
        assert!(!is_void(100, 5_000, &[]));
    }

    #[test]
    fn an_answer_read_after_a_stall_over_the_deadline_is_void() {
        assert!(is_void(100, 2_000, &[(90, 1_999)]));
        // The worker has only just been woken when the stall ends.
        assert!(is_void(100, 2_005, &[(99, 1_999)]));
    }

    #[test]
    fn an_answer_later_than_the_stall_was_long_is_late() {
        assert!(!is_void(100, 2_000, &[(90, 1_500)]));
        assert!(!is_void(100, 200, &[(20, 80)]));
    }

    #[test]
    fn a_stall_in_the_middle_of_a_turn_counts_for_what_it_took() {
        assert!(is_void(100, 150, &[(20, 80)]));
    }

    #[test]
    fn stalls_of_one_turn_add_up() {
        assert!(is_void(100, 180, &[(10, 50), (60, 110)]));
        assert!(!is_void(100, 180, &[(10, 50)]));
    }

    #[test]
    fn a_stall_before_asking_excuses_nothing() {
        let base = Instant::now() + Duration::from_secs(10);
        let before = Stall {
            from: base - Duration::from_secs(5),
            to: base - Duration::from_secs(1),
            suspended: false,
        };
        let at = base + Duration::from_millis(101);
        assert_eq!(stalled(&[before], base, at), Stalled::default());
        let into_it = Stall {
            to: base + Duration::from_millis(30),
            ..before
        };
        assert_eq!(stalled(&[into_it], base, at).length, Duration::from_millis(30));
    }

    #[test]
    fn a_suspended_host_excuses_whatever_came_late() {
        let base = Instant::now();
        let beats = &mut Beats {
            last: base,
            suspended: Duration::from_secs(7),
            stalls: VecDeque::new(),
        };
        // The clock stood still, so the beat seems in time.
        beats.beat(base + PERIOD, Duration::from_secs(3_607));
        beats.beat(base + 2 * PERIOD, Duration::from_secs(3_607));
        assert_eq!(beats.stalls.len(), 1);
        let found = stalled(beats.stalls.make_contiguous(), base, base + 3 * PERIOD);
        assert!(found.suspended && found.excuses(Duration::from_secs(60)));
    }

    #[test]
    fn beats_in_time_leave_no_stall_and_a_missing_beat_does() {
        let base = Instant::now();
        let beats = &mut Beats {
            last: base,
            suspended: Duration::ZERO,
            stalls: VecDeque::new(),
        };
        for beat in 1..=10 {
            beats.beat(base + beat * (PERIOD + STALL_MIN / 2), Duration::ZERO);
        }
        assert_eq!(beats.stalls, []);
        let last = beats.last;
        for stall in 1..=2 * STALLS_KEPT as u32 {
            beats.beat(last + stall * Duration::from_secs(1), Duration::ZERO);
        }
        assert_eq!(beats.stalls.len(), STALLS_KEPT);
        let newest = beats.stalls[STALLS_KEPT - 1];
        assert_eq!(newest.to - newest.from, Duration::from_secs(1));
    }
}
