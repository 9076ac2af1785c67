//! `arena stats`: a calculator for results of two bots, from any program and any game.

mod read;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::results::printable;
use super::table::{self, Align};
use super::text::count;
use super::{Exit, Format, Output};
use crate::stats::{
    CONFIDENCE, Counts, ELO_MAX, Forecast, Model, NELO_PER_DEVIATION, Pairs, Sprt, StoppedEstimate, Unit, Verdict,
    expected_score, matches_needed, power,
};
use read::Found;

/// Work out what results of two bots say, of any game: score, Elo, a sequential test, how many matches are needed
///
/// Give the results of the bot whose strength you ask for, as numbers or as a file. Pairs are two matches from the same
/// opening with the seats swapped; where you have them, they say more than single matches.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    question: Option<Question>,
    /// Matches won
    #[arg(long, value_name = "N", requires = "losses")]
    wins: Option<u32>,
    /// Matches tied
    #[arg(long, value_name = "N", requires = "wins")]
    draws: Option<u32>,
    /// Matches lost
    #[arg(long, value_name = "N", requires = "wins")]
    losses: Option<u32>,
    /// Pairs by their two results: lost both, lost one and drew one, 1 point of 2, won one and drew one, won both.
    /// Or six numbers: LL,LD,WL,DD,WD,WW
    #[arg(long, value_name = "LL,LD,M,WD,WW", value_delimiter = ',', conflicts_with_all = ["wins", "draws", "losses"])]
    pairs: Option<Vec<u32>>,
    /// A file with results, `-` for standard input: what `arena export` writes (JSON lines or CSV), matches in PGN, or
    /// `1-0`, `0-1`, `1/2-1/2`, one a line
    #[arg(value_name = "FILE", conflicts_with_all = ["wins", "draws", "losses", "pairs"])]
    file: Option<PathBuf>,
    /// Of a file with more bots, these two; the figures are those of A
    #[arg(long, num_args = 2, value_names = ["A", "B"], requires = "file")]
    bots: Option<Vec<String>>,
    #[command(flatten)]
    test: Test,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A sequential test
#[derive(clap::Args)]
#[command(next_help_heading = "Sequential test")]
struct Test {
    /// Test the hypothesis that the bot is this much stronger ...
    #[arg(long, value_name = "ELO", requires = "elo1", allow_negative_numbers = true)]
    elo0: Option<f64>,
    /// ... against this much, which is more
    #[arg(long, value_name = "ELO", requires = "elo0", allow_negative_numbers = true)]
    elo1: Option<f64>,
    /// How often to accept elo1 where elo0 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "elo0")]
    alpha: f64,
    /// How often to accept elo0 where elo1 is true
    #[arg(long, value_name = "RATE", default_value_t = 0.05, requires = "elo0")]
    beta: f64,
    /// In which Elo elo0 and elo1 are
    #[arg(long, value_enum, default_value_t, requires = "elo0")]
    model: Scale,
}

/// In which Elo something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum Scale {
    /// Normalized Elo: how many matches it takes to see the difference depends on nothing else
    #[default]
    Normalized,
    /// Logistic Elo, the usual one
    Logistic,
}

#[derive(clap::Subcommand)]
enum Question {
    Power(Power),
}

/// How many matches it takes to see a difference, when their number is fixed beforehand
#[derive(clap::Args)]
#[command(after_help = POWER_EXAMPLES)]
pub struct Power {
    /// The difference to see, in Elo
    #[arg(
        long,
        value_name = "ELO",
        allow_negative_numbers = true,
        required_unless_present = "nelo"
    )]
    elo: Option<f64>,
    /// The share of matches that are tied, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, conflicts_with = "nelo")]
    draws: f64,
    /// The difference in normalized Elo, instead of --elo and --draws
    #[arg(long, value_name = "ELO", allow_negative_numbers = true, conflicts_with = "elo")]
    nelo: Option<f64>,
    /// How likely the difference is to be seen
    #[arg(long, value_name = "PROBABILITY", default_value_t = 0.8, conflicts_with = "pairs")]
    power: f64,
    /// How often a difference may be seen where there is none, in either direction
    #[arg(long, value_name = "RATE", default_value_t = 0.05)]
    alpha: f64,
    /// The other way round: how likely this many pairs are to show it
    #[arg(long, value_name = "N")]
    pairs: Option<u32>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  arena stats --wins 136 --draws 111 --losses 96
  arena stats --pairs 34,54,63,64,75 --elo0 0 --elo1 5
  arena export | arena stats - --bots greedy minimax
  arena stats results.pgn --format json
  arena stats power --elo 10                how many matches for 10 Elo?";

const POWER_EXAMPLES: &str = "\
Examples:
  arena stats power --elo 10                how many matches for 10 Elo at 80 %?
  arena stats power --elo 10 --draws 0.4    ... when 4 of 10 matches are tied
  arena stats power --elo 10 --pairs 500    how likely are 500 pairs to show it?";

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    if let Some(Question::Power(question)) = &args.question {
        write!(out, "{}", question.answer()?)?;
        return Ok(Exit::Done);
    }
    let test = args.test.sprt()?;
    let results = args.results()?;
    let report = Report::of(&results, test.as_ref());
    let text = match args.format {
        Format::Table => report.text(),
        Format::Json => pretty(&report.json()),
        Format::Csv => report.comma_separated(),
    };
    write!(out, "{text}")?;
    Ok(Exit::Done)
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("string keys and finite numbers only") + "\n"
}

/// The results to judge.
struct Results {
    bots: Option<[String; 2]>,
    /// Losses, draws, wins; absent where only scores of pairs are known.
    matches: Option<[u64; 3]>,
    /// Absent where only single matches are known.
    pairs: Option<Counts>,
    /// The pairs with wins and losses kept from draws, where that is known.
    split: Option<Pairs>,
    unfinished: u64,
}

impl Args {
    fn results(&self) -> anyhow::Result<Results> {
        if let Some(path) = &self.file {
            return Ok(Results::of_file(self.read(path)?));
        }
        if let Some(list) = &self.pairs {
            return Results::of_pairs(list);
        }
        let (Some(wins), Some(losses)) = (self.wins, self.losses) else {
            bail!(
                "no results; expected --wins, --draws and --losses, or --pairs, or a file (`-` for standard input)\n  \
                 `arena stats --help` has examples"
            );
        };
        Ok(Results {
            bots: None,
            matches: Some([losses, self.draws.unwrap_or(0), wins].map(u64::from)),
            pairs: None,
            split: None,
            unfinished: 0,
        })
    }

    fn read(&self, path: &Path) -> anyhow::Result<Found> {
        let bots = self.bots.as_deref();
        if path.as_os_str() == "-" {
            return read::read(std::io::stdin().lock(), bots).context("standard input");
        }
        let name = format!("`{}`", path.display());
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        read::read(BufReader::new(file), bots).context(name)
    }
}

impl Results {
    fn of_pairs(list: &[u32]) -> anyhow::Result<Results> {
        let numbers: Vec<u64> = list.iter().copied().map(u64::from).collect();
        let (counts, split) = match numbers[..] {
            [ll, ld, wl, dd, wd, ww] => {
                let pairs = Pairs { ll, ld, wl, dd, wd, ww };
                (pairs.counts(), Some(pairs))
            }
            [ll, ld, middle, wd, ww] => (Counts::Pairs([ll, ld, middle, wd, ww]), None),
            _ => bail!(
                "--pairs: {} numbers; expected 5 (LL,LD,M,WD,WW) or 6 (LL,LD,WL,DD,WD,WW)",
                numbers.len()
            ),
        };
        Ok(Results {
            bots: None,
            matches: split.map(|pairs| pairs.matches()),
            pairs: Some(counts),
            split,
            unfinished: 0,
        })
    }

    fn of_file(found: Found) -> Results {
        let paired = found.pairs.counts();
        let split = (paired.total() > 0).then_some(found.pairs);
        Results {
            bots: found.bots,
            matches: Some(found.matches),
            pairs: split.map(|pairs| pairs.counts()),
            split,
            unfinished: found.unfinished,
        }
    }

    /// What the figures are of: the pairs, where they hold nine tenths of the matches.
    fn judged(&self) -> Counts {
        match (self.pairs, self.matches) {
            (Some(pairs), Some(matches)) if 20 * pairs.total() < 9 * matches.iter().sum::<u64>() => {
                Counts::Matches(matches)
            }
            (Some(pairs), _) => pairs,
            (None, matches) => Counts::Matches(matches.unwrap_or_default()),
        }
    }

    /// How many matches there are, in pairs or not.
    fn match_count(&self) -> u64 {
        match (self.matches, self.pairs) {
            (Some(matches), _) => matches.iter().sum(),
            (None, pairs) => pairs.map_or(0, |pairs| 2 * pairs.total()),
        }
    }
}

impl Test {
    fn sprt(&self) -> anyhow::Result<Option<Sprt>> {
        let (Some(elo0), Some(elo1)) = (self.elo0, self.elo1) else {
            return Ok(None);
        };
        let model = match self.model {
            Scale::Normalized => Model::Normalized,
            Scale::Logistic => Model::Logistic,
        };
        Ok(Some(Sprt::new(elo0, elo1, self.alpha, self.beta, model)?))
    }
}

/// A number with the ends of its interval; what is not known, or no number fits, is absent.
struct Figure {
    /// Its name for programs.
    key: &'static str,
    /// And for people.
    title: &'static str,
    value: Option<f64>,
    ends: Option<(Option<f64>, Option<f64>)>,
    /// How it is written.
    show: fn(f64) -> String,
}

impl Figure {
    fn cells(&self, missing: &str) -> Vec<String> {
        let show = |value: Option<f64>| value.map_or("-".to_owned(), self.show);
        let (value, low, high) = match (self.value, self.ends) {
            (Some(value), None) => ((self.show)(value), String::new(), String::new()),
            (Some(value), Some((low, high))) => ((self.show)(value), show(low), show(high)),
            (None, Some((Some(low), None))) => (format!("> {}", (self.show)(low)), String::new(), String::new()),
            (None, Some((None, Some(high)))) => (format!("< {}", (self.show)(high)), String::new(), String::new()),
            (None, _) => (format!("n/a ({missing})"), String::new(), String::new()),
        };
        vec![self.title.to_owned(), value, low, high]
    }

    fn json(&self) -> Value {
        match self.ends {
            None => json!(self.value),
            Some((low, high)) => json!({"value": self.value, "low": low, "high": high}),
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// With a sign where there is one. Never `-0`.
fn points(value: f64) -> String {
    let value = (10.0 * value).round() / 10.0 + 0.0;
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:+.1}")
    }
}

fn plain(value: f64) -> String {
    format!("{value:.2}")
}

/// All that is said of some results.
struct Report<'a> {
    results: &'a Results,
    judged: Counts,
    figures: Vec<Figure>,
    test: Option<Tested>,
}

/// What a sequential test says.
struct Tested {
    sprt: Sprt,
    llr: f64,
    verdict: Verdict,
    /// After a decision.
    estimate: Option<StoppedEstimate>,
    /// Before it.
    forecast: Option<Forecast>,
}

impl Report<'_> {
    fn of<'a>(results: &'a Results, sprt: Option<&Sprt>) -> Report<'a> {
        let judged = results.judged();
        let test = sprt.map(|sprt| {
            let verdict = sprt.decide(&judged);
            let decided = verdict != Verdict::GoOn;
            Tested {
                sprt: *sprt,
                llr: sprt.llr(&judged),
                verdict,
                estimate: decided.then(|| sprt.estimate(&judged, CONFIDENCE)).flatten(),
                forecast: (!decided).then(|| sprt.forecast_from(&judged)).flatten(),
            }
        });
        Report {
            results,
            judged,
            figures: figures(results, &judged),
            test,
        }
    }

    /// Why a figure is not there.
    fn missing(&self) -> String {
        match self.judged.total() {
            0 => "no matches".to_owned(),
            1 => format!("1 {}", word(self.judged.unit())),
            _ => format!("all {} alike", words(self.judged.unit())),
        }
    }

    fn text(&self) -> String {
        let mut text = self.heading() + "\n\n";
        let rows: Vec<Vec<String>> = self
            .figures
            .iter()
            .map(|figure| figure.cells(&self.missing()))
            .collect();
        let titles = [
            ("", Align::Left),
            ("value", Align::Right),
            ("from", Align::Right),
            ("to", Align::Right),
        ];
        text += &table::table(&titles, &rows);
        text.push('\n');
        if let Some(test) = &self.test {
            text += &test.text(self.judged.unit());
            text.push('\n');
        }
        text += "from, to  95 %, for a number of matches that was fixed beforehand\n";
        text += "Elo       logistic: 400 are odds of 10:1; nElo: by how much scores scatter,\n";
        text += "          which says how many matches it takes to see the difference\n";
        text += "LOS       how often equals would score less; not how likely it is the stronger\n";
        text
    }

    fn heading(&self) -> String {
        let mut text = match &self.results.bots {
            Some([bot, opponent]) => format!("{} against {}: ", printable(bot), printable(opponent)),
            None => String::new(),
        };
        text += &count(self.results.match_count(), "match");
        if let Some([losses, draws, wins]) = self.results.matches {
            text += &format!(", {wins} won, {draws} tied, {losses} lost");
        }
        if self.results.unfinished > 0 {
            text += &format!("; {} without an end left out", self.results.unfinished);
        }
        if let Some(pairs) = self.results.pairs {
            let cells = match self.results.split {
                Some(Pairs { ll, ld, wl, dd, wd, ww }) => {
                    format!("{ll} LL, {ld} LD, {wl} WL, {dd} DD, {wd} WD, {ww} WW")
                }
                None => {
                    let names = ["LL", "LD", "WL or DD", "WD", "WW"];
                    let cells = pairs.half_points().iter().zip(names);
                    cells
                        .map(|(count, name)| format!("{count} {name}"))
                        .collect::<Vec<_>>()
                        .join(", ")
                }
            };
            text += &format!("\n{}: {cells}", count(pairs.total(), "pair"));
            if self.judged.unit() == Unit::Match {
                text += "\nmost matches are in none of the pairs, so the figures are of single matches";
            }
        }
        text
    }

    fn json(&self) -> Value {
        let [losses, draws, wins] = match self.results.matches {
            Some(matches) => matches.map(Some),
            None => [None; 3],
        };
        let pairs = match (self.results.split, self.results.pairs) {
            (Some(Pairs { ll, ld, wl, dd, wd, ww }), _) => json!([ll, ld, wl, dd, wd, ww]),
            (None, pairs) => json!(pairs.map(|pairs| pairs.half_points().to_vec())),
        };
        let mut value = json!({
            "bots": self.results.bots, "matches": self.results.match_count(), "wins": wins, "draws": draws,
            "losses": losses, "unfinished": self.results.unfinished, "pairs": pairs,
            "unit": word(self.judged.unit()), "units": self.judged.total(),
        });
        for figure in &self.figures {
            value[figure.key] = figure.json();
        }
        value["sprt"] = self.test.as_ref().map_or(Value::Null, Tested::json);
        value
    }

    fn comma_separated(&self) -> String {
        let mut text = "figure,value,low,high\n".to_owned();
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let mut row = |key: &str, value: Option<f64>, low: Option<f64>, high: Option<f64>| {
            text += &table::csv(&[key.to_owned(), number(value), number(low), number(high)]);
        };
        row("matches", Some(self.results.match_count() as f64), None, None);
        for figure in &self.figures {
            let (low, high) = figure.ends.unwrap_or_default();
            row(figure.key, figure.value, low, high);
        }
        if let Some(test) = &self.test {
            let (lower, upper) = test.sprt.bounds();
            row("llr", Some(test.llr), Some(lower), Some(upper));
            if let Some(StoppedEstimate { elo, low, high, .. }) = test.estimate {
                row("elo_after_test", elo, low, high);
            }
        }
        text
    }
}

fn figures(results: &Results, judged: &Counts) -> Vec<Figure> {
    let interval = judged.interval(CONFIDENCE);
    let nelo = judged.nelo(CONFIDENCE);
    let mut figures = vec![
        Figure {
            key: "score",
            title: "score",
            value: interval.map(|interval| interval.score),
            ends: Some((
                interval.map(|interval| interval.low),
                interval.map(|interval| interval.high),
            )),
            show: percent,
        },
        Figure {
            key: "elo",
            title: "Elo",
            value: interval.and_then(|interval| interval.elo()),
            ends: Some(interval.map_or((None, None), |interval| interval.elo_ends())),
            show: points,
        },
        Figure {
            key: "nelo",
            title: "nElo",
            value: nelo.map(|nelo| nelo.value),
            ends: Some((nelo.map(|nelo| nelo.low), nelo.map(|nelo| nelo.high))),
            show: points,
        },
        Figure {
            key: "los",
            title: "LOS",
            value: judged.los(),
            ends: None,
            show: percent,
        },
    ];
    if let Some([losses, draws, wins]) = results.matches {
        let total = losses + draws + wins;
        figures.push(Figure {
            key: "draw_share",
            title: "tied",
            value: (total > 0).then(|| draws as f64 / total as f64),
            ends: None,
            show: percent,
        });
    }
    if let Some(ratio) = results.pairs.and_then(|pairs| pairs.ratio()) {
        figures.push(Figure {
            key: "pair_ratio",
            title: "pairs won for each lost",
            value: Some(ratio),
            ends: None,
            show: plain,
        });
    }
    figures
}

fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Match => "match",
        Unit::Pair => "pair",
    }
}

fn words(unit: Unit) -> &'static str {
    match unit {
        Unit::Match => "matches",
        Unit::Pair => "pairs",
    }
}

impl Tested {
    fn model(&self) -> &'static str {
        match self.sprt.model() {
            Model::Normalized => "normalized",
            Model::Logistic => "logistic",
        }
    }

    fn text(&self, unit: Unit) -> String {
        let (elo0, elo1) = self.sprt.hypotheses();
        let (lower, upper) = self.sprt.bounds();
        let verdict = match self.verdict {
            Verdict::AcceptH0 => format!("{elo0} accepted"),
            Verdict::AcceptH1 => format!("{elo1} accepted"),
            Verdict::GoOn => "go on".to_owned(),
        };
        let mut text = format!(
            "SPRT      {} Elo {elo0} against {elo1}, by {}: {verdict}\n          \
             LLR {:.2}; {lower:.2} accepts {elo0}, {upper:.2} accepts {elo1}\n",
            self.model(),
            words(unit),
            self.llr + 0.0,
        );
        if let Some(StoppedEstimate { elo, low, high, .. }) = self.estimate {
            let end = |value: Option<f64>| value.map_or("no bound".to_owned(), points);
            let value = elo.map_or("no number fits".to_owned(), points);
            text += &format!(
                "          Elo after a test that stopped here: {value} (95 %: {} to {}), median-unbiased\n",
                end(low),
                end(high)
            );
        }
        if let Some(forecast) = self.forecast {
            text += &format!(
                "          if it goes on like this: {} more, {} accept {elo1}\n",
                count(forecast.units.ceil() as u64, word(unit)),
                percent(forecast.accept_h1)
            );
        }
        text
    }

    fn json(&self) -> Value {
        let (elo0, elo1) = self.sprt.hypotheses();
        let (lower, upper) = self.sprt.bounds();
        let verdict = match self.verdict {
            Verdict::AcceptH0 => "accept_h0",
            Verdict::AcceptH1 => "accept_h1",
            Verdict::GoOn => "go_on",
        };
        let estimate = self
            .estimate
            .map(|found| json!({"value": found.elo, "low": found.low, "high": found.high}));
        let forecast = self
            .forecast
            .map(|forecast| json!({"units": forecast.units, "accept_h1": forecast.accept_h1}));
        json!({
            "model": self.model(), "elo0": elo0, "elo1": elo1, "llr": self.llr, "lower": lower, "upper": upper,
            "verdict": verdict, "elo_after_test": estimate, "forecast": forecast,
        })
    }
}

impl Power {
    fn answer(&self) -> anyhow::Result<String> {
        let nelo = self.nelo()?;
        share("--alpha", self.alpha)?;
        let (pairs, power) = match self.pairs {
            Some(pairs) => (f64::from(pairs), power(nelo, 2.0 * f64::from(pairs), self.alpha)),
            None => {
                if !(0.5..1.0).contains(&self.power) {
                    bail!(
                        "--power {}: expected a probability from 0.5 to below 1, such as 0.8",
                        self.power
                    );
                }
                ((matches_needed(nelo, self.power, self.alpha) / 2.0).ceil(), self.power)
            }
        };
        Ok(match self.format {
            Format::Table => self.text(nelo, pairs, power),
            Format::Json => pretty(&json!({
                "elo": self.elo, "draw_share": self.elo.map(|_| self.draws), "nelo": nelo, "alpha": self.alpha,
                "power": power, "pairs": pairs, "matches": 2.0 * pairs,
            })),
            Format::Csv => format!(
                "nelo,alpha,power,pairs,matches\n{nelo},{},{power},{pairs},{}\n",
                self.alpha,
                2.0 * pairs
            ),
        })
    }

    fn text(&self, nelo: f64, pairs: f64, power: f64) -> String {
        let asked = match self.elo {
            Some(elo) => format!(
                "{} Elo with {} of the matches tied ({} normalized)",
                points(elo),
                percent(self.draws),
                points(nelo)
            ),
            None => format!("{} normalized Elo", points(nelo)),
        };
        format!(
            "{asked}:\n{:.0} matches ({pairs:.0} pairs) show it with a probability of {}.\n\n\
             \"Show it\" is to be significantly different from equal at {}, both directions counted.\n\
             Pairs from unfair openings need fewer. A sequential test (--elo0, --elo1) may stop earlier.\n",
            2.0 * pairs,
            percent(power),
            percent(self.alpha),
        )
    }

    /// The difference asked for, normalized.
    fn nelo(&self) -> anyhow::Result<f64> {
        let asked = self.nelo.or(self.elo).unwrap_or_default();
        if asked == 0.0 || asked.is_nan() || asked.abs() > ELO_MAX {
            bail!("a difference of {asked} Elo; expected a number from -{ELO_MAX} to {ELO_MAX}, and not 0");
        }
        let Some(elo) = self.elo else { return Ok(asked) };
        let score = expected_score(elo);
        let draws_max = 2.0 * score.min(1.0 - score);
        if !(0.0..draws_max).contains(&self.draws) {
            bail!(
                "--draws {}: expected a share from 0 to below {draws_max:.3}: with more no score is {}",
                self.draws,
                percent(score)
            );
        }
        // A draw is nearer to the mean than a win or a loss: the variance of these alone, less a quarter for each draw.
        let variance = score * (1.0 - score) - self.draws / 4.0;
        Ok(NELO_PER_DEVIATION * (score - 0.5) / variance.sqrt())
    }
}

fn share(name: &str, value: f64) -> anyhow::Result<()> {
    if !(0.0 < value && value < 1.0) {
        bail!("{name} {value}: expected a number above 0 and below 1, such as 0.05");
    }
    Ok(())
}
