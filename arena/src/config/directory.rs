//! A directory with a `bot.toml` in it is a bot: how it is described, which of its files count, and whether its program
//! has to be built.
//!
//! Builds are decided here and run by whoever asks for a plan, through [`RunBuild`]. What decides is the content of the
//! files, never their times: a directory that was copied, unpacked or checked out has any times.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::bots::{self, NAME_RULE};
use super::error::{ConfigError, in_file};

/// What makes a directory a bot.
pub const BOT_FILE: &str = "bot.toml";

/// Where the arena notes, in a bot's directory, what it has built there.
const BUILD_DIR: &str = ".arena-build";

/// Directories of what tools have made, and can make again.
const NOT_COUNTED: [&str; 4] = ["target", "node_modules", "__pycache__", "venv"];

/// More than this is no bot's own; and it is read at the start of every command.
const ENTRIES_MAX: usize = 10_000;
const BYTES_MAX: u64 = 1 << 30;

/// A bot's directory, as its `bot.toml` describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BotDir {
    /// As it was written, but for dots and slashes that mean nothing.
    pub path: PathBuf,
    /// What the bot is called where nothing else is said.
    pub name: String,
    /// The command that makes the program, where there is something to make.
    pub build: Option<Vec<String>>,
    /// The command that starts it.
    pub run: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BotFile {
    name: Option<Spanned<String>>,
    build: Option<Spanned<String>>,
    run: Option<Spanned<String>>,
}

/// A build that is due.
#[derive(Debug)]
pub struct Build {
    /// The bot's name.
    pub bot: String,
    /// The command, to be run in `dir`.
    pub words: Vec<String>,
    /// The program that the command names.
    pub program: PathBuf,
    /// The bot's directory.
    pub dir: PathBuf,
    /// The file that takes what the command prints.
    pub output: PathBuf,
}

impl Build {
    /// A build of the bot called `bot` in `dir` by `words`, the first of which is found at `program`.
    pub(super) fn new(bot: &str, words: &[String], program: PathBuf, dir: &Path) -> Build {
        Build {
            bot: bot.to_owned(),
            words: words.to_owned(),
            program,
            dir: dir.to_owned(),
            output: dir.join(BUILD_DIR).join("output"),
        }
    }

    /// The command as one would type it.
    pub fn command(&self) -> String {
        bots::joined(&self.words)
    }
}

/// Runs a build, or says why it has failed.
pub type RunBuild = fn(&Build) -> Result<(), String>;

/// Whether `path` is a directory that is a bot.
pub fn is_bot(path: &Path) -> bool {
    path.join(BOT_FILE).is_file()
}

/// What is wrong with a path that should be a bot's directory.
pub fn not_a_bot(path: &Path) -> String {
    let shown = path.display();
    if path.is_dir() {
        format!("`{shown}` is a directory without `{BOT_FILE}`; `arena new` makes one with it")
    } else if path.exists() {
        format!("`{shown}` is a file; expected a directory with a `{BOT_FILE}` in it")
    } else {
        format!("`{shown}`: no such directory; expected one with a `{BOT_FILE}` in it")
    }
}

impl BotDir {
    /// Reads the description of the bot in `path`, which starts from `base`.
    ///
    /// # Errors
    /// What is wrong, with its place in the `bot.toml`.
    pub fn read(base: &Path, path: &Path) -> Result<BotDir, ConfigError> {
        let dir = base.join(path);
        let file = dir.join(BOT_FILE);
        let text = fs::read_to_string(&file).map_err(|error| ConfigError::Read {
            path: file.clone(),
            error,
        })?;
        let bot: BotFile =
            toml::from_str(&text).map_err(|error| in_file(&file, &text, error.span(), error.message()))?;
        let words = |value: &Spanned<String>| {
            bots::words(value.get_ref()).map_err(|problem| in_file(&file, &text, Some(value.span()), &problem))
        };
        let run = bot.run.as_ref().ok_or_else(|| {
            let problem = "`run` is missing, the command that starts the bot; for example run = \"python3 bot.py\"";
            in_file(&file, &text, None, problem)
        })?;
        let name = match &bot.name {
            Some(name) if bots::is_name(name.get_ref()) => name.get_ref().clone(),
            Some(name) => {
                let problem = format!("`{}` is no name for a bot; {NAME_RULE}", name.get_ref().escape_debug());
                return Err(in_file(&file, &text, Some(name.span()), &problem));
            }
            None => own_name(&dir),
        };
        Ok(BotDir {
            path: plain(path),
            name,
            build: bot.build.as_ref().map(words).transpose()?,
            run: words(run)?,
        })
    }
}

impl BotDir {
    /// The last part of its path, where that can be a bot's name.
    pub fn last_name(&self) -> Option<String> {
        let name = self.path.file_name()?.to_str()?;
        bots::is_name(name).then(|| name.to_owned())
    }
}

/// The directory's own name.
pub fn own_name(dir: &Path) -> String {
    let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let name = real.file_name().unwrap_or(real.as_os_str());
    name.to_string_lossy().into_owned()
}

/// A path as it would be written without `./` and trailing slashes, so that each way of writing it gives the same plan.
fn plain(path: &Path) -> PathBuf {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let plain: PathBuf = parts.collect();
    if plain.as_os_str().is_empty() {
        ".".into()
    } else {
        plain
    }
}

/// Builds the program if that is due, and gives what `look` finds then: the program, and the hash of all that it is.
///
/// A build is due unless the last one that succeeded was by the same command and left what is there now.
///
/// # Errors
/// Why the build has failed, or what `look` says after it.
pub fn up_to_date(
    build: &Build,
    run: RunBuild,
    look: impl Fn() -> Result<(PathBuf, String), String>,
) -> Result<(PathBuf, String), String> {
    let (notes, command) = (build.dir.join(BUILD_DIR), build.command());
    let stamp = |content: &str| format!("{command}\n{content}\n");
    let path = notes.join("stamp");
    let found_built = || {
        let found = look().ok()?;
        let read = fs::read_to_string(&path).ok()?;
        (read == stamp(&found.1)).then_some(found)
    };
    if let Some(found) = found_built() {
        return Ok(found);
    }
    let noted = |error: io::Error| format!("cannot note in `{}` what is built: {error}", notes.display());
    fs::create_dir_all(&notes).map_err(noted)?;
    fs::write(notes.join(".gitignore"), "*\n").map_err(noted)?;
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(noted)?;
    file.lock().map_err(noted)?;
    // Another arena may have built it while this one waited.
    if let Some(found) = found_built() {
        return Ok(found);
    }
    file.set_len(0).map_err(noted)?;
    run(build)?;
    let found = look()?;
    file.write_all(stamp(&found.1).as_bytes()).map_err(noted)?;
    Ok(found)
}

/// Adds every file of `dir` that counts to `hasher`: its path there and its content, sorted by path.
///
/// # Errors
/// A file that cannot be read; or more of them than a bot has.
pub fn hash(dir: &Path, hasher: &mut blake3::Hasher) -> Result<(), String> {
    for file in files(dir)? {
        let mut one = blake3::Hasher::new();
        File::open(&file)
            .and_then(|opened| one.update_reader(opened).map(drop))
            .map_err(|error| format!("`{}`: {error}", file.display()))?;
        let name = file.strip_prefix(dir).expect("it was found there");
        hasher.update(name.as_os_str().as_encoded_bytes());
        hasher.update(&[0]);
        hasher.update(one.finalize().as_bytes());
    }
    Ok(())
}

/// All files that make the bot in `dir` what it is, its description among them, sorted.
///
/// # Errors
/// A directory that cannot be read, or has more than a bot has.
pub fn own_files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = files(dir)?;
    files.push(dir.join(BOT_FILE));
    files.sort();
    Ok(files)
}

/// The files of `dir` that count. A link counts as the file that it leads to; one to a directory does not count, so that
/// there are no circles.
fn files(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut files, mut dirs) = (Vec::new(), vec![dir.to_owned()]);
    let (mut entries, mut bytes) = (0, 0);
    while let Some(inner) = dirs.pop() {
        let failed = |error: io::Error| format!("directory `{}`: {error}", inner.display());
        for entry in fs::read_dir(&inner).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (name, path) = (entry.file_name(), entry.path());
            let name = name.to_string_lossy();
            entries += 1;
            if name.starts_with('.') {
                continue;
            }
            if entry.file_type().map_err(failed)?.is_dir() {
                if !NOT_COUNTED.contains(&&*name) {
                    dirs.push(path);
                }
            } else if let Ok(file) = fs::metadata(&path)
                && file.is_file()
                && !is_results(&name)
                && path != dir.join(BOT_FILE)
            {
                bytes += file.len();
                files.push(path);
            }
            if entries > ENTRIES_MAX || bytes > BYTES_MAX {
                return Err(too_much(dir));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file is called as results are. They may well lie in the bot's directory, and change with every match.
fn is_results(name: &str) -> bool {
    ["", "-wal", "-shm", "-journal", "-lock"]
        .iter()
        .any(|suffix| name.strip_suffix(suffix).is_some_and(|name| name.ends_with(".db")))
}

fn too_much(dir: &Path) -> String {
    format!(
        "`{}` has more than {ENTRIES_MAX} files or {} MiB, all of which would count as the bot's\n  \
         move elsewhere what is not its own; hidden ones, *.db, {} do not count",
        dir.display(),
        BYTES_MAX >> 20,
        NOT_COUNTED.join(", ")
    )
}
