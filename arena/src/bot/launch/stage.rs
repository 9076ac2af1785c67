//! What all stages have in common: the pipe for reports, descriptors, waiting.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, RawFd};
use std::process::{Child, Command, ExitCode};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, SigmaskHow, sigprocmask};
use nix::unistd::{close, dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::io::{FdFlags, fcntl_setfd};

use super::spec::{Layer, Report, Spec};

/// The exit code of a stage that has failed; why is in its report.
const FAILED: u8 = 125;

/// A stage at work.
pub struct Stage {
    pub spec: Spec,
    pipe: File,
}

/// A stage cannot go on. Why has been reported.
#[derive(Debug)]
pub struct Stopped;

impl From<Stopped> for ExitCode {
    fn from(_: Stopped) -> ExitCode {
        ExitCode::from(FAILED)
    }
}

impl Stage {
    /// Takes over what the stage before has left: the spec, and no descriptor but the pipe.
    pub fn begin(spec: &str) -> Option<Stage> {
        let spec: Spec = serde_json::from_str(spec).ok()?;
        // Opened anew: a descriptor that comes as a number has no owner in this program.
        let pipe = File::options()
            .write(true)
            .open(format!("/proc/self/fd/{}", spec.report_to))
            .ok()?;
        close_all_but(pipe.as_raw_fd());
        Some(Stage { spec, pipe })
    }

    /// Writes a report. Nobody reads it when the arena is gone.
    pub fn report(&self, report: &Report) {
        let line = serde_json::to_string(report).expect("a report has string keys only") + "\n";
        let _ = (&self.pipe).write_all(line.as_bytes());
    }

    /// Reports that a layer cannot be had.
    pub fn refused(&self, layer: Layer, why: impl std::fmt::Display) -> Stopped {
        self.report(&Report::Refused(layer, why.to_string()));
        Stopped
    }

    /// Starts the next stage, which inherits the pipe.
    pub fn start_next(&mut self, name: &str) -> std::io::Result<Child> {
        self.spec.report_to = self.pipe.as_raw_fd();
        fcntl_setfd(&self.pipe, FdFlags::empty())?;
        let spec = serde_json::to_string(&self.spec).expect("a spec has string keys only");
        let child = Command::new("/proc/self/exe")
            .args([super::STAGE_ARGUMENT, name])
            .env(super::SPEC_VARIABLE, spec)
            .spawn();
        fcntl_setfd(&self.pipe, FdFlags::CLOEXEC)?;
        child
    }

    /// Lets go of the bot's three pipes: held here they would hide that the bot has closed them.
    pub fn release_standard_streams() {
        if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
            let _ = dup2_stdin(&null);
            let _ = dup2_stdout(&null);
            let _ = dup2_stderr(&null);
        }
    }
}

/// Lets every signal through: a mask is inherited by programs that are started.
pub fn unblock_signals() -> nix::Result<()> {
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)
}

/// The error of the operating system as its number.
pub fn number(error: &std::io::Error) -> i32 {
    error.raw_os_error().unwrap_or(Errno::EIO as i32)
}

fn close_all_but(kept: RawFd) {
    let open: Vec<RawFd> = std::fs::read_dir("/proc/self/fd")
        .map(|entries| {
            let names = entries
                .flatten()
                .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            names.collect()
        })
        .unwrap_or_default();
    for descriptor in open
        .into_iter()
        .filter(|descriptor| *descriptor > 2 && *descriptor != kept)
    {
        // One of them was the listing's own and is closed already.
        let _ = close(descriptor);
    }
}
