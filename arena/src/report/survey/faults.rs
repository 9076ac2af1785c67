//! Faults by bot and kind, with the first of each.

use std::collections::BTreeMap;

use mancala_arena_protocol::FaultCode;

use crate::record::FaultRecord;

/// Matches with faults that are remembered; more are only counted.
const REMEMBERED_MAX: usize = 10_000;

/// All faults of one kind of one bot.
#[derive(Clone, PartialEq, Debug)]
pub struct FaultKind {
    /// The bot, by its place in the plan's list.
    pub bot: usize,
    /// Which kind.
    pub code: FaultCode,
    /// How many.
    pub count: u64,
    /// The match of the first.
    pub first_match: u64,
    /// The first.
    pub first: FaultRecord,
}

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Faults {
    kinds: BTreeMap<(usize, &'static str), FaultKind>,
    /// By match, in order.
    matches: Vec<u64>,
    last: Option<u64>,
    matches_seen: u64,
}

impl Faults {
    pub fn add(&mut self, number: u64, bot: usize, fault: &FaultRecord) {
        let kind = self
            .kinds
            .entry((bot, fault.code.as_str()))
            .or_insert_with(|| FaultKind {
                bot,
                code: fault.code,
                count: 0,
                first_match: number,
                first: fault.clone(),
            });
        kind.count += 1;
        if self.last.replace(number) != Some(number) {
            self.matches_seen += 1;
            if self.matches.len() < REMEMBERED_MAX {
                self.matches.push(number);
            }
        }
    }

    /// The most frequent first.
    pub fn kinds(&self) -> Vec<&FaultKind> {
        let mut kinds: Vec<_> = self.kinds.values().collect();
        kinds.sort_by_key(|kind| std::cmp::Reverse(kind.count));
        kinds
    }

    /// At most so many matches, the first of each kind before others.
    pub fn matches(&self, most: usize) -> Vec<u64> {
        let mut chosen: Vec<u64> = Vec::new();
        let firsts = self.kinds().into_iter().map(|kind| kind.first_match);
        for number in firsts.chain(self.matches.iter().copied()) {
            if chosen.len() == most {
                break;
            }
            if !chosen.contains(&number) {
                chosen.push(number);
            }
        }
        chosen.sort_unstable();
        chosen
    }

    pub fn matches_seen(&self) -> u64 {
        self.matches_seen
    }
}
