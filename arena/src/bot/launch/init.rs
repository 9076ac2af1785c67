//! The second stage, where the bot has a namespace of processes: its first process. When it ends the kernel kills all
//! others in the namespace, whatever they did to get away.

use std::process::ExitCode;

use nix::sched::{CloneFlags, unshare};
use rustix::process::{Pid, WaitOptions, set_parent_process_death_signal};

use super::spec::{Layer, Report};
use super::stage::{Stage, Stopped, number};
use super::{cgroup, files};

pub fn run(mut stage: Stage) -> ExitCode {
    match begin(&mut stage) {
        Ok(bot) => {
            Stage::release_standard_streams();
            wait(&stage, bot);
            ExitCode::SUCCESS
        }
        Err(stopped) => stopped.into(),
    }
}

fn begin(stage: &mut Stage) -> Result<Pid, Stopped> {
    if set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).is_err() {
        return Err(stage.refused(Layer::Processes, "the parent's end cannot be followed"));
    }
    cgroup::join(&stage.spec.cgroups).map_err(|(layer, why)| stage.refused(layer, why))?;
    unshare(CloneFlags::CLONE_NEWIPC).map_err(|error| stage.refused(Layer::Processes, error))?;
    if stage.spec.has(Layer::Network) {
        unshare(CloneFlags::CLONE_NEWNET).map_err(|error| stage.refused(Layer::Network, error))?;
    }
    if stage.spec.has(Layer::Files) {
        files::own_root(&stage.spec).map_err(|why| stage.refused(Layer::Files, why))?;
    }
    let child = stage.start_next("confine").map_err(|error| {
        stage.report(&Report::CannotStart(number(&error)));
        Stopped
    })?;
    Ok(Pid::from_child(&child))
}

/// Waits for the bot, and for whatever has become a child of the namespace's first process meanwhile.
fn wait(stage: &Stage, bot: Pid) {
    while let Ok(ended) = rustix::process::wait(WaitOptions::empty()) {
        if let Some((pid, status)) = ended
            && pid == bot
        {
            stage.report(&Report::Ended(status.as_raw()));
            return;
        }
    }
}
