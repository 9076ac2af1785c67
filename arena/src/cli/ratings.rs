//! `arena ratings`: the bots by another rating system than that of `arena standings`.

use std::io::Write;

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Map, Value, json};

use super::results::Results;
use super::standings::positive;
use super::table::{self, Align};
use super::{Exit, Format, Output};
use crate::rating::systems::{Info, Rated, Remark, Report, SYSTEMS, Setting, Settings, Unrated};
use crate::store::StoreError;

/// Rate the bots by another system (Glicko-2, Davidson, alpha-rank, ...)
///
/// For most questions `arena standings` is the answer: it does not depend on the order of the matches, knows seats, and
/// its intervals come from how whole rotations scatter. The systems here are for comparing with other sites, for models
/// of ties and places, and for bots that beat each other in circles.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Results,
    /// Which system
    #[arg(long, value_name = "NAME", value_parser = system())]
    system: &'static Info,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// elo: how many points a match moves at most [default: 20]
    #[arg(long, value_name = "K", value_parser = positive)]
    elo_k: Option<f64>,
    /// rao-kupper: invented draws a bot (BayesElo has 2); plackett-luce: invented wins and losses a bot against a ghost
    /// (R has 0.5) [default: none]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    prior: Option<f64>,
    /// davidson, rao-kupper: do not fit the advantage of the first seat
    #[arg(long)]
    no_seat_term: bool,
    /// alpha-rank: how much scores matter [default: raised until the masses settle]
    #[arg(long, value_name = "NUMBER", value_parser = positive)]
    alpha: Option<f64>,
}

/// What is printed.
struct Ratings<'a> {
    info: &'static Info,
    names: &'a [String],
    /// By bot: matches played.
    played: &'a [u64],
    matches: u64,
    report: Report,
}

/// A bot's line, rated or not.
struct Line<'a> {
    bot: usize,
    /// From 1.
    group: Option<usize>,
    rated: Result<&'a Rated, Unrated>,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let settings = settings(args)?;
    let store = args.source.open()?;
    let plan = args.source.plan(&store)?;
    let names: Vec<String> = plan.plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let mut system = (args.system.start)(names.len(), &settings);
    let (mut played, mut matches) = (vec![0; names.len()], 0);
    store.scores::<StoreError>(&plan.id, |score| {
        system.add(score);
        score.bots.iter().for_each(|&bot| played[bot] += 1);
        matches += 1;
        Ok(())
    })?;
    let ratings = Ratings {
        info: args.system,
        names: &names,
        played: &played,
        matches,
        report: system.report(),
    };
    let text = match args.format {
        Format::Table => text(&ratings),
        Format::Json => json(&ratings),
        Format::Csv => comma_separated(&ratings),
    };
    write!(out, "{text}")?;
    Ok(Exit::Done)
}

fn system() -> impl TypedValueParser<Value = &'static Info> {
    let names = SYSTEMS.map(|info| PossibleValue::new(info.name).help(info.summary));
    PossibleValuesParser::new(names).map(|name| {
        let named = SYSTEMS.into_iter().find(|info| info.name == name);
        named.expect("only names of systems are let through")
    })
}

/// The settings given, none of which may be one that the system does not have.
fn settings(args: &Args) -> anyhow::Result<Settings> {
    let given = [
        (Setting::K, "--elo-k", args.elo_k.is_some()),
        (Setting::Prior, "--prior", args.prior.is_some()),
        (Setting::SeatTerm, "--no-seat-term", args.no_seat_term),
        (Setting::Alpha, "--alpha", args.alpha.is_some()),
    ];
    for (setting, flag, given) in given {
        if given && !args.system.takes.contains(&setting) {
            let takers = SYSTEMS.into_iter().filter(|info| info.takes.contains(&setting));
            let takers: Vec<&str> = takers.map(|info| info.name).collect();
            let name = args.system.name;
            bail!(
                "`{flag}` does nothing for {name}\n  systems with it: {}",
                takers.join(", ")
            );
        }
    }
    let usual = Settings::default();
    Ok(Settings {
        k: args.elo_k.unwrap_or(usual.k),
        prior: args.prior.unwrap_or(usual.prior),
        seat_term: !args.no_seat_term,
        alpha: args.alpha,
    })
}

impl Ratings<'_> {
    fn lines(&self) -> Vec<Line<'_>> {
        let groups = self.report.groups.iter().enumerate();
        let rated = groups.flat_map(|(index, group)| {
            group.bots.iter().map(move |rated| Line {
                bot: rated.bot,
                group: Some(index + 1),
                rated: Ok(rated),
            })
        });
        let unrated = self.report.unrated.iter().map(|&(bot, why)| Line {
            bot,
            group: None,
            rated: Err(why),
        });
        rated.chain(unrated).collect()
    }
}

fn text(ratings: &Ratings) -> String {
    let Ratings { info, report, .. } = ratings;
    let mut text = format!("{}: {}\n\n", info.name, info.summary);
    text += &body(ratings);
    text.push('\n');
    text += &format!("{} matches\n", ratings.matches);
    let several = report.groups.len() > 1;
    if several {
        text += "Only bots of one group can be compared: other results are one-sided or missing\n";
    }
    for (index, group) in report.groups.iter().enumerate() {
        let of = if several {
            format!("group {}: ", index + 1)
        } else {
            String::new()
        };
        let parameters = group.parameters.iter().map(|parameter| {
            let error = parameter
                .error
                .map_or(String::new(), |error| format!(" (error {error:.3})"));
            let decimals = if parameter.value.fract() == 0.0 { 0 } else { 3 };
            format!(
                "{} {:.decimals$}{error}",
                parameter.key.replace('_', " "),
                parameter.value
            )
        });
        for line in parameters.chain(group.remarks.iter().map(|remark| remarked(*remark).to_owned())) {
            text += &format!("{of}{line}\n");
        }
    }
    let mut reasons: Vec<Unrated> = Vec::new();
    for &(_, why) in &report.unrated {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    for why in reasons {
        text += &format!("{}: {}\n", short(why), long(why));
        if why != Unrated::NoMatches && info.takes.contains(&Setting::Prior) {
            text += "  --prior NUMBER gives numbers all the same\n";
        }
    }
    text.push('\n');
    for note in info.notes {
        text += &format!("{note}\n");
    }
    text
}

fn body(ratings: &Ratings) -> String {
    let several = ratings.report.groups.len() > 1;
    let incomplete = !ratings.report.unrated.is_empty();
    let mut titles = vec![("#", Align::Right)];
    titles.extend(several.then_some(("group", Align::Right)));
    titles.push(("bot", Align::Left));
    titles.extend(ratings.report.columns.iter().map(|column| (column.title, Align::Right)));
    titles.push(("played", Align::Right));
    titles.extend(incomplete.then_some(("no number", Align::Left)));
    let dash = || "-".to_owned();
    let row = |line: Line| {
        let mut cells = vec![line.rated.map_or_else(|_| dash(), |rated| rated.rank.to_string())];
        if several {
            cells.push(line.group.map_or_else(dash, |group| group.to_string()));
        }
        cells.push(table::name(&ratings.names[line.bot]));
        cells.extend(ratings.report.columns.iter().enumerate().map(|(index, column)| {
            line.rated
                .map_or_else(|_| dash(), |rated| rounded(rated.values[index], column.decimals))
        }));
        cells.push(ratings.played[line.bot].to_string());
        if incomplete {
            cells.push(line.rated.map_or_else(short, |_| "").to_owned());
        }
        cells
    };
    let rows: Vec<Vec<String>> = ratings.lines().into_iter().map(row).collect();
    table::table(&titles, &rows)
}

/// A number for people. Never `-0`.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.to_owned(),
        _ => text,
    }
}

fn remarked(remark: Remark) -> &'static str {
    match remark {
        Remark::NoTies => "nothing was tied, so the model goes without ties",
        Remark::TiesAssumed => "no finite propensity to tie fits best: taken is 27 % among equals (BayesElo)",
        Remark::SeatsLeftOut => "what seats are worth cannot be told, so it is left out",
    }
}

fn short(why: Unrated) -> &'static str {
    match why {
        Unrated::NoMatches => "no matches",
        Unrated::OneSided => "one-sided",
        Unrated::NoFit => "no finite fit",
        Unrated::NeverMet => "some never met",
    }
}

fn long(why: Unrated) -> &'static str {
    match why {
        Unrated::NoMatches => "it has not played",
        Unrated::OneSided => "won or lost all that links it to others; `arena standings` has bounds",
        Unrated::NoFit => "any numbers can be bettered; `arena standings` has some or bounds",
        Unrated::NeverMet => "this system needs every pair of bots that played to have met",
    }
}

fn json(ratings: &Ratings) -> String {
    let columns = ratings.report.columns;
    let bots = ratings.lines().into_iter().map(|line| {
        let mut fields = Map::new();
        fields.insert("bot".to_owned(), json!(ratings.names[line.bot]));
        fields.insert("group".to_owned(), json!(line.group));
        fields.insert("rank".to_owned(), json!(line.rated.ok().map(|rated| rated.rank)));
        fields.insert("matches".to_owned(), json!(ratings.played[line.bot]));
        fields.insert("unrated".to_owned(), json!(line.rated.err()));
        for (index, column) in columns.iter().enumerate() {
            let value = line.rated.ok().map(|rated| rated.values[index]);
            fields.insert(column.key.to_owned(), json!(value));
        }
        Value::Object(fields)
    });
    let groups = ratings.report.groups.iter().enumerate().map(|(index, group)| {
        let parameters = group.parameters.iter().map(|parameter| {
            let value = json!({"value": parameter.value, "error": parameter.error});
            (parameter.key.clone(), value)
        });
        json!({"group": index + 1, "parameters": parameters.collect::<Map<_, _>>(), "remarks": group.remarks})
    });
    let all = json!({
        "system": ratings.info.name,
        "matches": ratings.matches,
        "bots": bots.collect::<Vec<_>>(),
        "groups": groups.collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&all).expect("ratings have string keys only") + "\n"
}

fn comma_separated(ratings: &Ratings) -> String {
    let keys = ratings.report.columns.iter().map(|column| column.key);
    let titles: Vec<String> = ["group", "rank", "bot", "matches"]
        .into_iter()
        .chain(keys)
        .chain(["unrated"])
        .map(str::to_owned)
        .collect();
    let mut text = table::csv(&titles);
    for line in ratings.lines() {
        let or_empty = |number: Option<usize>| number.map_or(String::new(), |number| number.to_string());
        let mut fields = vec![
            or_empty(line.group),
            or_empty(line.rated.ok().map(|rated| rated.rank)),
            ratings.names[line.bot].clone(),
            ratings.played[line.bot].to_string(),
        ];
        fields.extend((0..ratings.report.columns.len()).map(|index| {
            let value = line.rated.ok().map(|rated| rated.values[index]);
            value.map_or(String::new(), |value| json!(value).to_string())
        }));
        let why = line.rated.err().map(|why| json!(why));
        fields.push(why.as_ref().and_then(Value::as_str).unwrap_or("").to_owned());
        text += &table::csv(&fields);
    }
    text
}
