//! The descendants of a process.

use rustix::process::{Pid, Signal, kill_process};

/// Every descendant of `root` that is alive, parents before their children. What is made meanwhile may be missing.
pub fn descendants(root: u32) -> Vec<u32> {
    let mut found = vec![];
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        let children = children(parent);
        found.extend(&children);
        parents.extend(children);
    }
    found
}

/// Sends `signal` to every descendant of `root`; one that has just ended is no error.
pub fn signal_descendants(root: u32, signal: Signal) {
    for process in descendants(root).into_iter().filter_map(|id| Pid::from_raw(id as i32)) {
        let _ = kill_process(process, signal);
    }
}

/// The children that the threads of a process have made, and those that have fallen to it.
fn children(process: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let lists = threads.into_iter().flatten().flatten().filter_map(|thread| {
        let list = std::fs::read_to_string(thread.path().join("children")).ok()?;
        Some(
            list.split_ascii_whitespace()
                .filter_map(|id| id.parse().ok())
                .collect::<Vec<u32>>(),
        )
    });
    lists.flatten().collect()
}
