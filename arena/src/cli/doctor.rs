//! `arena doctor`: which layers of the sandbox this machine gives.

use std::io::Write;

use serde_json::json;

use super::table::{Align, table};
use super::{Exit, Format, Output};
use crate::bot::launch::{Launcher, Layer};
use crate::config::{Limits, Sandbox};

/// Say how far bots can be confined on this machine, and what is missing
///
/// Bots run in as many of these layers as there are, each tried out before the first bot is started. With `--sandbox required`
/// nothing is played unless processes, files, network, memory and syscalls are all there. Exit code 1 when one of them is not.
#[derive(clap::Args)]
pub struct Args {
    /// How to print the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let launcher = Launcher::new(Sandbox::Auto, Limits::default())?;
    let why = |layer: Layer| {
        let missing = launcher.missing().iter().find(|(missed, _)| *missed == layer);
        missing.map(|(_, why)| why.as_str())
    };
    let state = |layer: Layer| match (launcher.layers().contains(&layer), why(layer)) {
        (true, _) => "on",
        (false, Some(_)) => "missing",
        // What is not tried at all is not needed.
        (false, None) => "not needed",
    };
    match args.format {
        Format::Table => {
            let row = |layer: Layer| {
                [layer.as_str(), state(layer), layer.meaning()]
                    .map(str::to_owned)
                    .to_vec()
            };
            let titles = [
                ("layer", Align::Left),
                ("here", Align::Left),
                ("what it does", Align::Left),
            ];
            write!(out, "{}", table(&titles, &Layer::ALL.map(row)))?;
            for (layer, why) in launcher.missing() {
                writeln!(out, "{} is missing: {why}", layer.as_str())?;
            }
        }
        Format::Json => {
            let layers =
                Layer::ALL.map(|layer| json!({"layer": layer.as_str(), "state": state(layer), "why": why(layer)}));
            writeln!(out, "{}", json!({"layers": layers, "limits": launcher.limits()}))?;
        }
        Format::Csv => {
            writeln!(out, "layer,state")?;
            for layer in Layer::ALL {
                writeln!(out, "{},{}", layer.as_str(), state(layer))?;
            }
        }
    }
    Ok(if launcher.is_whole() { Exit::Done } else { Exit::No })
}
