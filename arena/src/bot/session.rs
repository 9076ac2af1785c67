//! A bot over its whole life in a run: started when it is needed, kept from match to match, retired after a fault.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::{BotHello, Decoded, FromBot, Hello, ToBot, VERSIONS, decode, encode, excerpt};
use rustix::io::Errno;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::launch::{self, Launcher, Layer, Report};
use super::{Process, Received, SendError, Transcript, hint};
use crate::config::Resolved;

/// A start that takes longer makes whoever watches wonder what is waited for.
pub const SLOW_START: Duration = Duration::from_secs(1);

/// How long a bot that did not start is left alone before it is started once more.
const START_PAUSE: Duration = Duration::from_millis(200);

/// How long the exit of a bot that closed its output is waited for, to tell an end from a closed output. What the bot has
/// left is taken away first, which takes its time on a busy machine; only a bot that lives on without output makes anybody
/// wait so long.
pub const EXIT_PATIENCE: Duration = Duration::from_secs(5);

/// How long a bot that was silent may take to write what it has held back, once its input is closed.
pub const HELD_BACK_PATIENCE: Duration = Duration::from_millis(200);

/// Characters of a bot's line that are shown.
pub const EXCERPT_CHARS: usize = 160;

/// A bot as the run knows it.
#[derive(Debug)]
pub struct Program {
    /// Its place in the plan's list.
    pub id: usize,
    /// Its name in the plan.
    pub name: String,
    /// What is started.
    pub resolved: Resolved,
    /// What starts it.
    pub launcher: Arc<Launcher>,
    /// What it must not see.
    pub hidden: Vec<PathBuf>,
}

impl Program {
    /// The bots of a plan, in its order, none of which sees what is another's or the results file.
    pub fn all(bots: Vec<(String, Resolved)>, launcher: &Arc<Launcher>, results: Option<&Path>) -> Vec<Arc<Program>> {
        let all: Vec<Resolved> = bots.iter().map(|(_, resolved)| resolved.clone()).collect();
        let program = |(id, (name, resolved)): (usize, (String, Resolved))| {
            let others: Vec<&Resolved> = all
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != id)
                .map(|(_, other)| other)
                .collect();
            let hidden = launch::hidden(&resolved, &others, results);
            Arc::new(Program {
                id,
                name,
                resolved,
                launcher: Arc::clone(launcher),
                hidden,
            })
        };
        bots.into_iter().enumerate().map(program).collect()
    }
}

/// A bot and its process, if one runs.
#[derive(Debug)]
pub struct Bot {
    program: Arc<Program>,
    /// What plays in its place for the rest of the match.
    stand_in: Option<Arc<Program>>,
    running: Option<Running>,
    /// The transcript while no process has it.
    transcript: Transcript,
}

/// A process that has said hello.
#[derive(Debug)]
struct Running {
    process: Process,
    hello: BotHello,
}

/// Why a bot did not get as far as `hello`.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The operating system refuses.
    #[error("`{}`: {error}", .program.display())]
    CannotStart {
        /// What was to be started.
        program: PathBuf,
        /// What the operating system says.
        error: io::Error,
    },
    /// The sandbox cannot be had, though it could when the run began.
    #[error("the sandbox cannot be made: {}: {why}", .layer.as_str())]
    NoSandbox {
        /// What of it.
        layer: Layer,
        /// What the operating system says.
        why: String,
    },
    /// No `hello` in time.
    #[error("no `hello` within {limit_ms} ms; {}", instead_text(*.lines, .unfinished))]
    NoHello {
        /// The start limit.
        limit_ms: u64,
        /// Lines that came and were no messages.
        lines: u64,
        /// Bytes that came without a newline.
        unfinished: Vec<u8>,
        /// What could be done about it.
        hint: Option<String>,
    },
    /// Something else instead of `hello`.
    #[error("no `hello`: {problem}")]
    NotHello {
        /// What is wrong.
        problem: String,
        /// The line, cut and escaped.
        received: String,
        /// What could be done about it.
        hint: Option<String>,
    },
    /// A version that was not offered.
    #[error("protocol {chosen} was not offered; offered: {}", VERSIONS.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))]
    UnsupportedProtocol {
        /// The bot's choice.
        chosen: u32,
    },
    /// The process ended first.
    #[error("{} before its `hello`", exit_text(*.0))]
    Exited(ExitStatus),
    /// The output was closed first.
    #[error("closed its output before its `hello`")]
    ClosedOutput,
}

/// A bot that did not get as far as `hello`, with all that is known of it.
#[derive(Debug)]
pub struct NotStarted {
    /// Why.
    pub error: StartError,
    /// What could be done about it.
    pub hint: Option<String>,
    /// The last of what it wrote to standard error.
    pub stderr: Option<String>,
}

/// Bots that have been told to end, each with its grace; the grace runs for all of them at once.
#[derive(Debug, Default)]
pub struct Retirements(JoinSet<()>);

impl Retirements {
    /// Lets a bot end in the background.
    fn add(&mut self, process: Process, grace: Duration) {
        // Those that have ended already are forgotten, so that the set does not grow with the run.
        while self.0.try_join_next().is_some() {}
        self.0.spawn(process.end(grace));
    }

    /// Waits until at most `left` of them have not ended. Whoever starts bots without end must wait for those that go: they
    /// hold pipes, and a bot can go as slowly as it is allowed to.
    pub async fn wait_for_all_but(&mut self, left: usize) {
        while self.0.len() > left {
            self.0.join_next().await;
        }
    }

    /// Waits until all of them have ended.
    pub async fn finish(mut self) {
        while self.0.join_next().await.is_some() {}
    }
}

impl StartError {
    /// Whether starting once more may help. It is not done after a time-out: the bot has had all its time.
    fn may_pass(&self) -> bool {
        matches!(self, StartError::Exited(_) | StartError::ClosedOutput)
    }

    /// Whether it is the host that fails, which is short of something, and not the bot.
    pub fn is_of_host(&self) -> bool {
        let short = [Errno::AGAIN, Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::NOSPC];
        match self {
            StartError::NoSandbox { .. } => true,
            StartError::CannotStart { error, .. } => {
                Errno::from_io_error(error).is_some_and(|errno| short.contains(&errno))
            }
            _ => false,
        }
    }
}

impl Bot {
    /// A bot that has not been started yet.
    pub fn new(program: Arc<Program>) -> Bot {
        Bot {
            program,
            stand_in: None,
            running: None,
            transcript: Transcript::default(),
        }
    }

    /// From now on `program` plays in its place, until the match is over.
    pub fn give_seat_to(&mut self, program: Arc<Program>) {
        self.stand_in = Some(program);
    }

    /// Ends that another program plays in its place.
    pub async fn take_seat_again(&mut self, retirements: &mut Retirements) {
        if self.stand_in.take().is_some() {
            self.quit(retirements).await;
        }
    }

    /// Who it is, whoever plays in its place.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// What was sent and read since [`Bot::begin_transcript`], by whichever of its processes.
    pub fn transcript(&self) -> &Transcript {
        match &self.running {
            Some(running) => &running.process.transcript,
            None => &self.transcript,
        }
    }

    /// Begins the transcript anew: a match has begun at this instant.
    pub fn begin_transcript(&mut self, at: Instant) {
        match &mut self.running {
            Some(running) => running.process.transcript.begin(at),
            None => self.transcript.begin(at),
        }
    }

    /// The process, if one is held, for whoever ends it; its transcript stays.
    fn let_go(&mut self) -> Option<Process> {
        let mut process = self.running.take()?.process;
        process.note_unfinished();
        self.transcript = std::mem::take(&mut process.transcript);
        Some(process)
    }

    /// Starts the process where none runs; [`Bot::greet`] completes the start. Several bots can be started at once.
    ///
    /// # Errors
    /// [`StartError::CannotStart`].
    pub fn start(&mut self) -> Result<Option<Process>, NotStarted> {
        if let Some(running) = &self.running
            && !running.process.has_ended()
        {
            // What it wrote in earlier matches belongs to them; what a process writes while it starts, to its first.
            running.process.forget_stderr();
            return Ok(None);
        }
        self.let_go();
        // Some refusals are of a moment: a host short of processes.
        let started = self.start_process().or_else(|_| self.start_process());
        started.map(Some).map_err(|error| self.cannot_start(error))
    }

    fn start_process(&mut self) -> io::Result<Process> {
        let program = self.stand_in.as_ref().unwrap_or(&self.program);
        let mut process = Process::start(&program.resolved, &program.launcher, &program.hidden)?;
        process.transcript = std::mem::take(&mut self.transcript);
        Ok(process)
    }

    fn cannot_start(&self, error: io::Error) -> NotStarted {
        let program = self.program.resolved.program.clone();
        self.not_started(StartError::CannotStart { program, error }, None)
    }

    /// Exchanges `hello` with a process that was just started. One that ends instead is started once more.
    ///
    /// # Errors
    /// Why the last start failed; the process has been retired.
    pub async fn greet(
        &mut self,
        process: Process,
        limit: Duration,
        retirements: &mut Retirements,
    ) -> Result<(), NotStarted> {
        let hello = hello_line();
        match self.greet_with(hello.as_bytes(), process, limit, retirements).await {
            Err(not_started) if not_started.error.may_pass() => {
                sleep(START_PAUSE).await;
                let again = self.start_process().map_err(|error| self.cannot_start(error))?;
                self.greet_with(hello.as_bytes(), again, limit, retirements).await
            }
            greeted => greeted,
        }
    }

    /// As [`Bot::greet`], with this line for the arena's `hello`, and without a second start.
    ///
    /// # Errors
    /// As [`Bot::greet`].
    pub async fn greet_with(
        &mut self,
        hello: &[u8],
        mut process: Process,
        limit: Duration,
        retirements: &mut Retirements,
    ) -> Result<(), NotStarted> {
        match greeting(&mut process, hello, &self.program.resolved, limit).await {
            Ok(hello) => {
                self.running = Some(Running { process, hello });
                Ok(())
            }
            Err(error) => {
                let stderr = process.last_words().await;
                process.note_unfinished();
                self.transcript = std::mem::take(&mut process.transcript);
                retirements.add(process, Duration::ZERO);
                Err(self.not_started(error, stderr))
            }
        }
    }

    fn not_started(&self, error: StartError, stderr: Option<String>) -> NotStarted {
        NotStarted {
            hint: hint::of_start(&error, &self.program.resolved.program),
            error,
            stderr,
        }
    }

    /// The running process.
    ///
    /// # Panics
    /// When none runs: the caller starts it first.
    pub fn process(&mut self) -> &mut Process {
        &mut self.running.as_mut().expect("the bot has been started").process
    }

    /// Whether a process is held, alive or not.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// What the bot said of itself.
    ///
    /// # Panics
    /// As [`Bot::process`].
    pub fn hello(&self) -> &BotHello {
        &self.running.as_ref().expect("the bot has been started").hello
    }

    /// Lets the process end after a fault: the next match gets a fresh one. It has a moment to read why.
    pub fn retire(&mut self, retirements: &mut Retirements) {
        if let Some(process) = self.let_go() {
            retirements.add(process, Duration::from_millis(100));
        }
    }

    /// Says `quit` and lets the process end.
    pub async fn quit(&mut self, retirements: &mut Retirements) {
        if let Some(running) = &mut self.running {
            let _ = running.process.send(encode::<(), ()>(&ToBot::Quit).as_bytes()).await;
        }
        if let Some(process) = self.let_go() {
            let grace = Duration::from_millis(self.program.launcher.limits().quit_ms);
            retirements.add(process, grace);
        }
    }
}

/// The arena's `hello`, with its newline.
pub fn hello_line() -> String {
    encode::<(), ()>(&ToBot::Hello(Hello {
        protocols: VERSIONS.to_vec(),
        arena: concat!("mancala-arena ", env!("CARGO_PKG_VERSION")).into(),
    }))
}

/// Sends `hello` and waits for the bot's own.
async fn greeting(
    process: &mut Process,
    hello: &[u8],
    program: &Resolved,
    limit: Duration,
) -> Result<BotHello, StartError> {
    let deadline = Instant::now() + limit;
    // A bot that has ended or does not read shows itself below, by its exit or by its silence.
    let sent = process.send(hello).await;
    let mut first = true;
    let (mut lines, mut line_hint) = (0, None);
    loop {
        match process.receive(deadline).await {
            Received::Line(at) if at <= deadline => {}
            Received::Line(_) | Received::Nothing => {
                let unfinished = process.unfinished().to_vec();
                return Err(StartError::NoHello {
                    limit_ms: limit.as_millis() as u64,
                    lines,
                    hint: match line_hint.or_else(|| hint::of_line(&unfinished)) {
                        Some(hint) => Some(hint.to_owned()),
                        None if !unfinished.is_empty() => Some(hint::NEWLINE.to_owned()),
                        None => {
                            let held_back = process.held_back(HELD_BACK_PATIENCE).await;
                            hint::of_held_back(&held_back).or_else(|| (lines == 0).then(|| hint::FLUSH.to_owned()))
                        }
                    },
                    unfinished,
                });
            }
            Received::Closed => {
                return Err(match process.exit_status(EXIT_PATIENCE).await {
                    Some(status) => ended(status, &process.reports(), program),
                    None => StartError::ClosedOutput,
                });
            }
            overflow @ (Received::TooLong | Received::Flood) => {
                let problem = match overflow {
                    Received::TooLong => "a line above the limit",
                    _ => "output without end",
                };
                return Err(StartError::NotHello {
                    problem: problem.to_owned(),
                    received: excerpt(process.line(), EXCERPT_CHARS),
                    hint: None,
                });
            }
        }
        let not_hello = |problem: String| {
            Err(StartError::NotHello {
                problem,
                received: excerpt(process.line(), EXCERPT_CHARS),
                hint: hint::of_line(process.line()).map(str::to_owned),
            })
        };
        match decode(process.line(), std::mem::take(&mut first)) {
            Ok(Decoded::Blank) => {}
            Ok(Decoded::Log) => {
                lines += 1;
                line_hint = line_hint.or_else(|| hint::of_line(process.line()));
            }
            Ok(Decoded::Message {
                message: FromBot::Hello(hello),
                ..
            }) => {
                if !VERSIONS.contains(&hello.protocol) {
                    return Err(StartError::UnsupportedProtocol { chosen: hello.protocol });
                }
                debug_assert!(sent != Err(SendError::NotReading), "a bot that answers has read");
                return Ok(hello);
            }
            Ok(Decoded::Message {
                message: FromBot::Info(_) | FromBot::Unknown { .. },
                ..
            }) => {}
            Ok(Decoded::Message { .. }) => return not_hello("another message came first".into()),
            Err(error) => return not_hello(format!("not a message: {error}")),
        }
    }
}

/// Why a process ended before its `hello`.
fn ended(status: ExitStatus, reports: &[Report], program: &Resolved) -> StartError {
    let why = reports.iter().find_map(|report| match report {
        Report::CannotStart(number) => Some(StartError::CannotStart {
            program: program.program.clone(),
            error: io::Error::from_raw_os_error(*number),
        }),
        Report::Refused(layer, why) => Some(StartError::NoSandbox {
            layer: *layer,
            why: why.clone(),
        }),
        _ => None,
    });
    why.unwrap_or(StartError::Exited(status))
}

/// How a process ended, in words.
pub fn exit_text(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with status {code}"),
        (None, Some(signal)) => format!("ended by {}", signal_name(signal)),
        (None, None) => "ended".to_owned(),
    }
}

pub(super) fn signal_name(number: i32) -> String {
    use rustix::process::Signal;
    const NAMES: [(Signal, &str); 18] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(signal, _)| signal.as_raw() == number);
    known.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

/// What came instead of a `hello`.
fn instead_text(lines: u64, unfinished: &[u8]) -> String {
    match (lines, unfinished) {
        (0, []) => "nothing was received".to_owned(),
        (lines, []) => format!("lines that were no message: {lines}"),
        (_, bytes) => format!(
            "{} bytes came without a newline: {}",
            bytes.len(),
            excerpt(bytes, EXCERPT_CHARS)
        ),
    }
}
