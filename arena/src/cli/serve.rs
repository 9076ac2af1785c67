//! `arena serve`: the page with standings, boards and replays.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use super::confine::{self, Confine};
use super::{Exit, Output, text};
use crate::config::{BotSpec, Limits};
use crate::store::Store;
use crate::web::Server;
use crate::web::tables::{Bots, Played, Tables};

/// Threads that may wait for the results file at once.
const READERS_MAX: usize = 8;

/// Names in one note.
const NAMES_MAX: usize = 5;

/// Serve a page with standings, matches on the board and replays of a results file
///
/// The page follows a tournament while `arena run` plays it, from another process on the same file. On it one plays by hand
/// against people, house bots and the bots of the results file. It is for this machine alone unless --listen names an address that others can reach. Ctrl-C ends it.
#[derive(clap::Args)]
pub struct Args {
    /// The results file
    #[arg(long, value_name = "FILE", default_value = "arena.db")]
    db: PathBuf,
    /// Where to listen; port 0: any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8017)))]
    listen: SocketAddr,
    /// Where matches that are played by hand are kept, one record in JSON a line [default: arena-played.jsonl beside the
    /// results file]
    #[arg(long, value_name = "FILE")]
    played: Option<PathBuf>,
    /// The directory that the bots' commands start from: that of the league file, or where `arena run` was typed
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    confine: Confine,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS_MAX)
        .build()?;
    let tables = tables(args)?;
    runtime.block_on(async {
        let stop = interrupted()?;
        let server = Server::start(&args.db, args.listen, tables).await?;
        if !args.listen.ip().is_loopback() {
            writeln!(
                anstream::stderr(),
                "warning: everybody who can reach {} can read these results: the page asks for no password",
                server.address()
            )?;
        }
        writeln!(out, "http://{}", server.address())?;
        out.flush()?;
        server.run(stop).await;
        Ok(Exit::Done)
    })
}

/// The tables to play by hand at, to which the bots of the results file can be asked.
fn tables(args: &Args) -> anyhow::Result<Arc<Tables>> {
    let mut plans = Store::open(&args.db)?.plans()?;
    // Of bots of one name the last one stands for itself.
    plans.reverse();
    let bots: Vec<BotSpec> = plans.into_iter().flat_map(|stored| stored.plan.bots).collect();
    let launcher = confine::launcher_with(args.confine.sandbox().unwrap_or_default(), Limits::default())?;
    let found = Bots::find(&bots, &args.dir, text::build, &launcher, Some(&args.db));
    let (bots, missing) = found.map_err(anyhow::Error::msg)?;
    let mut by_cause: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for bot in missing {
        by_cause.entry(bot.why).or_default().push(format!("`{}`", bot.bot));
    }
    for (why, names) in by_cause {
        let more = names.len().saturating_sub(NAMES_MAX);
        let mut told = names[..names.len() - more].join(", ");
        if more > 0 {
            told += &format!(" and {more} more");
        }
        writeln!(
            anstream::stderr(),
            "note: these bots cannot be played by hand against: {told}: {why}"
        )?;
    }
    let beside = || args.db.with_file_name("arena-played.jsonl");
    let played = args.played.clone().unwrap_or_else(beside);
    Ok(Tables::new(bots, Played::open(&played)?))
}

/// Ready once the process is told to end.
fn interrupted() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
