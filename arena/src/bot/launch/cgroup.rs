//! A bot's own cgroups, of version 1 or 2: limits of memory and processes for all that it starts.

use std::fs;
use std::path::{Path, PathBuf};

use super::spec::{Cgroup, CgroupKind, Layer, Report};
use crate::config::Limits;

/// What every directory of ours is called at its beginning; the id of the arena's process follows.
const PREFIX: &str = "mancala-arena-";

impl CgroupKind {
    fn layers(self) -> &'static [Layer] {
        match self {
            CgroupKind::Memory1 => &[Layer::Memory],
            CgroupKind::Pids1 => &[Layer::Pids],
            CgroupKind::Unified => &[Layer::Memory, Layer::Pids],
        }
    }

    /// The file of a limit and what to write to it.
    fn limits(self, limits: &Limits) -> Vec<(&'static str, u64)> {
        let memory = limits.memory_mib << 20;
        match self {
            // The second counts memory and swap together, and can only be set above the first.
            CgroupKind::Memory1 => vec![
                ("memory.limit_in_bytes", memory),
                ("memory.memsw.limit_in_bytes", memory),
            ],
            CgroupKind::Pids1 => vec![("pids.max", limits.processes)],
            CgroupKind::Unified => vec![
                ("memory.max", memory),
                ("memory.swap.max", 0),
                ("pids.max", limits.processes),
            ],
        }
    }
}

/// Where the arena may make cgroups for its bots, and of which kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parent {
    kind: CgroupKind,
    dir: PathBuf,
}

impl Parent {
    /// The cgroup of a bot with this number, of the arena's process.
    pub fn of_bot(&self, number: u64) -> Cgroup {
        Cgroup {
            kind: self.kind,
            dir: self.dir.join(format!("{PREFIX}{}-{number}", std::process::id())),
        }
    }

    pub fn gives(&self, layer: Layer) -> bool {
        self.kind.layers().contains(&layer)
    }
}

/// The cgroups of this process in which directories can be made, and why not for the others.
pub fn parents() -> (Vec<Parent>, Vec<(Layer, String)>) {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    let candidates = [
        (CgroupKind::Memory1, "memory"),
        (CgroupKind::Pids1, "pids"),
        (CgroupKind::Unified, ""),
    ];
    for (kind, controller) in candidates {
        let Some(dir) = own_dir(&mounts, &own, controller) else {
            continue;
        };
        let gives: Vec<Layer> = kind
            .layers()
            .iter()
            .copied()
            .filter(|layer| !found.iter().any(|parent: &Parent| parent.gives(*layer)))
            .collect();
        if gives.is_empty() {
            continue;
        }
        sweep(&dir);
        match try_out(&Parent { kind, dir: dir.clone() }) {
            Ok(()) => {
                missing.retain(|(layer, _)| !gives.contains(layer));
                found.push(Parent { kind, dir });
            }
            Err(why) => {
                let new = |layer: &Layer| !missing.iter().any(|(missed, _): &(Layer, String)| missed == layer);
                let new: Vec<Layer> = gives.into_iter().filter(new).collect();
                missing.extend(new.into_iter().map(|layer| (layer, why.clone())));
            }
        }
    }
    for layer in [Layer::Memory, Layer::Pids] {
        if !found.iter().any(|parent| parent.gives(layer)) && !missing.iter().any(|(missed, _)| *missed == layer) {
            missing.push((layer, "no cgroup hierarchy of it is mounted".to_owned()));
        }
    }
    (found, missing)
}

/// The directory of this process in the hierarchy of a controller of version 1, or of version 2 for the empty name.
fn own_dir(mounts: &str, own: &str, controller: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let controllers = fields.next()?;
        controllers
            .split(',')
            .any(|name| name == controller)
            .then(|| fields.next())?
    })?;
    let mount = mounts.lines().find_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let mut right = right.split(' ');
        let (kind, options) = (right.next()?, right.nth(1)?);
        let fits = match controller {
            "" => kind == "cgroup2",
            _ => kind == "cgroup" && options.split(',').any(|option| option == controller),
        };
        let mut left = left.split(' ').skip(3);
        let (root, point) = (left.next()?, left.next()?);
        fits.then_some((root, point))
    })?;
    // In a container the mount shows a part of the hierarchy, and paths may be given from outside it.
    let within = path.strip_prefix(mount.0).unwrap_or(path).trim_start_matches('/');
    let dir = Path::new(mount.1).join(within);
    if dir.is_dir() {
        Some(dir)
    } else {
        Some(PathBuf::from(mount.1))
    }
}

/// Makes a cgroup with limits as a bot will get it, and removes it.
fn try_out(parent: &Parent) -> Result<(), String> {
    if parent.kind == CgroupKind::Unified {
        let control = parent.dir.join("cgroup.subtree_control");
        fs::write(&control, "+memory +pids").map_err(|error| format!("`{}`: {error}", control.display()))?;
    }
    let cgroup = [parent.of_bot(0)];
    let made = make(&cgroup, &Limits::default());
    remove(&cgroup);
    made.map_err(|(_, why)| why)
}

/// Makes the cgroups of a bot with its limits.
pub fn make(cgroups: &[Cgroup], limits: &Limits) -> Result<(), (Layer, String)> {
    for cgroup in cgroups {
        let layer = cgroup.kind.layers()[0];
        let failed = |path: &Path, error: std::io::Error| (layer, format!("`{}`: {error}", path.display()));
        fs::create_dir(&cgroup.dir).map_err(|error| failed(&cgroup.dir, error))?;
        for (file, limit) in cgroup.kind.limits(limits) {
            let file = cgroup.dir.join(file);
            // Where a kernel does not account for swap it has none of these files.
            let optional = file.ends_with("memory.memsw.limit_in_bytes") || file.ends_with("memory.swap.max");
            if optional && !file.exists() {
                continue;
            }
            fs::write(&file, limit.to_string()).map_err(|error| failed(&file, error))?;
        }
    }
    Ok(())
}

/// Moves the calling process into its cgroups.
pub fn join(cgroups: &[Cgroup]) -> Result<(), (Layer, String)> {
    for cgroup in cgroups {
        let file = cgroup.dir.join("cgroup.procs");
        fs::write(&file, "0").map_err(|error| (cgroup.kind.layers()[0], format!("`{}`: {error}", file.display())))?;
    }
    Ok(())
}

/// What the kernel has counted against the limits.
pub fn incidents(cgroups: &[Cgroup]) -> Vec<Report> {
    let count = |cgroup: &Cgroup, file: &str, key: &str| {
        let text = fs::read_to_string(cgroup.dir.join(file)).unwrap_or_default();
        let value = text
            .lines()
            .find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
        value.unwrap_or(0)
    };
    let mut incidents = Vec::new();
    for cgroup in cgroups {
        let (killed, refused) = match cgroup.kind {
            CgroupKind::Memory1 => (count(cgroup, "memory.oom_control", "oom_kill "), 0),
            CgroupKind::Pids1 => (0, count(cgroup, "pids.events", "max ")),
            CgroupKind::Unified => (
                count(cgroup, "memory.events", "oom_kill "),
                count(cgroup, "pids.events", "max "),
            ),
        };
        incidents.extend((killed > 0).then_some(Report::OutOfMemory));
        incidents.extend((refused > 0).then_some(Report::TooManyProcesses));
    }
    incidents
}

/// Removes the cgroups of a bot whose processes are gone.
pub fn remove(cgroups: &[Cgroup]) {
    for cgroup in cgroups {
        // The kernel may take a moment to see that the last process has gone.
        for _ in 0..100 {
            match fs::remove_dir(&cgroup.dir) {
                Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                _ => break,
            }
        }
    }
}

/// Removes what an arena has left whose launchers were killed.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if super::is_left_over(&entry.file_name().to_string_lossy(), PREFIX) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}
