//! What the stages between the arena and a bot are told, and what they report: JSON in a variable of their environment,
//! which nobody but their user can read, and lines on a pipe. The rest of their environment is the bot's.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::config::Limits;

/// A bot to be started. Everything is decided: a stage does what it is told, or fails.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spec {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub dir: PathBuf,
    /// The descriptor of the pipe for [`Report`]s.
    pub report_to: i32,
    /// The process that starts the first stage: when it is gone, so is the bot.
    pub arena: u32,
    pub layers: Vec<Layer>,
    pub limits: Limits,
    /// The bot's own cgroups, one directory for each hierarchy: made at the start, removed at the end.
    pub cgroups: Vec<Cgroup>,
    /// Shown to the bot, to be read only; nothing else is but the system's own directories.
    pub visible: Vec<PathBuf>,
    /// Hidden from the bot though it lies in a visible directory.
    pub hidden: Vec<PathBuf>,
    /// A directory of the bot's own on the host: made at the start, removed at the end.
    pub scratch: PathBuf,
}

impl Spec {
    pub fn has(&self, layer: Layer) -> bool {
        self.layers.contains(&layer)
    }
}

/// What can stand between a bot and the host. A layer that is asked for and cannot be had fails the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// A user namespace: what lets an arena that is not root make the other namespaces.
    User,
    /// Namespaces of processes and IPC: nothing of the bot outlives it, and it sees no other process.
    Processes,
    /// A file system of its own: the system's directories and the bot's files to read, a scratch directory to write.
    Files,
    /// A network of its own, with nothing in it.
    Network,
    /// Access to files, TCP and other processes by Landlock's rules.
    Landlock,
    /// A filter of system calls.
    Syscalls,
    /// Resource limits of each process.
    Rlimits,
    /// A cgroup that limits memory, swap included.
    Memory,
    /// A cgroup that limits the number of processes and threads.
    Pids,
}

impl Layer {
    /// Every layer, outermost first.
    pub const ALL: [Layer; 9] = [
        Layer::User,
        Layer::Processes,
        Layer::Files,
        Layer::Network,
        Layer::Memory,
        Layer::Pids,
        Layer::Rlimits,
        Layer::Landlock,
        Layer::Syscalls,
    ];

    /// The word for it in the store and in tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Layer::User => "user",
            Layer::Processes => "processes",
            Layer::Files => "files",
            Layer::Network => "network",
            Layer::Landlock => "landlock",
            Layer::Syscalls => "syscalls",
            Layer::Rlimits => "rlimits",
            Layer::Memory => "memory",
            Layer::Pids => "pids",
        }
    }

    /// What it does, for people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Layer::User => "user namespace: needed for the next three unless root",
            Layer::Processes => "no sight of other processes, none left behind",
            Layer::Files => "reads the system and its own files, writes a scratch",
            Layer::Network => "a network with nothing in it",
            Layer::Landlock => "Landlock: rules on files, TCP and signals",
            Layer::Syscalls => "seccomp: a filter of system calls",
            Layer::Rlimits => "limits each process: open files, file size",
            Layer::Memory => "cgroup: limits memory and swap of all its processes",
            Layer::Pids => "cgroup: limits the number of processes and threads",
        }
    }
}

/// A cgroup of a bot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cgroup {
    pub kind: CgroupKind,
    pub dir: PathBuf,
}

/// What a hierarchy controls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CgroupKind {
    /// Version 1, memory.
    Memory1,
    /// Version 1, number of processes.
    Pids1,
    /// Version 2, with both.
    Unified,
}

/// What a stage reports, one JSON line each.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Report {
    /// A layer could not be had: the start has failed.
    Refused(Layer, String),
    /// The bot's program could not be started: the operating system's error number.
    CannotStart(i32),
    /// The bot's first process has ended: its wait status.
    Ended(i32),
    /// The kernel has killed a process of the bot for the memory that it used.
    OutOfMemory,
    /// A process or thread was refused because there were too many.
    TooManyProcesses,
}
