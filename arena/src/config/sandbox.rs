//! What bots may do to the host: whether they are confined, and what they may use.

use serde::{Deserialize, Serialize};

/// Whether bots are put into a sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sandbox {
    /// With the layers that this host gives.
    #[default]
    Auto,
    /// With processes, files, network, memory and system calls confined, or not at all.
    Required,
    /// Not.
    Off,
}

/// What a bot may use in the sandbox, and how long it may take to leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Memory of all its processes together, swap included.
    pub memory_mib: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// The size of the scratch directory, and of each file.
    pub scratch_mib: u64,
    /// How long it may take to end after `quit`, with or without a sandbox; then it is killed.
    pub quit_ms: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory_mib: 1_024,
            processes: 512,
            open_files: 1_024,
            scratch_mib: 64,
            quit_ms: 1_000,
        }
    }
}
