//! `arena fleet status`: what a fleet does at the moment.

use clap::Subcommand;

use super::super::Format;
use super::Access;

/// Look at a fleet
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: FleetCommand,
}

#[derive(Subcommand)]
enum FleetCommand {
    /// Show workers, leagues, rates and parked matches
    Status(StatusArgs),
}

/// Show what a fleet does at the moment: its workers, the leagues, what is parked and why
#[derive(clap::Args)]
struct StatusArgs {
    /// The NATS server: nats://HOST[:PORT]
    #[arg(value_name = "URL")]
    url: String,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    access: Access,
}

#[cfg(not(feature = "fleet"))]
pub fn run(args: &Args, _: &mut super::super::Output) -> anyhow::Result<super::super::Exit> {
    let FleetCommand::Status(_) = &args.command;
    Err(super::not_built())
}

#[cfg(feature = "fleet")]
pub use with_fleet::run;

#[cfg(feature = "fleet")]
mod with_fleet {
    use std::io::Write;

    use serde_json::json;

    use super::super::super::table::{Align, csv, table};
    use super::super::super::{Exit, Format, Output, text};
    use super::super::Access;
    use super::{Args, FleetCommand};
    use crate::fleet::{self, Status};
    use crate::tournament::live::FleetWorker;

    pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
        let FleetCommand::Status(args) = &args.command;
        let status = fleet::status(&Access::at(&args.access, &args.url))?;
        match args.format {
            Format::Table => write_tables(&status, out)?,
            Format::Json => writeln!(out, "{:#}", as_json(&status))?,
            Format::Csv => write_csv(&status, out)?,
        }
        Ok(Exit::Done)
    }

    fn write_tables(status: &Status, out: &mut Output) -> anyhow::Result<()> {
        for run in &status.runs {
            let planned = run.planned.map_or_else(String::new, |planned| format!(" of {planned}"));
            let rate = run.rate.map_or_else(String::new, |rate| format!(", {rate:.1}/s"));
            writeln!(
                out,
                "plan {} ({}) from `{}`: {}{planned} matches stored{rate}; {} out, {} begun",
                run.plan, run.game, run.host, run.done, run.out, run.claimed
            )?;
            if run.refused > 0 || run.repeated > 0 {
                writeln!(
                    out,
                    "  {} results refused, as their lease had run out; {} were stored already",
                    run.refused, run.repeated
                )?;
            }
            for parked in &run.parked {
                writeln!(out, "  parked: {parked}")?;
            }
        }
        for (plan, batches) in &status.left {
            writeln!(
                out,
                "plan {plan}: its coordinator is not heard of, {} left; the command that started it goes on",
                text::count(*batches as u64, "batch")
            )?;
        }
        if status.runs.is_empty() && status.left.is_empty() {
            writeln!(
                out,
                "no league is being played; `arena run LEAGUE.toml --fleet URL` begins one"
            )?;
        }
        if status.workers.is_empty() {
            writeln!(out, "no worker is heard of; `arena worker URL` starts one")?;
            return Ok(());
        }
        let titles = [
            ("worker", Align::Left),
            ("host", Align::Left),
            ("labels", Align::Left),
            ("jobs", Align::Right),
            ("plan", Align::Left),
            ("played", Align::Right),
            ("speed", Align::Right),
            ("load", Align::Right),
            ("does", Align::Left),
        ];
        let rows = status.workers.iter().map(|(worker, plan)| {
            vec![
                worker.worker.clone(),
                worker.host.clone(),
                labels(worker),
                worker.jobs.to_string(),
                plan.clone().unwrap_or_else(|| "-".to_owned()),
                worker.played.to_string(),
                format!("{:.1}", worker.speed),
                format!("{:.2}", worker.load),
                does(worker),
            ]
        });
        writeln!(out)?;
        write!(out, "{}", table(&titles, &rows.collect::<Vec<_>>()))?;
        Ok(())
    }

    fn labels(worker: &FleetWorker) -> String {
        let labels: Vec<String> = worker
            .labels
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        if labels.is_empty() {
            "-".to_owned()
        } else {
            labels.join(" ")
        }
    }

    fn does(worker: &FleetWorker) -> String {
        let mut does = match &worker.idle {
            Some(why) => why.clone(),
            None if worker.stuck => {
                let seconds = worker.still_ms / 1_000;
                format!(
                    "stuck: nothing has happened for {seconds} s on the board of {}",
                    numbers(&worker.on_board)
                )
            }
            None if worker.on_board.is_empty() => "waits for work".to_owned(),
            None => format!("plays {}", numbers(&worker.on_board)),
        };
        if worker.unsent > 0 {
            does += &format!("; {} unsent", text::count(worker.unsent, "message"));
        }
        does
    }

    /// The first few matches.
    fn numbers(matches: &[u64]) -> String {
        let shown: Vec<String> = matches.iter().take(4).map(u64::to_string).collect();
        let more = if matches.len() > shown.len() { ", ..." } else { "" };
        let what = if matches.len() == 1 { "match" } else { "matches" };
        format!("{what} {}{more}", shown.join(", "))
    }

    fn as_json(status: &Status) -> serde_json::Value {
        json!({
            "workers": status.workers.iter().map(|(worker, plan)| {
                let mut value = serde_json::to_value(worker).expect("it has string keys only");
                value["plan"] = json!(plan);
                value
            }).collect::<Vec<_>>(),
            "runs": status.runs,
            "left": status.left.iter().map(|(plan, batches)| json!({"plan": plan, "batches": batches})).collect::<Vec<_>>(),
        })
    }

    fn write_csv(status: &Status, out: &mut Output) -> anyhow::Result<()> {
        writeln!(
            out,
            "worker,host,labels,jobs,plan,played,speed,load,still_ms,unsent,idle"
        )?;
        for (worker, plan) in &status.workers {
            let row = [
                worker.worker.clone(),
                worker.host.clone(),
                labels(worker),
                worker.jobs.to_string(),
                plan.clone().unwrap_or_default(),
                worker.played.to_string(),
                worker.speed.to_string(),
                worker.load.to_string(),
                worker.still_ms.to_string(),
                worker.unsent.to_string(),
                worker.idle.clone().unwrap_or_default(),
            ];
            writeln!(out, "{}", csv(&row).trim_end())?;
        }
        Ok(())
    }
}
