//! Results that could not be sent, on disk: a file each, until the server has them.
//!
//! They are written when the server is away, and read when a worker starts: so what was played is not lost, whichever of
//! the two ends first. A file is written under another name first, so that one of the final name is whole.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The place for results that could not be sent.
#[derive(Debug)]
pub struct Spool {
    dir: PathBuf,
    next: u64,
}

/// Results on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spooled {
    /// The file.
    pub path: PathBuf,
    /// The plan that they are of.
    pub plan: String,
    /// The message.
    pub bytes: Vec<u8>,
}

const EXTENSION: &str = "results";

impl Spool {
    /// In `dir`, which is made if need be; with what is there already, the oldest first.
    ///
    /// # Errors
    /// When the directory cannot be made or read.
    pub fn open(dir: &Path) -> io::Result<(Spool, Vec<Spooled>)> {
        fs::create_dir_all(dir)?;
        let mut found = Vec::new();
        let mut next = 0;
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // NUMBER.PLAN.results
            let mut parts = name.splitn(3, '.');
            let number = parts.next().and_then(|number| number.parse::<u64>().ok());
            let (Some(number), Some(plan), Some(EXTENSION)) = (number, parts.next(), parts.next()) else {
                continue;
            };
            next = next.max(number + 1);
            let (plan, bytes) = (plan.to_owned(), fs::read(&path)?);
            found.push((number, Spooled { path, plan, bytes }));
        }
        found.sort_by_key(|(number, _)| *number);
        let spool = Spool {
            dir: dir.to_owned(),
            next,
        };
        Ok((spool, found.into_iter().map(|(_, spooled)| spooled).collect()))
    }

    /// Keeps a message; gives its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep(&mut self, plan: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.dir.join(format!("{}.{plan}.{EXTENSION}", self.next));
        self.next += 1;
        let partial = path.with_extension("partial");
        let mut file = fs::File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, &path)?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_there_again_in_its_order() {
        let place = tempfile::tempdir().expect("there is room");
        let (mut spool, found) = Spool::open(place.path()).expect("it can be made");
        assert_eq!(found, []);
        for number in 0..12_u8 {
            spool.keep("c0ffee", &[number]).expect("there is room");
        }
        fs::write(place.path().join("13.c0ffee.partial"), "half").expect("it can be written");
        let (mut again, found) = Spool::open(place.path()).expect("it is there");
        let kept: Vec<_> = found.iter().map(|spooled| (&*spooled.plan, spooled.bytes[0])).collect();
        assert_eq!(kept, (0..12).map(|number| ("c0ffee", number)).collect::<Vec<_>>());
        let path = again.keep("c0ffee", b"x").expect("there is room");
        assert!(
            found.iter().all(|spooled| spooled.path != path),
            "no file is written twice"
        );
    }
}
