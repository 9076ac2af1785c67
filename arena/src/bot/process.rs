//! A running bot process and its three pipes.
//!
//! Input and output are pipes, not socket pairs, which cost twice as much. A line is stamped when its bytes are read, so
//! lateness is judged by when the answer came and not by which future won. Nothing is re-armed by a chunk that arrives:
//! the deadline is the caller's and absolute.
//!
//! A task of its own reaps the process the moment it ends. What runs is the launcher's first stage, which ends when the
//! bot has ended and nothing is left of what it started, and reports how.

use std::future::{Future, poll_fn};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use mancala_arena_protocol::{FROM_BOT_BYTES_MAX, LineBuffer, LineEvent};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use rustix::thread::sched_yield;
use tokio::io::{AsyncRead, AsyncWriteExt, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::Notify;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, Sleep, sleep_until, timeout, timeout_at};

use super::launch::{Launched, Launcher, Report, Reports};
use super::{Tail, Transcript, Tree, Way};
use crate::config::{Limits, Resolved};

/// How long the last of standard error is waited for once the process has ended.
const LAST_WORDS_PATIENCE: Duration = Duration::from_millis(1_000);

/// Bytes of standard error that are kept.
const STDERR_BYTES_KEPT: usize = 8 * 1024;

/// Bytes of standard error that are read at once, for a bot that writes to it without end.
const STDERR_NOW_BYTES_MAX: usize = 1024 * 1024;

/// A bot that answers within this answers at once.
const QUICK: Duration = Duration::from_micros(200);

/// How long a bot may leave its input unread before a line to it is given up. The pipe alone holds many matches' lines.
pub const WRITE_PATIENCE: Duration = Duration::from_secs(1);

/// Off-turn output that is dropped before a turn; a bot that still has more is writing without end.
const DRAIN_BYTES_MAX: usize = 1024 * 1024;

/// Output that is taken in one turn; a bot that has still more is writing without end. A million short lines fit in.
pub const TURN_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A running bot.
#[derive(Debug)]
pub struct Process {
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    chunk: Box<[u8; 16 * 1024]>,
    lines: LineBuffer,
    line: Vec<u8>,
    alarm: Pin<Box<Sleep>>,
    /// The rest of the line that is arriving belongs to an earlier turn.
    skip_to_newline: bool,
    /// Bytes read since [`Process::drop_unasked`].
    turn_bytes: usize,
    /// Why a line could not be sent: part of it may have been, so none can be sent after it.
    unsendable: Option<SendError>,
    /// When the last line was sent.
    sent: Instant,
    /// The last line was answered within [`QUICK`].
    is_quick: bool,
    /// What was sent and read in this match. Whoever holds the process gives it and takes it back.
    pub(super) transcript: Transcript,
    /// What it may use.
    limits: Limits,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The process that was started, and its group.
    started: Pid,
    /// Whether that is a stage which takes the bot with it, rather than the bot.
    is_stage: bool,
    state: Mutex<State>,
    /// The process has ended, or its standard error has: whoever waits looks at the state.
    ended: Notify,
}

#[derive(Debug)]
struct State {
    exit: Option<ExitStatus>,
    /// What the stages have reported, once the process has ended.
    reports: Vec<Report>,
    /// Whoever waits for a line.
    reader: Option<Waker>,
    stderr: Tail,
    /// Where standard error comes from, until it is closed.
    stderr_pipe: Option<ChildStderr>,
}

/// What [`Process::receive`] waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// A line, to be read with [`Process::line`]; it was read at this instant.
    Line(Instant),
    /// The deadline has passed and there is no whole line.
    Nothing,
    /// The bot has closed its output, or has ended.
    Closed,
    /// A line above the limit; its first bytes are in [`Process::line`].
    TooLong,
    /// More than [`TURN_BYTES_MAX`] in one turn.
    Flood,
}

/// What [`Process::poll_chunk`] waited for.
enum Chunk {
    Bytes(usize),
    Late,
    Closed,
}

/// Why a line could not be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The bot has closed its input, or has ended.
    Closed,
    /// The bot does not read.
    NotReading,
}

impl Process {
    /// Starts a bot. Its group is its own, so that a terminal's Ctrl-C does not reach it. `hidden` is kept from it.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn start(program: &Resolved, launcher: &Launcher, hidden: &[PathBuf]) -> io::Result<Process> {
        let Launched { mut child, reports } = launcher.start(program, hidden)?;
        let id = child.id().expect("the child has not been waited for");
        let shared = Arc::new(Shared {
            started: Pid::from_raw(id as i32).expect("a child's id is not 0"),
            is_stage: reports.is_some(),
            state: Mutex::new(State {
                exit: None,
                reports: Vec::new(),
                reader: None,
                stderr: Tail::new(STDERR_BYTES_KEPT),
                stderr_pipe: child.stderr.take(),
            }),
            ended: Notify::new(),
        });
        let process = Process {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().expect("output is piped"),
            chunk: Box::new([0; 16 * 1024]),
            lines: LineBuffer::new(FROM_BOT_BYTES_MAX),
            line: Vec::new(),
            alarm: Box::pin(sleep_until(Instant::now())),
            skip_to_newline: false,
            turn_bytes: 0,
            unsendable: None,
            sent: Instant::now(),
            is_quick: true,
            transcript: Transcript::default(),
            limits: *launcher.limits(),
            shared: Arc::clone(&shared),
        };
        tokio::spawn(drain_stderr(Arc::clone(&shared)));
        tokio::spawn(async move {
            let status = child.wait().await.unwrap_or_default();
            if !shared.is_stage {
                shared.kill();
            }
            let reports = reports.map(Reports::read).unwrap_or_default();
            let bot = reports.iter().find_map(|report| match report {
                Report::Ended(status) => Some(ExitStatus::from_raw(*status)),
                _ => None,
            });
            let mut state = shared.state();
            state.exit = Some(bot.unwrap_or(status));
            state.reports = reports;
            if let Some(reader) = state.reader.take() {
                reader.wake();
            }
            shared.ended.notify_waiters();
        });
        Ok(process)
    }

    /// Sends a line, with its newline, and says when the bot had it.
    ///
    /// A bot on the same core may run as soon as the pipe has the line, and may have answered before the system call
    /// returns. So the instant is taken before a call that writes the whole line, which is early by the call itself, a
    /// microsecond; taken afterwards it would be late by all that the bot had thought until then.
    ///
    /// # Errors
    /// [`SendError`]; the line may have been sent in part, so every later line fails in the same way.
    pub async fn send(&mut self, line: &[u8]) -> Result<Instant, SendError> {
        if let Some(error) = self.unsendable {
            return Err(error);
        }
        let sent = self.write(line).await;
        self.unsendable = sent.err();
        let (at, way) = sent.map_or_else(|_| (Instant::now(), Way::Unsent), |at| (at, Way::ToBot));
        self.transcript.push(at, way, line.strip_suffix(b"\n").unwrap_or(line));
        sent
    }

    async fn write(&mut self, line: &[u8]) -> Result<Instant, SendError> {
        let Some(stdin) = &mut self.stdin else {
            return Err(SendError::Closed);
        };
        // The pipe nearly always has room: one system call, and no future is built.
        let before = Instant::now();
        self.sent = before;
        let written = match rustix::io::write(&*stdin, line) {
            Ok(written) if written == line.len() => return Ok(before),
            Ok(written) => written,
            Err(Errno::AGAIN) => 0,
            Err(_) => return Err(SendError::Closed),
        };
        match timeout(WRITE_PATIENCE, stdin.write_all(&line[written..])).await {
            Ok(Ok(())) => Ok(Instant::now()),
            Ok(Err(_)) => Err(SendError::Closed),
            Err(_) => Err(SendError::NotReading),
        }
    }

    /// Waits for the next line until `deadline`.
    pub async fn receive(&mut self, deadline: Instant) -> Received {
        loop {
            if let Some(received) = self.take_line(Way::FromBot) {
                return received;
            }
            match poll_fn(|context| self.poll_chunk(context, deadline)).await {
                Chunk::Bytes(length) => {
                    self.lines.push(&self.chunk[..length]);
                    self.turn_bytes += length;
                    if self.turn_bytes > TURN_BYTES_MAX {
                        return Received::Flood;
                    }
                    // The reads go past tokio, so a bot that writes without pause would keep the thread to itself.
                    consume_budget().await;
                }
                Chunk::Late => return Received::Nothing,
                Chunk::Closed => return Received::Closed,
            }
        }
    }

    /// Reads what is there; otherwise waits for more, for the end of the process, or for the deadline.
    ///
    /// A bot on this core that answers at once has often done so before the write that asked it returned, or does when it
    /// is given the core: then neither the reactor nor a timer is needed. Not so for a bot that takes its time: whoever
    /// gives the core away often is given it late by the kernel, and on a busy machine that is late for other matches.
    fn poll_chunk(&mut self, context: &mut Context<'_>, deadline: Instant) -> Poll<Chunk> {
        if let Some(length) = self.read_now() {
            return Poll::Ready(Chunk::Bytes(length));
        }
        if self.is_quick {
            sched_yield();
            if let Some(length) = self.read_now() {
                return Poll::Ready(Chunk::Bytes(length));
            }
        }
        let mut buffer = ReadBuf::new(&mut self.chunk[..]);
        match Pin::new(&mut self.stdout).poll_read(context, &mut buffer) {
            Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                return Poll::Ready(Chunk::Bytes(buffer.filled().len()));
            }
            Poll::Ready(_) => return Poll::Ready(Chunk::Closed),
            Poll::Pending => {}
        }
        if self.shared.watch_for_end(context.waker()) {
            // Nothing more will come from the process itself; a child of its own may hold the pipe open for ever.
            return Poll::Ready(self.read_now().map_or(Chunk::Closed, Chunk::Bytes));
        }
        // An alarm that is set too early goes off in vain and is set anew: cheaper than setting it at every ply.
        if self.alarm.deadline() > deadline {
            self.alarm.as_mut().reset(deadline);
        }
        while self.alarm.as_mut().poll(context).is_ready() {
            if Instant::now() >= deadline {
                return Poll::Ready(Chunk::Late);
            }
            self.alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }

    /// The line that [`Process::receive`] announced, without its newline.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// Bytes that have arrived and have no newline yet.
    pub fn unfinished(&self) -> &[u8] {
        self.lines.pending()
    }

    /// Notes those bytes in the transcript; they stay where they are.
    pub(super) fn note_unfinished(&mut self) {
        let pending = self.lines.pending();
        if !pending.is_empty() {
            self.transcript.push(Instant::now(), Way::Unfinished, pending);
        }
    }

    /// Notes in the transcript that the line received last was dropped.
    pub fn note_dropped(&mut self) {
        self.transcript.drop_last();
    }

    /// Drops what the bot wrote while nobody asked: whole lines, and the one that is arriving. Gives the number of
    /// lines, or `None` when the bot writes faster than it can be dropped.
    pub fn drop_unasked(&mut self) -> Option<u64> {
        self.turn_bytes = 0;
        let mut lines = 0;
        let mut bytes = 0;
        loop {
            while let Some(received) = self.take_line(Way::Dropped) {
                if received == Received::TooLong {
                    return None;
                }
                lines += 1;
            }
            // No bytes now, or never again: whoever asks next finds out.
            let Some(length) = self.read_now() else { break };
            bytes += length;
            self.lines.push(&self.chunk[..length]);
            if bytes > DRAIN_BYTES_MAX {
                return None;
            }
        }
        if !self.lines.pending().is_empty() {
            self.note_unfinished();
            self.lines.clear();
            // The rest of a line that an earlier turn has dropped is not another one.
            if !std::mem::replace(&mut self.skip_to_newline, true) {
                lines += 1;
            }
        }
        Some(lines)
    }

    /// How the process ended, once it has; waits for at most `patience`.
    pub async fn exit_status(&self, patience: Duration) -> Option<ExitStatus> {
        let ended = self.shared.ended.notified();
        if let Some(status) = self.shared.state().exit {
            return Some(status);
        }
        let deadline = Instant::now() + patience;
        let mut ended = std::pin::pin!(ended);
        while timeout_at(deadline, ended.as_mut()).await.is_ok() {
            ended.set(self.shared.ended.notified());
            if let Some(status) = self.shared.state().exit {
                return Some(status);
            }
        }
        None
    }

    /// What the sandbox limits it to.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What has been reported of a process that has ended, beside its status: that it could not be started, or has met
    /// a limit.
    pub fn reports(&self) -> Vec<Report> {
        self.shared.state().reports.clone()
    }

    /// The processes of the bot, while the one that was started lives.
    pub fn tree(&self) -> Option<Tree> {
        (!self.has_ended()).then(|| Tree::new(self.shared.started, self.shared.is_stage))
    }

    /// Whether the process has ended.
    pub fn has_ended(&self) -> bool {
        self.shared.state().exit.is_some()
    }

    /// The last of what the bot wrote to standard error; of a process that has ended, all that was still on its way.
    pub async fn last_words(&self) -> Option<String> {
        let ended = self.shared.ended.notified();
        let on_its_way = {
            let mut state = self.shared.state();
            state.read_stderr_now();
            state.exit.is_some() && state.stderr_pipe.is_some()
        };
        if on_its_way {
            // A grandchild may hold the pipe open for ever.
            let _ = timeout(LAST_WORDS_PATIENCE, ended).await;
        }
        self.shared.state().stderr.text()
    }

    /// Forgets what the bot wrote to standard error so far, also what has not been read yet.
    pub fn forget_stderr(&self) {
        // A bot on this core that writes there may be just about to read how its last match ended, and to write of it.
        if self.shared.state().stderr.was_written() {
            sched_yield();
        }
        let mut state = self.shared.state();
        state.read_stderr_now();
        state.stderr.clear();
    }

    /// Closes the bot's input and gives what it writes then, until it ends or `patience` is over: a bot that does not flush
    /// lets go of its output at its end.
    pub async fn held_back(&mut self, patience: Duration) -> Vec<u8> {
        self.stdin = None;
        let deadline = Instant::now() + patience;
        let mut bytes = Vec::new();
        while let Received::Line(_) = self.receive(deadline).await
            && bytes.len() < FROM_BOT_BYTES_MAX
        {
            self.note_dropped();
            bytes.extend_from_slice(&self.line);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(self.lines.pending());
        bytes
    }

    /// Closes the bot's input and waits until it has ended, killing it with all that it started after `grace`.
    pub async fn end(mut self, grace: Duration) {
        self.stdin = None;
        // A bot that is stopped could not end by itself.
        self.tree().into_iter().for_each(Tree::thaw);
        if self.exit_status(grace).await.is_none() {
            self.shared.kill();
            self.exit_status(Duration::from_secs(10)).await;
        }
    }

    /// Reads without waiting; `None` when there is nothing now, or never will be.
    fn read_now(&mut self) -> Option<usize> {
        rustix::io::read(&self.stdout, &mut self.chunk[..])
            .ok()
            .filter(|length| *length > 0)
    }

    /// The next whole line that is held, moved to `self.line`; its stamp is now, so it is taken as soon as it is read.
    fn take_line(&mut self, way: Way) -> Option<Received> {
        loop {
            let (line, at, received) = match self.lines.next_line() {
                LineEvent::Incomplete => return None,
                LineEvent::Line(line) => {
                    let at = Instant::now();
                    self.is_quick = at - self.sent < QUICK;
                    (line, at, Received::Line(at))
                }
                LineEvent::TooLong(line) => (line, Instant::now(), Received::TooLong),
            };
            let skip = std::mem::take(&mut self.skip_to_newline);
            self.transcript.push(at, if skip { Way::Dropped } else { way }, line);
            if skip {
                continue;
            }
            self.line.clear();
            self.line.extend_from_slice(line);
            return Some(received);
        }
    }
}

impl Drop for Process {
    /// A bot that nobody holds any more is killed with all that it started.
    fn drop(&mut self) {
        if !self.has_ended() {
            self.shared.kill();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding a bot's state")
    }

    /// Whether the process has ended; if not, `reader` is woken when it does.
    fn watch_for_end(&self, reader: &Waker) -> bool {
        let mut state = self.state();
        if state.exit.is_none() && !state.reader.as_ref().is_some_and(|waker| waker.will_wake(reader)) {
            state.reader = Some(reader.clone());
        }
        state.exit.is_some()
    }

    /// Kills the bot and what it started. That it is gone already is no error.
    fn kill(&self) {
        let _ = if self.is_stage {
            kill_process(self.started, Signal::TERM)
        } else {
            kill_process_group(self.started, Signal::KILL)
        };
    }
}

impl State {
    /// Reads what standard error has without waiting: the task that reads it may not have had its turn.
    fn read_stderr_now(&mut self) {
        let Some(pipe) = &self.stderr_pipe else { return };
        let mut chunk = [0; 4 * 1024];
        let mut bytes = 0;
        while bytes < STDERR_NOW_BYTES_MAX
            && let Ok(length @ 1..) = rustix::io::read(pipe, &mut chunk)
        {
            self.stderr.push(&chunk[..length]);
            bytes += length;
        }
    }

    /// Waits for standard error and reads some of it; whether there can be more.
    fn poll_stderr(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        let Some(pipe) = &mut self.stderr_pipe else {
            return Poll::Ready(false);
        };
        let mut chunk = [0; 4 * 1024];
        let mut buffer = ReadBuf::new(&mut chunk);
        let read = ready!(Pin::new(pipe).poll_read(context, &mut buffer));
        let open = read.is_ok() && !buffer.filled().is_empty();
        if open {
            self.stderr.push(buffer.filled());
        } else {
            self.stderr_pipe = None;
        }
        Poll::Ready(open)
    }
}

/// Reads standard error to its end, so that a bot never blocks on it.
async fn drain_stderr(shared: Arc<Shared>) {
    while poll_fn(|context| shared.state().poll_stderr(context)).await {}
    shared.ended.notify_waiters();
}
