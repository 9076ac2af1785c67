//! How fast a count grows.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The rate is that of so much time.
const OVER: Duration = Duration::from_secs(10);

/// From less time no rate is told.
const LEAST: Duration = Duration::from_millis(500);

/// A count at different instants.
#[derive(Debug, Default)]
pub struct Rate {
    counts: VecDeque<(Instant, u64)>,
}

impl Rate {
    /// So high is the count now.
    pub fn note(&mut self, count: u64, now: Instant) {
        self.counts.push_back((now, count));
        while self.counts.len() > 2 && now - self.counts[1].0 >= OVER {
            self.counts.pop_front();
        }
    }

    /// By how much it has grown a second, over the last ten seconds or as long as it has been noted.
    pub fn per_second(&self) -> Option<f64> {
        let (since, before) = *self.counts.front()?;
        let (now, count) = *self.counts.back()?;
        let passed = now - since;
        (passed >= LEAST).then(|| (count - before) as f64 / passed.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_of_the_last_ten_seconds() {
        let (mut rate, began) = (Rate::default(), Instant::now());
        let at = |seconds: f64| began + Duration::from_secs_f64(seconds);
        assert_eq!(rate.per_second(), None);
        rate.note(100, at(0.0));
        rate.note(110, at(0.4));
        assert_eq!(rate.per_second(), None);
        rate.note(120, at(1.0));
        assert_eq!(rate.per_second(), Some(20.0));
        rate.note(120, at(11.0));
        assert_eq!(rate.per_second(), Some(0.0));
    }
}
