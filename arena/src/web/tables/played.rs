//! The matches that have been played at tables, kept in a file of records, one JSON line each, the oldest first.
//!
//! A match's number is its line, from 1. It is given out once the line is on the disk. One process at a time writes the
//! file; a line that was being written when that process was killed is cut off at the next start.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use serde::Serialize;

use crate::record::{LineError, Record, read_line, write_line};

/// What every line begins with: other text without an end is none of ours, and is not cut off.
const LINE_HEAD: &str = "{\"record\":";

/// The file and what is in it.
#[derive(Debug)]
pub struct Played {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    entries: Vec<Entry>,
    /// Where the next line begins.
    end: u64,
}

/// Where a record is, and what a list shows of it.
#[derive(Debug)]
struct Entry {
    at: u64,
    bytes: usize,
    summary: Summary,
}

/// What a list of matches shows of one.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The match's number.
    pub n: u64,
    /// The game.
    pub game: String,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// Who played, by seat.
    pub names: Vec<String>,
    /// Places by seat.
    pub places: Vec<u8>,
    /// Points by seat.
    pub points: Vec<u32>,
    /// Why it ended.
    pub end: &'static str,
    /// How many plies were played.
    pub plies: usize,
    /// When it began, milliseconds since 1970 UTC.
    pub started_ms: u64,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlayedError {
    /// The system refuses.
    #[error("matches played by hand in `{}`", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process writes it.
    #[error("`{}` is written by another `arena serve`; give this one a file of its own with --played", .0.display())]
    InUse(PathBuf),
    /// There is something else in it.
    #[error("`{}` is not a file of matches played by hand", .path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Which line, and why.
        source: LineError,
    },
}

impl Played {
    /// Opens the file, or makes it, and reads what is in it.
    ///
    /// # Errors
    /// [`PlayedError`].
    pub fn open(path: &Path) -> Result<Played, PlayedError> {
        let io = |source| PlayedError::Io {
            path: path.to_owned(),
            source,
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PlayedError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let mut state = State {
            file,
            entries: Vec::new(),
            end: 0,
        };
        state.read().map_err(|error| match error {
            LineError::Io { source, .. } => io(source),
            source => PlayedError::Form {
                path: path.to_owned(),
                source,
            },
        })?;
        Ok(Played {
            path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Adds a match; gives its number once it is on the disk.
    ///
    /// # Errors
    /// [`PlayedError::Io`]; nothing has been added then.
    pub fn add(&self, mut record: Record) -> Result<u64, PlayedError> {
        let mut state = self.state();
        record.r#match = state.entries.len() as u64 + 1;
        state.append(&record).map_err(|source| self.io(source))?;
        Ok(record.r#match)
    }

    /// The matches before number `before`, the newest first.
    pub fn list(&self, before: Option<u64>, limit: usize) -> Vec<Summary> {
        let state = self.state();
        let end = before.map_or(usize::MAX, |before| before.saturating_sub(1) as usize);
        let entries = &state.entries[..end.min(state.entries.len())];
        entries
            .iter()
            .rev()
            .take(limit)
            .map(|entry| entry.summary.clone())
            .collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.state().entries.len()
    }

    /// A match.
    ///
    /// # Errors
    /// [`PlayedError`].
    pub fn get(&self, number: u64) -> Result<Option<Record>, PlayedError> {
        let state = self.state();
        let index = number.checked_sub(1).map(|index| index as usize);
        let Some(entry) = index.and_then(|index| state.entries.get(index)) else {
            return Ok(None);
        };
        let mut line = vec![0; entry.bytes];
        let read = state.file.read_exact_at(&mut line, entry.at);
        read.map_err(|source| self.io(source))?;
        let record = read_line(&String::from_utf8_lossy(&line), number as usize);
        record.map(Some).map_err(|source| PlayedError::Form {
            path: self.path.clone(),
            source,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while holding the file")
    }

    fn io(&self, source: io::Error) -> PlayedError {
        PlayedError::Io {
            path: self.path.clone(),
            source,
        }
    }
}

impl State {
    fn read(&mut self) -> Result<(), LineError> {
        let mut lines = BufReader::new(&self.file);
        let mut entries = Vec::new();
        let (mut text, mut at) = (String::new(), 0);
        loop {
            text.clear();
            let line = entries.len() + 1;
            let io = |source| LineError::Io { line, source };
            let bytes = lines.read_line(&mut text).map_err(io)?;
            if !text.ends_with('\n') && (text.starts_with(LINE_HEAD) || LINE_HEAD.starts_with(&*text)) {
                self.file.set_len(at).map_err(io)?;
                break;
            }
            entries.push(Entry::new(at, bytes, line as u64, &read_line(&text, line)?));
            at += bytes as u64;
        }
        (self.entries, self.end) = (entries, at);
        Ok(())
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        let mut line = Vec::new();
        write_line(&mut line, record)?;
        let written = self
            .file
            .write_all_at(&line, self.end)
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What is there of the line would be read as one.
            self.file.set_len(self.end)?;
            return Err(error);
        }
        self.entries
            .push(Entry::new(self.end, line.len(), record.r#match, record));
        self.end += line.len() as u64;
        Ok(())
    }
}

impl Entry {
    fn new(at: u64, bytes: usize, n: u64, record: &Record) -> Entry {
        Entry {
            at,
            bytes,
            summary: Summary {
                n,
                game: record.game.clone(),
                options: record.options.clone(),
                names: record.seats.iter().map(|seat| seat.name.clone()).collect(),
                places: record.places.clone(),
                points: record.points.clone(),
                end: record.end.as_str(),
                plies: record.plies.len(),
                started_ms: record.started_ms,
            },
        }
    }
}
