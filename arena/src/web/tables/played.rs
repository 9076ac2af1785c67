//! The matches that have been played at tables, kept in a file of records, one JSON line each, the oldest first.
//!
//! A match's number is its line, from 1. It is given out once the line is on the disk. The file is made, and locked for this
//! process alone, when the first table is opened: whoever only looks at results needs neither. A line that was being written
//! when its process was killed is passed over, and cut off by the next one that writes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use schemars::JsonSchema;
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

#[derive(Debug, Default)]
struct State {
    /// The file to write to, once it has been locked.
    writer: Option<File>,
    contents: Contents,
}

#[derive(Debug, Default)]
struct Contents {
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
    /// Reads what is in the file, if there is one.
    ///
    /// # Errors
    /// [`PlayedError`].
    pub fn open(path: &Path) -> Result<Played, PlayedError> {
        let played = Played {
            path: path.to_owned(),
            state: Mutex::default(),
        };
        match File::open(path) {
            Ok(file) => played.state().contents = played.read(&file)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(played.io(error)),
        }
        Ok(played)
    }

    /// Makes the file ready to be written to.
    ///
    /// # Errors
    /// [`PlayedError`].
    pub fn make_ready(&self) -> Result<(), PlayedError> {
        self.writable(&mut self.state())
    }

    fn writable(&self, state: &mut State) -> Result<(), PlayedError> {
        if state.writer.is_some() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.open(&self.path).map_err(|source| self.io(source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(PlayedError::InUse(self.path.clone())),
            Err(TryLockError::Error(source)) => return Err(self.io(source)),
        }
        // Another process may have written since it was read.
        state.contents = self.read(&file)?;
        file.set_len(state.contents.end).map_err(|source| self.io(source))?;
        state.writer = Some(file);
        Ok(())
    }

    fn read(&self, file: &File) -> Result<Contents, PlayedError> {
        Contents::read(file).map_err(|error| match error {
            LineError::Io { source, .. } => self.io(source),
            source => PlayedError::Form {
                path: self.path.clone(),
                source,
            },
        })
    }

    /// Adds a match; gives its number once it is on the disk.
    ///
    /// # Errors
    /// [`PlayedError`]; nothing has been added then.
    pub fn add(&self, mut record: Record) -> Result<u64, PlayedError> {
        let mut state = self.state();
        self.writable(&mut state)?;
        let State { writer, contents } = &mut *state;
        record.r#match = contents.entries.len() as u64 + 1;
        let file = writer.as_ref().expect("it has just been opened");
        contents.append(file, &record).map_err(|source| self.io(source))?;
        Ok(record.r#match)
    }

    /// The matches before number `before`, the newest first.
    pub fn list(&self, before: Option<u64>, limit: usize) -> Vec<Summary> {
        let entries = &self.state().contents.entries;
        let end = before.map_or(usize::MAX, |before| before.saturating_sub(1) as usize);
        let entries = &entries[..end.min(entries.len())];
        entries
            .iter()
            .rev()
            .take(limit)
            .map(|entry| entry.summary.clone())
            .collect()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.state().contents.entries.len()
    }

    /// A match.
    ///
    /// # Errors
    /// [`PlayedError`].
    pub fn get(&self, number: u64) -> Result<Option<Record>, PlayedError> {
        let index = number.checked_sub(1).map(|index| index as usize);
        let place = index.and_then(|index| {
            let entry = &self.state().contents.entries;
            entry.get(index).map(|entry| (entry.at, entry.bytes))
        });
        let Some((at, bytes)) = place else { return Ok(None) };
        let mut line = vec![0; bytes];
        let read = File::open(&self.path).and_then(|file| file.read_exact_at(&mut line, at));
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

impl Contents {
    fn read(file: &File) -> Result<Contents, LineError> {
        let mut lines = BufReader::new(file);
        let mut contents = Contents::default();
        let mut text = String::new();
        loop {
            text.clear();
            let line = contents.entries.len() + 1;
            let read = lines.read_line(&mut text);
            let bytes = read.map_err(|source| LineError::Io { line, source })?;
            if !text.ends_with('\n') && (text.starts_with(LINE_HEAD) || LINE_HEAD.starts_with(&*text)) {
                return Ok(contents);
            }
            contents.push(bytes, &read_line(&text, line)?);
        }
    }

    fn append(&mut self, file: &File, record: &Record) -> io::Result<()> {
        let mut line = Vec::new();
        write_line(&mut line, record)?;
        let written = file.write_all_at(&line, self.end).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // What is there of the line would be read as one.
            file.set_len(self.end)?;
            return Err(error);
        }
        self.push(line.len(), record);
        Ok(())
    }

    fn push(&mut self, bytes: usize, record: &Record) {
        let n = self.entries.len() as u64 + 1;
        self.entries.push(Entry::new(self.end, bytes, n, record));
        self.end += bytes as u64;
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
