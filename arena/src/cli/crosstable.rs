//! `arena crosstable`: every bot against every other.

use std::io::Write;

use serde_json::json;

use super::results::Results;
use super::standings;
use super::table::{self, Align};
use super::{Exit, Format, Output};
use crate::rating::{HeadToHead, Standings, head_to_head};

/// Print every bot's score against every other
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Results,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// List the pairs, each with its difference in Elo and that one's interval
    #[arg(long)]
    intervals: bool,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let results = standings::load(&args.source, None, false)?;
    let ranking = Standings::of(&results.names, &results.tally, None, None);
    let order: Vec<usize> = ranking
        .tables
        .iter()
        .flat_map(|table| &table.lines)
        .map(|line| line.bot)
        .collect();
    let scores = head_to_head(&results.tally);
    let text = match args.format {
        Format::Table if args.intervals => pairs(&results.names, &order, &scores),
        Format::Table => matrix(&results.names, &order, &scores),
        Format::Json => json(&results.names, &order, &scores),
        Format::Csv => comma_separated(&results.names, &order, &scores),
    };
    write!(out, "{text}")?;
    Ok(Exit::Done)
}

/// By bot and opponent, both by their place in the plan's list.
type Scores = [Vec<Option<HeadToHead>>];

/// Pairs that have met, row by row in the given order.
fn met<'a>(order: &'a [usize], scores: &'a Scores) -> impl Iterator<Item = (usize, usize, &'a HeadToHead)> {
    let pairs = order
        .iter()
        .flat_map(move |&bot| order.iter().map(move |&opponent| (bot, opponent)));
    pairs.filter_map(|(bot, opponent)| Some((bot, opponent, scores[bot][opponent].as_ref()?)))
}

fn matrix(names: &[String], order: &[usize], scores: &Scores) -> String {
    let numbers: Vec<String> = (1..=order.len()).map(|number| number.to_string()).collect();
    let mut titles = vec![("#", Align::Right), ("bot", Align::Left)];
    titles.extend(numbers.iter().map(|number| (number.as_str(), Align::Right)));
    let cell = |bot: usize, opponent: usize| match &scores[bot][opponent] {
        Some(met) => format!("{:.0}% {}", 100.0 * share(met), matches(met)),
        None if bot == opponent => "·".to_owned(),
        None => "-".to_owned(),
    };
    let rows: Vec<Vec<String>> = order
        .iter()
        .zip(&numbers)
        .map(|(&bot, number)| {
            let head = [number.clone(), table::name(&names[bot])];
            head.into_iter()
                .chain(order.iter().map(|&opponent| cell(bot, opponent)))
                .collect()
        })
        .collect();
    format!(
        "{}\nScore of the row against the column, and in how many matches; a tie is half.\n",
        table::table(&titles, &rows)
    )
}

fn pairs(names: &[String], order: &[usize], scores: &Scores) -> String {
    let place = |bot: usize| order.iter().position(|&other| other == bot);
    let titles = [
        ("bot", Align::Left),
        ("opponent", Align::Left),
        ("W/D/L", Align::Right),
        ("score", Align::Right),
        ("Elo", Align::Right),
        ("low", Align::Right),
        ("high", Align::Right),
    ];
    let rows: Vec<Vec<String>> = met(order, scores)
        .filter(|&(bot, opponent, _)| place(bot) < place(opponent))
        .map(|(bot, opponent, met)| {
            let (low, high) = met.score.elo_ends();
            let elo = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:+.0}", value.round() + 0.0));
            vec![
                table::name(&names[bot]),
                table::name(&names[opponent]),
                format!("{}/{}/{}", met.wins, met.draws, met.losses),
                format!("{:.1}%", 100.0 * share(met)),
                elo(met.score.elo()),
                elo(low),
                elo(high),
            ]
        })
        .collect();
    format!(
        "{}\nElo of the bot over its opponent from their own matches, low and high at 95 %.\n",
        table::table(&titles, &rows)
    )
}

fn matches(met: &HeadToHead) -> u64 {
    met.wins + met.draws + met.losses
}

/// The score over all matches, which differs from that of whole rotations while some are incomplete.
fn share(met: &HeadToHead) -> f64 {
    (met.wins as f64 + met.draws as f64 / 2.0) / matches(met) as f64
}

fn json(names: &[String], order: &[usize], scores: &Scores) -> String {
    let pairs: Vec<_> = met(order, scores)
        .map(|(bot, opponent, met)| {
            let (low, high) = met.score.elo_ends();
            json!({"bot": names[bot], "opponent": names[opponent], "wins": met.wins, "draws": met.draws,
                   "losses": met.losses, "share": share(met), "share_low": met.score.low, "share_high": met.score.high,
                   "elo": met.score.elo(), "elo_low": low, "elo_high": high, "unit": met.unit})
        })
        .collect();
    serde_json::to_string_pretty(&pairs).expect("pairs have string keys only") + "\n"
}

fn comma_separated(names: &[String], order: &[usize], scores: &Scores) -> String {
    let mut text = "bot,opponent,wins,draws,losses,share,share_low,share_high,elo,elo_low,elo_high\n".to_owned();
    for (bot, opponent, met) in met(order, scores) {
        let (low, high) = met.score.elo_ends();
        let elo = [met.score.elo(), low, high].map(|value| value.map_or(String::new(), |value| format!("{value:.3}")));
        let shares = [share(met), met.score.low, met.score.high].map(|value| format!("{value:.5}"));
        let counts = [met.wins, met.draws, met.losses].map(|count| count.to_string());
        let fields = [names[bot].clone(), names[opponent].clone()];
        text += &table::csv(
            &fields
                .into_iter()
                .chain(counts)
                .chain(shares)
                .chain(elo)
                .collect::<Vec<_>>(),
        );
    }
    text
}
