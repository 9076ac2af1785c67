//! The table that people read: everybody's rating with its interval, and what else was counted.
//!
//! Before anything is fitted, bots are split into groups that can be rated together ([`groups`](super::groups)). A bot
//! that won or lost everything against a group gets a bound next to it, since no number fits a perfect score; groups
//! that no match links get tables of their own, because between them nothing is known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::cycles::{Cycles, cycles};
use super::elo::Running;
use super::groups::{parts, strong_components};
use super::ml::{self, Errors, Estimate, Fit, Seats, Settings};
use super::ranks::{RankRange, ranges};
use super::rotations::{Rotations, Row};
use super::tally::Tally;
use crate::record::MatchScore;
use crate::stats::{CONFIDENCE, expected_score, wilson_phi};

/// What ratings are relative to, and what else is wanted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options {
    /// A bot whose rating is given; without one the mean of each table is 0.
    pub anchor: Option<Anchor>,
    /// The K factor of the running number; without one there is none.
    pub elo_k: Option<f64>,
}

/// A bot whose rating is given.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Anchor {
    /// Which.
    pub bot: usize,
    /// Its rating.
    pub rating: f64,
}

/// The whole of it.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Standings {
    /// One, unless the bots fall into groups that cannot be compared.
    pub tables: Vec<Table>,
    /// Matches that count.
    pub matches: u64,
    /// Matches that are no copies of another.
    pub distinct: u64,
    /// Seats that forfeited.
    pub forfeits: u64,
    /// Matches in which somebody forfeited.
    pub forfeited: u64,
    /// Matches that came to nothing through the arena or its host, and were played again. Set by who knows.
    pub voids: u64,
    /// Matches that were left out on request. Set by who knows.
    pub left_out: u64,
    /// Whether who met whom hung on earlier results. Set by who knows.
    pub adaptive: bool,
    /// By seat.
    pub seats: Vec<SeatLine>,
    /// The K factor of the running number.
    pub elo_k: Option<f64>,
    /// Virtual draws for each bot.
    pub prior: f64,
    /// An anchor that was asked for, and has no rating that others could be relative to.
    pub anchor_unrated: Option<String>,
}

/// How a seat did, whoever sat there.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct SeatLine {
    /// The share of what could be scored from it.
    pub share: f64,
}

/// Bots that can be compared.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Table {
    /// How it relates to the others.
    pub kind: TableKind,
    /// What its ratings are relative to.
    pub reference: Reference,
    /// Where its errors come from; absent when nobody could be rated.
    pub errors: Option<Errors>,
    /// Rotations that the errors come from.
    pub rotations: u64,
    /// The advantages of seats; absent when nobody could be rated.
    pub seat_term: Option<Seats>,
    /// Whether bots beat each other in circles; absent when that cannot be told.
    pub cycles: Option<Cycles>,
    /// Best first.
    pub lines: Vec<Line>,
}

/// How a table relates to the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// It is the only one, or no match links it to the others.
    Apart,
    /// Bots of an earlier table met bots of this one and none of these scored: better or worse, nobody knows how much.
    Below,
}

/// What the ratings of a table are relative to.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// The mean of so many bots is 0.
    Mean(usize),
    /// This bot has this rating.
    Anchor(String, f64),
    /// Each bot's own opponents count as 0: nobody could be rated.
    Opponents,
}

/// One bot.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Line {
    /// Its rank in its table; absent when it has not played anybody that it could be compared with.
    pub rank: Option<usize>,
    /// Its place in the plan's list.
    pub bot: usize,
    /// Its name.
    pub name: String,
    /// Its rating.
    pub rating: Rating,
    /// The ranks that the data leave open, all bots of the table at once; absent without a fitted rating.
    pub ranks: Option<RankRange>,
    /// How much higher it is rated than the next rated bot.
    pub ahead: Option<Estimate>,
    /// The running number with a K factor.
    pub running: Option<f64>,
    /// Matches played.
    pub matches: u64,
    /// Opponents beaten; with two seats matches won.
    pub wins: u64,
    /// Opponents tied with.
    pub draws: u64,
    /// Opponents lost to.
    pub losses: u64,
    /// How often it came first, second and so on.
    pub places: Vec<u64>,
    /// The share of what it could have scored.
    pub share: Option<f64>,
    /// Matches forfeited.
    pub forfeits: u64,
    /// Mean time of a move, microseconds.
    pub move_us_mean: Option<f64>,
}

/// A rating in Elo with what is known of it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Rating {
    /// A number with its interval.
    Fitted {
        /// The likeliest value.
        value: f64,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// Given, not found.
    Anchor {
        /// The value given.
        value: f64,
    },
    /// Only ends; absent where there is no bound on that side.
    Bound {
        /// The lower end.
        low: Option<f64>,
        /// The upper end.
        high: Option<f64>,
    },
    /// It has met nobody that it could be compared with.
    Unknown,
}

impl Standings {
    /// The standings after `scores`, in whatever order they come (the running number alone depends on it). `names` are
    /// all bots of the plan, played or not.
    pub fn from_scores(names: &[String], scores: impl IntoIterator<Item = MatchScore>, options: &Options) -> Standings {
        let mut tally = Tally::new(names.len());
        let mut running = options.elo_k.map(|k| Running::new(names.len(), k));
        for score in scores {
            tally.add(&score);
            if let Some(running) = &mut running {
                running.add(&score);
            }
        }
        Standings::of(names, &tally, running.as_ref(), options.anchor)
    }

    /// The standings of what has been tallied: cheap enough to call again and again while matches come in.
    pub fn of(names: &[String], tally: &Tally, running: Option<&Running>, anchor: Option<Anchor>) -> Standings {
        Standings::fitted(names, tally, running, anchor, &Settings::default())
    }

    /// As [`Standings::of`], with the fit as asked for.
    pub fn fitted(
        names: &[String],
        tally: &Tally,
        running: Option<&Running>,
        anchor: Option<Anchor>,
        settings: &Settings,
    ) -> Standings {
        let pool = Pool::of(tally, *settings);
        let mut tables: Vec<Table> = Vec::new();
        let mut part_before = None;
        for group in pool.groups() {
            let (ratings, mut table) = pool.rate(names, &group, anchor);
            if part_before == Some(group.part) {
                table.kind = TableKind::Below;
            }
            part_before = Some(group.part);
            table.lines = lines(names, tally, running, ratings);
            tables.push(table);
        }

        let idle = (0..names.len()).filter(|&bot| tally.bot(bot).matches == 0);
        let idle = idle.map(|bot| line(names, tally, running, bot, Rating::Unknown));
        if tables.is_empty() {
            tables.push(Table::unrated());
        }
        tables[0].lines.extend(idle);

        let anchored = |table: &Table| matches!(table.reference, Reference::Anchor(..));
        Standings {
            anchor_unrated: anchor
                .filter(|_| !tables.iter().any(anchored))
                .map(|anchor| names[anchor.bot].clone()),
            tables,
            matches: tally.matches(),
            distinct: tally.distinct(),
            forfeits: (0..names.len()).map(|bot| tally.bot(bot).forfeits).sum(),
            forfeited: tally.forfeited(),
            voids: 0,
            left_out: 0,
            adaptive: false,
            seats: pool
                .seats
                .iter()
                .map(|&(halves, number)| SeatLine {
                    share: halves as f64 / 2.0 / number as f64,
                })
                .collect(),
            elo_k: running.map(Running::k),
            prior: settings.prior,
        }
    }
}

impl Table {
    fn unrated() -> Table {
        Table {
            kind: TableKind::Apart,
            reference: Reference::Opponents,
            errors: None,
            rotations: 0,
            seat_term: None,
            cycles: None,
            lines: Vec::new(),
        }
    }
}

/// Who has met whom.
struct Pool<'a> {
    tally: &'a Tally,
    settings: Settings,
    rotations: Rotations,
    rows: Vec<Row>,
    /// By bot, those whom it has met.
    met: Vec<Vec<Met>>,
    /// By seat: half-points and encounters.
    seats: Vec<(u64, u64)>,
}

/// One bot's encounters with another.
#[derive(Clone, Copy)]
struct Met {
    opponent: usize,
    number: u64,
    /// Half-points that the one scored.
    halves: u64,
}

/// Bots of one table.
struct Group {
    part: usize,
    /// Rated together; empty when nobody of the part can be.
    rated: Vec<usize>,
    /// Bounded by those rated, or by one another; with their place in the order of who scored against whom.
    others: Vec<(usize, usize)>,
}

/// A bot with its rating and, where it was fitted, its index in the fit.
struct Rated {
    bot: usize,
    rating: Rating,
    ranks: Option<RankRange>,
    ahead: Option<Estimate>,
    /// Larger is better: the rating, then who scored against whom.
    order: (f64, f64),
}

impl<'a> Pool<'a> {
    fn of(tally: &'a Tally, settings: Settings) -> Pool<'a> {
        let rotations = tally.rotations();
        let rows = rotations.rows();
        let mut met: Vec<Vec<Met>> = vec![Vec::new(); tally.bot_count()];
        let mut seats = vec![(0, 0); tally.seats()];
        for row in &rows {
            let turned = 2 * row.number - row.halves;
            for (bot, opponent, seat, halves) in [
                (row.bot(), row.opponent(), row.seat(), row.halves),
                (row.opponent(), row.bot(), row.opponent_seat(), turned),
            ] {
                seats[seat].0 += halves;
                seats[seat].1 += row.number;
                // Rows of the same two bots come one after another.
                match met[bot].last_mut() {
                    Some(last) if last.opponent == opponent => {
                        last.number += row.number;
                        last.halves += halves;
                    }
                    _ => met[bot].push(Met {
                        opponent,
                        number: row.number,
                        halves,
                    }),
                }
            }
        }
        seats.retain(|&(_, number)| number > 0);
        Pool {
            tally,
            settings,
            rotations,
            rows,
            met,
            seats,
        }
    }

    /// Bots that have met somebody, by table.
    fn groups(&self) -> Vec<Group> {
        let bots = self.tally.bot_count();
        let pairs = || {
            let lists = self.met.iter().enumerate();
            lists.flat_map(|(bot, met)| met.iter().map(move |met| (bot, met)))
        };
        let once = pairs().filter(|&(bot, met)| bot < met.opponent);
        let met: Vec<(usize, usize)> = once.map(|(bot, met)| (bot, met.opponent)).collect();
        // Virtual draws are scores for both.
        let scored = pairs().filter(|(_, met)| met.halves > 0 || self.settings.prior > 0.0);
        let scored: Vec<(usize, usize)> = scored.map(|(bot, met)| (bot, met.opponent)).collect();
        let part_of = parts(bots, &met);
        let mut groups: Vec<Group> = Vec::new();
        let mut single = Vec::new();
        for (order, component) in strong_components(bots, &scored).into_iter().enumerate() {
            let part = part_of[component[0]];
            match component[..] {
                [bot] if self.tally.bot(bot).matches > 0 => single.push((bot, order)),
                [_] => {}
                _ => groups.push(Group {
                    part,
                    rated: component,
                    others: Vec::new(),
                }),
            }
        }
        for (bot, order) in single {
            let encounters = |group: &Group| -> u64 {
                let met = self.met[bot].iter();
                met.filter(|met| group.rated.binary_search(&met.opponent).is_ok())
                    .map(|met| met.number)
                    .sum()
            };
            let part = part_of[bot];
            let nearest = groups
                .iter_mut()
                .filter(|group| group.part == part)
                .max_by_key(|group| encounters(group));
            match nearest {
                Some(group) => group.others.push((bot, order)),
                None => groups.push(Group {
                    part,
                    rated: Vec::new(),
                    others: vec![(bot, order)],
                }),
            }
        }
        // Stable: within a part the order of who scored against whom stays.
        groups.sort_by_key(|group| group.part);
        groups
    }

    /// Ratings of a group's bots, best first, and the table without its lines.
    fn rate(&self, names: &[String], group: &Group, anchor: Option<Anchor>) -> (Vec<Rated>, Table) {
        let mut table = Table::unrated();
        let mut rated: Vec<Rated> = Vec::new();
        let mut values: BTreeMap<usize, f64> = BTreeMap::new();
        if group.rated.is_empty() {
            values.extend(group.others.iter().map(|&(bot, _)| (bot, 0.0)));
        } else {
            let pool = ml::Pool::new(self.tally, &self.rotations, &self.rows, &group.rated);
            let fit = pool.fit(&self.settings);
            let anchor = anchor.and_then(|anchor| {
                let member = group.rated.iter().position(|&bot| bot == anchor.bot)?;
                Some((member, anchor.rating))
            });
            rated = fitted(&fit, anchor, group.others.len());
            values.extend(rated.iter().map(|line| (line.bot, line.order.0)));
            table.reference = match anchor {
                Some((member, rating)) => Reference::Anchor(names[group.rated[member]].clone(), rating),
                None => Reference::Mean(group.rated.len()),
            };
            table.errors = Some(fit.errors);
            table.rotations = fit.clusters;
            table.cycles = cycles(&fit, &self.rotations, &self.rows);
            table.seat_term = Some(fit.seats);
        }
        let bounds = self.bounds(&group.others, &values);
        for (&(bot, order), rating) in group.others.iter().zip(bounds) {
            let value = match rating {
                Rating::Bound {
                    low: Some(low),
                    high: Some(high),
                } => f64::midpoint(low, high),
                Rating::Bound {
                    low: Some(_),
                    high: None,
                } => f64::INFINITY,
                _ => f64::NEG_INFINITY,
            };
            rated.push(Rated {
                bot,
                rating,
                ranks: None,
                ahead: None,
                order: (value, -(order as f64)),
            });
        }
        rated.sort_by(|a, b| {
            let values = b.order.0.total_cmp(&a.order.0);
            values.then(b.order.1.total_cmp(&a.order.1)).then(a.bot.cmp(&b.bot))
        });
        (rated, table)
    }

    /// What can be said of bots outside a fit from their matches against those whose ratings are given.
    ///
    /// Against a fitted group such a bot has won all or lost all. The end of the interval for its score becomes the
    /// rating at which that score is expected against these opponents.
    fn bounds(&self, bots: &[(usize, usize)], values: &BTreeMap<usize, f64>) -> Vec<Rating> {
        if bots.is_empty() {
            return Vec::new();
        }
        let classes = 2 * self.tally.seats().saturating_sub(1);
        let mut counts: BTreeMap<usize, Vec<u64>> = bots.iter().map(|&(bot, _)| (bot, vec![0; classes + 1])).collect();
        self.rotations.each(|rotation| {
            for rows in rotation.matches() {
                let mut scores: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
                for row in rows {
                    let halves = f64::from(row.halves);
                    for (bot, opponent, halves) in
                        [(row.bot, row.opponent, halves), (row.opponent, row.bot, 2.0 - halves)]
                    {
                        if counts.contains_key(&bot) && values.contains_key(&opponent) {
                            let (sum, number) = scores.entry(bot).or_default();
                            *sum += halves / 2.0;
                            *number += 1.0;
                        }
                    }
                }
                for (bot, (sum, number)) in scores {
                    let class = (sum / number * classes as f64).round() as usize;
                    // A copy says nothing that the first has not said.
                    if let Some(counts) = counts.get_mut(&bot) {
                        counts[class] += rotation.number;
                    }
                }
            }
        });
        let bound = |bot: usize| {
            let scores = counts[&bot].iter().enumerate();
            let scores: Vec<_> = scores.map(|(i, &count)| (i as f64 / classes as f64, count)).collect();
            let Some(score) = wilson_phi(&scores, CONFIDENCE) else {
                return Rating::Unknown;
            };
            let opponents: Vec<(f64, f64)> = self.met[bot]
                .iter()
                .filter_map(|met| Some((*values.get(&met.opponent)?, met.number as f64)))
                .collect();
            Rating::Bound {
                low: (score.low > 0.0).then(|| performance(score.low, &opponents)),
                high: (score.high < 1.0).then(|| performance(score.high, &opponents)),
            }
        };
        bots.iter().map(|&(bot, _)| bound(bot)).collect()
    }
}

/// Those fitted, best first, each with its lead over the next. `others` are in the same table without a rating, and may
/// be anywhere.
fn fitted(fit: &Fit, anchor: Option<(usize, f64)>, others: usize) -> Vec<Rated> {
    let ranks = ranges(fit);
    let estimate = |member: usize| match anchor {
        None => fit.rating(member),
        Some((anchor, rating)) => {
            let difference = fit.difference(member, anchor);
            Estimate {
                value: difference.value + rating,
                ..difference
            }
        }
    };
    let mut order: Vec<(usize, Estimate)> = (0..fit.members().len())
        .map(|member| (member, estimate(member)))
        .collect();
    order.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    let each = order
        .iter()
        .enumerate()
        .map(|(position, &(member, Estimate { value, margin, .. }))| Rated {
            bot: fit.members()[member],
            rating: if anchor.is_some_and(|(anchor, _)| anchor == member) {
                Rating::Anchor { value }
            } else {
                Rating::Fitted {
                    value,
                    low: value - margin,
                    high: value + margin,
                }
            },
            ranks: Some(RankRange {
                worst: ranks[member].worst + others,
                ..ranks[member]
            }),
            ahead: order.get(position + 1).map(|&(next, _)| fit.difference(member, next)),
            order: (value, 0.0),
        });
    each.collect()
}

/// The rating at which `score` is expected against opponents with these ratings, so often each: by bisection, since
/// the expected score rises with the rating.
fn performance(score: f64, opponents: &[(f64, f64)]) -> f64 {
    let number: f64 = opponents.iter().map(|(_, count)| count).sum();
    let expected = |rating: f64| {
        opponents
            .iter()
            .map(|&(value, count)| count * expected_score(rating - value))
            .sum::<f64>()
            / number
    };
    let (mut low, mut high) = opponents
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(value, _)| {
            (low.min(value - ELO_REACH), high.max(value + ELO_REACH))
        });
    while high - low > 1e-9 {
        let middle = f64::midpoint(low, high);
        if expected(middle) < score {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Further from all opponents than any end of an interval: a score of one in 10^10.
const ELO_REACH: f64 = 4_000.0;

fn lines(names: &[String], tally: &Tally, running: Option<&Running>, rated: Vec<Rated>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut before = None;
    for (
        position,
        Rated {
            bot,
            rating,
            ranks,
            ahead,
            order,
        },
    ) in rated.into_iter().enumerate()
    {
        let shared = before == Some(order) && order.0.is_finite();
        let rank = match lines.last() {
            _ if rating == Rating::Unknown => None,
            Some(last) if shared => last.rank,
            _ => Some(position + 1),
        };
        before = Some(order);
        lines.push(Line {
            rank,
            ranks,
            ahead,
            ..line(names, tally, running, bot, rating)
        });
    }
    lines
}

fn line(names: &[String], tally: &Tally, running: Option<&Running>, bot: usize, rating: Rating) -> Line {
    let counts = tally.bot(bot);
    Line {
        rank: None,
        bot,
        name: names[bot].clone(),
        rating,
        ranks: None,
        ahead: None,
        running: running.map(|running| running.rating(bot)),
        matches: counts.matches,
        wins: counts.wins,
        draws: counts.draws,
        losses: counts.losses,
        places: (0..tally.seats())
            .map(|place| counts.places.get(place).copied().unwrap_or(0))
            .collect(),
        share: counts.share(),
        forfeits: counts.forfeits,
        move_us_mean: counts.move_us_mean(),
    }
}
