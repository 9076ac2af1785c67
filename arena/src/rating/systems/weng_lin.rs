//! Weng-Lin: a Bayesian skill with its uncertainty, updated after every match; any number of seats, ties included.
//!
//! The Bradley-Terry full variant: every pair of a match pulls, all from the skills before it. A seat's uncertainty
//! grows by [`TAU`] before each match, as in the Python package openskill, so that it never freezes. The update is that
//! of the crate `skillratings`, which leaves that growth to its caller and agrees with openskill otherwise. Source: R.
//! C. Weng and C.-J. Lin, A Bayesian approximation method for online ranking, Journal of Machine Learning Research 12,
//! 2011.

use skillratings::MultiTeamOutcome;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};

use super::results::Results;
use super::{Column, Group, Info, Report, System};
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "weng-lin",
    summary: "skill and uncertainty, 2 to 4 seats: to compare with openskill sites",
    notes: &[
        "Starts at 25, sigma 25/3, with openskill's beta and tau (Bradley-Terry full).",
        "low = mu - 3 sigma. Depends on the order, knows no seats, and sigma counts the",
        "pairs of a match as if they were matches of their own: too small with 3 or 4.",
        "Source: R. C. Weng and C.-J. Lin, JMLR 12, 2011",
    ],
    takes: &[],
    start: |bots, _| Box::new(WengLin::new(bots)),
};

const COLUMNS: &[Column] = &[
    Column::new("mu", "mu", 2),
    Column::new("sigma", "sigma", 2),
    Column::new("low", "low", 2),
];

/// How far a skill may have drifted from one match to the next, one standard deviation.
pub(super) const TAU: f64 = 25.0 / 300.0;

struct WengLin {
    ratings: Vec<WengLinRating>,
    results: Results,
}

impl WengLin {
    fn new(bots: usize) -> WengLin {
        WengLin {
            ratings: vec![WengLinRating::new(); bots],
            results: Results::new(bots),
        }
    }
}

/// Skills after a match from those before it and the places, both by seat.
pub(super) fn update(before: &[WengLinRating], places: &[u8], tau: f64) -> Vec<WengLinRating> {
    let config = WengLinConfig {
        // The share of its variance that a match leaves at least; openskill's kappa.
        uncertainty_tolerance: 0.0001,
        ..WengLinConfig::new()
    };
    let grown: Vec<[WengLinRating; 1]> = before
        .iter()
        .map(|rating| {
            [WengLinRating {
                uncertainty: rating.uncertainty.hypot(tau),
                ..*rating
            }]
        })
        .collect();
    let seats = grown.iter().zip(places);
    let seats: Vec<_> = seats
        .map(|(rating, &place)| (&rating[..], MultiTeamOutcome::new(usize::from(place))))
        .collect();
    weng_lin_multi_team(&seats, &config).into_iter().flatten().collect()
}

impl System for WengLin {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
        let before: Vec<_> = score.bots.iter().map(|&bot| self.ratings[bot]).collect();
        for (&bot, after) in score.bots.iter().zip(update(&before, &score.places, TAU)) {
            self.ratings[bot] = after;
        }
    }

    fn report(&self) -> Report {
        let grouping = self.results.linked();
        let values = |bot: usize| {
            let WengLinRating { rating, uncertainty } = self.ratings[bot];
            (bot, vec![rating, uncertainty, rating - 3.0 * uncertainty])
        };
        Report {
            columns: COLUMNS,
            groups: grouping
                .groups
                .into_iter()
                .map(|bots| Group::ranked(bots.into_iter().map(values), 0.0))
                .collect(),
            unrated: grouping.unrated,
        }
    }
}
