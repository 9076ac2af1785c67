//! Records as JSON lines: one match a line, fields always in the same order.

use std::io::{self, BufRead, Write};

use mancala_arena_protocol::FaultCode;
use serde::Deserialize;

use super::{RECORD_VERSION, Record};

/// A line that is no record.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// It cannot be read.
    #[error("line {line}")]
    Io {
        /// Which, from 1.
        line: usize,
        /// What the system says.
        source: io::Error,
    },
    /// A record of another version.
    #[error("line {line}: a record of version {found}; this program reads version {RECORD_VERSION}")]
    Version {
        /// Which, from 1.
        line: usize,
        /// Its version.
        found: u32,
    },
    /// Not a record.
    #[error("line {line}: not a record")]
    Form {
        /// Which, from 1.
        line: usize,
        /// What was found, and in which column.
        source: serde_json::Error,
    },
}

impl Record {
    /// The record without anything that differs when the same match is played the same way again: no clock times, not
    /// by how much a late move was late, and not on which machine.
    #[must_use]
    pub fn without_times(mut self) -> Record {
        self.started_ms = 0;
        self.elapsed_us = 0;
        self.host = None;
        for ply in &mut self.plies {
            ply.elapsed_us = 0;
        }
        for fault in self.faults.iter_mut().filter(|fault| fault.code == FaultCode::Late) {
            fault.late_ms = None;
            fault.message = "too late".to_owned();
        }
        self
    }
}

/// Writes a record as one line.
///
/// # Errors
/// Those of `out`.
pub fn write_line(out: &mut impl Write, record: &Record) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

/// The records of `input`, one a line; blank lines are passed over.
pub fn read_lines(input: impl BufRead) -> impl Iterator<Item = Result<Record, LineError>> {
    input.lines().enumerate().filter_map(|(at, line)| match line {
        Ok(text) if text.trim().is_empty() => None,
        Ok(text) => Some(read_line(&text, at + 1)),
        Err(source) => Some(Err(LineError::Io { line: at + 1, source })),
    })
}

/// The record in `text`, which is line `line`, from 1.
///
/// # Errors
/// [`LineError`].
pub fn read_line(text: &str, line: usize) -> Result<Record, LineError> {
    #[derive(Deserialize)]
    struct Version {
        record: u32,
    }
    // The version first: what another version changed must not look like a mistake in the line.
    let form = |source| LineError::Form { line, source };
    let version: Version = serde_json::from_str(text).map_err(form)?;
    if version.record != RECORD_VERSION {
        return Err(LineError::Version {
            line,
            found: version.record,
        });
    }
    serde_json::from_str(text).map_err(form)
}
