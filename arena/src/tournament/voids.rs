//! When void matches are so many that the run has to pause: then the host is no place for a tournament now.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::record::VoidRecord;

/// So many voids of one match, one after the other, pause the run.
const IN_A_ROW_MAX: u32 = 4;

/// So many incidents within [`WITHIN`] pause the run.
const INCIDENTS_MAX: usize = 10;

/// See [`INCIDENTS_MAX`].
const WITHIN: Duration = Duration::from_secs(60);

/// Voids this close together are one incident: whatever stops the arena stops all its workers.
const INCIDENT: Duration = Duration::from_secs(1);

/// Why a run was paused: the arena stands still so often that clocks mean nothing.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}; the last: {last}", self.what.text())]
pub struct Pause {
    what: TooMany,
    last: VoidRecord,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TooMany {
    InARow(u32),
    Incidents(usize),
}

impl TooMany {
    fn text(self) -> String {
        match self {
            TooMany::InARow(voids) => format!("{voids} voids of one match, one after the other"),
            TooMany::Incidents(times) => format!("voids at {times} times within {} s", WITHIN.as_secs()),
        }
    }
}

/// The incidents of the last time, over all workers.
#[derive(Debug, Default)]
pub struct Voids {
    recent: VecDeque<Instant>,
    pause: Option<Pause>,
}

impl Voids {
    /// Counts one more, the `in_a_row`-th of its match; gives whether the run has to pause.
    pub fn add(&mut self, void: &VoidRecord, in_a_row: u32, now: Instant) -> bool {
        if self.recent.back().is_none_or(|last| now - *last >= INCIDENT) {
            self.recent.push_back(now);
        }
        while self.recent.front().is_some_and(|first| now - *first > WITHIN) {
            self.recent.pop_front();
        }
        let what = if in_a_row >= IN_A_ROW_MAX {
            Some(TooMany::InARow(in_a_row))
        } else {
            let incidents = self.recent.len();
            (incidents >= INCIDENTS_MAX).then_some(TooMany::Incidents(incidents))
        };
        if let (Some(what), None) = (what, &self.pause) {
            let last = void.clone();
            self.pause = Some(Pause { what, last });
        }
        self.pause.is_some()
    }

    /// Why the run has to pause, if it has to.
    pub fn pause(&self) -> Option<Pause> {
        self.pause.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::VoidReason;

    fn void() -> VoidRecord {
        VoidRecord {
            r#match: 7,
            seat: 1,
            ply: 12,
            reason: VoidReason::Stalled,
            late_us: 900_000,
            stalled_us: 1_500_000,
            at_ms: 0,
        }
    }

    /// Adds a void every so many milliseconds, each the first of its match; gives how many it took to pause.
    fn first_voids_until_pause(apart_ms: u64) -> Option<u64> {
        let (mut voids, base) = (Voids::default(), Instant::now());
        (1..=50).find(|number| voids.add(&void(), 1, base + Duration::from_millis(number * apart_ms)))
    }

    #[test]
    fn ten_incidents_within_a_minute_pause_the_run() {
        assert_eq!(first_voids_until_pause(1_000), Some(10));
        assert_eq!(first_voids_until_pause(6_000), Some(10));
    }

    #[test]
    fn incidents_that_are_rare_do_not() {
        assert_eq!(first_voids_until_pause(10_000), None);
    }

    #[test]
    fn one_stall_is_one_incident_however_many_matches_it_hits() {
        assert_eq!(first_voids_until_pause(0), None);
    }

    #[test]
    fn the_fourth_void_of_one_match_in_a_row_pauses_the_run() {
        let (mut voids, base) = (Voids::default(), Instant::now());
        let paused: Vec<bool> = (1..=4).map(|in_a_row| voids.add(&void(), in_a_row, base)).collect();
        assert_eq!(paused, [false, false, false, true]);
        assert_eq!(
            voids.pause().expect("it paused").to_string(),
            "4 voids of one match, one after the other; the last: match 7 at ply 12: the arena stood still for 1500 ms, \
             what seat 2 was asked for came 900 ms late"
        );
    }
}
