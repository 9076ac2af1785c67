//! The first stage: stays beside the bot, outside its namespaces, and takes its whole tree away with it.
//!
//! It ends when the bot has ended and nothing of it is left; before that when it is told to (SIGTERM), or when the arena
//! is gone, which the kernel tells it in the same way. As a subreaper it becomes the parent of every descendant that has
//! lost its own, whatever sessions they made, so that it finds them all.

use std::process::ExitCode;

use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{SigSet, Signal};
use nix::unistd::{getgid, getppid, getuid};
use rustix::process::{Pid, WaitOptions, set_child_subreaper, set_parent_process_death_signal, wait};

use super::cgroup;
use super::spec::{Layer, Report, Spec};
use super::stage::{Stage, Stopped, number};

pub fn run(mut stage: Stage) -> ExitCode {
    let mut awaited = SigSet::empty();
    awaited.add(Signal::SIGCHLD);
    awaited.add(Signal::SIGTERM);
    // Its group is its own, so nothing but a person at a keyboard of their own sends these.
    awaited.add(Signal::SIGINT);
    awaited.add(Signal::SIGHUP);
    if awaited.thread_block().is_err() || follow_the_arena(&stage.spec).is_err() {
        return Stopped.into();
    }
    let code = match start(&mut stage) {
        Ok(first) => {
            Stage::release_standard_streams();
            watch(&stage, first, &awaited)
        }
        Err(stopped) => stopped.into(),
    };
    cgroup::remove(&stage.spec.cgroups);
    // Made for every bot, whether it wrote to it or not.
    let _ = std::fs::remove_dir_all(&stage.spec.scratch);
    code
}

/// Has the kernel send SIGTERM when the arena's thread that started this ends.
fn follow_the_arena(spec: &Spec) -> Result<(), Stopped> {
    let followed = set_parent_process_death_signal(Some(rustix::process::Signal::TERM));
    // The arena may have ended before the signal was asked for.
    if followed.is_err() || getppid().as_raw() as u32 != spec.arena {
        return Err(Stopped);
    }
    Ok(())
}

/// Starts the next stage with everything around it.
fn start(stage: &mut Stage) -> Result<Pid, Stopped> {
    let cannot = |stage: &Stage, error: &std::io::Error| {
        stage.report(&Report::CannotStart(number(error)));
        Stopped
    };
    set_child_subreaper(Some(rustix::process::getpid())).map_err(|error| cannot(stage, &error.into()))?;
    std::fs::create_dir_all(&stage.spec.scratch).map_err(|error| cannot(stage, &error))?;
    cgroup::make(&stage.spec.cgroups, &stage.spec.limits).map_err(|(layer, why)| stage.refused(layer, why))?;
    if stage.spec.has(Layer::User) {
        own_user(stage)?;
    }
    let next = if stage.spec.has(Layer::Processes) {
        unshare(CloneFlags::CLONE_NEWPID).map_err(|error| stage.refused(Layer::Processes, error))?;
        "init"
    } else {
        "confine"
    };
    let child = stage.start_next(next).map_err(|error| cannot(stage, &error))?;
    Ok(Pid::from_child(&child))
}

/// A user namespace in which the arena's user is root: that gives it the right to make the others.
fn own_user(stage: &Stage) -> Result<(), Stopped> {
    let (user, group) = (getuid(), getgid());
    let write = |file: &str, text: String| {
        std::fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| stage.refused(Layer::User, format!("{file}: {error}")))
    };
    unshare(CloneFlags::CLONE_NEWUSER).map_err(|error| stage.refused(Layer::User, error))?;
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("0 {user} 1"))?;
    write("gid_map", format!("0 {group} 1"))?;
    // New rights make the kernel forget what it was asked to tell.
    follow_the_arena(&stage.spec)
}

/// Waits for the end of the bot, or for the word to end it; then takes away what is left.
fn watch(stage: &Stage, first: Pid, awaited: &SigSet) -> ExitCode {
    let mut over = false;
    while !over {
        over = !matches!(awaited.wait(), Ok(Signal::SIGCHLD));
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid != first {
                continue;
            }
            over = true;
            // In a namespace of its own the first process is ours, and has reported of the bot itself.
            if !stage.spec.has(Layer::Processes) {
                stage.report(&Report::Ended(status.as_raw()));
            }
        }
    }
    for report in cgroup::incidents(&stage.spec.cgroups) {
        stage.report(&report);
    }
    end_all();
    ExitCode::SUCCESS
}

/// Kills every descendant and waits until none is left. Those that are killed may just have made others, which then
/// become children of this process: so again, until there is none.
fn end_all() {
    loop {
        super::tree::signal_descendants(std::process::id(), rustix::process::Signal::KILL);
        if wait(WaitOptions::empty()).is_err() {
            return;
        }
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
    }
}
