//! `arena merge`: results files of the parts of a tournament, joined.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;

use super::{Exit, Output, pairings, text};
use crate::store::{Store, StoreError, StoredPlan, check_part};
use crate::tournament::Pairings;

/// Join the results files of the parts of a tournament (`arena run --shard`)
///
/// All must hold the same plan, played with the same programs. A match that several hold counts once; where it was not
/// played alike the file is refused. The parts stay as they are; OUT may exist, and is added to.
#[derive(clap::Args)]
pub struct Args {
    /// The file to join them in
    #[arg(value_name = "OUT.db")]
    out: PathBuf,
    /// The files to join
    #[arg(value_name = "PART.db", required = true)]
    parts: Vec<PathBuf>,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let parts: Vec<Vec<StoredPlan>> = args
        .parts
        .iter()
        .map(|part| Store::open(part)?.plans())
        .collect::<Result<_, _>>()?;
    let expected = match Store::open(&args.out) {
        Ok(store) => store.plans()?,
        Err(StoreError::Missing { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    // Nothing is written before all are known to fit.
    let expected = if expected.is_empty() { &parts[0] } else { &expected };
    for (part, plans) in args.parts.iter().zip(&parts) {
        if part.canonicalize().ok() == args.out.canonicalize().ok() {
            bail!(
                "`{}` is one of the parts; name another file to join them in",
                part.display()
            );
        }
        check_part(part, plans, expected)?;
    }
    let mut store = Store::open_to_write(&args.out)?;
    for (part, plans) in args.parts.iter().zip(&parts) {
        let merged = store.merge(part, plans)?;
        let known = match merged.known {
            0 => String::new(),
            known => format!(", {known} more were there"),
        };
        writeln!(out, "{}: {}{known}", part.display(), text::count(merged.added, "match"))?;
    }
    for plan in store.plans()? {
        writeln!(
            out,
            "{}: {} of plan {}{}",
            args.out.display(),
            text::count(plan.matches, "match"),
            plan.id,
            missing(&plan)?
        )?;
    }
    Ok(Exit::Done)
}

/// What the plan's schedule has beyond the matches that are stored.
fn missing(plan: &StoredPlan) -> anyhow::Result<String> {
    let game = mancala_arena_rules::open(&plan.plan.game.name, &plan.plan.game.options)?;
    let all = Pairings::new(&plan.plan, game.seats(), game.rotates_seats())?;
    Ok(if all.matches_max() == plan.matches {
        ", all that it has".to_owned()
    } else {
        format!(
            " of {}; `arena run` with the same league and --db plays what is missing",
            pairings::total(&all)
        )
    })
}
