//! Glicko-2: a rating, its deviation and a volatility, updated once for each rating period.
//!
//! A period is a stretch of whole rotations, in the order of their matches, in which the bots play at least
//! [`PERIOD_MATCHES`] matches on average: M. Glickman asks for 10 to 15 a player. The last period may be shorter. A
//! rotation alone would be one or two matches, far below what the method is made for, and it concerns two bots only.
//! All updates of a period are from the ratings before it; who does not play in it becomes less certain. With three or
//! four seats each pair of a match counts as a result, which makes the deviations too small.
//!
//! The formulas are those of the crate `skillratings`, which has no dependencies of its own; it agrees with the example
//! of the paper. Source: M. Glickman, Example of the Glicko-2 system, 2013.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use super::results::Results;
use super::{Column, Group, Info, Parameter, Report, System};
use crate::record::MatchScore;
use crate::stats::{CONFIDENCE, normal_quantile};

pub(super) const INFO: Info = Info {
    name: "glicko2",
    summary: "rating, deviation, volatility: for bots that change while they play",
    notes: &[
        "Starts at 1500, deviation 350, volatility 0.06; tau 0.5. A rating period is a",
        "stretch of whole rotations with 10 matches a bot on average. Depends on the",
        "order, knows no seats; with 3 or 4 seats pairs count and RD is too small.",
        "Source: M. Glickman, Example of the Glicko-2 system, 2013",
    ],
    takes: &[],
    start: |bots, _| Box::new(Glicko2::new(bots)),
};

const COLUMNS: &[Column] = &[
    Column::new("rating", "rating", 0),
    Column::new("margin", "±95%", 0),
    Column::new("deviation", "RD", 1),
    Column::new("volatility", "volatility", 5),
];

/// Matches a bot on average that a rating period has at least.
pub(super) const PERIOD_MATCHES: usize = 10;

struct Glicko2 {
    settled: Vec<Glicko2Rating>,
    /// Seats taken in the period that runs.
    taken: usize,
    rotation: u64,
    /// By bot: its opponents and results in the period that runs.
    period: Vec<Vec<(usize, Outcomes)>>,
    periods: u64,
    results: Results,
}

impl Glicko2 {
    fn new(bots: usize) -> Glicko2 {
        Glicko2 {
            settled: vec![Glicko2Rating::new(); bots],
            taken: 0,
            rotation: 0,
            period: vec![Vec::new(); bots],
            periods: 0,
            results: Results::new(bots),
        }
    }

    /// The ratings at the end of the period that runs.
    fn updated(&self) -> Vec<Glicko2Rating> {
        let bots = self.settled.iter().zip(&self.period);
        bots.map(|(rating, period)| {
            let results: Vec<_> = period
                .iter()
                .map(|&(opponent, outcome)| (self.settled[opponent], outcome))
                .collect();
            glicko2_rating_period(rating, &results, &Glicko2Config::new())
        })
        .collect()
    }
}

impl System for Glicko2 {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
        if score.rotation != self.rotation && self.taken >= PERIOD_MATCHES * self.settled.len() {
            self.settled = self.updated();
            self.period = vec![Vec::new(); self.settled.len()];
            self.taken = 0;
            self.periods += 1;
        }
        self.rotation = score.rotation;
        self.taken += score.bots.len();
        for (seat, &bot) in score.bots.iter().enumerate() {
            for (other, &opponent) in score.bots.iter().enumerate().filter(|&(other, _)| other != seat) {
                let outcome = match score.places[seat].cmp(&score.places[other]) {
                    std::cmp::Ordering::Less => Outcomes::WIN,
                    std::cmp::Ordering::Equal => Outcomes::DRAW,
                    std::cmp::Ordering::Greater => Outcomes::LOSS,
                };
                self.period[bot].push((opponent, outcome));
            }
        }
    }

    fn report(&self) -> Report {
        let grouping = self.results.linked();
        let ratings = if self.taken > 0 {
            self.updated()
        } else {
            self.settled.clone()
        };
        let values = |bot: usize| {
            let Glicko2Rating {
                rating,
                deviation,
                volatility,
            } = ratings[bot];
            (
                bot,
                vec![rating, normal_quantile(CONFIDENCE) * deviation, deviation, volatility],
            )
        };
        let periods = self.periods + u64::from(self.taken > 0);
        let group = |bots: Vec<usize>| Group {
            parameters: vec![Parameter::new("periods", periods as f64, None)],
            ..Group::ranked(bots.into_iter().map(values), 0.0)
        };
        Report {
            columns: COLUMNS,
            groups: grouping.groups.into_iter().map(group).collect(),
            unrated: grouping.unrated,
        }
    }
}
