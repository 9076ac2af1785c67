//! Opening the database file: is it ours, is it whole, is it of this version, how does it keep commits whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::StoreError;
use super::schema::APPLICATION_ID;

/// How long a connection waits for another one of this file.
const BUSY_WAIT: Duration = Duration::from_secs(10);

/// File systems shared between hosts, by the number that statfs(2) gives: there SQLite's write-ahead log, which needs
/// memory shared by all who open the file, damages it.
const SHARED_FILE_SYSTEMS: &[u64] = &[
    0x6969,      // NFS
    0x517B,      // SMB
    0xFF53_4D42, // CIFS
    0xFE53_4D42, // SMB2
    0x0102_1997, // 9p
    0x00C3_6400, // Ceph
    0x5346_414F, // AFS
    0x0BD0_0BD0, // Lustre
    0x4750_4653, // GPFS
];

/// How a file keeps its commits whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Journal {
    /// A write-ahead log: readers and the writer do not wait for each other.
    WriteAhead,
    /// A rollback journal: the fall-back on file systems without shared memory. As safe, slower, and readers and the
    /// writer wait for each other.
    Rollback,
}

/// How much of a file must be there to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// As much as its header says.
    Whole,
    /// Whatever is there.
    WhatIsThere,
}

/// Opens `path` to write, creates it if need be, and brings it to the version that `migrations` lead to.
pub fn open_to_write(path: &Path, migrations: &[&str]) -> Result<(Connection, Journal), StoreError> {
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
    let version = version(&connection, path, migrations.len())?;
    check_whole(&connection, path)?;
    let sql = |doing: &'static str| move |error| StoreError::sql(path, doing, error);
    let journal = choose_journal(&connection, path).map_err(sql("open"))?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(sql("open"))?;
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(sql("open"))?;
    if version < migrations.len() {
        if version > 0 {
            back_up(&connection, path, version)?;
        }
        migrate(&mut connection, version, migrations).map_err(sql("bring up to date"))?;
    }
    Ok((connection, journal))
}

/// Opens `path` to read; `None` when it must be brought up to date first.
///
/// The connection may write to the file system, and is told not to change anything: a purely reading one could neither
/// read a log that a killed run has left nor clear away the log's files afterwards.
pub fn open_to_read(path: &Path, known: usize, extent: Extent) -> Result<Option<Connection>, StoreError> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() == 0 => return Err(StoreError::NotADatabase { path: path.to_owned() }),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Err(error) => return Err(StoreError::io(path, "open", error)),
    }
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if extent == Extent::WhatIsThere {
        // SQLite refuses a file that is shorter than its header says, unless told that somebody is repairing it.
        connection
            .pragma_update(None, "writable_schema", true)
            .map_err(|error| StoreError::sql(path, "open", error))?;
    }
    let connection = match version(&connection, path, known) {
        Err(StoreError::Sql { source, .. }) if cannot_share(&source) => open_immutable(path)?,
        checked => return checked.map(|version| (version == known).then_some(connection)),
    };
    version(&connection, path, known).map(|version| (version == known).then_some(connection))
}

/// The version of the file at `path`, 0 for a new one.
fn version(connection: &Connection, path: &Path, known: usize) -> Result<usize, StoreError> {
    let read = || -> rusqlite::Result<(i64, i32, i64)> {
        Ok((
            connection.pragma_query_value(None, "user_version", |row| row.get(0))?,
            connection.pragma_query_value(None, "application_id", |row| row.get(0))?,
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
        ))
    };
    let (version, application, tables) = read().map_err(|error| StoreError::sql(path, "read", error))?;
    let new = version == 0 && application == 0 && tables == 0;
    if !new && application != APPLICATION_ID {
        return Err(StoreError::NotOurs { path: path.to_owned() });
    }
    usize::try_from(version)
        .ok()
        .filter(|version| *version <= known)
        .ok_or_else(|| StoreError::Newer {
            path: path.to_owned(),
            found: version,
            known,
        })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(BUSY_WAIT)?;
        if !flags.contains(OpenFlags::SQLITE_OPEN_CREATE) {
            connection.pragma_update(None, "query_only", true)?;
        }
        Ok(connection)
    };
    open().map_err(|error| StoreError::sql(path, "open", error))
}

/// Whether reading failed because the log's files cannot be made beside the file: a read-only directory.
fn cannot_share(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)
    )
}

/// Reads the file as it lies there, without its log: right when nobody can write to it.
fn open_immutable(path: &Path) -> Result<Connection, StoreError> {
    let escaped = path
        .to_string_lossy()
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    let uri = PathBuf::from(format!("file:{escaped}?immutable=1"));
    connect(&uri, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
}

/// Nothing is ever added to a damaged file. Reads all of it: about a second for a million matches.
fn check_whole(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sql(path, "check", error))?;
    if found == "ok" {
        Ok(())
    } else {
        Err(StoreError::Damaged {
            path: path.to_owned(),
            what: found.replace('\n', " "),
        })
    }
}

/// Asks for the write-ahead log where it is safe, and reads back what has come of it.
pub fn choose_journal(connection: &Connection, path: &Path) -> rusqlite::Result<Journal> {
    let wanted = if is_shared(path) { "DELETE" } else { "WAL" };
    let answer = connection.pragma_update_and_check(None, "journal_mode", wanted, |row| row.get::<_, String>(0));
    if answer.is_err() {
        // Some file systems refuse with an error instead of staying with the rollback journal.
        connection.pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get::<_, String>(0))?;
    }
    journal(connection)
}

/// How the file keeps its commits whole now.
pub fn journal(connection: &Connection) -> rusqlite::Result<Journal> {
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    Ok(if mode.eq_ignore_ascii_case("wal") {
        Journal::WriteAhead
    } else {
        Journal::Rollback
    })
}

fn is_shared(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| SHARED_FILE_SYSTEMS.contains(&(found.f_type as u64 & 0xFFFF_FFFF)))
}

/// Copies the whole file to `FILE.v<version>.bak`, over an older copy of that name.
fn back_up(connection: &Connection, path: &Path, version: usize) -> Result<(), StoreError> {
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".v{version}{suffix}"));
        PathBuf::from(name)
    };
    // Under another name until it is whole, so that a copy of the final name always is.
    let (partial, copy) = (beside(".bak-partial"), beside(".bak"));
    let io = |error| StoreError::io(path, "make a copy of", error);
    if fs::exists(&partial).map_err(io)? {
        fs::remove_file(&partial).map_err(io)?;
    }
    connection
        .execute("VACUUM INTO ?1", [partial.to_string_lossy()])
        .map_err(|error| StoreError::sql(path, "make a copy of", error))?;
    fs::rename(&partial, &copy).map_err(io)
}

/// All in one transaction, the version with it: a failure or a kill leaves the file as it was.
fn migrate(connection: &mut Connection, from: usize, migrations: &[&str]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for statements in &migrations[from..] {
        transaction.execute_batch(statements)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", migrations.len() as i64)?;
    transaction.commit()
}
