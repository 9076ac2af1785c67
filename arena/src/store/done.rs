//! Which matches of a plan are stored.

use std::ops::RangeInclusive;

/// A set of match ids, kept as ranges: a tournament that was stopped has played nearly all matches up to some id, so ten
/// million of them are a few ranges.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DoneSet {
    /// Ascending, and never touching each other.
    ranges: Vec<RangeInclusive<u64>>,
    len: u64,
}

impl DoneSet {
    /// Whether the match is stored.
    pub fn contains(&self, id: u64) -> bool {
        self.range_of(id).is_some()
    }

    /// How many are stored.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first match from `id` on that is not stored: one step over any number that are.
    pub fn next_open(&self, id: u64) -> u64 {
        self.range_of(id).map_or(id, |range| range.end() + 1)
    }

    /// The stored matches as ranges, ascending.
    pub fn ranges(&self) -> &[RangeInclusive<u64>] {
        &self.ranges
    }

    fn range_of(&self, id: u64) -> Option<&RangeInclusive<u64>> {
        let after = self.ranges.partition_point(|range| *range.start() <= id);
        self.ranges[..after].last().filter(|range| range.contains(&id))
    }
}

impl FromIterator<u64> for DoneSet {
    /// From ids in ascending order, each once.
    fn from_iter<I: IntoIterator<Item = u64>>(ids: I) -> DoneSet {
        let mut set = DoneSet::default();
        for id in ids {
            match set.ranges.last_mut() {
                Some(last) if id == last.end() + 1 => *last = *last.start()..=id,
                Some(last) => {
                    debug_assert!(id > *last.end(), "ids come in ascending order");
                    set.ranges.push(id..=id);
                }
                None => set.ranges.push(id..=id),
            }
            set.len += 1;
        }
        set
    }
}
