//! Davidson: win, tie and loss as exp(x/2), ν and exp(-x/2), x being the difference in strength; ν is fitted.
//!
//! The more ties, the wider the scale of x; for people it is multiplied by 2/(2+ν), so that the expected score rises as
//! steeply at 0 as that of ordinary Elo. Source: R. R. Davidson, On extending the Bradley-Terry model to accommodate
//! ties in paired comparison experiments, Journal of the American Statistical Association 65, 1970; the term for seats
//! as in Davidson and R. J. Beaver, Biometrics 33, 1977. Agrees with R's `PlackettLuce`, of which it is the case of
//! two.

use super::likelihood::{Choice, Choices};
use super::pairwise::{self, Model, Row, TIES_ASSUMED, Ties};
use super::results::Results;
use super::{Info, Parameter, Report, Setting, System};
use crate::record::MatchScore;

pub(super) const INFO: Info = Info {
    name: "davidson",
    summary: "maximum likelihood with ties of their own: where ties mean something",
    notes: &[
        "Likeliest ratings under Davidson's model, in which strength and a propensity nu",
        "decide ties; times 2/(2+nu), so that points are worth what Elo points are. The",
        "bars take matches as independent: too small where openings or bots repeat.",
        "Source: R. R. Davidson, JASA 65, 1970; agrees with R PlackettLuce",
    ],
    takes: &[Setting::SeatTerm],
    start: |bots, settings| {
        Box::new(Davidson {
            results: Results::new(bots),
            seat_term: settings.seat_term,
        })
    },
};

struct Davidson {
    results: Results,
    seat_term: bool,
}

impl System for Davidson {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let results = &self.results;
        pairwise::report(&Propensity, results.two_sided(), &results.meetings(), self.seat_term)
    }
}

/// The model; its parameter is ln ν.
pub(super) struct Propensity;

impl Model for Propensity {
    type Likelihood = Choices;

    fn ties_first(&self) -> f64 {
        0.0
    }

    fn ties_assumed(&self) -> f64 {
        (2.0 * TIES_ASSUMED / (1.0 - TIES_ASSUMED)).ln()
    }

    fn likelihood(&self, rows: Vec<Row>, ties: Ties) -> Choices {
        let options = |row: Row| {
            let half = |factor: f64| row.ahead.iter().map(|&(p, sign)| (p, factor * sign)).collect();
            let decided = |taken, factor| Choice {
                taken,
                weight: half(factor),
                fixed: 0.0,
            };
            let mut options = vec![decided(row.ends.wins, 0.5), decided(row.ends.losses, -0.5)];
            let (weight, fixed) = match ties {
                Ties::Never => return options,
                Ties::Fitted(parameter) => (vec![(parameter, 1.0)], 0.0),
                Ties::Held(value) => (Vec::new(), value),
            };
            options.push(Choice {
                taken: row.ends.ties,
                weight,
                fixed,
            });
            options
        };
        Choices(rows.into_iter().map(options).collect())
    }

    fn scale(&self, ties: f64) -> f64 {
        2.0 / (2.0 + ties.exp())
    }

    fn ties_shown(&self, ties: f64, error: Option<f64>) -> Parameter {
        Parameter::new("nu", ties.exp(), error.map(|error| error * ties.exp()))
    }
}
