//! `arena standings`: who is how strong, and how sure that is.

use std::io::Write;

use anyhow::bail;

use super::results::Results;
use super::table::{self, Align};
use super::{Exit, Format, Output};
use crate::rating::elo::Running;
use crate::rating::ml::{Errors, Estimate, Method, Seats, Settings};
use crate::rating::{Anchor, Rating, Standings, Table, Tally};
use crate::record::MatchScore;
use crate::report::words::{self, places};
use crate::store::StoreError;

/// Print the ranking of a tournament
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Results,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Add a running Elo number with this K factor; it depends on the order of the matches
    #[arg(long, value_name = "K", value_parser = positive)]
    elo_k: Option<f64>,
    /// Rate relative to this bot, set to 1500 or to the number given; without it the mean of the bots is 0
    #[arg(long, value_name = "BOT[=RATING]")]
    anchor: Option<String>,
    /// Where the intervals come from: the scatter of rotations (cr3), the model alone (naive: too wide with draws, too
    /// narrow with placements), or refits to reweighted rotations (bootstrap: slow)
    #[arg(long, value_enum, default_value_t, value_name = "METHOD")]
    errors: ErrorsFrom,
    /// Add N virtual draws for each bot, spread over its opponents: a number for those that won or lost everything
    #[arg(long, value_name = "N", value_parser = positive)]
    prior: Option<f64>,
    /// Leave out matches in which somebody forfeited
    #[arg(long)]
    without_forfeits: bool,
}

/// Where the intervals come from.
#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
enum ErrorsFrom {
    #[default]
    Cr3,
    Naive,
    Bootstrap,
}

/// What has been read.
pub(super) struct Scores {
    /// The bots of the plan, in its order.
    pub names: Vec<String>,
    /// Their matches.
    pub tally: Tally,
    /// The running numbers, if wanted.
    pub running: Option<Running>,
    /// How many matches were void, and played again.
    pub voids: u64,
    /// How many matches with a forfeit were left out.
    pub left_out: u64,
    /// Whether who met whom hung on earlier results.
    pub adaptive: bool,
    /// The layers of the sandbox, for each way in which the plan was run.
    pub sandboxes: Vec<Vec<String>>,
}

/// An anchor's rating when none is given.
const ANCHOR_RATING: f64 = 1500.0;

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let results = load(&args.source, args.elo_k, args.without_forfeits)?;
    let anchor = args
        .anchor
        .as_deref()
        .map(|text| anchor(text, &results.names))
        .transpose()?;
    let settings = Settings {
        method: match args.errors {
            ErrorsFrom::Cr3 => Method::Cr3,
            ErrorsFrom::Naive => Method::Naive,
            ErrorsFrom::Bootstrap => Method::Bootstrap,
        },
        prior: args.prior.unwrap_or(0.0),
        ..Settings::default()
    };
    let running = results.running.as_ref();
    let mut standings = Standings::fitted(&results.names, &results.tally, running, anchor, &settings);
    standings.voids = results.voids;
    standings.left_out = results.left_out;
    standings.adaptive = results.adaptive;
    write!(out, "{}", render(&standings, args.format))?;
    write_voids(results.voids, args.format, out)?;
    if args.format == Format::Table {
        for layers in &results.sandboxes {
            let layers = if layers.is_empty() {
                "none".to_owned()
            } else {
                layers.join(", ")
            };
            writeln!(out, "sandbox: {layers}")?;
        }
    }
    Ok(Exit::Done)
}

pub(super) fn positive(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if number > 0.0 && number.is_finite() {
        Ok(number)
    } else {
        Err("expected a number above 0".to_owned())
    }
}

fn anchor(text: &str, names: &[String]) -> anyhow::Result<Anchor> {
    let named = |name: &str| names.iter().position(|known| known == name);
    if let Some(bot) = named(text) {
        return Ok(Anchor {
            bot,
            rating: ANCHOR_RATING,
        });
    }
    let (name, rating) = text.rsplit_once('=').unwrap_or((text, ""));
    let Some(bot) = named(name) else {
        bail!("unknown bot `{name}`\n  bots: {}", names.join(", "));
    };
    match rating.parse::<f64>() {
        Ok(rating) if rating.is_finite() => Ok(Anchor { bot, rating }),
        _ => bail!("`--anchor {text}`: `{rating}` is no rating, expected a number such as 1500"),
    }
}

/// Reads a plan's bots and matches.
pub(super) fn load(source: &Results, elo_k: Option<f64>, without_forfeits: bool) -> anyhow::Result<Scores> {
    let store = source.open()?;
    let plan = source.plan(&store)?;
    let names: Vec<String> = plan.plan.bots.iter().map(|bot| bot.name.clone()).collect();
    let mut scores = Scores {
        tally: Tally::new(names.len()),
        running: elo_k.map(|k| Running::new(names.len(), k)),
        voids: store.voids(&plan.id)?,
        left_out: 0,
        adaptive: plan.plan.format.hangs_on_results(),
        sandboxes: store.sandboxes(&plan.id)?,
        names,
    };
    store.scores::<StoreError>(&plan.id, |score| {
        if without_forfeits && score.forfeits.contains(&true) {
            scores.left_out += 1;
        } else {
            scores.add(score);
        }
        Ok(())
    })?;
    Ok(scores)
}

impl Scores {
    /// Takes one more match into account.
    pub fn add(&mut self, score: &MatchScore) {
        self.tally.add(score);
        if let Some(running) = &mut self.running {
            running.add(score);
        }
    }
}

/// Adds to the standings for people how many matches were void.
pub fn write_voids(voids: u64, format: Format, out: &mut Output) -> anyhow::Result<()> {
    if let (Some(line), Format::Table) = (words::voids(voids), format) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The standings as text, ended by a newline.
pub fn render(standings: &Standings, format: Format) -> String {
    match format {
        Format::Table => text(standings),
        Format::Json => {
            serde_json::to_string_pretty(standings).expect("standings have string keys and finite numbers only") + "\n"
        }
        Format::Csv => comma_separated(standings),
    }
}

fn text(standings: &Standings) -> String {
    let mut text = String::new();
    for (index, table) in standings.tables.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        if standings.tables.len() > 1 {
            text += &format!("{}\n", words::relation(index, table));
        }
        text += &words::heading(table);
        text += "\n\n";
        text += &body(standings, table);
    }
    text.push('\n');
    let card = words::method(standings);
    let card = card.iter().map(|(sign, meaning)| format!("{sign:<7} {meaning}"));
    for line in words::counts(standings).into_iter().chain([String::new()]).chain(card) {
        text += &line;
        text.push('\n');
    }
    text
}

/// The rows of a table. Long names are cut further where it would otherwise be too wide.
fn body(standings: &Standings, table: &Table) -> String {
    let wide = rows(standings, table, NAME_WIDTHS[0]);
    let fits = |text: &String| text.lines().all(|line| line.chars().count() <= table::COLUMNS_MAX);
    let narrower = NAME_WIDTHS[1..].iter().map(|width| rows(standings, table, *width));
    std::iter::once(wide.clone()).chain(narrower).find(fits).unwrap_or(wide)
}

/// How wide the names may be, as far as there is room.
const NAME_WIDTHS: [usize; 5] = [20, 17, 14, 11, 8];

fn rows(standings: &Standings, table: &Table, name_width: usize) -> String {
    let many_seats = standings.seats.len() > 2;
    let with_forfeits = standings.forfeits > 0;
    let running = standings.elo_k.map(|k| format!("K={k}"));
    let mut titles = vec![
        ("#", Align::Right),
        ("bot", Align::Left),
        ("Elo", Align::Right),
        ("±95%", Align::Right),
        ("vs next", Align::Right),
        ("rank", Align::Right),
    ];
    if let Some(title) = &running {
        titles.push((title, Align::Right));
    }
    titles.push((if many_seats { "places" } else { "W/D/L" }, Align::Right));
    titles.push(("score", Align::Right));
    if with_forfeits {
        titles.push(("forf", Align::Right));
    }
    titles.push(("ms/move", Align::Right));
    let rows: Vec<Vec<String>> = table
        .lines
        .iter()
        .map(|line| {
            let told = words::cells(standings, table, line);
            let name = table::cut(&line.name, name_width);
            let mut cells = vec![told.rank, name, told.rating, told.margin, told.ahead, told.ranks];
            cells.extend(line.running.map(|running| format!("{running:.0}")));
            cells.extend([told.results, told.score]);
            if with_forfeits {
                cells.push(told.forfeits);
            }
            cells.push(told.move_ms);
            cells
        })
        .collect();
    table::table(&titles, &rows)
}

fn comma_separated(standings: &Standings) -> String {
    let titles = "table,rank,bot,kind,elo,low,high,ahead,ahead_margin,running,matches,wins,draws,losses,places,share,\
                  forfeits,move_ms,rank_best,rank_worst,table_errors,table_rotations,table_seat_elo,table_seat_margins,\
                  table_cycle_p,all_matches,all_distinct,all_forfeited,all_voids,all_adaptive,all_seat_shares";
    let mut text = format!("{titles}\n");
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    let by_seat = |values: &[f64]| {
        let texts: Vec<String> = values.iter().map(|value| format!("{value:.5}")).collect();
        texts.join("/")
    };
    let shares: Vec<f64> = standings.seats.iter().map(|seat| seat.share).collect();
    for (index, table) in standings.tables.iter().enumerate() {
        let seats = match &table.seat_term {
            Some(Seats::Fitted(seats)) => &seats[..],
            _ => &[],
        };
        let seat = |of: fn(&Estimate) -> f64| by_seat(&seats.iter().map(of).collect::<Vec<_>>());
        for line in &table.lines {
            let (kind, value, low, high) = match line.rating {
                Rating::Fitted { value, low, high } => ("fitted", Some(value), Some(low), Some(high)),
                Rating::Anchor { value } => ("anchor", Some(value), Some(value), Some(value)),
                Rating::Bound { low, high } => ("bound", None, low, high),
                Rating::Unknown => ("unknown", None, None, None),
            };
            text += &table::csv(&[
                (index + 1).to_string(),
                line.rank.map_or(String::new(), |rank| rank.to_string()),
                line.name.clone(),
                kind.to_owned(),
                number(value),
                number(low),
                number(high),
                number(line.ahead.map(|ahead| ahead.value)),
                number(line.ahead.map(|ahead| ahead.margin)),
                number(line.running),
                line.matches.to_string(),
                line.wins.to_string(),
                line.draws.to_string(),
                line.losses.to_string(),
                places(line, standings.seats.len()),
                line.share.map_or(String::new(), |share| format!("{share:.5}")),
                line.forfeits.to_string(),
                number(line.move_us_mean.map(|us| us / 1_000.0)),
                line.ranks.map_or(String::new(), |ranks| ranks.best.to_string()),
                line.ranks.map_or(String::new(), |ranks| ranks.worst.to_string()),
                table.errors.map_or("", Errors::as_str).to_owned(),
                table.rotations.to_string(),
                seat(|estimate| estimate.value),
                seat(|estimate| estimate.margin),
                table
                    .cycles
                    .as_ref()
                    .map_or(String::new(), |cycles| format!("{:.5}", cycles.p)),
                standings.matches.to_string(),
                standings.distinct.to_string(),
                standings.forfeited.to_string(),
                standings.voids.to_string(),
                standings.adaptive.to_string(),
                by_seat(&shares),
            ]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rating::Options;
    use crate::record::End;
    use crate::report::words::points;

    fn played(rotation: u64, bots: &[usize], places: &[u8]) -> MatchScore {
        let seats = bots.len();
        MatchScore {
            r#match: rotation,
            rotation,
            bots: bots.to_vec(),
            places: places.to_vec(),
            points: vec![0; seats],
            forfeits: vec![false; seats],
            end: End::Rules,
            plies: 4,
            moves: vec![2; seats],
            time_us: vec![3_000; seats],
            fingerprint: rotation,
        }
    }

    fn shown(names: &[&str], scores: Vec<MatchScore>, options: &Options) -> String {
        let names: Vec<String> = names.iter().copied().map(str::to_owned).collect();
        render(&Standings::from_scores(&names, scores, options), Format::Table)
    }

    /// Forty rotations in which the lower-numbered bot scores more, and sometimes less.
    fn ordinary() -> Vec<MatchScore> {
        let mut scores = Vec::new();
        for rotation in 0..40 {
            let bots = [[0, 1], [0, 2], [1, 2], [0, 1]][rotation as usize % 4];
            let first = if rotation % 5 == 0 { [2, 1] } else { [1, 2] };
            let second = if rotation % 3 == 0 { [1, 1] } else { [2, 1] };
            scores.push(played(rotation, &bots, &first));
            scores.push(MatchScore {
                fingerprint: 1_000 + rotation,
                ..played(rotation, &[bots[1], bots[0]], &second)
            });
        }
        scores
    }

    #[test]
    fn the_table_says_what_its_numbers_are_relative_to() {
        let found = shown(&["strong", "middling", "weak"], ordinary(), &Options::default());
        println!("{found}");
        assert!(found.starts_with("Elo, 0 = mean of the 3 rated bots; ± 95 % from 40 rotations (CR3)\n"));
        let options = Options {
            anchor: Some(Anchor { bot: 2, rating: 1500.0 }),
            elo_k: Some(20.0),
        };
        let found = shown(&["strong", "middling", "weak"], ordinary(), &options);
        assert!(found.starts_with("Elo, weak = 1500; ± 95 % from 40 rotations (CR3)\n"));
        assert!(found.contains("K=20"));
    }

    #[test]
    fn one_sided_results_show_bounds_and_say_so() {
        let scores = (0..10).map(|rotation| played(rotation, &[0, 1], &[1, 2])).collect();
        let found = shown(&["good", "bad"], scores, &Options::default());
        let expected = "\
Elo: too one-sided for numbers; bounds count a bot's opponents as 0

#  bot      Elo  ±95%  vs next  rank   W/D/L   score  ms/move
─────────────────────────────────────────────────────────────
1  good  > +200                    -  10/0/0  100.0%      1.5
2  bad   < -200                    -  0/0/10    0.0%      1.5

10 matches, 10 of them distinct; 0 forfeits, in 0.0% of matches

Elo     likeliest ratings for all scores (win 1, tie 1/2); 400 are odds of 10:1
> <     won or lost everything: only a bound (95 %), no number fits
";
        assert_eq!(found, expected);
    }

    #[test]
    fn no_matches_print_a_table_of_names() {
        let found = shown(&["a", "b"], Vec::new(), &Options::default());
        assert!(found.starts_with("Elo: no matches yet\n"));
        assert!(found.contains("0 matches"));
    }

    #[test]
    fn many_copies_are_warned_of() {
        let scores = ordinary()
            .into_iter()
            .map(|score| MatchScore {
                fingerprint: 1,
                ..score
            })
            .collect();
        assert!(shown(&["a", "b", "c"], scores, &Options::default()).contains("warning: 74 matches are copies"));
    }

    #[test]
    fn four_seats_show_places_and_seats() {
        let mut scores = Vec::new();
        for rotation in 0..30_usize {
            for turn in 0..4 {
                let bots: Vec<usize> = (0..4).map(|seat| (seat + turn) % 4).collect();
                let places: Vec<u8> = bots
                    .iter()
                    .map(|bot| ((bot + rotation * rotation + turn * rotation / 3) % 4 + 1) as u8)
                    .collect();
                scores.push(played(rotation as u64, &bots, &places));
            }
        }
        let found = shown(&["a", "b", "c", "d"], scores, &Options::default());
        assert!(found.contains("places") && found.contains("Elo by seat: 1: "));
    }

    #[test]
    fn every_line_fits_80_columns() {
        let names = ["a name of twenty chr", "another such name 20", "yet one more name 20"];
        let many = (0..30).flat_map(|round| {
            ordinary().into_iter().map(move |score| MatchScore {
                rotation: score.rotation + 100 * round,
                ..score
            })
        });
        let found = shown(&names, many.collect(), &Options::default());
        for line in found.lines() {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        }
    }

    #[test]
    fn json_and_csv_have_a_line_for_every_bot() {
        let names: Vec<String> = ["a, the first", "b", "idle"].map(str::to_owned).to_vec();
        let scores: Vec<_> = ordinary()
            .into_iter()
            .filter(|score| !score.bots.contains(&2))
            .collect();
        let standings = Standings::from_scores(&names, scores, &Options::default());
        let csv = render(&standings, Format::Csv);
        assert_eq!(csv.lines().count(), 4);
        assert!(csv.contains("\"a, the first\"") && csv.contains(",idle,unknown,"));
        let json: serde_json::Value = serde_json::from_str(&render(&standings, Format::Json)).expect("it is JSON");
        assert_eq!(json["tables"][0]["lines"].as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn table_json_and_csv_say_the_same() {
        let names: Vec<String> = ["strong", "middling", "weak"].map(str::to_owned).to_vec();
        let standings = Standings::from_scores(&names, ordinary(), &Options::default());
        let table = render(&standings, Format::Table);
        let csv = render(&standings, Format::Csv);
        let json: serde_json::Value = serde_json::from_str(&render(&standings, Format::Json)).expect("it is JSON");
        let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let titles = rows.next().expect("there is a title");
        let at = |value: &serde_json::Value, path: &str| value.pointer(path).and_then(|v| v.as_f64()).expect(path);
        let block = &json["tables"][0];
        for (line, row) in block["lines"].as_array().expect("a list").iter().zip(rows) {
            let cell = |title: &str| {
                let place = titles.iter().position(|known| *known == title);
                row[place.expect(title)]
            };
            let shown = table
                .lines()
                .find(|text| text.contains(cell("bot")))
                .expect("everybody is there");
            let words: Vec<&str> = shown.split_whitespace().collect();
            let same = |title: &str, path: &str, scale: f64| {
                let (csv, json): (f64, f64) = (cell(title).parse().expect(title), at(line, path) * scale);
                assert!((csv - json).abs() < 1e-3, "{title}: {csv} and {json}");
            };
            same("elo", "/rating/value", 1.0);
            same("low", "/rating/low", 1.0);
            same("high", "/rating/high", 1.0);
            same("rank_best", "/ranks/best", 1.0);
            same("rank_worst", "/ranks/worst", 1.0);
            same("share", "/share", 1.0);
            same("wins", "/wins", 1.0);
            same("move_ms", "/move_us_mean", 1e-3);
            let (elo, high) = (at(line, "/rating/value"), at(line, "/rating/high"));
            assert_eq!(words[2..4], [points(elo, true), format!("±{:.0}", high - elo)]);
            if !line["ahead"].is_null() {
                same("ahead", "/ahead/value", 1.0);
                same("ahead_margin", "/ahead/margin", 1.0);
                assert_eq!(words[5], format!("±{:.0}", at(line, "/ahead/margin")));
            }
            let seat: Vec<f64> = cell("table_seat_elo")
                .split('/')
                .map(|text| text.parse().expect("a number"))
                .collect();
            assert!((seat[0] - at(block, "/seat_term/fitted/0/value")).abs() < 1e-3);
            let margins: Vec<f64> = { cell("table_seat_margins").split('/') }
                .map(|text| text.parse().expect("a number"))
                .collect();
            let worth = format!("worth {} ±{:.0} Elo", points(2.0 * seat[0], true), 2.0 * margins[0]);
            assert!(table.contains(&worth), "{worth}");
            let p: f64 = cell("table_cycle_p").parse().expect("a number");
            assert!(
                (p - at(block, "/cycles/p")).abs() < 1e-3 && table.contains(&format!("(p = {p:.2})")),
                "{p}"
            );
            let share: f64 = cell("all_seat_shares")
                .split('/')
                .next()
                .expect("a seat")
                .parse()
                .expect("a number");
            assert!(table.contains(&format!("the first seat scores {:.1}%", 100.0 * share)));
            assert_eq!(cell("table_errors"), block["errors"]);
            assert_eq!(cell("table_rotations").parse::<f64>().ok(), block["rotations"].as_f64());
            assert_eq!(cell("all_distinct").parse::<f64>().ok(), json["distinct"].as_f64());
        }
    }

    #[test]
    fn an_anchor_is_named_alone_or_with_its_rating() {
        let names: Vec<String> = ["a", "b=2"].map(str::to_owned).to_vec();
        assert_eq!(anchor("a", &names).expect("a bot"), Anchor { bot: 0, rating: 1500.0 });
        assert_eq!(anchor("a=0", &names).expect("a bot"), Anchor { bot: 0, rating: 0.0 });
        assert_eq!(anchor("b=2", &names).expect("a bot"), Anchor { bot: 1, rating: 1500.0 });
        assert_eq!(
            anchor("b=2=-10", &names).expect("a bot"),
            Anchor { bot: 1, rating: -10.0 }
        );
        assert!(anchor("a=high", &names).is_err() && anchor("c", &names).is_err());
    }
}
