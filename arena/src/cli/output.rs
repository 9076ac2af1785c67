//! Where output goes and how the program ends.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::ValueEnum;

use crate::config::ConfigError;

/// The form of what a command prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum Format {
    /// A table for people.
    #[default]
    Table,
    /// JSON for programs.
    Json,
    /// Comma-separated values for spreadsheets.
    Csv,
}

/// How the program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Done, and the answer is no.
    No = 1,
    /// Wrong usage or input.
    Usage = 2,
    /// A bot could not be started.
    BotCannotStart = 3,
    /// Interrupted before the end.
    Interrupted = 4,
    /// A comparison is open after all that it was allowed.
    Undecided = 5,
}

/// Standard output: buffered, without colour unless a terminal reads it. Data goes here; messages go to standard error.
pub struct Output {
    to: Box<dyn Write>,
}

impl Output {
    /// The process's standard output.
    pub fn stdout() -> Output {
        Output {
            to: Box::new(io::BufWriter::new(anstream::stdout())),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Flushes, prints an error to standard error, and gives the exit code. A reader that has gone away is no error.
pub(super) fn finish(out: &mut Output, outcome: anyhow::Result<Exit>) -> ExitCode {
    let outcome = outcome.and_then(|exit| Ok(out.flush().map(|()| exit)?));
    match outcome {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) if is_broken_pipe(&error) => ExitCode::from(Exit::Done as u8),
        Err(error) => {
            let _ = writeln!(anstream::stderr(), "error: {error:#}");
            let cannot_start = matches!(error.downcast_ref(), Some(ConfigError::Program { .. }));
            ExitCode::from(if cannot_start {
                Exit::BotCannotStart
            } else {
                Exit::Usage
            } as u8)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}
