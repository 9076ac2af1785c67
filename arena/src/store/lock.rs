//! The lock of a results file: one writer at a time, whoever it is.
//!
//! The kernel's lock on `FILE-lock` is what counts; its text only says who holds it. So the lock of a process that was
//! killed is free at once, and a left-over file means nothing.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::{fs, io, process};

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::StoreError;
use super::error::Holder;

/// The lock, given back when dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of the results file `of`, which need not exist yet.
    ///
    /// # Errors
    /// [`StoreError::Locked`] with its holder.
    pub fn take(of: &Path) -> Result<Lock, StoreError> {
        let path = beside(of, "lock").map_err(|error| StoreError::io(of, "lock", error))?;
        loop {
            match try_take(&path) {
                Ok(Some(file)) => return Ok(Lock { path, _file: file }),
                // The holder gave the lock back and removed the file between our open and our lock.
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Err(StoreError::Locked {
                        path: of.to_owned(),
                        holder: fs::read_to_string(&path).map_or(Holder::Unknown, |text| read_holder(&text)),
                    });
                }
                Err(error) => return Err(StoreError::io(of, "lock", error)),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While the lock is still held, so that nobody can hold a lock on a file that is no longer there.
        let _ = fs::remove_file(&self.path);
    }
}

/// `FILE-suffix` beside the results file itself, so that links to it share it.
///
/// # Errors
/// When the path cannot be resolved.
pub fn beside(of: &Path, suffix: &str) -> io::Result<PathBuf> {
    let mut name: OsString = match fs::canonicalize(of) {
        Ok(real) => real.into(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => of.into(),
        Err(error) => return Err(error),
    };
    name.push("-");
    name.push(suffix);
    Ok(name.into())
}

/// `None` when the file that was locked is not the file of that name any more.
fn try_take(path: &Path) -> io::Result<Option<File>> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(path)?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|errno| {
        if errno == Errno::WOULDBLOCK {
            io::ErrorKind::WouldBlock.into()
        } else {
            io::Error::from(errno)
        }
    })?;
    let same = fs::metadata(path).is_ok_and(|now| file.metadata().is_ok_and(|ours| ours.ino() == now.ino()));
    if !same {
        return Ok(None);
    }
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{} {}", host(), process::id())?;
    Ok(Some(file))
}

/// The name of this machine.
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn read_holder(text: &str) -> Holder {
    let signed = text.trim_end().rsplit_once(' ');
    match signed.and_then(|(host, pid)| Some((host, pid.parse().ok()?))) {
        Some((host, pid)) => Holder::Process {
            host: host.to_owned(),
            pid,
        },
        None => Holder::Unknown,
    }
}
