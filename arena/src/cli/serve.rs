//! `arena serve`: the page with standings, boards and replays.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use super::{Exit, Output};
use crate::web::Server;

/// Threads that may wait for the results file at once.
const READERS_MAX: usize = 8;

/// Serve a page with standings, matches on the board and replays of a results file
///
/// The page follows a tournament while `arena run` plays it, from another process on the same file. It is for this machine
/// alone unless --listen names an address that others can reach. Ctrl-C ends it.
#[derive(clap::Args)]
pub struct Args {
    /// The results file
    #[arg(long, value_name = "FILE", default_value = "arena.db")]
    db: PathBuf,
    /// Where to listen; port 0: any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8017)))]
    listen: SocketAddr,
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(READERS_MAX)
        .build()?;
    runtime.block_on(async {
        let stop = interrupted()?;
        let server = Server::start(&args.db, args.listen).await?;
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
