//! What systems keep of the matches when order does not matter: how often each result happened.

use std::collections::BTreeMap;

use super::{Column, Group, Report, Unrated};
use crate::rating::groups::{parts, strong_components};
use crate::record::MatchScore;

/// All matches so far. Those with the same bots by seat and the same places are kept once, with their number.
#[derive(Clone, Debug)]
pub(super) struct Results {
    bots: usize,
    counts: BTreeMap<Vec<Sat>, u64>,
}

/// A bot at its seat, with its place. It sits once in a match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Sat {
    pub bot: usize,
    pub place: u8,
}

/// Two bots at their seats; the bot in the lower seat comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Meeting {
    pub bot: usize,
    pub opponent: usize,
    pub seat: usize,
    pub opponent_seat: usize,
}

/// How meetings ended, seen by the bot in the lower seat. Not whole where invented results are in it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Ends {
    pub wins: f64,
    pub ties: f64,
    pub losses: f64,
}

impl Ends {
    pub fn total(self) -> f64 {
        self.wins + self.ties + self.losses
    }
}

/// Which bots are rated together.
pub(super) struct Grouping {
    /// At least two bots each; by number within.
    pub groups: Vec<Vec<usize>>,
    pub unrated: Vec<(usize, Unrated)>,
}

impl Grouping {
    /// What `rate` makes of each group; a group that it has no numbers for is unrated.
    pub fn rate(self, columns: &'static [Column], rate: impl Fn(&[usize]) -> Option<Group>) -> Report {
        let mut unrated = self.unrated;
        let mut groups = Vec::new();
        for members in self.groups {
            match rate(&members) {
                Some(group) => groups.push(group),
                None => unrated.extend(members.into_iter().map(|bot| (bot, Unrated::NoFit))),
            }
        }
        unrated.sort_unstable_by_key(|&(bot, _)| bot);
        Report {
            columns,
            groups,
            unrated,
        }
    }
}

impl Results {
    pub fn new(bots: usize) -> Results {
        Results {
            bots,
            counts: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, score: &MatchScore) {
        let seats = score.bots.iter().zip(&score.places);
        let seats = seats.map(|(&bot, &place)| {
            assert!(bot < self.bots, "bot {bot} of {}", self.bots);
            Sat { bot, place }
        });
        *self.counts.entry(seats.collect()).or_default() += 1;
    }

    /// Each result with its number.
    pub fn matches(&self) -> impl Iterator<Item = (&[Sat], u64)> {
        self.counts.iter().map(|(seats, &count)| (&seats[..], count))
    }

    /// Every pair of seats of every match.
    pub fn meetings(&self) -> BTreeMap<Meeting, Ends> {
        let mut meetings: BTreeMap<Meeting, Ends> = BTreeMap::new();
        for (seats, count) in self.matches() {
            for (seat, one) in seats.iter().enumerate() {
                for (opponent_seat, other) in seats.iter().enumerate().skip(seat + 1) {
                    let ends = meetings.entry(Meeting {
                        bot: one.bot,
                        opponent: other.bot,
                        seat,
                        opponent_seat,
                    });
                    let ends = ends.or_default();
                    *match one.place.cmp(&other.place) {
                        std::cmp::Ordering::Less => &mut ends.wins,
                        std::cmp::Ordering::Equal => &mut ends.ties,
                        std::cmp::Ordering::Greater => &mut ends.losses,
                    } += count as f64;
                }
            }
        }
        meetings
    }

    /// Bots linked by matches, however one-sided.
    pub fn linked(&self) -> Grouping {
        let met: Vec<_> = self.meetings().into_keys().map(|m| (m.bot, m.opponent)).collect();
        let part = parts(self.bots, &met);
        let mut groups = vec![Vec::new(); part.iter().max().map_or(0, |last| last + 1)];
        for (bot, part) in part.into_iter().enumerate() {
            groups[part].push(bot);
        }
        self.grouping(groups)
    }

    /// Bots that scored against each other, directly or through others: those whom a fit without inventions can rate.
    pub fn two_sided(&self) -> Grouping {
        let mut scored = Vec::new();
        for (Meeting { bot, opponent, .. }, ends) in self.meetings() {
            if ends.wins + ends.ties > 0.0 {
                scored.push((bot, opponent));
            }
            if ends.losses + ends.ties > 0.0 {
                scored.push((opponent, bot));
            }
        }
        self.grouping(strong_components(self.bots, &scored))
    }

    fn grouping(&self, groups: Vec<Vec<usize>>) -> Grouping {
        let mut played = vec![false; self.bots];
        for (seats, _) in self.matches() {
            for sat in seats {
                played[sat.bot] = true;
            }
        }
        let (groups, alone): (Vec<_>, Vec<_>) = groups.into_iter().partition(|group| group.len() > 1);
        let mut unrated: Vec<_> = alone
            .into_iter()
            .flatten()
            .map(|bot| {
                let why = if played[bot] {
                    Unrated::OneSided
                } else {
                    Unrated::NoMatches
                };
                (bot, why)
            })
            .collect();
        unrated.sort_unstable_by_key(|&(bot, _)| bot);
        Grouping { groups, unrated }
    }
}
