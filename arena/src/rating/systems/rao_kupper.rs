//! Rao-Kupper, the model of BayesElo: a match is won by who is ahead by more than a threshold, else tied.
//!
//! The chance to win is logistic in x - d, to lose in -x - d, x being the difference in strength; d ("drawelo") is
//! fitted. For people x is multiplied by the slope of the expected score at 0 beside that of ordinary Elo, as BayesElo
//! does. Source: P. V. Rao and L. L. Kupper, Ties in paired-comparison experiments, Journal of the American Statistical
//! Association 62, 1967; R. Coulom, BayesElo, 2005. BayesElo also holds the first seat at 32.8 Elo and d at 97.3 unless
//! told otherwise: numbers of chess, which are not held here.
//!
//! With a prior each bot gets that many invented draws, half of them as its own, half as its opponents', shared out by
//! how often they met: BayesElo's `prior`, there 2. They pull ratings together, and give numbers where somebody won
//! everything.

use std::collections::BTreeMap;

use super::likelihood::{Likelihood, Terms, sum};
use super::pairwise::{self, Model, Row, TIES_ASSUMED, Ties};
use super::results::{Ends, Meeting, Results};
use super::{Info, Parameter, Report, Setting, Settings, System};
use crate::record::MatchScore;
use crate::stats::ELO_PER_LOGIT;

pub(super) const INFO: Info = Info {
    name: "rao-kupper",
    summary: "the model of BayesElo: to compare with lists made by it",
    notes: &[
        "Likeliest ratings under the model of BayesElo, scaled as it scales them; its",
        "virtual draws, which pull ratings together and give numbers to bots that won",
        "everything, with --prior 2. Bars take matches as independent: often too small.",
        "Source: Rao and Kupper, JASA 62, 1967; R. Coulom, BayesElo",
    ],
    takes: &[Setting::SeatTerm, Setting::Prior],
    start: |bots, settings| {
        Box::new(RaoKupper {
            results: Results::new(bots),
            settings: *settings,
        })
    },
};

struct RaoKupper {
    results: Results,
    settings: Settings,
}

impl System for RaoKupper {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let Settings { prior, seat_term, .. } = self.settings;
        // Invented draws make everybody who met comparable, however one-sided.
        let grouping = if prior > 0.0 {
            self.results.linked()
        } else {
            self.results.two_sided()
        };
        let meetings = with_draws(self.results.meetings(), prior);
        pairwise::report(&Threshold, grouping, &meetings, seat_term)
    }
}

/// Meetings with `prior` invented draws a bot, as many with either bot in the lower seat.
pub(super) fn with_draws(meetings: BTreeMap<Meeting, Ends>, prior: f64) -> BTreeMap<Meeting, Ends> {
    let mut played: BTreeMap<usize, f64> = BTreeMap::new();
    for (meeting, ends) in &meetings {
        *played.entry(meeting.bot).or_default() += ends.total();
        *played.entry(meeting.opponent).or_default() += ends.total();
    }
    let mut with = meetings.clone();
    if prior > 0.0 {
        for (meeting, ends) in meetings {
            let draws = prior / 4.0 * ends.total() * (1.0 / played[&meeting.bot] + 1.0 / played[&meeting.opponent]);
            let turned = Meeting {
                bot: meeting.opponent,
                opponent: meeting.bot,
                ..meeting
            };
            with.entry(meeting).or_default().ties += draws;
            with.entry(turned).or_default().ties += draws;
        }
    }
    with
}

/// The model; its parameter is d in log-odds.
pub(super) struct Threshold;

impl Model for Threshold {
    type Likelihood = Thresholds;

    fn ties_first(&self) -> f64 {
        0.5
    }

    fn ties_assumed(&self) -> f64 {
        ((1.0 + TIES_ASSUMED) / (1.0 - TIES_ASSUMED)).ln()
    }

    fn likelihood(&self, rows: Vec<Row>, ties: Ties) -> Thresholds {
        Thresholds { rows, ties }
    }

    fn scale(&self, ties: f64) -> f64 {
        let x = (-ties).exp();
        4.0 * x / (1.0 + x).powi(2)
    }

    fn ties_shown(&self, ties: f64, error: Option<f64>) -> Parameter {
        Parameter::new(
            "draw_elo",
            ties * ELO_PER_LOGIT,
            error.map(|error| error * ELO_PER_LOGIT),
        )
    }
}

/// The likelihood: with the threshold d a tie's chance is (exp 2d - 1) times those to win and to lose.
pub(super) struct Thresholds {
    rows: Vec<Row>,
    ties: Ties,
}

impl Thresholds {
    /// What a row is made of: how often each of two logistic chances stands in it, and what each is logistic in.
    fn chances(&self, row: &Row) -> [(f64, Terms); 2] {
        let Ends { wins, ties, losses } = row.ends;
        [(wins + ties, 1.0), (losses + ties, -1.0)].map(|(number, sign)| {
            let mut terms: Terms = row.ahead.iter().map(|&(p, factor)| (p, sign * factor)).collect();
            if let Ties::Fitted(parameter) = self.ties {
                terms.push((parameter, -1.0));
            }
            (number, terms)
        })
    }

    /// The part of the threshold that is not fitted.
    fn held(&self) -> f64 {
        match self.ties {
            Ties::Held(value) => value,
            Ties::Never | Ties::Fitted(_) => 0.0,
        }
    }

    fn tied(&self) -> f64 {
        self.rows.iter().map(|row| row.ends.ties).sum()
    }
}

impl Likelihood for Thresholds {
    fn value(&self, at: &[f64]) -> f64 {
        let each = self.rows.iter().flat_map(|row| self.chances(row));
        let chances: f64 = each
            .map(|(number, terms)| -number * softplus(self.held() - sum(&terms, at)))
            .sum();
        match self.ties.at(at) {
            None => chances,
            // A threshold below 0 is none.
            Some(threshold) if threshold <= 0.0 => f64::NEG_INFINITY,
            Some(threshold) => chances + self.tied() * (2.0 * threshold).exp_m1().ln(),
        }
    }

    fn add_slopes(&self, at: &[f64], gradient: &mut [f64], information: &mut [f64]) {
        let size = at.len();
        for (number, terms) in self.rows.iter().flat_map(|row| self.chances(row)) {
            let missed = 1.0 / (1.0 + (sum(&terms, at) - self.held()).exp());
            for &(i, a) in &terms {
                gradient[i] += number * missed * a;
                for &(j, b) in terms.iter().filter(|&&(j, _)| j <= i) {
                    information[i * size + j] += number * missed * (1.0 - missed) * a * b;
                }
            }
        }
        if let Ties::Fitted(parameter) = self.ties {
            let threshold = at[parameter];
            gradient[parameter] += self.tied() * 2.0 / -(-2.0 * threshold).exp_m1();
            information[parameter * size + parameter] += self.tied() / threshold.sinh().powi(2);
        }
    }
}

/// `ln(1 + exp(x))` without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}
