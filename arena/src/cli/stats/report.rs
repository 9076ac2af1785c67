//! What `arena stats` prints of some results: the same figures as a table, JSON and comma-separated values.

use serde_json::{Value, json};

use super::Results;
use crate::cli::results::printable;
use crate::cli::table::{self, Align};
use crate::cli::text::count;
use crate::stats::{CONFIDENCE, Counts, Forecast, Model, Pairs, Sprt, StoppedEstimate, Unit, Verdict};

/// All that is said of some results.
pub(super) struct Report<'a> {
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
    pub fn of<'a>(results: &'a Results, sprt: Option<&Sprt>) -> Report<'a> {
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

    pub fn text(&self) -> String {
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
        text += "LOS       how often equals would score less, by the normal law: not how likely it is the stronger\n";
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

    pub fn json(&self) -> Value {
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

    pub fn comma_separated(&self) -> String {
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

pub(super) fn percent(share: f64) -> String {
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
                "          if the score so far were the truth: {} more on average, {} accept {elo1}\n",
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
