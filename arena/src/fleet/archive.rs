//! A bot's directory as one file, named by its hash: the same content gives the same archive, wherever and whenever.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::config;

/// A bot's directory, packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Archive {
    /// Its hash, in hexadecimal digits, and its name.
    pub hash: String,
    /// The archive.
    pub bytes: Vec<u8>,
}

/// Why an archive cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The directory cannot be read.
    #[error("{0}")]
    Directory(String),
    /// A file cannot be read or written.
    #[error("`{}`: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It is not what its name says.
    #[error("the archive `{name}` is damaged: its content has the hash `{found}`")]
    Damaged {
        /// Its name.
        name: String,
        /// The hash of what is there.
        found: String,
    },
}

impl Archive {
    /// Packs all files that make the bot in `dir` what it is.
    ///
    /// # Errors
    /// [`ArchiveError`].
    pub fn pack(dir: &Path) -> Result<Archive, ArchiveError> {
        let mut archive = tar::Builder::new(Vec::new());
        for path in config::own_files(dir).map_err(ArchiveError::Directory)? {
            let failed = |error| ArchiveError::File {
                path: path.clone(),
                error,
            };
            let name = path.strip_prefix(dir).expect("it was found there");
            let file = File::open(&path).map_err(failed)?;
            let metadata = file.metadata().map_err(failed)?;
            let mut header = tar::Header::new_ustar();
            header.set_size(metadata.len());
            // No owner and no time: they say nothing of the bot.
            header.set_mode(if metadata.permissions().mode() & 0o111 == 0 {
                0o644
            } else {
                0o755
            });
            archive.append_data(&mut header, name, file).map_err(failed)?;
        }
        let bytes = archive.into_inner().expect("memory can be written to");
        Ok(Archive {
            hash: hash(&bytes),
            bytes,
        })
    }

    /// The archive that was called `name`.
    ///
    /// # Errors
    /// [`ArchiveError::Damaged`].
    pub fn named(name: &str, bytes: Vec<u8>) -> Result<Archive, ArchiveError> {
        let found = hash(&bytes);
        if found == name {
            return Ok(Archive { hash: found, bytes });
        }
        Err(ArchiveError::Damaged {
            name: name.to_owned(),
            found,
        })
    }

    /// Unpacks it as the directory `dir`: another one of that name gives way, and half of it is never there.
    ///
    /// # Errors
    /// [`ArchiveError::File`].
    pub fn unpack(&self, dir: &Path) -> Result<(), ArchiveError> {
        let failed = |error| ArchiveError::File {
            path: dir.to_owned(),
            error,
        };
        let partial = dir.with_extension("partial");
        for old in [&partial, &dir.to_owned()] {
            if old.exists() {
                fs::remove_dir_all(old).map_err(failed)?;
            }
        }
        fs::create_dir_all(&partial).map_err(failed)?;
        // Entries that would lead out of the directory are left out; none is in an archive of ours.
        tar::Archive::new(self.bytes.as_slice())
            .unpack(&partial)
            .map_err(failed)?;
        fs::rename(&partial, dir).map_err(failed)
    }

    /// Whether `dir` holds what this archive does, each file as it was. More may be there: what a build has made.
    ///
    /// # Errors
    /// [`ArchiveError::File`], when the archive itself cannot be read.
    pub fn is_whole(&self, dir: &Path) -> Result<bool, ArchiveError> {
        let failed = |error| ArchiveError::File {
            path: dir.to_owned(),
            error,
        };
        let mut archive = tar::Archive::new(self.bytes.as_slice());
        for entry in archive.entries().map_err(failed)? {
            let mut entry = entry.map_err(failed)?;
            let path = dir.join(entry.path().map_err(failed)?);
            let mut packed = Vec::new();
            entry.read_to_end(&mut packed).map_err(failed)?;
            if !fs::read(path).is_ok_and(|there| there == packed) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(dir: &Path) {
        fs::create_dir_all(dir.join("lib")).expect("a directory can be made");
        fs::write(dir.join("bot.toml"), "run = \"./bot\"\n").expect("it can be written");
        fs::write(dir.join("bot"), "#!/bin/sh\n").expect("it can be written");
        fs::set_permissions(dir.join("bot"), fs::Permissions::from_mode(0o700)).expect("its mode can be set");
        fs::write(dir.join("lib/table"), [0, 1, 255]).expect("it can be written");
    }

    #[test]
    fn the_same_content_is_the_same_archive_and_comes_out_as_it_went_in() {
        let place = tempfile::tempdir().expect("there is room");
        let (one, two, out) = (
            place.path().join("one"),
            place.path().join("two"),
            place.path().join("out"),
        );
        bot(&one);
        bot(&two);
        fs::write(two.join(".hidden"), "not counted").expect("it can be written");
        let archive = Archive::pack(&one).expect("it can be packed");
        assert_eq!(Archive::pack(&two).expect("it can be packed"), archive);
        archive.unpack(&out).expect("it can be unpacked");
        assert_eq!(Archive::pack(&out).expect("it can be packed"), archive);
        assert!(archive.is_whole(&out).expect("it can be compared"));
        fs::write(out.join("lib/table"), [0, 1, 254]).expect("it can be written");
        assert!(!archive.is_whole(&out).expect("it can be compared"));
        archive.unpack(&out).expect("it can be unpacked over another");
        assert!(archive.is_whole(&out).expect("it can be compared"));
    }

    #[test]
    fn an_archive_that_is_not_what_its_name_says_is_refused() {
        let place = tempfile::tempdir().expect("there is room");
        bot(place.path());
        let Archive { hash, mut bytes } = Archive::pack(place.path()).expect("it can be packed");
        assert!(Archive::named(&hash, bytes.clone()).is_ok());
        bytes[600] ^= 1;
        let error = Archive::named(&hash, bytes).expect_err("it was changed");
        assert!(matches!(error, ArchiveError::Damaged { .. }), "{error}");
    }
}
