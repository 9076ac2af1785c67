//! What Davidson and Rao-Kupper share: two bots meet, one wins or they tie, and how prone to ties they are is fitted.
//!
//! Matches with three or four seats count as all their pairs. Ratings are shown on the scale on which their slope is
//! that of the score, as for ordinary Elo: both models stretch differences the more the more ties there are.

use std::collections::BTreeMap;

use super::likelihood::{Layout, Likelihood, Terms, Top};
use super::results::{Ends, Grouping, Meeting};
use super::{Column, Group, Parameter, Remark, Report};
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, normal_quantile};

/// The share of ties between equals where the results do not tell: that of BayesElo's default, 97.3 Elo.
pub(super) const TIES_ASSUMED: f64 = 0.272_953_126;

pub(super) const COLUMNS: &[Column] = &[
    Column::new("rating", "Elo", 0),
    Column::new("margin", "±95%", 0),
    Column::new("error", "error", 1),
];

/// How prone to ties, in the unit of its model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Ties {
    /// Nothing is ever tied.
    Never,
    /// It is fitted, as this parameter.
    Fitted(usize),
    /// It is held at this.
    Held(f64),
}

impl Ties {
    /// Its value; absent where nothing is tied.
    pub fn at(self, at: &[f64]) -> Option<f64> {
        match self {
            Ties::Never => None,
            Ties::Fitted(parameter) => Some(at[parameter]),
            Ties::Held(value) => Some(value),
        }
    }
}

/// Two bots at their seats, with how they ended.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// By how many log-odds the first is ahead.
    pub ahead: Terms,
    pub ends: Ends,
}

/// A model of ties.
pub(super) trait Model {
    type Likelihood: Likelihood;

    /// The parameter's first value and its value where equals tie as often as [`TIES_ASSUMED`] says.
    fn ties_first(&self) -> f64;
    fn ties_assumed(&self) -> f64;

    fn likelihood(&self, rows: Vec<Row>, ties: Ties) -> Self::Likelihood;

    /// What one unit of the model's ratings is worth on the scale of ordinary Elo.
    fn scale(&self, ties: f64) -> f64;

    /// The parameter as the model's authors write it.
    fn ties_shown(&self, ties: f64, error: Option<f64>) -> Parameter;
}

/// A fit of a group.
pub(super) struct Fit {
    pub layout: Layout,
    pub ties: Ties,
    pub top: Top,
    pub remarks: Vec<Remark>,
}

/// Rates every group.
pub(super) fn report(
    model: &impl Model,
    grouping: Grouping,
    meetings: &BTreeMap<Meeting, Ends>,
    seat_term: bool,
) -> Report {
    grouping.rate(COLUMNS, |members| {
        let fit = fit(model, meetings, members, seat_term)?;
        Some(group(model, members, fit))
    })
}

/// Fits all that the results allow: first what they leave open about seats is given up, then about ties.
pub(super) fn fit(
    model: &impl Model,
    meetings: &BTreeMap<Meeting, Ends>,
    members: &[usize],
    seat_term: bool,
) -> Option<Fit> {
    let member = |bot| members.binary_search(&bot).ok();
    let among: Vec<(Meeting, Ends)> = meetings
        .iter()
        .filter_map(|(meeting, &ends)| {
            let bots = Meeting {
                bot: member(meeting.bot)?,
                opponent: member(meeting.opponent)?,
                ..*meeting
            };
            Some((bots, ends))
        })
        .collect();
    let seats = among.iter().map(|(meeting, _)| meeting.opponent_seat + 1).max()?;
    let tied = among.iter().any(|(_, ends)| ends.ties > 0.0);
    let seats = if seat_term { vec![seats, 1] } else { vec![1] };
    let fitted = if tied { vec![true, false] } else { vec![false] };
    for ties_fitted in fitted {
        for &seats in &seats {
            let layout = Layout {
                members: members.len(),
                seats,
                ties: usize::from(ties_fitted),
            };
            let ties = match (tied, ties_fitted) {
                (false, _) => Ties::Never,
                (true, true) => Ties::Fitted(layout.tie(0)),
                (true, false) => Ties::Held(model.ties_assumed()),
            };
            let likelihood = model.likelihood(rows(layout, &among), ties);
            let mut start = vec![0.0; layout.size()];
            if let Ties::Fitted(parameter) = ties {
                start[parameter] = model.ties_first();
            }
            if let Some(top) = layout.maximise(&likelihood, start) {
                let remarks = [
                    (!tied, Remark::NoTies),
                    (tied && !ties_fitted, Remark::TiesAssumed),
                    (seat_term && seats == 1, Remark::SeatsLeftOut),
                ];
                return Some(Fit {
                    layout,
                    ties,
                    top,
                    remarks: remarks
                        .into_iter()
                        .filter_map(|(so, remark)| so.then_some(remark))
                        .collect(),
                });
            }
        }
    }
    None
}

pub(super) fn rows(layout: Layout, among: &[(Meeting, Ends)]) -> Vec<Row> {
    let row = |&(meeting, ends): &(Meeting, Ends)| {
        let plus = [layout.bot(meeting.bot), layout.seat(meeting.seat)];
        let minus = [layout.bot(meeting.opponent), layout.seat(meeting.opponent_seat)];
        let plus = plus.into_iter().flatten().map(|parameter| (parameter, 1.0));
        let minus = minus.into_iter().flatten().map(|parameter| (parameter, -1.0));
        Row {
            ahead: plus.chain(minus).collect(),
            ends,
        }
    };
    among.iter().map(row).collect()
}

fn group(model: &impl Model, members: &[usize], fit: Fit) -> Group {
    let Fit {
        layout,
        ties,
        top,
        remarks,
    } = fit;
    let propensity = ties.at(&top.at);
    let scale = propensity.map_or(1.0, |ties| model.scale(ties));
    let elo = scale * ELO_PER_LOGIT;
    let bots: Vec<_> = (0..members.len()).map(|member| layout.bot(member)).collect();
    let values = top.about_mean(&bots).into_iter().zip(members);
    let values = values.map(|((value, error), &bot)| {
        let margin = normal_quantile(CONFIDENCE) * error * elo;
        (bot, vec![value * elo, margin, error * elo])
    });

    let mut parameters = Vec::new();
    if let Some(propensity) = propensity {
        let error = match ties {
            Ties::Fitted(parameter) => Some(top.error(parameter)),
            Ties::Never | Ties::Held(_) => None,
        };
        parameters.push(model.ties_shown(propensity, error));
        parameters.push(Parameter::new("scale", scale, None));
    }
    let seats: Vec<_> = (0..layout.seats).map(|seat| layout.seat(seat)).collect();
    match top.about_mean(&seats)[..] {
        [_] => {}
        // The two are opposite, so one is worth twice as much against the other as against their mean.
        [(value, error), _] => {
            parameters.push(Parameter::new("first_seat", 2.0 * value * elo, Some(2.0 * error * elo)));
        }
        ref several => {
            let each = several.iter().enumerate().map(|(seat, &(value, error))| {
                Parameter::new(format!("seat_{}", seat + 1), value * elo, Some(error * elo))
            });
            parameters.extend(each);
        }
    }
    parameters.push(Parameter::new("log_likelihood", top.value, None));
    Group {
        parameters,
        remarks,
        ..Group::ranked(values, 0.0)
    }
}
