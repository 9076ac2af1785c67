//! The process tree of a bot: the processor time that it has used, and stopping it while it is not its turn.
//!
//! The tree is all the descendants of the launcher's stage beside the bot, found anew each time. That stage, or the first
//! process of the bot's namespace, becomes the parent of those that have lost their own, so that none is missing.

use std::fs;
use std::time::Duration;

use nix::time::ClockId;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::launch::{descendants, is_stage};

/// What `/proc` counts in: hundredths of a second on every Linux.
const TICK: Duration = Duration::from_millis(10);

/// The processes of a bot that has been started and not ended.
#[derive(Clone, Copy, Debug)]
pub struct Tree {
    root: Pid,
    /// Whether the root is a stage of the launcher, which is no part of the bot.
    root_is_stage: bool,
}

impl Tree {
    /// The tree of the process `root`, which leads a group of its own.
    pub fn new(root: Pid, root_is_stage: bool) -> Tree {
        Tree { root, root_is_stage }
    }

    /// The processor time that the tree has used since it was started: of those that run in nanoseconds, of those that
    /// have ended in hundredths of a second. Less than at an earlier call by at most that when a process ends in between.
    pub fn used(self) -> Duration {
        let mut used = Duration::ZERO;
        self.each(|process| used += own_time(process) + time_of_ended_children(process));
        used
    }

    /// The memory that the tree holds and shares with nobody, in bytes.
    pub fn memory(self) -> u64 {
        let mut bytes = 0;
        self.each(|process| bytes += own_memory(process));
        bytes
    }

    /// The id of the bot's first process, once it runs what was to be started.
    pub fn bot(self) -> Option<u32> {
        let mut first = None;
        self.each(|process| {
            let id = process.as_raw_pid() as u32;
            first = first.or((!is_stage(id)).then_some(id));
        });
        first
    }

    /// Stops every process of the tree.
    pub fn freeze(self) {
        // Looked through again until nobody is new: a process may have been started before its parent was stopped.
        let mut stopped = 0;
        loop {
            let found = self.signal(Signal::STOP);
            if found <= stopped {
                return;
            }
            stopped = found;
        }
    }

    /// Lets every process of the tree run again.
    pub fn thaw(self) {
        self.signal(Signal::CONT);
    }

    /// Sends a signal to the group and to every process of the tree outside it; gives how many are in the tree.
    fn signal(self, signal: Signal) -> usize {
        // Whoever has ended meanwhile needs no signal.
        if !self.root_is_stage {
            let _ = kill_process_group(self.root, signal);
        }
        let mut found = 0;
        self.each(|process| {
            found += 1;
            let _ = kill_process(process, signal);
        });
        found
    }

    /// Calls `each` with every process of the tree, parents first.
    fn each(self, mut each: impl FnMut(Pid)) {
        if !self.root_is_stage {
            each(self.root);
        }
        let others = descendants(self.root.as_raw_pid() as u32);
        others
            .into_iter()
            .filter_map(|id| Pid::from_raw(id as i32))
            .for_each(each);
    }
}

/// The time that the threads of a process have used.
fn own_time(process: Pid) -> Duration {
    let clock = ClockId::pid_cpu_clock_id(nix::unistd::Pid::from_raw(process.as_raw_pid()));
    clock.and_then(ClockId::now).map_or(Duration::ZERO, Duration::from)
}

/// The anonymous memory of a process: its heap and stacks, without what files and libraries fill.
fn own_memory(process: Pid) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// The time of the descendants that a process has waited for.
fn time_of_ended_children(process: Pid) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    TICK * ended_children_ticks(&stat).unwrap_or(0)
}

/// `cutime` and `cstime` of a line of `/proc/PID/stat`.
fn ended_children_ticks(stat: &str) -> Option<u32> {
    // The program's name, in brackets, may hold anything: the state follows the last bracket.
    let (_, fields) = stat.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(13).map(str::parse::<u32>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};
    use std::time::Instant;

    /// A shell that runs `script`, in a group of its own.
    fn shell(script: &str) -> (Child, Tree) {
        let child = Command::new("sh").args(["-c", script]).process_group(0).spawn();
        let child = child.expect("a shell starts");
        let tree = Tree::new(Pid::from_raw(child.id() as i32).expect("an id is not 0"), false);
        (child, tree)
    }

    fn end(mut child: Child, tree: Tree) {
        tree.signal(Signal::KILL);
        child.wait().expect("it ends");
    }

    /// Waits until the tree has used so much.
    fn wait_until_used(tree: Tree, wanted: Duration) {
        let began = Instant::now();
        while tree.used() < wanted {
            assert!(began.elapsed() < Duration::from_secs(60), "it never uses {wanted:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    const SPIN: &str = "while :; do :; done";

    #[test]
    fn the_time_of_a_child_counts() {
        let (child, tree) = shell(&format!("({SPIN}) & wait"));
        wait_until_used(tree, Duration::from_millis(100));
        end(child, tree);
    }

    #[test]
    fn the_time_of_a_child_that_has_ended_counts() {
        let (child, tree) = shell("sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; sleep 1000");
        wait_until_used(tree, Duration::from_millis(50));
        end(child, tree);
    }

    #[test]
    fn a_frozen_tree_uses_nothing_until_it_is_thawed() {
        let (child, tree) = shell(&format!("({SPIN}) & {SPIN}"));
        wait_until_used(tree, Duration::from_millis(50));
        tree.freeze();
        // The signal may still be on its way to a process on another core.
        std::thread::sleep(Duration::from_millis(50));
        let frozen = tree.used();
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(tree.used(), frozen);
        tree.thaw();
        wait_until_used(tree, frozen + Duration::from_millis(50));
        end(child, tree);
    }

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_confuse() {
        let stat = "7 (a b) R 1) S 1 7 7 0 -1 4194560 1 2 0 24 1 2 44 17 20 0 1 0 1526086 5242880";
        assert_eq!(ended_children_ticks(stat), Some(44 + 17));
        assert_eq!(ended_children_ticks(""), None);
    }
}
