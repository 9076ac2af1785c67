//! `arena stats`: a calculator for results of two bots, from any program and any game.

mod power;
mod read;
mod report;

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{Exit, Format, Output};
use crate::stats::{Counts, Model, Pairs, Sprt};
use power::Power;
use read::Found;
use report::Report;

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
    #[arg(long, value_name = "N", requires = "losses", allow_negative_numbers = true, value_parser = how_many)]
    wins: Option<u32>,
    /// Matches tied
    #[arg(long, alias = "ties", value_name = "N", requires = "wins", allow_negative_numbers = true, value_parser = how_many)]
    draws: Option<u32>,
    /// Matches lost
    #[arg(long, value_name = "N", requires = "wins", allow_negative_numbers = true, value_parser = how_many)]
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
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    test: Test,
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
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 0.05,
        requires = "elo0",
        allow_negative_numbers = true
    )]
    alpha: f64,
    /// How often to accept elo0 where elo1 is true
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 0.05,
        requires = "elo0",
        allow_negative_numbers = true
    )]
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

const EXAMPLES: &str = "\
Examples:
  arena stats --wins 136 --draws 111 --losses 96
  arena stats --pairs 34,54,63,64,75 --elo0 0 --elo1 5
  arena export | arena stats - --bots greedy minimax
  arena stats results.pgn --format json
  arena stats power --elo 10                how many matches for 10 Elo?";

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

/// A number of matches, as people mistype it.
fn how_many(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("expected how many matches, a whole number from 0 to {}", u32::MAX))
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
