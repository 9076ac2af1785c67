//! Every bot against every other, as plain data.

use schemars::JsonSchema;
use serde::Serialize;

use crate::rating::{CrossTable, HeadToHead, Standings, Unit};

/// One bot's results against another: a cell of the cross table.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Encounter {
    /// The bot.
    pub bot: String,
    /// The other.
    pub opponent: String,
    /// Matches in which the bot ended ahead of the other.
    pub wins: u64,
    /// Matches in which they tied.
    pub draws: u64,
    /// Matches in which it ended behind.
    pub losses: u64,
    /// Its share of the points from all of them, a tie being half.
    pub share: f64,
    /// The lower end of its share.
    pub share_low: f64,
    /// The upper end.
    pub share_high: f64,
    /// The difference in Elo that the share stands for; absent where no number does.
    pub elo: Option<f64>,
    /// Its lower end.
    pub elo_low: Option<f64>,
    /// Its upper end.
    pub elo_high: Option<f64>,
    /// What the ends take as independent of each other.
    pub unit: Unit,
}

impl Encounter {
    /// Of `bot` against `opponent`, by name.
    pub fn new(bot: &str, opponent: &str, met: &HeadToHead) -> Encounter {
        let (elo_low, elo_high) = met.score.elo_ends();
        Encounter {
            bot: bot.to_owned(),
            opponent: opponent.to_owned(),
            wins: met.wins,
            draws: met.draws,
            losses: met.losses,
            // Over all matches: the score differs from it while some rotations are incomplete.
            share: met.share(),
            share_low: met.score.low,
            share_high: met.score.high,
            elo: met.score.elo(),
            elo_low,
            elo_high,
            unit: met.unit,
        }
    }
}

/// The bots in the order of the standings, by their place in the plan's list.
pub fn ranked(standings: &Standings) -> Vec<usize> {
    let lines = standings.tables.iter().flat_map(|table| &table.lines);
    lines.map(|line| line.bot).collect()
}

/// The results of all pairs that have met, row by row in the given order of bots.
pub fn crosstable(names: &[String], order: &[usize], met: &CrossTable) -> Vec<Encounter> {
    let pairs = order
        .iter()
        .flat_map(|&bot| order.iter().map(move |&other| (bot, other)));
    let cell = |(bot, other): (usize, usize)| {
        let met = met.get(bot, other)?;
        Some(Encounter::new(&names[bot], &names[other], met))
    };
    pairs.filter_map(cell).collect()
}
