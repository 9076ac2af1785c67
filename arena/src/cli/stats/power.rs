//! `arena stats power`: how many matches to plan for.

use anyhow::bail;
use serde_json::json;

use super::pretty;
use super::report::percent;
use crate::cli::Format;
use crate::stats::{ELO_MAX, NELO_PER_DEVIATION, expected_score, matches_needed, power};

/// How many matches it takes to see a difference, when their number is fixed beforehand
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
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
  arena stats power --elo 10                how many matches for 10 Elo at 80 %?
  arena stats power --elo 10 --draws 0.4    ... when 4 of 10 matches are tied
  arena stats power --elo 10 --pairs 500    how likely are 500 pairs to show it?";

/// The smallest error rate that is planned for, and how near to 1 the power may be.
const RATE_MIN: f64 = 0.000_001;

/// The smallest difference that is planned for: already that takes thousands of millions of matches.
const ELO_MIN: f64 = 0.01;

impl Power {
    /// What is printed.
    pub fn answer(&self) -> anyhow::Result<String> {
        let nelo = self.nelo()?;
        if !(RATE_MIN..=0.5).contains(&self.alpha) {
            bail!(
                "--alpha {}: expected an error rate from {RATE_MIN} to 0.5, such as 0.05",
                self.alpha
            );
        }
        let (pairs, power) = match self.pairs {
            Some(pairs) => (f64::from(pairs), power(nelo, 2.0 * f64::from(pairs), self.alpha)),
            None => {
                if !(0.5..=1.0 - RATE_MIN).contains(&self.power) {
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
                "power": power, "pairs": pairs as u64, "matches": 2 * pairs as u64,
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
                "{elo} Elo with {} of the matches tied ({nelo:.2} normalized)",
                percent(self.draws)
            ),
            None => format!("{nelo} normalized Elo"),
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
        if !(ELO_MIN..=ELO_MAX).contains(&asked.abs()) {
            bail!("a difference of {asked} Elo: expected a number from {ELO_MIN} to {ELO_MAX}, or below 0 likewise");
        }
        let Some(elo) = self.elo else { return Ok(asked) };
        let score = expected_score(elo);
        let draws_max = 2.0 * score.min(1.0 - score);
        if !(0.0..draws_max).contains(&self.draws) {
            bail!(
                "--draws {}: expected a share from 0 to below {draws_max:.3}: with more ties no score is {}",
                self.draws,
                percent(score)
            );
        }
        // A draw is nearer to the mean than a win or a loss: the variance of these alone, less a quarter for each draw.
        let variance = score * (1.0 - score) - self.draws / 4.0;
        Ok(NELO_PER_DEVIATION * (score - 0.5) / variance.sqrt())
    }
}
