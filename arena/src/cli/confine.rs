//! The sandbox's arguments, shared by the commands that play, and what is said of it.

use std::io::Write;
use std::sync::Arc;

use clap::ValueEnum;

use crate::bot::launch::{Launcher, Layer};
use crate::config::{Limits, Overrides, Prepared, Sandbox};

/// What bots may do to this machine
#[derive(clap::Args)]
pub struct Confine {
    /// Whether bots are confined: as far as this machine can, fully or not at all, or off (see `arena doctor`) [default: auto]
    #[arg(long, value_enum, value_name = "HOW")]
    sandbox: Option<How>,
}

#[derive(Clone, Copy, ValueEnum)]
enum How {
    Auto,
    Required,
    Off,
}

impl Confine {
    pub fn apply(&self, overrides: &mut Overrides) {
        overrides.sandbox = self.sandbox();
    }

    /// What is asked for, if anything.
    pub fn sandbox(&self) -> Option<Sandbox> {
        self.sandbox.map(|how| match how {
            How::Auto => Sandbox::Auto,
            How::Required => Sandbox::Required,
            How::Off => Sandbox::Off,
        })
    }
}

/// What starts the bots; says what is missing of the sandbox.
pub fn launcher(prepared: &Prepared) -> anyhow::Result<Arc<Launcher>> {
    launcher_with(prepared.sandbox, prepared.limits)
}

/// As [`launcher`], for whom there is no tournament.
pub fn launcher_with(sandbox: Sandbox, limits: Limits) -> anyhow::Result<Arc<Launcher>> {
    let launcher = Launcher::new(sandbox, limits)?;
    // The user namespace is a means; what cannot be had without it is listed itself.
    let missing = launcher.missing().iter().filter(|(layer, _)| *layer != Layer::User);
    let missing: Vec<&str> = missing.map(|(layer, _)| layer.as_str()).collect();
    if !missing.is_empty() {
        let _ = writeln!(
            anstream::stderr(),
            "note: bots are confined without {}; `arena doctor` says why",
            missing.join(", ")
        );
    }
    Ok(Arc::new(launcher))
}
