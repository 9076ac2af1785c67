//! `arena worker`: plays for the leagues of a fleet.

use std::path::PathBuf;

use super::{Access, label};

/// Play for the leagues of a fleet, until Ctrl-C
///
/// Takes matches from the NATS server at URL, where `arena run LEAGUE.toml --fleet URL` puts them, fetches the bots that it
/// lacks, builds them where that is due, and plays on this machine's cores. The first Ctrl-C or SIGTERM ends it after the
/// matches on the board; the rest goes to others. `arena help fleet` says how to set up a server.
#[derive(clap::Args)]
pub struct Args {
    /// The NATS server: nats://HOST[:PORT]
    #[arg(value_name = "URL", required_unless_present = "play")]
    url: Option<String>,
    /// Matches side by side [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// What this machine is, for leagues that are only for such machines; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = label)]
    label: Vec<(String, String)>,
    /// The worker's own directory: its name, bots, results that could not be sent
    #[arg(long, value_name = "DIR", default_value = "arena-worker")]
    dir: PathBuf,
    /// Let the system move matches and bots between cores
    #[arg(long)]
    no_pin: bool,
    #[command(flatten)]
    confine: super::super::confine::Confine,
    #[command(flatten)]
    access: Access,
    /// Play what a worker orders on standard input: what the worker starts
    #[arg(long, hide = true)]
    play: bool,
}

#[cfg(not(feature = "fleet"))]
pub fn run(_: &Args, _: &mut super::super::Output) -> anyhow::Result<super::super::Exit> {
    Err(super::not_built())
}

#[cfg(feature = "fleet")]
pub use with_fleet::run;

#[cfg(feature = "fleet")]
mod with_fleet {
    use std::io::{BufReader, Write};
    use std::sync::Arc;

    use anyhow::Context;
    use tokio::sync::watch;

    use super::super::super::playing::{Told, listen_for_signals, make_ready};
    use super::super::super::{Exit, Output, text};
    use super::super::{Access, warn_if_open};
    use super::Args;
    use crate::config::ConfigError;
    use crate::fleet::{Worker, WorkerSettings, player};
    use crate::tournament::{self, Stop};

    pub fn run(args: &Args, _: &mut Output) -> anyhow::Result<Exit> {
        if args.play {
            return play();
        }
        let url = args.url.as_deref().expect("it is required");
        let access = Access::at(&args.access, url);
        warn_if_open(&access)?;
        let program = std::env::current_exe().context("where this program is")?;
        let settings = WorkerSettings {
            access,
            jobs: args.jobs.map_or_else(|| tournament::cores().len(), usize::from),
            labels: args.label.iter().cloned().collect(),
            dir: args.dir.clone(),
            sandbox: args.confine.sandbox(),
            pin: !args.no_pin,
            player: vec![
                program.to_string_lossy().into_owned(),
                "worker".to_owned(),
                "--play".to_owned(),
            ],
        };
        let (stop_sender, stop) = watch::channel(Stop::No);
        listen_for_signals(stop_sender, Told::ByLine)?;
        Worker::run(settings, stop, &|line| {
            let _ = writeln!(anstream::stderr(), "{line}");
        })?;
        Ok(Exit::Done)
    }

    /// The process that plays.
    fn play() -> anyhow::Result<Exit> {
        let mut input = BufReader::new(std::io::stdin());
        let assignment = player::read_assignment(&mut input).context("what is to be played")?;
        let (prepared, differs) = match player::prepare(&assignment, text::build) {
            Ok(prepared) => prepared,
            Err(error) => {
                let bot = match &error {
                    ConfigError::Program { bot, .. } => Some(bot.clone()),
                    _ => None,
                };
                player::say_unfit(bot, error.to_string());
                return Ok(Exit::BotCannotStart);
            }
        };
        let mut tournament = match make_ready(prepared, &assignment.private) {
            Ok(tournament) => tournament,
            Err(error) => {
                player::say_unfit(None, format!("{error:#}"));
                return Ok(Exit::BotCannotStart);
            }
        };
        let parked = &assignment.descriptor.parked_bots;
        let programs = tournament
            .programs
            .iter()
            .filter(|program| !parked.contains(&program.id));
        let programs: Vec<_> = programs.cloned().collect();
        let start_ms_max = tournament.plan.time.start_ms_max;
        if let Err(error) = tournament::try_out(&programs, start_ms_max, |_| {})? {
            player::say_unfit(Some(error.bot.clone()), error.to_string());
            return Ok(Exit::BotCannotStart);
        }
        tournament.plan.time = player::scaled(tournament.plan.time, assignment.limits_factor);
        player::play(&Arc::new(tournament), &assignment, differs, Box::new(input)).context("cannot play")?;
        Ok(Exit::Done)
    }
}
