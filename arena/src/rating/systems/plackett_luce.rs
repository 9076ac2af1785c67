//! Plackett-Luce with ties: places are given out from the top, each time to one bot or to several that tie.
//!
//! Who takes the next place is chosen among all that have none, a set of bots with a chance proportional to the
//! geometric mean of their worths times δ of its size; δ of 1 is 1, the others are fitted. So a match of three or four
//! is one result, not all its pairs; for two this is Davidson's model. A size of tie that never happened has δ 0. Which
//! seat a bot sat in is not in the model.
//!
//! With a prior N every bot has N wins and N losses against a ghost of worth 1, which counts for nobody afterwards: R's
//! `npseudo`, there 1/2. Source: H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, Modelling rankings in R: the
//! PlackettLuce package, Computational Statistics 35, 2020. Errors here count the ghost as results, which R's do not.

use std::collections::{BTreeMap, BTreeSet};

use super::likelihood::{Choice, Choices, Layout, Likelihood, Top};
use super::results::{Results, Sat};
use super::{Column, Group, Info, Parameter, Remark, Report, Setting, System};
use crate::record::MatchScore;
use crate::stats::{CONFIDENCE, ELO_PER_LOGIT, normal_quantile};

pub(super) const INFO: Info = Info {
    name: "plackett-luce",
    summary: "maximum likelihood of orders of places: 3 and 4 seats with ties",
    notes: &[
        "Likeliest worths when places are given out from the top, sets of ties included;",
        "Elo is their logarithm, scaled as for davidson. Knows no seats: let every bot",
        "sit in each. Bars take matches as independent. --prior 0.5 gives numbers to all.",
        "Source: Turner et al., Computational Statistics 35, 2020; agrees with R",
    ],
    takes: &[Setting::Prior],
    start: |bots, settings| {
        Box::new(PlackettLuce {
            results: Results::new(bots),
            prior: settings.prior,
        })
    },
};

const COLUMNS: &[Column] = &[
    Column::new("rating", "Elo", 0),
    Column::new("margin", "±95%", 0),
    Column::new("log_worth", "log worth", 3),
    Column::new("error", "error", 3),
];

struct PlackettLuce {
    results: Results,
    prior: f64,
}

impl System for PlackettLuce {
    fn add(&mut self, score: &MatchScore) {
        self.results.add(score);
    }

    fn report(&self) -> Report {
        let grouping = if self.prior > 0.0 {
            self.results.linked()
        } else {
            self.results.two_sided()
        };
        grouping.rate(COLUMNS, |members| {
            let fit = fit(&self.results, members, self.prior)?;
            Some(group(members, &fit))
        })
    }
}

/// A fit of a group.
struct Fit {
    layout: Layout,
    /// Sizes of ties that happened, from 2.
    sizes: Vec<usize>,
    top: Top,
    /// The logarithm of the likelihood of what happened, without the ghost.
    value: f64,
}

/// Who was left when a place was given out, who got it, and how often.
type Stages = BTreeMap<Vec<usize>, BTreeMap<Vec<usize>, f64>>;

fn fit(results: &Results, members: &[usize], prior: f64) -> Option<Fit> {
    let mut stages = Stages::new();
    let mut sizes = BTreeSet::new();
    for (seats, count) in results.matches() {
        let order = order(seats, members);
        let mut left: Vec<usize> = order.iter().flatten().copied().collect();
        left.sort_unstable();
        for first in order {
            if first.len() > 1 {
                sizes.insert(first.len());
            }
            let rest = left.iter().copied().filter(|member| !first.contains(member)).collect();
            let before = std::mem::replace(&mut left, rest);
            // The last to be placed had no choice.
            if before.len() > 1 {
                *stages.entry(before).or_default().entry(first).or_default() += count as f64;
            }
        }
    }
    let sizes: Vec<usize> = sizes.into_iter().collect();
    // The bot held at 0 is the ghost where there is one, else the last member.
    let ghost = members.len();
    let layout = Layout {
        members: members.len() + usize::from(prior > 0.0),
        seats: 1,
        ties: sizes.len(),
    };
    let played = choices(layout, &sizes, &stages);
    if prior > 0.0 {
        for member in 0..members.len() {
            let ends = [member, ghost].map(|first| (vec![first], prior));
            stages.insert(vec![member, ghost], ends.into());
        }
    }
    let top = layout.maximise(&choices(layout, &sizes, &stages), vec![0.0; layout.size()])?;
    Some(Fit {
        value: played.value(&top.at),
        layout,
        sizes,
        top,
    })
}

/// Those of a match who are members, from the first place down; each place's by number.
fn order(seats: &[Sat], members: &[usize]) -> Vec<Vec<usize>> {
    let mut by_place: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    for sat in seats {
        if let Ok(member) = members.binary_search(&sat.bot) {
            by_place.entry(sat.place).or_default().push(member);
        }
    }
    let mut order: Vec<Vec<usize>> = by_place.into_values().collect();
    order.iter_mut().for_each(|place| place.sort_unstable());
    order
}

fn choices(layout: Layout, sizes: &[usize], stages: &Stages) -> Choices {
    let options = |(left, taken): (&Vec<usize>, &BTreeMap<Vec<usize>, f64>)| {
        let sets = (1..1_u64 << left.len()).map(|set| {
            let within = left.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
            within.map(|(_, &member)| member).collect::<Vec<_>>()
        });
        let options = sets.filter_map(|set| {
            let tie = match set.len() {
                1 => None,
                size => Some(layout.tie(sizes.binary_search(&size).ok()?)),
            };
            let share = 1.0 / set.len() as f64;
            let worths = set.iter().filter_map(|&member| layout.bot(member));
            let weight = worths
                .map(|parameter| (parameter, share))
                .chain(tie.map(|tie| (tie, 1.0)));
            Some(Choice {
                taken: taken.get(&set).copied().unwrap_or(0.0),
                weight: weight.collect(),
                fixed: 0.0,
            })
        });
        options.collect()
    };
    Choices(stages.iter().map(options).collect())
}

fn group(members: &[usize], fit: &Fit) -> Group {
    let Fit {
        layout,
        sizes,
        top,
        value,
    } = fit;
    let delta = |index: usize| {
        let parameter = layout.tie(index);
        let delta = top.at[parameter].exp();
        (delta, delta * top.error(parameter))
    };
    let pairs = sizes.binary_search(&2).map_or(0.0, |index| delta(index).0);
    let elo = ELO_PER_LOGIT * 2.0 / (2.0 + pairs);
    let bots: Vec<_> = (0..members.len()).map(|member| layout.bot(member)).collect();
    let values = top.about_mean(&bots).into_iter().zip(members);
    let values = values.map(|((worth, error), &bot)| {
        let margin = normal_quantile(CONFIDENCE) * error * elo;
        (bot, vec![worth * elo, margin, worth, error])
    });
    let mut parameters: Vec<Parameter> = sizes
        .iter()
        .enumerate()
        .map(|(index, size)| {
            let (delta, error) = delta(index);
            Parameter::new(format!("delta_{size}"), delta, Some(error))
        })
        .collect();
    parameters.push(Parameter::new("log_likelihood", *value, None));
    let no_ties = sizes.is_empty().then_some(Remark::NoTies);
    Group {
        parameters,
        remarks: no_ties.into_iter().collect(),
        ..Group::ranked(values, 0.0)
    }
}
