//! One bot by itself, for its author: does it obey the protocol and the rules ([`check`]), and what does it do when it is
//! sent again what it was sent in a stored match ([`repro`]).
//!
//! A check is an entry in one of the lists `start::CHECKS`, `play::CHECKS`, `reading::CHECKS`, `ending::CHECKS` and
//! `looks::CHECKS`: a script that drives a process of its own, or a look at what all scripts together have noted. The
//! other seats are played by random moves in this process, and judged as the bot is, by the referee's state machine.
//!
//! It prints nothing. What a reader would get wrong: no check hangs on another one having passed, but for those that it
//! names as its needs; a bot that dies in one is started anew for the next.

mod ask;
mod bench;
mod cause;
mod ending;
mod looks;
mod play;
mod reading;
pub mod repro;
mod start;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::FaultCode;
use mancala_arena_rules::AnyGame;
use serde::Serialize;
use tokio::time::Instant;

use crate::bot::Program;
use crate::config::TimeControl;
use crate::record::Transcript;
use bench::{Bench, Failure, Notes};
use cause::Cause;
pub use cause::last_lines;

/// What is to be checked, and how.
#[derive(Debug)]
pub struct Settings {
    /// Only these games, just as they are; empty: all that the bot says it plays, with their variants.
    pub games: Vec<Arc<dyn AnyGame>>,
    /// The clocks of most matches.
    pub time: TimeControl,
    /// The seed of everything drawn.
    pub seed: u64,
}

/// One thing that is asked of a bot.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// What a bot has to do.
    pub expected: &'static str,
    /// What its author can do, where the finding does not know better.
    advice: &'static str,
    /// Checks that must not have failed.
    needs: &'static [&'static str],
    how: How,
}

type Script = for<'a> fn(&'a mut Bench) -> Pin<Box<dyn Future<Output = Result<Seen, Failure>> + 'a>>;

/// How something is checked.
#[derive(Debug)]
enum How {
    /// By what the bot does in this script.
    Script(Script),
    /// By what was noted in all scripts.
    Look(fn(&Notes) -> Seen),
}

/// What a check has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As it should be.
    Passed,
    /// It costs no match, and is worth a look.
    Warning,
    /// It loses matches, or breaks what the protocol asks for.
    Failed,
    /// Not asked of this bot, or not possible after what has failed.
    Skipped,
}

impl Verdict {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Warning => "warning",
            Verdict::Failed => "failed",
            Verdict::Skipped => "skipped",
        }
    }
}

/// What was seen of a bot in one check that did not fail.
#[derive(Debug)]
struct Seen {
    verdict: Verdict,
    text: String,
    /// In place of the check's own advice.
    advice: Option<String>,
}

fn seen(verdict: Verdict, text: impl Into<String>) -> Seen {
    Seen {
        verdict,
        text: text.into(),
        advice: None,
    }
}

fn passed(text: impl Into<String>) -> Seen {
    seen(Verdict::Passed, text)
}

fn warning(text: impl Into<String>) -> Seen {
    seen(Verdict::Warning, text)
}

fn skipped(text: impl Into<String>) -> Seen {
    seen(Verdict::Skipped, text)
}

impl Seen {
    fn with_advice(self, advice: impl Into<String>) -> Seen {
        Seen {
            advice: Some(advice.into()),
            ..self
        }
    }
}

/// The outcome of a check, for people and, as it is serialised, for programs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// The check's name.
    pub check: &'static str,
    /// What it has come to.
    pub verdict: Verdict,
    /// What was seen.
    pub seen: String,
    /// In which match and where in it, if it failed in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The first check that has failed for what looks like the same cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub same_as: Option<&'static str>,
    /// What was expected.
    pub expected: &'static str,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The kind of fault, where it would be one in a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<FaultCode>,
    /// The last of what the bot wrote to standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

/// All that was found.
#[derive(Debug)]
pub struct Report {
    /// One for each check, in their order.
    pub findings: Vec<Finding>,
    /// What was said, match by match, each with its check, game and seat.
    pub transcripts: Vec<(String, Transcript)>,
    /// How long it took.
    pub took: Duration,
}

/// Every check, in the order in which they are made.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    let lists = [
        start::CHECKS,
        play::CHECKS,
        reading::CHECKS,
        ending::CHECKS,
        looks::CHECKS,
    ];
    lists.into_iter().flatten()
}

/// Checks a bot. `each` is told every finding as soon as it is there.
pub async fn check(program: Arc<Program>, settings: &Settings, each: &mut dyn FnMut(&Finding)) -> Report {
    let began = Instant::now();
    let mut bench = Bench::new(program, settings);
    let mut findings: Vec<Finding> = Vec::new();
    let mut causes: Vec<(&'static str, Cause)> = Vec::new();
    for check in checks() {
        let failed =
            |need: &&&str| { findings.iter() }.any(|found| found.check == **need && found.verdict == Verdict::Failed);
        let outcome = match (check.needs.iter().find(failed), &check.how) {
            (Some(need), _) => Ok(skipped(format!("not tried, as `{need}` has failed"))),
            (None, How::Look(look)) => Ok(look(&bench.notes)),
            (None, How::Script(script)) => {
                bench.begin(check.name).await;
                script(&mut bench).await
            }
        };
        let cause = outcome.as_ref().err().and_then(Cause::of);
        let first = cause
            .as_ref()
            .and_then(|cause| causes.iter().find(|(_, known)| known == cause));
        let finding = Finding {
            same_as: first.map(|(first, _)| *first),
            ..finding(check, outcome)
        };
        causes.extend(cause.map(|cause| (check.name, cause)));
        each(&finding);
        findings.push(finding);
    }
    Report {
        findings,
        transcripts: bench.close().await,
        took: began.elapsed(),
    }
}

fn finding(check: &Check, outcome: Result<Seen, Failure>) -> Finding {
    let bare = Finding {
        check: check.name,
        verdict: Verdict::Failed,
        seen: String::new(),
        at: None,
        same_as: None,
        expected: check.expected,
        advice: None,
        code: None,
        stderr: None,
    };
    match outcome {
        Ok(seen) => Finding {
            verdict: seen.verdict,
            seen: seen.text,
            advice: seen
                .advice
                .or_else(|| (seen.verdict == Verdict::Warning).then(|| check.advice.to_owned())),
            ..bare
        },
        Err(failure) => Finding {
            seen: match &failure.at {
                Some(at) => format!("{at}: {}", failure.found),
                None => failure.found,
            },
            at: failure.at,
            advice: Some(failure.advice.unwrap_or_else(|| check.advice.to_owned())),
            code: failure.code,
            stderr: failure.stderr,
            ..bare
        },
    }
}
