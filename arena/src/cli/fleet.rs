//! What the commands have in common that have to do with a fleet: where its server is, and what a league asks of it.

mod status;
mod worker;

use std::path::PathBuf;

#[cfg(feature = "fleet")]
use anyhow::Context;

pub use status::Args as FleetArgs;
pub use worker::Args as WorkerArgs;

#[cfg(feature = "fleet")]
use crate::config::Prepared;
#[cfg(feature = "fleet")]
use crate::fleet::{self, Coordinator, Shipment};
#[cfg(feature = "fleet")]
use crate::tournament::{self, Tournament};

use super::{Exit, Output};

/// How one gets into the NATS server
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "NATS server")]
pub struct Access {
    /// The user's name; or write it into the address: nats://USER:PASSWORD@HOST
    #[arg(long, value_name = "NAME", requires = "password_file", hide_short_help = true)]
    user: Option<String>,
    /// The file with the user's password
    #[arg(long, value_name = "FILE", requires = "user", hide_short_help = true)]
    password_file: Option<PathBuf>,
    /// The file with a token
    #[arg(long, value_name = "FILE", conflicts_with = "user", hide_short_help = true)]
    token_file: Option<PathBuf>,
    /// The file with the seed of an NKey
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    nkey: Option<PathBuf>,
    /// A file of credentials, as NATS's own tools write it
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    creds: Option<PathBuf>,
    /// The certificates that vouch for the server, which is then asked for TLS
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    tls_ca: Option<PathBuf>,
    /// The own certificate, where the server asks for one
    #[arg(long, value_name = "FILE", requires = "tls_key", hide_short_help = true)]
    tls_cert: Option<PathBuf>,
    /// The key of that certificate
    #[arg(long, value_name = "FILE", requires = "tls_cert", hide_short_help = true)]
    tls_key: Option<PathBuf>,
}

/// A fleet that plays
#[derive(clap::Args, Clone)]
#[command(next_help_heading = "Fleet")]
pub struct Fleet {
    /// Let the workers of a fleet play, which are connected to this NATS server (see `arena worker`): nats://HOST[:PORT]
    #[arg(long = "fleet", value_name = "URL")]
    url: Option<String>,
    /// Only workers with this label; all of them where it is repeated
    #[arg(long, value_name = "KEY=VALUE", requires = "url", value_parser = label)]
    only: Vec<(String, String)>,
    /// A rotation that workers have failed to finish so often is parked
    #[arg(long, value_name = "N", requires = "url", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    tries: u64,
    /// How long a match may be without a ply before another worker gets it [default: 30 s, or as long as the clocks allow]
    #[arg(long, value_name = "MS", requires = "url")]
    lease_ms: Option<u64>,
    /// Give slower machines more time and faster ones less: the time limits are meant for a machine of this speed, as workers
    /// print it
    #[arg(long, value_name = "SPEED", requires = "url", value_parser = speed)]
    scale_limits: Option<f64>,
    #[command(flatten)]
    access: Access,
}

fn label(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("expected KEY=VALUE, such as cpu=epyc".to_owned()),
    }
}

fn speed(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number
        .filter(|speed| (0.001..=1e9).contains(speed))
        .ok_or_else(|| "expected a number of fixed searches a second, above 0".to_owned())
}

impl Fleet {
    /// Where it is, if there is one.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The speed that time limits are meant for, in thousandths.
    pub fn reference_speed_milli(&self) -> Option<u64> {
        self.scale_limits.map(|speed| (speed * 1_000.0).round() as u64)
    }
}

/// `arena worker`.
pub fn worker(args: &WorkerArgs, out: &mut Output) -> anyhow::Result<Exit> {
    worker::run(args, out)
}

/// `arena fleet`.
pub fn fleet(args: &FleetArgs, out: &mut Output) -> anyhow::Result<Exit> {
    status::run(args, out)
}

/// What is said where the program was built without the fleet.
#[cfg(not(feature = "fleet"))]
pub fn not_built() -> anyhow::Error {
    anyhow::anyhow!(
        "this arena was built without the fleet; build it with `cargo build --release --features fleet`, or take a release archive"
    )
}

#[cfg(feature = "fleet")]
impl Access {
    fn at(&self, url: &str) -> fleet::Access {
        fleet::Access {
            url: url.to_owned(),
            user: self.user.clone().zip(self.password_file.clone()),
            token: self.token_file.clone(),
            nkey: self.nkey.clone(),
            credentials: self.creds.clone(),
            tls_ca: self.tls_ca.clone(),
            tls_identity: self.tls_cert.clone().zip(self.tls_key.clone()),
        }
    }
}

/// Warns where everybody in the network could make workers run programs.
#[cfg(feature = "fleet")]
fn warn_if_open(access: &fleet::Access) -> anyhow::Result<()> {
    use std::io::Write;
    if access.is_anonymous() && !access.is_loopback()? {
        let _ = writeln!(
            anstream::stderr(),
            "warning: no credentials for `{}`, and it is not on this machine: whoever reaches it can run programs on every worker; \
             see `arena help fleet`",
            access.shown()
        );
    }
    Ok(())
}

/// A fleet that is connected.
#[cfg(feature = "fleet")]
pub struct Connected(Coordinator);

#[cfg(feature = "fleet")]
impl Fleet {
    /// Connects, where a fleet is asked for.
    pub fn connect(&self, prepared: &Prepared) -> anyhow::Result<Option<Connected>> {
        let Some(url) = &self.url else { return Ok(None) };
        let access = self.access.at(url);
        warn_if_open(&access)?;
        let settings = fleet::Settings {
            only: self.only.iter().cloned().collect(),
            tries_max: self.tries,
            lease: self.lease_ms.map(std::time::Duration::from_millis),
            sandbox: prepared.sandbox,
            limits: prepared.limits,
        };
        Ok(Some(Connected(Coordinator::connect(access, settings)?)))
    }
}

#[cfg(feature = "fleet")]
impl Connected {
    /// Packs the bots.
    pub fn ship(
        self,
        tournament: &Tournament,
        settings: tournament::Settings,
    ) -> anyhow::Result<(Coordinator, Shipment)> {
        let shipment = self
            .0
            .ship(tournament, settings)
            .context("this league cannot be given to a fleet")?;
        Ok((self.0, shipment))
    }
}
