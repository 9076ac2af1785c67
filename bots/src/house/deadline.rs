//! How long a move may take.
//!
//! Of a limit per move all but a margin; of a bank a share and most of the increment, so that the bank lasts. The margin,
//! a tenth of what there is and at most 50 ms, is for the way of the answer to the arena; what the arena grants beyond the
//! limit is not counted on.

use std::time::{Duration, Instant};

use crate::client::TimeLeft;

const MARGIN_MAX: Duration = Duration::from_millis(50);

/// A bank is spent as if this many moves were to come.
const MOVES_TO_COME: u32 = 30;

/// Where bots get the time: [`Instant::now`], or a test's own clock.
pub(super) type Now = fn() -> Instant;

/// The time to stop thinking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    now: Now,
    at: Option<Instant>,
}

impl Deadline {
    /// Begins to count.
    pub(super) fn start(now: Now, time: &TimeLeft) -> Deadline {
        Deadline {
            now,
            at: budget(time).map(|budget| now() + budget),
        }
    }

    /// Whether there is a clock at all.
    pub(super) fn exists(&self) -> bool {
        self.at.is_some()
    }

    /// Whether the time is up. Asks the clock: not for every node.
    pub(super) fn passed(&self) -> bool {
        self.at.is_some_and(|at| (self.now)() >= at)
    }
}

/// What a move may take; `None` without a clock.
fn budget(time: &TimeLeft) -> Option<Duration> {
    let of_move = time.move_max.map(less_margin);
    let of_bank = time.bank.map(|bank| {
        let share = bank / MOVES_TO_COME + time.increment.unwrap_or_default() * 3 / 4;
        share.min(less_margin(bank))
    });
    of_move.into_iter().chain(of_bank).min()
}

fn less_margin(limit: Duration) -> Duration {
    limit - (limit / 10).min(MARGIN_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The budget in milliseconds; each limit in milliseconds, -1 for none.
    #[track_caller]
    fn check(move_max: i64, bank: i64, increment: i64, expected: Option<u64>) {
        let limit = |ms: i64| u64::try_from(ms).ok().map(Duration::from_millis);
        let time = TimeLeft {
            move_max: limit(move_max),
            bank: limit(bank),
            increment: limit(increment),
        };
        assert_eq!(budget(&time), expected.map(Duration::from_millis));
    }

    #[test]
    fn without_a_clock_there_is_no_budget() {
        check(-1, -1, -1, None);
    }

    #[test]
    fn a_move_takes_its_limit_less_a_margin() {
        check(1000, -1, -1, Some(950));
        check(100, -1, -1, Some(90));
        check(0, -1, -1, Some(0));
    }

    #[test]
    fn a_move_takes_a_share_of_the_bank_and_most_of_the_increment() {
        check(-1, 30_000, -1, Some(1000));
        check(-1, 30_000, 400, Some(1300));
    }

    #[test]
    fn a_move_never_takes_more_than_the_bank_holds() {
        check(-1, 100, 4000, Some(90));
    }

    #[test]
    fn the_tighter_limit_holds() {
        check(500, 30_000, -1, Some(450));
        check(5000, 30_000, -1, Some(1000));
    }
}
