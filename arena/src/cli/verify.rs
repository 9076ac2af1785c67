//! `arena verify`: is a results file whole, and is every record in it a match by the rules.

use std::io::Write;

use serde_json::json;

use super::results::Results;
use super::{Exit, Format, Output};
use crate::record::{csv_field, replay};
use crate::store::{Store, StoreError};

/// How many problems are listed for people: when a page is damaged, so are all matches on it.
const SHOWN_MAX: usize = 20;

/// Check a results file: the database itself, and every record by replaying it
///
/// The exit code is 1 if anything is wrong. Nothing is changed; `arena export --skip-damaged` saves what can be read.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    results: Results,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What has been looked at, and what is wrong with it.
#[derive(Default)]
struct Findings {
    plans: u64,
    matches: u64,
    plies: u64,
    problems: Vec<String>,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let mut findings = Findings::default();
    match args.results.open_damaged() {
        Ok(store) => look(args, &store, &mut findings)?,
        // Damage that does not even let the file be opened is an answer, not a failure to give one.
        Err(error) if is_damage(&error) => findings.problems.push(format!("{error:#}")),
        Err(error) => return Err(error),
    }
    print(args, &findings, out)?;
    Ok(if findings.problems.is_empty() {
        Exit::Done
    } else {
        Exit::No
    })
}

fn look(args: &Args, store: &Store, findings: &mut Findings) -> anyhow::Result<()> {
    let problems = &mut findings.problems;
    problems.extend(store.damage());
    let plans = match args.results.plans(store) {
        Ok(plans) => plans,
        Err(error) if error.is::<StoreError>() => {
            problems.push(format!("{error:#}"));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    for plan in &plans {
        findings.plans += 1;
        let checked = store.each_readable(&plan.id, |id, record| -> Result<(), StoreError> {
            findings.matches += 1;
            match record {
                Ok(record) => {
                    findings.plies += record.plies.len() as u64;
                    if let Err(error) = replay(&record) {
                        problems.push(format!("plan {} match {id}: {error}", plan.id));
                    }
                }
                Err(what) => problems.push(format!("plan {} match {id}: {what}", plan.id)),
            }
            Ok(())
        });
        if let Err(error) = checked {
            problems.push(format!("plan {}: {error}", plan.id));
        }
    }
    Ok(())
}

fn is_damage(error: &anyhow::Error) -> bool {
    matches!(
        error.downcast_ref(),
        Some(StoreError::Damaged { .. } | StoreError::NotADatabase { .. })
    )
}

fn print(args: &Args, findings: &Findings, out: &mut Output) -> anyhow::Result<()> {
    let Findings {
        plans,
        matches,
        plies,
        problems,
    } = findings;
    match args.format {
        Format::Table => {
            for problem in problems.iter().take(SHOWN_MAX) {
                writeln!(out, "{problem}")?;
            }
            if problems.len() > SHOWN_MAX {
                let more = problems.len() - SHOWN_MAX;
                writeln!(out, "and {more} more: --format json or csv lists all")?;
            }
            let answer = match problems.len() {
                0 => "everything is in order".to_owned(),
                1 => "1 problem".to_owned(),
                count => format!("{count} problems"),
            };
            writeln!(
                out,
                "{}: plans {plans}, matches {matches}, plies {plies}: {answer}",
                args.results.db.display()
            )?;
        }
        Format::Json => {
            let object = json!({"plans": plans, "matches": matches, "plies": plies, "problems": problems});
            writeln!(out, "{object}")?;
        }
        Format::Csv => {
            writeln!(out, "problem")?;
            for problem in problems {
                writeln!(out, "{}", csv_field(problem))?;
            }
        }
    }
    Ok(())
}
