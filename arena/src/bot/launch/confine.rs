//! The last stage: takes rights away from itself and becomes the bot.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope,
};
use nix::unistd::{Pid, setpgid};
use rustix::process::{Resource, Rlimit, set_parent_process_death_signal, setrlimit};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_no_new_privs,
};

use super::files::{DEVICES, SCRATCH, SYSTEM};
use super::spec::{Layer, Report, Spec};
use super::stage::{Stage, Stopped, number, unblock_signals};
use super::syscalls;
use super::{SPEC_VARIABLE, cgroup};

pub fn run(stage: &Stage) -> ExitCode {
    if let Err(stopped) = confine(stage) {
        return stopped.into();
    }
    let spec = &stage.spec;
    let error = Command::new(&spec.program)
        .args(&spec.args)
        .env_remove(SPEC_VARIABLE)
        .current_dir(&spec.dir)
        .exec();
    stage.report(&Report::CannotStart(number(&error)));
    Stopped.into()
}

fn confine(stage: &Stage) -> Result<(), Stopped> {
    let spec = &stage.spec;
    let failed = |error: std::io::Error| {
        stage.report(&Report::CannotStart(number(&error)));
        Stopped
    };
    if !spec.has(Layer::Processes) {
        cgroup::join(&spec.cgroups).map_err(|(layer, why)| stage.refused(layer, why))?;
    }
    // A group of its own: `kill 0` reaches nobody else, and a terminal's keys do not reach it. A session of its own would
    // be one more group for the scheduler, and make every switch between arena and bot dearer.
    setpgid(Pid::from_raw(0), Pid::from_raw(0)).map_err(|error| failed(error.into()))?;
    if spec.has(Layer::Rlimits) {
        limit_resources(spec).map_err(|why| stage.refused(Layer::Rlimits, why))?;
    }
    if spec.has(Layer::Files) {
        drop_capabilities()
            .map_err(|error| stage.refused(Layer::Files, format!("rights cannot be dropped: {error}")))?;
    }
    set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).map_err(|error| failed(error.into()))?;
    if spec.has(Layer::Landlock) {
        landlock(spec).map_err(|why| stage.refused(Layer::Landlock, why))?;
    }
    unblock_signals().map_err(|error| failed(error.into()))?;
    if spec.has(Layer::Syscalls) {
        set_no_new_privs(true).map_err(|error| failed(error.into()))?;
        syscalls::filter().map_err(|why| stage.refused(Layer::Syscalls, why))?;
    }
    Ok(())
}

fn limit_resources(spec: &Spec) -> Result<(), String> {
    let limits = &spec.limits;
    let mut all = vec![
        (Resource::Core, 0),
        (Resource::Nofile, limits.open_files),
        (Resource::Fsize, limits.scratch_mib << 20),
    ];
    if !spec.has(Layer::Memory) {
        // Of each process alone, and without what it shares: the best there is.
        all.push((Resource::Data, limits.memory_mib << 20));
    }
    if !spec.has(Layer::Pids) && spec.has(Layer::User) {
        // Counted within the user namespace; outside one it would count all that the user runs.
        all.push((Resource::Nproc, limits.processes));
    }
    for (resource, limit) in all {
        let limit = Some(limit);
        let set = setrlimit(
            resource,
            Rlimit {
                current: limit,
                maximum: limit,
            },
        );
        set.map_err(|error| format!("{resource:?}: {error}"))?;
    }
    Ok(())
}

/// Root without rights: what it owns it may read, and no more.
fn drop_capabilities() -> rustix::io::Result<()> {
    let all = CapabilitySet::all();
    set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT
            | CapabilitiesSecureBits::NO_ROOT_LOCKED
            | CapabilitiesSecureBits::NO_SETUID_FIXUP
            | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED,
    )?;
    for capability in all.iter() {
        // One that this kernel does not have cannot be removed, and need not be.
        let _ = remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )
}

/// Everything may be read that is visible at all, the scratch directory written; no TCP, no signal to others.
fn landlock(spec: &Spec) -> Result<(), String> {
    let abi = ABI::V6;
    let read = AccessFs::from_read(abi);
    let write = AccessFs::from_all(abi);
    let mut rules: Vec<(PathBuf, BitFlags<AccessFs>)> = Vec::new();
    if spec.has(Layer::Files) {
        rules.push(("/".into(), read));
        rules.push((SCRATCH.into(), write));
    } else {
        rules.extend(SYSTEM.map(|dir| (dir.into(), read)));
        rules.push(("/proc".into(), read));
        rules.extend(
            spec.visible
                .iter()
                .flat_map(|path| shown(path, &spec.hidden))
                .map(|path| (path, read)),
        );
        rules.push((spec.scratch.clone(), write));
    }
    rules.extend(DEVICES.map(|device| (device.into(), AccessFs::ReadFile | AccessFs::WriteFile)));
    let mut ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(abi))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(abi)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .map_err(|error| error.to_string())?;
    for (path, access) in rules {
        // What is not there need not be allowed.
        let Ok(opened) = PathFd::new(&path) else { continue };
        let access = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(abi)
        };
        ruleset = ruleset
            .add_rule(PathBeneath::new(opened, access))
            .map_err(|error| format!("`{}`: {error}", path.display()))?;
    }
    let status = ruleset.restrict_self().map_err(|error| error.to_string())?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("this kernel does not enforce it".to_owned()),
        _ => Ok(()),
    }
}

/// `path` without what is hidden below it: rules allow whole directories and take nothing back.
fn shown(path: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    if hidden.iter().any(|hidden| hidden == path) {
        return Vec::new();
    }
    if !hidden.iter().any(|hidden| hidden.starts_with(path)) {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.flat_map(|entry| shown(&entry.path(), hidden)).collect()
}
