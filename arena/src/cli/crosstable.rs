//! `arena crosstable`: every bot against every other.

use std::io::Write;

use serde_json::json;

use super::results::Results;
use super::standings;
use super::table::{self, Align};
use super::{Exit, Format, Output};
use crate::rating::{CrossTable, HeadToHead, RatedPair, Residual, Standings, head_to_head, rated_pairs};
use crate::report;

/// A likelihood closer than this to 0 or 1 would be rounded to it.
const LOS_MIN: f64 = 0.0005;

/// Print every bot's score against every other
///
/// Without options the score of each bot against each other, all others left aside. `--los` and `--residuals` compare it
/// with the ratings of `arena standings`, which are fitted to all matches at once.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    source: Results,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// List the pairs, each with its difference in Elo and that one's interval
    #[arg(long, group = "view")]
    intervals: bool,
    /// Print how sure the ratings are that the one is above the other (likelihood of superiority)
    #[arg(long, group = "view")]
    los: bool,
    /// List the pairs by how much the one scored beyond what the ratings expect, the most striking first
    #[arg(long, group = "view")]
    residuals: bool,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let results = standings::load(&args.source, None, false)?;
    let ranking = Standings::of(&results.names, &results.tally, None, None);
    let order = report::ranked(&ranking);
    let names = &results.names;
    let text = if args.los {
        los(names, &order, &rated_pairs(&results.tally), args.format)
    } else if args.residuals {
        residuals(names, &order, &rated_pairs(&results.tally), args.format)
    } else {
        let scores = head_to_head(&results.tally);
        match args.format {
            Format::Table if args.intervals => pairs(names, &order, &scores),
            Format::Table => scored(names, &order, &scores),
            Format::Json => json(names, &order, &scores),
            Format::Csv => comma_separated(names, &order, &scores),
        }
    };
    write!(out, "{text}")?;
    Ok(Exit::Done)
}

/// By bot and opponent, both by their place in the plan's list.
type Rated = [Vec<Option<RatedPair>>];

/// Pairs that are rated together, row by row in the given order.
fn listed<'a>(order: &'a [usize], rated: &'a Rated) -> impl Iterator<Item = (usize, usize, &'a RatedPair)> {
    cells(order).filter_map(|(bot, opponent)| Some((bot, opponent, rated[bot][opponent].as_ref()?)))
}

/// All bots and opponents, row by row.
fn cells(order: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    order
        .iter()
        .flat_map(move |&bot| order.iter().map(move |&opponent| (bot, opponent)))
}

/// Pairs that have met, row by row in the given order.
fn met<'a>(order: &'a [usize], scores: &'a CrossTable) -> impl Iterator<Item = (usize, usize, &'a HeadToHead)> {
    cells(order).filter_map(|(bot, opponent)| Some((bot, opponent, scores.get(bot, opponent)?)))
}

const LOS: &str = "\
LOS: how often errors alone would leave the row less far above the column than
it is, if the two were equal (normal law of difference / error). It is not how
likely the row is the stronger, nor how often it wins. Of many pairs some come
out far from 50% by chance: for all at once see the ranks of `arena standings`.";

const RESIDUALS: &str = "\
Points of the bot against the opponent, a tie being half, beside what the
ratings of all bots expect. z: the difference in units of its error; rough where
one of the two is expected to make no more than a few points. By chance one pair
in twenty has a z above 2; whether there are more than that is the test for
cycles of `arena standings`.";

fn matrix(names: &[String], order: &[usize], cell: impl Fn(usize, usize) -> String, note: &str) -> String {
    let numbers: Vec<String> = (1..=order.len()).map(|number| number.to_string()).collect();
    let mut titles = vec![("#", Align::Right), ("bot", Align::Left)];
    titles.extend(numbers.iter().map(|number| (number.as_str(), Align::Right)));
    let cell = |bot: usize, opponent: usize| {
        if bot == opponent {
            "·".to_owned()
        } else {
            cell(bot, opponent)
        }
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
    format!("{}\n{note}\n", table::table(&titles, &rows))
}

/// The score of every bot against every other; the number of matches in each cell only where it is not always the same.
fn scored(names: &[String], order: &[usize], scores: &CrossTable) -> String {
    let mut numbers = met(order, scores).map(|(.., met)| met.matches());
    let first = numbers.next();
    let same = first.filter(|first| numbers.all(|number| number == *first));
    let cell = |bot: usize, opponent: usize| match scores.get(bot, opponent) {
        None => "-".to_owned(),
        Some(met) if same.is_some() => format!("{:.1}%", 100.0 * met.share()),
        Some(met) => format!("{:.0}% {}", 100.0 * met.share(), met.matches()),
    };
    let how_many = same.map_or("and in how many matches".to_owned(), |same| {
        format!("each in {same} matches")
    });
    let note = format!("Score of the row against the column, {how_many}; a tie is half.");
    matrix(names, order, cell, &note)
}

/// The likelihood of superiority of every bot over every other that it is rated with.
fn los(names: &[String], order: &[usize], rated: &Rated, format: Format) -> String {
    if format == Format::Table {
        let cell = |bot: usize, opponent: usize| {
            rated[bot][opponent].map_or("-".to_owned(), |pair| likelihood(pair.superiority))
        };
        return matrix(names, order, cell, LOS);
    }
    let rows = listed(order, rated).map(|(bot, opponent, pair)| {
        let difference = pair.difference;
        vec![
            json!(names[bot]),
            json!(names[opponent]),
            json!(difference.value),
            json!(difference.error),
            json!(pair.superiority),
        ]
    });
    table::values(
        &["bot", "opponent", "elo", "elo_error", "los"],
        &rows.collect::<Vec<_>>(),
        format,
    )
}

/// In percent, never rounded to certainty.
fn likelihood(value: f64) -> String {
    if value < LOS_MIN {
        "<0.1%".to_owned()
    } else if value >= 1.0 - LOS_MIN {
        ">99.9%".to_owned()
    } else {
        format!("{:.1}%", 100.0 * value)
    }
}

/// What bots scored against each other beyond their ratings: each pair once, as the one sees it that scored more than
/// expected.
fn residuals(names: &[String], order: &[usize], rated: &Rated, format: Format) -> String {
    let met = listed(order, rated).filter_map(|(bot, opponent, pair)| Some((bot, opponent, pair.residual?)));
    let place = |bot: usize| order.iter().position(|&other| other == bot);
    let mut met: Vec<_> = met
        .filter(|&(bot, opponent, residual)| {
            residual.excess() > 0.0 || residual.excess() == 0.0 && place(bot) < place(opponent)
        })
        .collect();
    let striking = |residual: &Residual| (residual.z.unwrap_or(0.0), residual.excess());
    met.sort_by(|(.., one), (.., other)| {
        let ((z, excess), (other_z, other_excess)) = (striking(one), striking(other));
        other_z.total_cmp(&z).then(other_excess.total_cmp(&excess))
    });
    if format == Format::Table {
        let titles = [
            ("bot", Align::Left),
            ("opponent", Align::Left),
            ("matches", Align::Right),
            ("points", Align::Right),
            ("expected", Align::Right),
            ("beyond", Align::Right),
            ("z", Align::Right),
        ];
        let rows = met.iter().map(|(bot, opponent, residual)| {
            vec![
                table::name(&names[*bot]),
                table::name(&names[*opponent]),
                residual.matches.to_string(),
                format!("{:.1}", residual.scored),
                format!("{:.1}", residual.expected),
                format!("{:+.1}", residual.excess()),
                residual.z.map_or("-".to_owned(), |z| format!("{z:+.1}")),
            ]
        });
        return format!("{}\n{RESIDUALS}\n", table::table(&titles, &rows.collect::<Vec<_>>()));
    }
    let rows = met.iter().map(|(bot, opponent, residual)| {
        vec![
            json!(names[*bot]),
            json!(names[*opponent]),
            json!(residual.matches),
            json!(residual.scored),
            json!(residual.expected),
            json!(residual.excess()),
            json!(residual.z),
        ]
    });
    let keys = ["bot", "opponent", "matches", "points", "expected", "beyond", "z"];
    table::values(&keys, &rows.collect::<Vec<_>>(), format)
}

fn pairs(names: &[String], order: &[usize], scores: &CrossTable) -> String {
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
                format!("{:.1}%", 100.0 * met.share()),
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

fn json(names: &[String], order: &[usize], scores: &CrossTable) -> String {
    let pairs = report::crosstable(names, order, scores);
    serde_json::to_string_pretty(&pairs).expect("pairs have string keys only") + "\n"
}

fn comma_separated(names: &[String], order: &[usize], scores: &CrossTable) -> String {
    let mut text = "bot,opponent,wins,draws,losses,share,share_low,share_high,elo,elo_low,elo_high\n".to_owned();
    for (bot, opponent, met) in met(order, scores) {
        let (low, high) = met.score.elo_ends();
        let elo = [met.score.elo(), low, high].map(|value| value.map_or(String::new(), |value| format!("{value:.3}")));
        let shares = [met.share(), met.score.low, met.score.high].map(|value| format!("{value:.5}"));
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

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value};

    use super::*;
    use crate::rating::Tally;
    use crate::record::{End, MatchScore};

    /// Rotations of two matches each, in which the first bot scores so many of four half-points.
    fn rated(rotations: &[([usize; 2], u8)]) -> Vec<Vec<Option<RatedPair>>> {
        let mut tally = Tally::new(4);
        let places = [[2, 1], [1, 1], [1, 2]];
        for (number, &([bot, other], halves)) in (0..).zip(rotations) {
            let first = usize::from(halves.min(2));
            let second = usize::from(halves) - first;
            for (bots, places) in [([bot, other], places[first]), ([other, bot], places[2 - second])] {
                tally.add(&MatchScore {
                    r#match: number,
                    rotation: number,
                    bots: bots.to_vec(),
                    places: places.to_vec(),
                    points: vec![0; 2],
                    forfeits: vec![false; 2],
                    end: End::Rules,
                    plies: 10,
                    moves: vec![5; 2],
                    time_us: vec![5_000; 2],
                    fingerprint: number,
                });
            }
        }
        rated_pairs(&tally)
    }

    /// Three bots in a circle, of which the first also wins all against a fourth.
    fn circle() -> Vec<Vec<Option<RatedPair>>> {
        let once = [
            ([0, 1], 3),
            ([1, 2], 3),
            ([2, 0], 3),
            ([0, 1], 4),
            ([1, 2], 2),
            ([2, 0], 3),
            ([0, 3], 4),
        ];
        rated(&once.repeat(4))
    }

    fn names() -> Vec<String> {
        ["a", "b, c", "d", "e"].map(str::to_owned).to_vec()
    }

    #[test]
    fn residuals_are_the_same_in_every_format() {
        let (names, rated) = (names(), circle());
        let shown = |format| residuals(&names, &[0, 1, 2, 3], &rated, format);
        let list: Vec<Map<String, Value>> = serde_json::from_str(&shown(Format::Json)).expect("JSON");
        assert_eq!(list.len(), 3, "the fourth bot is not rated with the others: {list:?}");
        let (table, csv) = (shown(Format::Table), shown(Format::Csv));
        for (object, (row, line)) in list.iter().zip(table.lines().skip(2).zip(csv.lines().skip(1))) {
            let number = |key: &str| object[key].as_f64().expect("a number");
            assert!(number("beyond") > 0.0);
            let tail = ["matches", "points", "expected", "beyond", "z"].map(|key| object[key].to_string());
            assert!(line.ends_with(&tail.join(",")), "{line} beside {object:?}");
            let tail = format!("{:+.1}  {:+.1}", number("beyond"), number("z"));
            assert!(row.ends_with(&tail), "{row} beside {object:?}");
        }
        assert!(csv.contains("\"b, c\""), "{csv}");
    }

    #[test]
    fn likelihoods_of_two_bots_add_up_to_one_and_strangers_have_none() {
        let (names, rated) = (names(), circle());
        let list: Vec<Map<String, Value>> =
            serde_json::from_str(&los(&names, &[0, 1, 2, 3], &rated, Format::Json)).expect("JSON");
        assert_eq!(list.len(), 6);
        let of = |bot: &str, opponent: &str| {
            let found = list.iter().find(|row| row["bot"] == bot && row["opponent"] == opponent);
            found.expect("they are rated together")["los"]
                .as_f64()
                .expect("a number")
        };
        assert!((of("a", "d") + of("d", "a") - 1.0).abs() < 1e-9);
        let table = los(&names, &[0, 1, 2, 3], &rated, Format::Table);
        let last = table.lines().nth(5).expect("four bots");
        assert_eq!(
            last.split_whitespace().collect::<Vec<_>>(),
            ["4", "e", "-", "-", "-", "·"]
        );
    }

    #[test]
    fn no_likelihood_is_rounded_to_certainty() {
        let shown = [0.0, 0.0004, 0.001, 0.5, 0.999, 0.9996, 1.0].map(likelihood);
        assert_eq!(shown, ["<0.1%", "<0.1%", "0.1%", "50.0%", "99.9%", ">99.9%", ">99.9%"]);
    }
}
