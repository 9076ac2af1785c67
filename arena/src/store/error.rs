//! What can be wrong with a results file.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use rusqlite::ErrorCode;

/// Why a results file cannot be opened, read or written. Nothing in it has been changed by what failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("no results file `{}`; `arena run` makes one, --db names another", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Not a database at all.
    #[error("`{}` is not a results file (not an SQLite database); it is left as it is", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A database of another program.
    #[error("`{}` is a database of another program; it is left as it is, --db names another file", path.display())]
    NotOurs {
        /// The file.
        path: PathBuf,
    },
    /// Its version is above ours.
    #[error(
        "`{}` was made by a newer version of the arena (file version {found}, this program knows up to {known}); \
         use that version, or another file",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that this program knows.
        known: usize,
    },
    /// Its contents are not what they must be.
    #[error("`{}` is damaged: {what}; it is left as it is, `arena verify` says what can still be read", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Somebody else writes to it.
    #[error("`{}` is in use by another run: {holder}; wait for it to end, or use another file", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// Who: host and process id.
        holder: Holder,
    },
    /// The file has no such plan.
    #[error("`{}` has no plan `{id}`", path.display())]
    UnknownPlan {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        id: String,
    },
    /// A record that does not belong to the plan being stored: a bug of the caller.
    #[error("match {match_id} cannot be stored: {what}")]
    Foreign {
        /// Its id.
        match_id: u64,
        /// What does not fit.
        what: String,
    },
    /// The writer has ended, by an error that it has reported or because it was told to.
    #[error("results are no longer being stored")]
    WriterEnded,
    /// The disk is full.
    #[error("cannot {doing} `{}`: the disk is full; matches not yet announced are played again", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
    },
    /// Any other failure of the database.
    #[error("cannot {doing} `{}`", path.display())]
    Sql {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file system refuses.
    #[error("cannot {doing} `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// Who holds the lock of a results file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A process that has signed.
    Process {
        /// The machine.
        host: String,
        /// Its process id there.
        pid: u32,
    },
    /// A process that has not signed yet.
    Unknown,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Holder::Process { host, pid } => write!(f, "host {host}, pid {pid}"),
            Holder::Unknown => f.write_str("a process that has just started"),
        }
    }
}

impl StoreError {
    pub(super) fn sql(path: &Path, doing: &'static str, source: rusqlite::Error) -> StoreError {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path },
            Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged {
                path,
                what: source.to_string(),
            },
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path, doing },
            _ => StoreError::Sql { path, doing, source },
        }
    }

    pub(super) fn io(path: &Path, doing: &'static str, source: io::Error) -> StoreError {
        StoreError::Io {
            path: path.to_owned(),
            doing,
            source,
        }
    }
}
