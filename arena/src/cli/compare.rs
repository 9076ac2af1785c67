//! `arena compare`: plays two bots against each other until it is decided whether the first is better.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::bail;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::playing::{self, Event, FaultLines, Playing, Told, listen_for_signals, make_ready, own_command, play};
use super::{Exit, Output, text};
use crate::config::{self, Overrides};
use crate::stats::{CONFIDENCE, Counts, Model, Moments, NELO_PER_DEVIATION, Sprt, Unit, elo_of_score, matches_needed};
use crate::store::{StoreError, WriterEvent};
use crate::tournament::{Answer, Comparison, Rule, Stop, Tournament};

/// Play two bots until it is decided whether the first is better
///
/// Every opening is played twice, the seats swapped, and such pairs are counted. Without options a sequential test (GSPRT)
/// stops as soon as the results speak clearly for one of two hypotheses: that A is --elo0 stronger than B, or --elo1. With
/// --anytime an interval is watched that may be looked at after every pair; with --matches the length is fixed.
///
/// Exit code 0: A is better; 1: it is not; 2: wrong usage; 3: a bot cannot start; 4: interrupted; 5: open after the last
/// pair. The same command goes on where it stopped. A bot is written as for `arena run`.
#[derive(clap::Args)]
pub struct Args {
    /// The game: NAME or NAME:key=value,key=value (see `arena games`)
    game: String,
    /// The bot that may be better: the new version
    a: String,
    /// The bot that it is compared with: the old version
    b: String,
    /// The difference in Elo that the test takes for "not better"
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// The difference in Elo that the test takes for "better"; a smaller one takes more matches, by its square
    #[arg(long, value_name = "ELO", default_value_t = 20.0, allow_negative_numbers = true)]
    elo1: f64,
    /// How often the test may say "better" though the difference is --elo0
    #[arg(long, value_name = "RATE", default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// How often the test may say "not better" though the difference is --elo1
    #[arg(long, value_name = "RATE", default_value_t = 0.05, allow_negative_numbers = true)]
    beta: f64,
    /// In which Elo --elo0 and --elo1 are
    #[arg(long, value_enum, default_value_t)]
    model: ModelChoice,
    /// No test: stop when an interval that may be looked at any time leaves out equality
    #[arg(long, conflicts_with_all = ["elo0", "elo1", "alpha", "beta", "model"])]
    anytime: bool,
    /// No test: play so many matches, then look once
    #[arg(long, value_name = "N", conflicts_with_all = ["elo0", "elo1", "alpha", "beta", "model", "anytime", "pairs_max"])]
    matches: Option<u64>,
    /// Pairs after which it ends undecided
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=PAIRS_PLANNED))]
    pairs_max: u64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    format: Shape,
    #[command(flatten)]
    playing: Playing,
}

/// How the result is printed.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Shape {
    /// Lines for people
    #[default]
    Table,
    /// JSON for programs
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum ModelChoice {
    /// In standard deviations of a match's score: how many matches it takes does not hang on draws and openings
    #[default]
    Normalized,
    /// The usual Elo
    Logistic,
}

/// Pairs of the plan: more than anybody plays, so that the same results file serves whatever the rule.
const PAIRS_PLANNED: u64 = 1_000_000;

/// Random plies of an opening where nothing else is said: more than for a tournament, since thousands of them are needed.
const OPENING_PLIES: u32 = 8;

/// How often a line of progress is printed where no terminal reads it.
const PROGRESS_PAUSE: Duration = Duration::from_secs(10);

/// Above this share of matches lost by faults a verdict is one on faults as much as on strength.
const FORFEIT_SHARE_MAX: f64 = 0.01;

/// Below this share of pairs that are no copies a warning is due.
const DISTINCT_SHARE_MIN: f64 = 0.9;

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let rule = rule(args)?;
    let pairs_max = args.matches.map_or(args.pairs_max, |matches| matches / 2);
    let mut overrides = Overrides {
        game: Some(args.game.clone()),
        bots: vec![args.a.clone(), args.b.clone()],
        rotations: Some(PAIRS_PLANNED),
        ..Overrides::default()
    };
    args.playing.apply(&mut overrides);
    if overrides.openings.is_none() {
        overrides.opening_plies.get_or_insert(OPENING_PLIES);
    }
    let prepared = config::from_args(&overrides, text::build)?;
    text::notices(&prepared.notices);
    if prepared.game.seats() != 2 || !prepared.game.rotates_seats() {
        bail!(
            "`{}` is not played by two bots in both seats, as a comparison needs it\n  \
             choose options with which it is, or rank more bots with `arena run`",
            args.game
        );
    }
    let settings = args.playing.settings(&prepared);
    let db = args.playing.db(&prepared, None);
    let chosen = args.playing.players(&prepared)?;
    let tournament = Arc::new(make_ready(prepared, &db)?);
    let players = chosen.of(&tournament, settings)?;
    let (mut store, mut pairings) = playing::open(&tournament, settings, &db)?;
    pairings.end_after(2 * pairs_max);
    let mut comparison = Comparison::new(rule, pairs_max);
    store.scores::<StoreError>(&tournament.id, |score| {
        comparison.add(score);
        Ok(())
    })?;
    let names = [&*tournament.programs[0].name, &*tournament.programs[1].name];
    for line in announcement(&comparison, names, pairings.stored(), &tournament) {
        let _ = writeln!(anstream::stderr(), "{line}");
    }
    if comparison.answer().is_none() {
        if let Some(exit) = playing::begin(&tournament, settings, &mut store)? {
            return Ok(exit);
        }
        let (sender, stop) = watch::channel(Stop::No);
        listen_for_signals(sender.clone(), Told::ByLine)?;
        let mut live = Live {
            comparison,
            stop: sender,
            faults: FaultLines::default(),
        };
        let played = play(&tournament, store, pairings, players, &stop, |events, _| {
            live.show(events)
        })?;
        playing::tell(&played.report, &tournament);
        comparison = live.comparison;
    }
    if comparison.matches_beyond() > 0 && comparison.answer().is_some() {
        let _ = writeln!(
            anstream::stderr(),
            "{} played ahead while this was being decided: in the results file, and not counted",
            text::count(comparison.matches_beyond(), "match")
        );
    }
    let warnings = warnings(&comparison, &tournament);
    match args.format {
        Shape::Table => {
            for line in result(&comparison, names, &warnings) {
                writeln!(out, "{line}")?;
            }
        }
        Shape::Json => writeln!(out, "{:#}", as_json(&comparison, names, &warnings))?,
    }
    out.flush()?;
    Ok(match comparison.answer() {
        Some(Answer::Better) => Exit::Done,
        Some(Answer::NotBetter) => Exit::No,
        Some(Answer::Undecided) => Exit::Undecided,
        None => {
            let _ = writeln!(
                anstream::stderr(),
                "stopped before a decision; go on with:\n  {}",
                own_command()
            );
            Exit::Interrupted
        }
    })
}

fn rule(args: &Args) -> anyhow::Result<Rule> {
    if let Some(matches) = args.matches {
        if matches == 0 || !matches.is_multiple_of(2) || matches / 2 > PAIRS_PLANNED {
            bail!(
                "--matches {matches}: every opening is played twice; expected an even number from 2 to {}",
                2 * PAIRS_PLANNED
            );
        }
        return Ok(Rule::Fixed);
    }
    if args.anytime {
        return Ok(Rule::Anytime);
    }
    let model = match args.model {
        ModelChoice::Normalized => Model::Normalized,
        ModelChoice::Logistic => Model::Logistic,
    };
    Ok(Rule::Sprt(Sprt::new(
        args.elo0, args.elo1, args.alpha, args.beta, model,
    )?))
}

/// What is asked, how it is answered, and how long that may take.
fn announcement(comparison: &Comparison, names: [&str; 2], stored: u64, tournament: &Tournament) -> Vec<String> {
    let [a, b] = names;
    let most = comparison.pairs_max();
    let mut lines = vec![format!("is `{a}` better than `{b}` at {}?", tournament.plan.game.name)];
    match comparison.rule() {
        Rule::Sprt(sprt) => {
            lines.push(format!("{}; at most {most} pairs", test_text(&sprt)));
            if sprt.model() == Model::Normalized {
                let (elo0, elo1) = sprt.hypotheses();
                let pairs = |elo: f64| {
                    let moments = Moments {
                        mean: 0.5 + elo / NELO_PER_DEVIATION * DEVIATION,
                        variance: DEVIATION * DEVIATION / 2.0,
                        unit: Unit::Pair,
                    };
                    text::count(sprt.forecast(&moments, 0.0).units.round() as u64, "pair")
                };
                lines.push(format!(
                    "to expect: about {} if the difference is {}, {} if it is {}",
                    pairs(elo0),
                    difference(elo0),
                    pairs(elo1),
                    difference(elo1)
                ));
            }
        }
        Rule::Anytime => lines.push(format!(
            "a {} confidence sequence of the score of pairs, which may be looked at any time; at most {most} pairs",
            percent(CONFIDENCE)
        )),
        Rule::Fixed => lines.push(format!(
            "{} matches, looked at once at the end: they show a difference of {:.0} normalized Elo with a probability of 80 %",
            2 * most,
            least_shown(2 * most)
        )),
    }
    lines.extend(
        tournament
            .openings
            .notice(most)
            .map(|notice| format!("openings: {notice}")),
    );
    if stored > 0 {
        lines.push(format!(
            "{stored} matches of this comparison are in the results already"
        ));
    }
    lines
}

/// A standard deviation of a match's score to plan with; how long a normalized test takes does not hang on it.
const DEVIATION: f64 = 0.5;

/// The difference that so many matches show with a probability of 80 %.
fn least_shown(matches: u64) -> f64 {
    (matches_needed(1.0, 0.8, 1.0 - CONFIDENCE) / matches as f64).sqrt()
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let text = format!("{percent:.2}");
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

fn model_text(model: Model) -> &'static str {
    match model {
        Model::Normalized => "normalized Elo",
        Model::Logistic => "logistic Elo",
    }
}

fn test_text(sprt: &Sprt) -> String {
    let (elo0, elo1) = sprt.hypotheses();
    let (alpha, beta) = sprt.rates();
    format!(
        "sequential test (GSPRT on pairs): {} against {} {}, alpha {}, beta {}",
        difference(elo0),
        difference(elo1),
        model_text(sprt.model()),
        percent(alpha),
        percent(beta)
    )
}

/// Counts matches as they are stored, shows how it goes, and stops the run when it is decided.
struct Live {
    comparison: Comparison,
    stop: watch::Sender<Stop>,
    faults: FaultLines,
}

impl Live {
    fn show(&mut self, events: &Receiver<Event>) -> Option<StoreError> {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr_with_hz(5)
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(self.comparison.pairs_max()), target);
        bar.set_style(ProgressStyle::with_template("{msg}").expect("the template is right"));
        let (mut matches, mut failure) = (0, None);
        let (began, mut told) = (Instant::now(), Instant::now());
        loop {
            match events.recv_timeout(Duration::from_millis(200)) {
                Ok(Event::Store(WriterEvent::Stored(stored))) => {
                    matches += 1;
                    self.comparison.add(&stored.score);
                    if self.comparison.answer().is_some() {
                        self.stop.send_if_modified(|stop| {
                            let goes_on = *stop == Stop::No;
                            *stop = (*stop).max(Stop::AfterMatches);
                            goes_on
                        });
                    }
                    bar.suspend(|| self.faults.show(&stored));
                }
                Ok(Event::Store(WriterEvent::AlreadyStored(_))) => {}
                Ok(Event::Store(WriterEvent::Void(void))) => bar.suspend(|| {
                    let _ = writeln!(anstream::stderr(), "void, and played again: {void}");
                }),
                Ok(Event::Said(text)) => bar.suspend(|| {
                    let _ = writeln!(anstream::stderr(), "{text}");
                }),
                Ok(Event::Store(WriterEvent::Failed(error))) => failure = Some(error),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let pause = if terminal { LIVE_PAUSE } else { PROGRESS_PAUSE };
            if told.elapsed() >= pause {
                told = Instant::now();
                let rate = matches as f64 / began.elapsed().as_secs_f64();
                let line = format!("{}  {rate:.0} matches/s", progress(&self.comparison));
                if terminal {
                    bar.set_message(line);
                } else {
                    let _ = writeln!(anstream::stderr(), "{line}");
                }
            }
        }
        bar.finish_and_clear();
        failure
    }
}

/// How often the line on a terminal is renewed.
const LIVE_PAUSE: Duration = Duration::from_millis(500);

/// How it goes, in a line.
fn progress(comparison: &Comparison) -> String {
    let counts = comparison.counts();
    let mut line = format!(
        "pairs {}/{}  W/D/L {}  LL..WW {}",
        counts.total(),
        comparison.pairs_max(),
        wins_draws_losses(comparison),
        pentanomial(&counts),
    );
    match comparison.rule() {
        Rule::Sprt(sprt) => {
            let (lower, upper) = sprt.bounds();
            line += &format!("  LLR {:.2} in {lower:.2}..{upper:.2}", sprt.llr(&counts));
            if let Some(forecast) = sprt.forecast_from(&counts) {
                line += &format!("  about {:.0} pairs to go", forecast.units);
            }
        }
        Rule::Anytime | Rule::Fixed => {}
    }
    if let Some(estimate) = estimate(comparison) {
        line += &format!("  Elo {}", estimate.text());
    }
    line
}

fn wins_draws_losses(comparison: &Comparison) -> String {
    let [losses, draws, wins] = comparison.pairs().matches();
    format!("{wins}/{draws}/{losses}")
}

fn pentanomial(counts: &Counts) -> String {
    let texts: Vec<String> = counts.half_points().iter().map(u64::to_string).collect();
    texts.join("/")
}

/// A difference in Elo as far as it is known: no number fits a perfect score.
struct EloRange {
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl EloRange {
    fn text(&self) -> String {
        let end = |value: f64| format!("{:+.0}", value.round() + 0.0);
        match (self.elo, self.low, self.high) {
            (Some(elo), low, high) => {
                let low = low.map_or("no bound".to_owned(), end);
                let high = high.map_or("no bound".to_owned(), end);
                format!("{} [{low}, {high}]", end(elo))
            }
            (None, Some(low), _) => format!("> {}", end(low)),
            (None, None, Some(high)) => format!("< {}", end(high)),
            (None, None, None) => "open".to_owned(),
        }
    }
}

/// The estimate that the rule allows, with an interval that holds although the rule stopped when it did.
fn estimate(comparison: &Comparison) -> Option<EloRange> {
    let counts = comparison.counts();
    let elo = |score: f64| (0.0 < score && score < 1.0).then(|| elo_of_score(score));
    match comparison.rule() {
        Rule::Sprt(sprt) => sprt.estimate(&counts, CONFIDENCE).map(|stopped| EloRange {
            elo: stopped.elo,
            low: stopped.low,
            high: stopped.high,
        }),
        Rule::Anytime => {
            let (low, high) = comparison.anytime().interval();
            Some(EloRange {
                elo: elo(comparison.anytime().mean()?),
                low: elo(low),
                high: elo(high),
            })
        }
        Rule::Fixed => {
            let interval = counts.interval(CONFIDENCE)?;
            let (low, high) = interval.elo_ends();
            Some(EloRange {
                elo: interval.elo(),
                low,
                high,
            })
        }
    }
}

/// Where the estimate comes from.
fn estimate_kind(rule: Rule) -> &'static str {
    match rule {
        Rule::Sprt(_) => "median-unbiased for a test that stops like this one",
        Rule::Anytime => "holds whenever one looks",
        Rule::Fixed => "holds for a number of matches fixed beforehand",
    }
}

/// The result for people, its last line the verdict.
fn result(comparison: &Comparison, names: [&str; 2], warnings: &[String]) -> Vec<String> {
    let [a, b] = names;
    let counts = comparison.counts();
    let (pairs, total) = (comparison.pairs(), counts.total());
    let mut lines = Vec::new();
    let mut line = |title: &str, text: String| lines.push(format!("{title:<11} {text}"));
    line(
        "pairs",
        format!("{total} of openings played in both seats, {} matches", 2 * total),
    );
    if total > 0 {
        let score = counts.moments().map_or(0.0, |moments| moments.mean);
        line(
            "W/D/L",
            format!(
                "{} for `{a}`, who scores {:.1} %",
                wins_draws_losses(comparison),
                100.0 * score
            ),
        );
        let crate::stats::Pairs { ll, ld, wl, dd, wd, ww } = *pairs;
        line(
            "by pair",
            format!(
                "lost both {ll}, loss and draw {ld}, one each {wl}, two draws {dd}, win and draw {wd}, won both {ww}"
            ),
        );
    }
    if let Some([first, second]) = comparison.seat_shares() {
        line(
            "seats",
            format!(
                "`{a}` scores {:.1} % in the first and {:.1} % in the second",
                100.0 * first,
                100.0 * second
            ),
        );
    }
    if let Rule::Sprt(sprt) = comparison.rule() {
        let (lower, upper) = sprt.bounds();
        line("test", test_text(&sprt));
        line(
            "LLR",
            format!("{:.2}, bounds {lower:.2} and {upper:.2}", sprt.llr(&counts)),
        );
    }
    match estimate(comparison) {
        Some(estimate) => {
            let kind = estimate_kind(comparison.rule());
            line("Elo", format!("{}, 95 %, {kind}", estimate.text()));
        }
        None if total > 0 => line("Elo", "no estimate: all pairs ended alike".to_owned()),
        None => {}
    }
    match (comparison.rule(), counts.nelo(CONFIDENCE)) {
        (Rule::Fixed, Some(nelo)) => line(
            "normalized",
            format!("{:+.0} [{:+.0}, {:+.0}]", nelo.value, nelo.low, nelo.high),
        ),
        // Without an interval: one that knew nothing of the stop would be too narrow.
        (Rule::Sprt(_), Some(nelo)) => line(
            "normalized",
            format!("{:+.0} as it stands, in the Elo of the test's hypotheses", nelo.value),
        ),
        (Rule::Anytime, _) | (_, None) => {}
    }
    let [by_a, by_b] = comparison.forfeits();
    line("forfeits", format!("`{a}` {by_a}, `{b}` {by_b}"));
    lines.extend(warnings.iter().map(|warning| format!("warning: {warning}")));
    lines.push(String::new());
    lines.push(verdict(comparison, names));
    lines
}

/// What takes from the verdict.
fn warnings(comparison: &Comparison, tournament: &Tournament) -> Vec<String> {
    let [a, b] = [&tournament.programs[0], &tournament.programs[1]];
    let total = comparison.counts().total();
    let mut lines = Vec::new();
    if a.resolved.is_same_program(&b.resolved) {
        lines.push(format!(
            "`{}` and `{}` are the same program: no difference is there to be found, and a verdict of one is by chance",
            a.name, b.name
        ));
    }
    let forfeits: u64 = comparison.forfeits().iter().sum();
    let share = forfeits as f64 / (2 * total).max(1) as f64;
    if share > FORFEIT_SHARE_MAX {
        lines.push(format!(
            "{:.1} % of the matches ended by a fault: this compares faults as much as strength; see \
             `arena matches --faults`",
            100.0 * share
        ));
    }
    let distinct = comparison.distinct();
    if (distinct as f64) < DISTINCT_SHARE_MIN * total as f64 {
        lines.push(format!(
            "only {distinct} of {total} pairs are distinct: `{}` and `{}` repeat themselves, and copies prove \
             nothing; give more openings (--opening-plies, --openings)",
            a.name, b.name
        ));
    }
    lines
}

/// One sentence.
fn verdict(comparison: &Comparison, names: [&str; 2]) -> String {
    let [a, b] = names;
    let pairs = text::count(comparison.counts().total(), "pair");
    let Some(answer) = comparison.answer() else {
        return format!("after {pairs} it is not decided yet whether `{a}` is better than `{b}`");
    };
    match (comparison.rule(), answer) {
        (Rule::Sprt(sprt), Answer::Better | Answer::NotBetter) => {
            let (elo0, elo1) = sprt.hypotheses();
            let times = sprt.llr(&comparison.counts()).abs().exp();
            let model = model_text(sprt.model());
            let (what, likelier, than) = match answer {
                Answer::Better if elo0 < 0.0 => ("is not worse than", elo1, elo0),
                Answer::Better => ("is better than", elo1, elo0),
                _ => ("is not better than", elo0, elo1),
            };
            format!(
                "`{a}` {what} `{b}`: after {pairs} a difference of {} {model} is {times:.0} times as likely as {}",
                difference(likelier),
                difference(than)
            )
        }
        (Rule::Anytime, Answer::Better) => format!(
            "`{a}` is better than `{b}`: after {pairs} an interval that holds whenever one looks leaves out equality"
        ),
        (Rule::Anytime, Answer::NotBetter) => format!(
            "`{a}` is worse than `{b}`: after {pairs} an interval that holds whenever one looks leaves out equality"
        ),
        (Rule::Fixed, Answer::Better) => {
            format!("`{a}` is better than `{b}`: the 95 % interval after {pairs} leaves out equality")
        }
        (Rule::Fixed, Answer::NotBetter) => {
            format!("`{a}` is worse than `{b}`: the 95 % interval after {pairs} leaves out equality")
        }
        (Rule::Fixed, Answer::Undecided) => {
            format!("whether `{a}` is better than `{b}` is open: the 95 % interval after {pairs} contains equality")
        }
        (_, Answer::Undecided) => {
            format!("whether `{a}` is better than `{b}` is open after all {pairs}; --pairs-max plays more of them")
        }
    }
}

/// A hypothesis in words.
fn difference(elo: f64) -> String {
    if elo == 0.0 { "0".to_owned() } else { format!("{elo:+}") }
}

/// The result for programs: the same numbers.
fn as_json(comparison: &Comparison, names: [&str; 2], warnings: &[String]) -> Value {
    let counts = comparison.counts();
    let crate::stats::Pairs { ll, ld, wl, dd, wd, ww } = *comparison.pairs();
    let [losses, draws, wins] = comparison.pairs().matches();
    let rule = match comparison.rule() {
        Rule::Sprt(sprt) => {
            let ((elo0, elo1), (alpha, beta), (lower, upper)) = (sprt.hypotheses(), sprt.rates(), sprt.bounds());
            let model = match sprt.model() {
                Model::Normalized => "normalized",
                Model::Logistic => "logistic",
            };
            json!({"kind": "sprt", "model": model, "elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta,
                   "llr": sprt.llr(&counts), "llr_lower": lower, "llr_upper": upper})
        }
        Rule::Anytime => json!({"kind": "anytime", "confidence": CONFIDENCE}),
        Rule::Fixed => json!({"kind": "fixed", "matches": 2 * comparison.pairs_max()}),
    };
    let estimate = estimate(comparison)
        .map(|range| json!({"elo": range.elo, "low": range.low, "high": range.high, "confidence": CONFIDENCE}));
    json!({
        "a": names[0],
        "b": names[1],
        "rule": rule,
        "answer": comparison.answer(),
        "verdict": verdict(comparison, names),
        "pairs": counts.total(),
        "pairs_max": comparison.pairs_max(),
        "pairs_distinct": comparison.distinct(),
        "wins": wins,
        "draws": draws,
        "losses": losses,
        "by_pair": {"ll": ll, "ld": ld, "wl": wl, "dd": dd, "wd": wd, "ww": ww},
        "score": counts.moments().map(|moments| moments.mean),
        "seat_shares": comparison.seat_shares(),
        "estimate": estimate,
        "forfeits": comparison.forfeits(),
        "warnings": warnings,
    })
}
