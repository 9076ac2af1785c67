//! Open files: a run needs several for every bot that runs, and what is short of them in the middle of a match is lost.
//!
//! So the limit is looked at before the first match. It is raised as far as the run needs and no further, because the bots
//! inherit it, and there are programs that close every number up to it when they start.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::runner::BOTS_KEPT;

/// Three pipes, that of the launcher's reports, and the handle by which the end of the process is noticed.
const PER_BOT: u64 = 5;

/// A worker's runtime, and the further ends of the pipes while it starts a bot.
const PER_WORKER: u64 = 12;

/// The standard ones, the results file and its companions, signals, and what a library opens.
const OTHERS: u64 = 32;

/// The limit of open files is too low for what is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "too few files may be open: {jobs} matches side by side need {needed}, the limit is {allowed}\n  \
     run fewer side by side with --jobs, or raise the limit (ulimit -n {needed})"
)]
pub struct TooFewFiles {
    /// Matches side by side.
    pub jobs: usize,
    /// What they need.
    pub needed: u64,
    /// What this process can have without being privileged.
    pub allowed: u64,
}

/// Sees to it that `jobs` matches of `seats` out of `bots` can run side by side on `workers` threads.
///
/// # Errors
/// [`TooFewFiles`] when the hard limit does not allow it.
pub fn reserve_files(jobs: usize, workers: usize, seats: usize, bots: usize) -> Result<(), TooFewFiles> {
    // Besides those at the board a job keeps some for later; those of two matches may be on their way out.
    let bots_of_a_job = bots.min(seats + BOTS_KEPT) + 2 * seats;
    let needed = (jobs * bots_of_a_job) as u64 * PER_BOT + workers as u64 * PER_WORKER + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|soft| soft >= needed) {
        return Ok(());
    }
    let raised = Rlimit {
        current: Some(needed),
        maximum: limit.maximum,
    };
    let allowed = limit.maximum.unwrap_or(u64::MAX);
    if allowed < needed || setrlimit(Resource::Nofile, raised).is_err() {
        return Err(TooFewFiles { jobs, needed, allowed });
    }
    Ok(())
}
