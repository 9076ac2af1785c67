//! `arena export`: the stored records as JSON lines or CSV.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::results::Results;
use super::{Exit, Output};
use crate::record::{Record, csv_header, csv_rows, write_line};
use crate::store::{Filter, Store, StoreError, StoredPlan};

/// Write the stored records: JSON lines, one match a line, or CSV
///
/// The CSV has one row for each match and seat, without the plies. Records are in the order of their ids, whatever order
/// they were played in: with --no-times two runs of the same plan with the same bots, that play alike, give equal files.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    results: Results,
    /// Write here instead of to standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Comma-separated values instead of JSON lines
    #[arg(long)]
    csv: bool,
    /// Leave out all times (0 in CSV), and the machines of a fleet, so that two runs can be compared
    #[arg(long)]
    no_times: bool,
    /// Pass over what cannot be read in a damaged file, and name it; the exit code is 1 if there was any
    #[arg(long)]
    skip_damaged: bool,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let store = if args.skip_damaged {
        args.results.open_damaged()?
    } else {
        args.results.open()?
    };
    let plans = args.results.plans(&store)?;
    let Some(path) = &args.output else {
        return export(args, &store, &plans, out);
    };
    let cannot = || format!("cannot write `{}`", path.display());
    if let (Ok(from), Ok(to)) = (args.results.db.canonicalize(), path.canonicalize())
        && from == to
    {
        bail!(
            "`{}` is the results file itself; choose another --output",
            path.display()
        );
    }
    let mut file = BufWriter::new(File::create(path).with_context(cannot)?);
    let exit = export(args, &store, &plans, &mut file)?;
    file.flush().with_context(cannot)?;
    Ok(exit)
}

fn export(args: &Args, store: &Store, plans: &[StoredPlan], out: &mut impl Write) -> anyhow::Result<Exit> {
    if args.csv {
        csv_header(out)?;
    }
    let mut write = |record: Record| -> anyhow::Result<()> {
        let record = if args.no_times { record.without_times() } else { record };
        if args.csv {
            csv_rows(out, &record)?;
        } else {
            write_line(out, &record)?;
        }
        Ok(())
    };
    let mut exit = Exit::Done;
    let mut left_out = |what: &dyn Display| {
        exit = Exit::No;
        writeln!(anstream::stderr(), "left out: {what}").context("cannot write to standard error")
    };
    for plan in plans {
        if args.skip_damaged {
            let read = store.each_readable(&plan.id, |id, record| match record {
                Ok(record) => write(record),
                Err(what) => left_out(&format_args!("plan {} match {id}: {what}", plan.id)),
            });
            if let Err(error) = read {
                // Not to be able to write is an error; to have read no further is what was asked for.
                let error: StoreError = error.downcast()?;
                left_out(&format_args!("plan {}: all further matches: {error}", plan.id))?;
            }
        } else {
            store.records(&plan.id, &Filter::default(), &mut write)?;
        }
    }
    Ok(exit)
}
