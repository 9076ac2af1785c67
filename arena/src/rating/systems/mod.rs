//! The other rating systems, one file each, behind one table: for comparing, for checking, for questions that
//! [`Standings`](super::Standings) does not ask.
//!
//! A system takes matches one after another and gives a [`Report`] at any time. All numbers in it are finite: what
//! cannot be told is absent, with an [`Unrated`] that says why. Same matches in the same order, same numbers.
//!
//! The thing to get wrong: numbers of two systems are on two scales, and numbers of two groups of bots that cannot be
//! compared are on two scales as well, however alike they look.

mod alpha_rank;
mod davidson;
mod elo;
mod glicko2;
mod likelihood;
mod nash;
mod pairwise;
mod payoff;
mod plackett_luce;
mod rao_kupper;
mod results;
#[cfg(test)]
mod tests;
mod weng_lin;

use crate::record::MatchScore;

/// All systems.
pub const SYSTEMS: [&Info; 8] = [
    &elo::INFO,
    &glicko2::INFO,
    &weng_lin::INFO,
    &davidson::INFO,
    &rao_kupper::INFO,
    &plackett_luce::INFO,
    &alpha_rank::INFO,
    &nash::INFO,
];

/// What there is to know of a system before it starts.
pub struct Info {
    /// How it is called on the command line.
    pub name: &'static str,
    /// When to take it, in a few words.
    pub summary: &'static str,
    /// What it assumes, what it is good for, when it misleads, where it comes from: one line each, at most 80 columns.
    pub notes: &'static [&'static str],
    /// What can be set; other settings do nothing here.
    pub takes: &'static [Setting],
    /// A system without matches, for bots 0 to `bots - 1`.
    pub start: fn(bots: usize, settings: &Settings) -> Box<dyn System>,
}

/// What some systems let one choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// [`Settings::k`].
    K,
    /// [`Settings::prior`].
    Prior,
    /// [`Settings::seat_term`].
    SeatTerm,
    /// [`Settings::alpha`].
    Alpha,
}

/// The choices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// How far one match moves an Elo number, at most.
    pub k: f64,
    /// Invented results that hold ratings together: draws for each bot (rao-kupper), or wins and as many losses of each
    /// bot against a ghost (plackett-luce). 0: none.
    pub prior: f64,
    /// Whether the advantage of the first seat is fitted too.
    pub seat_term: bool,
    /// The one selection pressure of alpha-rank; absent: raised until the ranking settles.
    pub alpha: Option<f64>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            k: 20.0,
            prior: 0.0,
            seat_term: true,
            alpha: None,
        }
    }
}

/// A rating system at work.
pub trait System {
    /// Takes the next match into account. Panics when a bot's number is not below the number of bots.
    fn add(&mut self, score: &MatchScore);

    /// The ratings after the matches so far.
    fn report(&self) -> Report;
}

/// What a system found out.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What each number of a [`Rated`] bot is. The first one is what bots are ranked by, highest first.
    pub columns: &'static [Column],
    /// Bots that can be compared with each other, best first. Numbers of different groups cannot be compared. A group
    /// comes before those that it beat one-sidedly.
    pub groups: Vec<Group>,
    /// The others, by number.
    pub unrated: Vec<(usize, Unrated)>,
}

/// One number of each bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name for programs.
    pub key: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// How many digits people want to see after the point.
    pub decimals: usize,
}

/// Bots that are rated together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Group {
    /// Best first; equals by number.
    pub bots: Vec<Rated>,
    /// What was fitted or assumed besides the bots' numbers.
    pub parameters: Vec<Parameter>,
    /// What is special about these results.
    pub remarks: Vec<Remark>,
}

/// A number that belongs to no bot.
#[derive(Clone, PartialEq, Debug)]
pub struct Parameter {
    /// Its name.
    pub key: String,
    /// What it is.
    pub value: f64,
    /// Its standard error, where it was fitted.
    pub error: Option<f64>,
}

/// A bot with its numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct Rated {
    /// Its number.
    pub bot: usize,
    /// Counted from 1 within the group; equals share one.
    pub rank: usize,
    /// By column.
    pub values: Vec<f64>,
}

/// Why a bot has no numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unrated {
    /// It has not played.
    NoMatches,
    /// Nobody has scored against it and been scored against by it, directly or through others.
    OneSided,
    /// No finite numbers fit the results of its group best.
    NoFit,
    /// Some of the bots have not met, and the system needs every pair.
    NeverMet,
}

/// Something special about a group's results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// No match was tied, so the model went without ties.
    NoTies,
    /// No finite propensity to tie fits best, so the usual one of chess programs was taken: equals tie in 27 % of
    /// matches.
    TiesAssumed,
    /// The advantage of the seats could not be told from the bots' strength, so it was left out.
    SeatsLeftOut,
}

impl Column {
    const fn new(key: &'static str, title: &'static str, decimals: usize) -> Column {
        Column { key, title, decimals }
    }
}

impl Parameter {
    fn new(key: impl Into<String>, value: f64, error: Option<f64>) -> Parameter {
        Parameter {
            key: key.into(),
            value,
            error,
        }
    }
}

impl Group {
    /// Puts bots in order of their first value. Values closer than `tied` count as equal.
    fn ranked(values: impl IntoIterator<Item = (usize, Vec<f64>)>, tied: f64) -> Group {
        let mut bots: Vec<Rated> = values
            .into_iter()
            .map(|(bot, values)| Rated { bot, rank: 0, values })
            .collect();
        bots.sort_by(|a, b| b.values[0].total_cmp(&a.values[0]).then(a.bot.cmp(&b.bot)));
        for i in 0..bots.len() {
            bots[i].rank = match i.checked_sub(1) {
                Some(above) if bots[above].values[0] - bots[i].values[0] <= tied => bots[above].rank,
                _ => i + 1,
            };
        }
        Group {
            bots,
            ..Group::default()
        }
    }
}
