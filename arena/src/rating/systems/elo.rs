//! The running Elo number with a K factor, as a system; the formula is [`crate::rating::elo`]'s.

use super::results::Results;
use super::{Column, Group, Info, Parameter, Report, Setting, Settings, System};
use crate::rating::elo::Running;
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "elo",
    summary: "running number with a K factor: to watch, or to compare with other sites",
    notes: &[
        "From 1500, moves by at most K after a match of two; with 3 or 4 seats each pair",
        "of a match counts (multielo, linear). Depends on the order of the matches and",
        "never settles: for watching, not for ranking bots that do not change.",
        "Source: A. Elo, The Rating of Chessplayers, 1978",
    ],
    takes: &[Setting::K],
    start: |bots, settings| Box::new(Elo::new(bots, settings)),
};

const COLUMNS: &[Column] = &[Column::new("rating", "Elo", 0)];

struct Elo {
    running: Running,
    results: Results,
}

impl Elo {
    fn new(bots: usize, settings: &Settings) -> Elo {
        Elo {
            running: Running::new(bots, settings.k),
            results: Results::new(bots),
        }
    }
}

impl System for Elo {
    fn add(&mut self, score: &MatchScore) {
        self.running.add(score);
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let grouping = self.results.linked();
        let group = |bots: Vec<usize>| Group {
            parameters: vec![Parameter::new("k", self.running.k(), None)],
            ..Group::ranked(bots.into_iter().map(|bot| (bot, vec![self.running.rating(bot)])), 0.0)
        };
        Report {
            columns: COLUMNS,
            groups: grouping.groups.into_iter().map(group).collect(),
            unrated: grouping.unrated,
        }
    }
}
