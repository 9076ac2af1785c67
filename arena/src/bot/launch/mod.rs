//! Starts bots so that they can be ended whole and can do no harm.
//!
//! Between the arena and a bot stand stages: this program again, as a hidden subcommand that is looked at before anything
//! else. `supervise` stays beside the bot and takes its tree away; `init` is the first process of the bot's namespace,
//! where there is one; `confine` takes rights away and becomes the bot. None of it is done in the arena between fork and
//! exec: that would copy the page tables of a large process for every bot.
//!
//! Which layers of the sandbox this host gives is tried out once, before the first bot. From then on a bot is started
//! with exactly those, or not at all.

mod cgroup;
mod confine;
mod files;
mod init;
mod spec;
mod stage;
mod supervise;
mod syscalls;
mod tree;
mod visible;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::{FdFlags, fcntl_setfd, ioctl_fionbio};

pub use spec::{Layer, Report};
pub use tree::descendants;
pub use visible::hidden;

use crate::config::{Limits, Resolved, Sandbox};
use cgroup::Parent;
use spec::Spec;
use stage::Stage;

/// The variable that holds a stage's [`Spec`].
const SPEC_VARIABLE: &str = "MANCALA_ARENA_STAGE";

/// The hidden subcommand.
pub(super) const STAGE_ARGUMENT: &str = "__stage";

/// The stage that is no stage: the program of a seat that is played [by hand](super::by_hand).
pub(super) const RELAY: &str = "relay";

/// What [`Sandbox::Required`] asks for.
const NEEDED: [Layer; 5] = [
    Layer::Processes,
    Layer::Files,
    Layer::Network,
    Layer::Memory,
    Layer::Syscalls,
];

/// What starts bots.
#[derive(Debug)]
pub struct Launcher {
    /// This program; absent, a bot is started without any stage.
    program: Option<PathBuf>,
    layers: Vec<Layer>,
    missing: Vec<(Layer, String)>,
    parents: Vec<Parent>,
    limits: Limits,
    started: AtomicU64,
}

/// The host does not give what was required.
#[derive(Debug, thiserror::Error)]
#[error("this host cannot confine bots: {}", .0.iter().map(|(layer, why)| format!("{}: {why}", layer.as_str())).collect::<Vec<_>>().join("; "))]
pub struct SandboxError(Vec<(Layer, String)>);

/// A bot that has been started: the process beside it, and the pipe that tells of it.
#[derive(Debug)]
pub struct Launched {
    pub child: tokio::process::Child,
    pub reports: Option<Reports>,
}

/// What the stages report.
#[derive(Debug)]
pub struct Reports(io::PipeReader);

/// Whether a process is one of the stages, and not yet the bot; also when it is gone.
pub fn is_stage(process: u32) -> bool {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.is_empty() || line.split(|byte| *byte == 0).nth(1) == Some(STAGE_ARGUMENT.as_bytes())
}

/// Runs the stage that this program was started as, if it was.
pub fn run_stage() -> Option<ExitCode> {
    let mut args = std::env::args().skip(1);
    if args.next()? != STAGE_ARGUMENT {
        return None;
    }
    let name = args.next()?;
    if name == "nothing" {
        return Some(ExitCode::SUCCESS);
    }
    if name == RELAY {
        return Some(super::by_hand::relay());
    }
    let stage = std::env::var(SPEC_VARIABLE).ok().and_then(|spec| Stage::begin(&spec));
    let Some(stage) = stage else {
        return Some(ExitCode::FAILURE);
    };
    Some(match name.as_str() {
        "supervise" => supervise::run(stage),
        "init" => init::run(stage),
        _ => confine::run(&stage),
    })
}

impl Launcher {
    /// Starts bots as children, with nothing between: for tests of what is in between.
    pub fn direct() -> Launcher {
        Launcher {
            program: None,
            layers: Vec::new(),
            missing: Vec::new(),
            parents: Vec::new(),
            limits: Limits::default(),
            started: AtomicU64::new(0),
        }
    }

    /// Tries out what this host gives.
    ///
    /// # Errors
    /// [`SandboxError`] when a sandbox is required and cannot be had.
    pub fn new(sandbox: Sandbox, limits: Limits) -> Result<Launcher, SandboxError> {
        let mut launcher = Launcher {
            program: std::env::current_exe().ok(),
            limits,
            ..Launcher::direct()
        };
        sweep(&std::env::temp_dir());
        if sandbox == Sandbox::Off {
            return Ok(launcher);
        }
        let (parents, missing) = cgroup::parents();
        launcher.parents = parents;
        launcher.missing = missing;
        launcher.layers = Layer::ALL.to_vec();
        launcher.layers.retain(|layer| match layer {
            Layer::User => !rustix::process::getuid().is_root(),
            Layer::Memory | Layer::Pids => launcher.parents.iter().any(|parent| parent.gives(*layer)),
            _ => true,
        });
        while let Err((layer, why)) = launcher.try_out() {
            launcher.take_off(layer, &why);
        }
        if sandbox == Sandbox::Required && !launcher.is_whole() {
            let lacking = launcher.missing.iter().filter(|(layer, _)| NEEDED.contains(layer));
            return Err(SandboxError(lacking.cloned().collect()));
        }
        Ok(launcher)
    }

    /// The layers that bots are started with.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }

    /// The layers that this host does not give, and why.
    pub fn missing(&self) -> &[(Layer, String)] {
        &self.missing
    }

    /// Whether all that [`Sandbox::Required`] asks for is there.
    pub fn is_whole(&self) -> bool {
        NEEDED.iter().all(|layer| self.layers.contains(layer))
    }

    /// What each bot may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts a bot. `others` and the results file are hidden from it.
    ///
    /// # Errors
    /// What the operating system says. That the bot's own program cannot be started is told by [`Reports`], once the
    /// process beside it has ended.
    pub fn start(&self, bot: &Resolved, hidden: &[PathBuf]) -> io::Result<Launched> {
        let Some(program) = &self.program else {
            let mut command = Command::new(&bot.program);
            command.args(&bot.args).envs(&bot.env).current_dir(&bot.dir);
            return Ok(Launched {
                child: spawn(command)?,
                reports: None,
            });
        };
        let (command, reports, _held) = self.supervised(program, bot, hidden)?;
        Ok(Launched {
            child: spawn(command)?,
            reports: Some(reports),
        })
    }

    /// The first stage of a bot, with what it reports. Its end of the pipe is held until it has been started.
    fn supervised(
        &self,
        program: &Path,
        bot: &Resolved,
        hidden: &[PathBuf],
    ) -> io::Result<(Command, Reports, io::PipeWriter)> {
        let (reader, writer) = io::pipe()?;
        ioctl_fionbio(&reader, true)?;
        // Inherited by whatever is started meanwhile as well; every stage closes what is not its own.
        fcntl_setfd(&writer, FdFlags::empty())?;
        let spec = self.spec(bot, hidden, writer.as_raw_fd());
        let spec = serde_json::to_string(&spec).expect("a spec has string keys only");
        let mut command = Command::new(program);
        command
            .args([STAGE_ARGUMENT, "supervise"])
            .env_clear()
            .envs(self.environment(bot))
            .env(SPEC_VARIABLE, spec);
        Ok((command, Reports(reader), writer))
    }

    fn spec(&self, bot: &Resolved, hidden: &[PathBuf], report_to: i32) -> Spec {
        let number = self.started.fetch_add(1, Ordering::Relaxed) + 1;
        Spec {
            program: bot.program.clone(),
            args: bot.args.clone(),
            dir: bot.dir.clone(),
            report_to,
            arena: std::process::id(),
            layers: self.layers.clone(),
            limits: self.limits,
            cgroups: self.parents.iter().map(|parent| parent.of_bot(number)).collect(),
            visible: if self.is_confined() {
                visible::visible(bot)
            } else {
                Vec::new()
            },
            hidden: hidden.to_vec(),
            scratch: scratch(&number.to_string()),
        }
    }

    fn is_confined(&self) -> bool {
        !self.layers.is_empty()
    }

    /// The bot's environment: all of the arena's without a sandbox, else what names the language, the time zone and where
    /// programs are, and the scratch directory in place of a home.
    fn environment(&self, bot: &Resolved) -> BTreeMap<OsString, OsString> {
        let passes = |key: &str| {
            !self.is_confined()
                || key.starts_with("LC_")
                || [
                    "PATH",
                    "LANG",
                    "LANGUAGE",
                    "TZ",
                    "JAVA_HOME",
                    "VIRTUAL_ENV",
                    "LD_LIBRARY_PATH",
                ]
                .contains(&key)
        };
        let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os()
            .filter(|(key, _)| passes(&key.to_string_lossy()))
            .collect();
        if self.layers.contains(&Layer::Files) {
            for key in ["HOME", "TMPDIR"] {
                variables.insert(key.into(), files::SCRATCH.into());
            }
        }
        variables.extend(bot.env.iter().map(|(key, value)| (key.into(), value.into())));
        variables
    }

    /// Starts this program, with nothing to do, as a bot would be started.
    fn try_out(&self) -> Result<(), (Layer, String)> {
        let own = self.program.as_ref().expect("a launcher that tries has a program");
        let nothing = Resolved {
            program: own.clone(),
            args: vec![STAGE_ARGUMENT.to_owned(), "nothing".to_owned()],
            dir: "/".into(),
            env: Default::default(),
            content: None,
        };
        let outermost = *self.layers.first().unwrap_or(&Layer::Rlimits);
        let failed = |error: io::Error| (outermost, error.to_string());
        let (mut command, reports, held) = self.supervised(own, &nothing, &[]).map_err(failed)?;
        let status = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        drop(held);
        status.map_err(failed)?;
        let reports = reports.read();
        if let Some((layer, why)) = reports.iter().find_map(|report| match report {
            Report::Refused(layer, why) if self.layers.contains(layer) => Some((*layer, why.clone())),
            _ => None,
        }) {
            return Err((layer, why));
        }
        match reports.contains(&Report::Ended(0)) || self.layers.is_empty() {
            true => Ok(()),
            false => Err((outermost, format!("a trial ended with {reports:?}"))),
        }
    }

    /// Does without a layer, and without those that need it.
    fn take_off(&mut self, layer: Layer, why: &str) {
        let mut off = vec![(layer, why.to_owned())];
        let needs: &[Layer] = match layer {
            Layer::User => &[Layer::Processes, Layer::Files, Layer::Network],
            Layer::Processes => &[Layer::Files, Layer::Network],
            _ => &[],
        };
        let reason = format!("needs the layer `{}`", layer.as_str());
        off.extend(needs.iter().map(|needing| (*needing, reason.clone())));
        off.retain(|(layer, _)| self.layers.contains(layer));
        self.layers.retain(|kept| !off.iter().any(|(layer, _)| layer == kept));
        self.parents
            .retain(|parent| !off.iter().any(|(layer, _)| parent.gives(*layer)));
        self.missing.extend(off);
    }
}

impl Reports {
    /// What has been reported so far.
    pub fn read(mut self) -> Vec<Report> {
        let mut text = Vec::new();
        // It ends with the last writer, or says that there is no more now.
        let _ = self.0.read_to_end(&mut text);
        let lines = text.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

/// What every scratch directory on the host is called at its beginning; the id of the arena's process follows.
const SCRATCH_PREFIX: &str = "mancala-arena-scratch-";

/// A path for a scratch directory of this arena; one that is left over is removed by the next.
pub(super) fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("{SCRATCH_PREFIX}{}-{name}", std::process::id()))
}

fn spawn(command: Command) -> io::Result<tokio::process::Child> {
    tokio::process::Command::from(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// Removes scratch directories that an arena has left whose launchers were killed.
fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        if is_left_over(&entry.file_name().to_string_lossy(), SCRATCH_PREFIX) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a name of ours carries the id of an arena that is gone.
fn is_left_over(name: &str, prefix: &str) -> bool {
    let id = name.strip_prefix(prefix).and_then(|rest| rest.split('-').next());
    id.and_then(|id| id.parse::<u32>().ok())
        .is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists())
}
