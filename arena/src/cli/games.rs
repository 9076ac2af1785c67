//! `arena games`: the games and their options.

use std::io::Write;

use serde_json::json;

use super::{Exit, Format, Output};

/// List the games and their options
#[derive(clap::Args)]
pub struct Args {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let infos = mancala_arena_rules::infos();
    match args.format {
        Format::Table => {
            for info in infos {
                let seats = if info.seats.0 == info.seats.1 {
                    format!("{} seats", info.seats.0)
                } else {
                    format!("{}-{} seats", info.seats.0, info.seats.1)
                };
                writeln!(out, "{}  {} ({seats})", info.name, info.summary)?;
                for option in info.options {
                    let takes = format!("{} = {}", option.key, option.default);
                    writeln!(out, "    {takes:<24} {} ({})", option.help, option.kind)?;
                }
                writeln!(out)?;
            }
            writeln!(
                out,
                "On a command line: NAME or NAME:key=value,key=value, for example kalah:pits=6,seeds=5"
            )?;
        }
        Format::Json => {
            let games: Vec<_> = infos
                .iter()
                .map(|info| {
                    let options: Vec<_> = info
                        .options
                        .iter()
                        .map(|option| {
                            json!({"key": option.key, "default": option.default.to_string(),
                                   "takes": option.kind.to_string(), "help": option.help})
                        })
                        .collect();
                    json!({"name": info.name, "title": info.title, "summary": info.summary,
                           "seats_min": info.seats.0, "seats_max": info.seats.1, "options": options})
                })
                .collect();
            serde_json::to_writer_pretty(&mut *out, &games)?;
            writeln!(out)?;
        }
        Format::Csv => {
            writeln!(out, "game,option,default,takes,help")?;
            for info in infos {
                for option in info.options {
                    let quoted = [option.kind.to_string(), option.help.to_owned()].map(|text| format!("\"{text}\""));
                    writeln!(
                        out,
                        "{},{},{},{}",
                        info.name,
                        option.key,
                        option.default,
                        quoted.join(",")
                    )?;
                }
            }
        }
    }
    Ok(Exit::Done)
}
