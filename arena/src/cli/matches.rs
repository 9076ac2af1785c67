//! `arena matches`: lists stored matches.

use std::io::Write;

use anyhow::{Context, bail};
use tabled::builder::Builder;
use tabled::settings::Style;

use super::results::Results;
use super::{Exit, Format, Output};
use crate::record::{End, csv_field};
use crate::report::MatchRow;
use crate::store::{Filter, MatchSummary, StoredBot, StoredPlan};

/// How many matches a table shows when nothing else is said.
const TABLE_LIMIT: u64 = 100;

/// List stored matches
///
/// Lists by seat are in the order of seats. Times are what the bots took to move, together. `--format csv` has one row a
/// match; `arena export --csv` has one for each match and seat.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    results: Results,
    /// Only matches of this bot
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    /// Only matches with a fault
    #[arg(long)]
    faults: bool,
    /// Only matches that ended like this
    #[arg(long, value_name = "KIND", value_parser = parse_end)]
    end: Option<End>,
    /// At most this many [default: 100 in a table, else all]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn parse_end(word: &str) -> Result<End, String> {
    let known: Vec<_> = End::ALL.iter().map(|end| end.as_str()).collect();
    End::from_word(word).ok_or_else(|| format!("unknown end `{word}`; known ends: {}", known.join(", ")))
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let store = args.results.open()?;
    let plans = args.results.plans(&store)?;
    if let Some(name) = &args.bot
        && !plans.iter().any(|plan| place_of(plan, name).is_some())
    {
        bail!(
            "no bot `{name}` in `{}`; bots: {}",
            args.results.db.display(),
            names(&plans).join(", ")
        );
    }
    let mut list = List::start(args.format, out)?;
    // One more than is shown says whether the table is cut.
    let limit = args.limit.or((args.format == Format::Table).then_some(TABLE_LIMIT));
    let mut left = limit.map(|limit| limit.saturating_add(1));
    for plan in &plans {
        let bot = args.bot.as_deref().map(|name| place_of(plan, name));
        if bot == Some(None) {
            continue;
        }
        let filter = Filter {
            bot: bot.flatten(),
            with_faults: args.faults,
            end: args.end,
            limit: left,
        };
        store.matches(&plan.id, &filter, |row| -> anyhow::Result<()> {
            if let Some(left) = &mut left {
                *left -= 1;
            }
            if left == Some(0) { Ok(()) } else { list.add(plan, &row) }
        })?;
    }
    list.end()?;
    if args.limit.is_none() && left == Some(0) {
        out.flush()?;
        writeln!(
            anstream::stderr(),
            "the first {TABLE_LIMIT} matches; --limit N shows more, --format csv or json all"
        )
        .context("cannot write to standard error")?;
    }
    Ok(Exit::Done)
}

fn place_of(plan: &StoredPlan, name: &str) -> Option<usize> {
    plan.bots.iter().position(|bot| bot.name == name)
}

fn names(plans: &[StoredPlan]) -> Vec<&str> {
    let mut names: Vec<&str> = plans
        .iter()
        .flat_map(|plan| &plan.bots)
        .map(|bot| bot.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

const COLUMNS: [&str; 11] = [
    "plan", "match", "rotation", "bots", "places", "points", "forfeits", "end", "plies", "faults", "time_ms",
];

/// The list as it is printed: tables at their end, everything else row by row.
enum List<'a> {
    Table {
        rows: Vec<[String; 11]>,
        out: &'a mut Output,
    },
    Json {
        rows: u64,
        out: &'a mut Output,
    },
    Csv(&'a mut Output),
}

impl List<'_> {
    fn start(format: Format, out: &mut Output) -> anyhow::Result<List<'_>> {
        Ok(match format {
            Format::Table => List::Table { rows: Vec::new(), out },
            Format::Json => {
                write!(out, "[")?;
                List::Json { rows: 0, out }
            }
            Format::Csv => {
                writeln!(out, "{}", COLUMNS.join(","))?;
                List::Csv(out)
            }
        })
    }

    fn add(&mut self, plan: &StoredPlan, row: &MatchSummary) -> anyhow::Result<()> {
        match self {
            List::Table { rows, .. } => rows.push(texts(plan, row, ", ")),
            List::Csv(out) => {
                let texts = texts(plan, row, " ");
                let fields: Vec<_> = texts.iter().map(|text| csv_field(text)).collect();
                writeln!(out, "{}", fields.join(","))?;
            }
            List::Json { rows, out } => {
                let row = MatchRow::new(&plan.id, row, |bot| name(&plan.bots, bot));
                let object = serde_json::to_string(&row)?;
                write!(out, "{}\n{object}", if *rows > 0 { "," } else { "" })?;
                *rows += 1;
            }
        }
        Ok(())
    }

    fn end(self) -> anyhow::Result<()> {
        match self {
            List::Table { rows, out } => {
                // Columns in which nothing is to be seen only take room.
                let shown = |column: usize| match COLUMNS[column] {
                    "plan" => rows.iter().any(|row| row[column] != rows[0][column]),
                    "rotation" => false,
                    _ => true,
                };
                let columns: Vec<usize> = (0..COLUMNS.len()).filter(|column| shown(*column)).collect();
                let mut table = Builder::default();
                table.push_record(columns.iter().map(|column| COLUMNS[*column]));
                for row in &rows {
                    table.push_record(columns.iter().map(|column| row[*column].as_str()));
                }
                writeln!(out, "{}", table.build().with(Style::sharp()))?;
            }
            List::Json { out, .. } => writeln!(out, "\n]")?,
            List::Csv(_) => {}
        }
        Ok(())
    }
}

fn texts(plan: &StoredPlan, row: &MatchSummary, separator: &str) -> [String; 11] {
    let score = &row.score;
    let seats = 0..score.bots.len();
    let join = |list: Vec<String>| list.join(separator);
    let by_seat = |text: &dyn Fn(usize) -> String| join(seats.clone().map(text).collect());
    let forfeits = seats.clone().filter(|seat| score.forfeits[*seat]);
    [
        plan.id.clone(),
        score.r#match.to_string(),
        score.rotation.to_string(),
        by_seat(&|seat| name(&plan.bots, score.bots[seat])),
        by_seat(&|seat| score.places[seat].to_string()),
        by_seat(&|seat| score.points[seat].to_string()),
        join(forfeits.map(|seat| name(&plan.bots, score.bots[seat])).collect()),
        score.end.as_str().to_owned(),
        score.plies.to_string(),
        row.faults.to_string(),
        format!("{:.3}", score.time_us.iter().sum::<u64>() as f64 / 1_000.0),
    ]
}

fn name(bots: &[StoredBot], place: usize) -> String {
    bots.get(place)
        .map_or_else(|| format!("bot {place}"), |bot| super::results::printable(&bot.name))
}
