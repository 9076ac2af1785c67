//! From a bot as the plan names it to what is started.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::directory::{self, BOT_FILE, BotDir, Build, RunBuild};
use super::error::ConfigError;
use super::{BotSpec, Launch, bots};

/// A program ready to be started: everything absolute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it is started.
    pub dir: PathBuf,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// The hash of the program's content and of the files among its arguments, or of all files of its directory where the bot
    /// is one; in hexadecimal digits.
    pub content: Option<String>,
}

impl Resolved {
    /// What tells it from other programs: its content, and those of its arguments that are no files. Absent without content.
    pub fn identity(&self) -> Option<(&str, Vec<&str>)> {
        let words = self.args.iter().filter(|arg| !self.dir.join(arg).is_file());
        Some((self.content.as_deref()?, words.map(String::as_str).collect()))
    }

    /// Whether the two do the same, whatever they are called.
    pub fn is_same_program(&self, other: &Resolved) -> bool {
        self.identity().is_some() && self.identity() == other.identity() && self.env == other.env
    }
}

/// Finds the program of `bot`; relative paths start from `base`, or from the bot's own directory. Where `directory` says
/// how the program is built, it is first, by `run_build`, if that is due.
///
/// # Errors
/// What was looked for, what was found, and what to do.
pub fn resolve(
    bot: &BotSpec,
    directory: Option<&BotDir>,
    base: &Path,
    run_build: RunBuild,
) -> Result<Resolved, String> {
    let dir = bot.dir.as_ref().map_or_else(|| base.to_owned(), |dir| base.join(dir));
    let dir = dir
        .canonicalize()
        .map_err(|error| format!("directory `{}`: {error}", dir.display()))?;
    if !dir.is_dir() {
        return Err(format!(
            "`{}` is not a directory; `dir` is where the bot is started",
            dir.display()
        ));
    }
    let (program, args, content) = match &bot.launch {
        Launch::House { name, params } => {
            let program = std::env::current_exe().map_err(|error| format!("the arena's own program: {error}"))?;
            let params = params.iter().map(|(key, value)| format!("{key}={value}"));
            let args: Vec<String> = ["bot".to_owned(), name.clone()].into_iter().chain(params).collect();
            // A house bot is what its version says, on every machine.
            let content = short(
                blake3::Hasher::new().update(format!("{} {}", env!("CARGO_PKG_VERSION"), args.join(" ")).as_bytes()),
            );
            (program, args, Some(content))
        }
        Launch::Command(words) => {
            let look = || {
                let program = find(&words[0], &dir)?;
                let content = content(&program, &words[1..], &dir, directory)?;
                Ok((program, content))
            };
            let (program, content) = match directory.and_then(|directory| directory.build.as_ref()) {
                Some(command) => {
                    let build = Build::new(&bot.name, command, find(&command[0], &dir)?, &dir);
                    directory::up_to_date(&build, run_build, look)?
                }
                None => look()?,
            };
            (program, words[1..].to_vec(), Some(content))
        }
    };
    Ok(Resolved {
        program,
        args,
        dir,
        env: bot.env.clone(),
        content,
    })
}

/// As [`resolve`], for a bot of a plan on record.
///
/// # Errors
/// As [`resolve`].
pub fn resolve_recorded(bot: &BotSpec, base: &Path, run_build: RunBuild) -> Result<Resolved, String> {
    let directory = own_directory(bot, base).map_err(|error| error.to_string())?;
    resolve(bot, directory.as_ref(), base, run_build)
}

/// The directory that is the bot, where it is one: of one whose command is another by now no more is known than that.
fn own_directory(bot: &BotSpec, base: &Path) -> Result<Option<BotDir>, ConfigError> {
    let Some(dir) = bot.dir.as_ref().filter(|dir| base.join(dir).join(BOT_FILE).is_file()) else {
        return Ok(None);
    };
    let read = BotDir::read(base, dir)?;
    Ok((Launch::Command(read.run.clone()) == bot.launch).then_some(read))
}

/// Whether a program of this name, without a slash, can be started.
pub fn is_on_path(name: &str) -> bool {
    find(name, Path::new("")).is_ok()
}

/// The program that `word` names: along `PATH` when it has no slash, else from `dir`.
fn find(word: &str, dir: &Path) -> Result<PathBuf, String> {
    if word.contains('/') {
        // Without `.` in between, as people read it; links stay, a program may look at where it was started from.
        let program: PathBuf = dir.join(word).components().collect();
        return runnable(&program);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let files = std::env::split_paths(&path).map(|place| dir.join(place).join(word));
    let found: Vec<_> = files.filter(|file| file.is_file()).collect();
    // As a shell does: a file that is not executable hides none behind it.
    match found.iter().find(|file| runnable(file).is_ok()).or(found.first()) {
        Some(program) => runnable(program),
        None if dir.join(word).exists() => Err(format!(
            "`{word}` is in no directory of PATH; to run the one in `{}` write `./{word}`",
            dir.display()
        )),
        None => Err(match bots::house(word) {
            Ok(_) => format!("`{word}`: no such program in the directories of PATH; did you mean `house:{word}`?"),
            Err(_) => format!("`{word}`: no such program in the directories of PATH"),
        }),
    }
}

fn runnable(program: &Path) -> Result<PathBuf, String> {
    let shown = program.display();
    let metadata = std::fs::metadata(program).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("`{shown}`: no such file"),
        _ => format!("`{shown}`: {error}"),
    })?;
    if metadata.is_dir() {
        return Err(if directory::is_bot(program) {
            format!("`{shown}` is a bot's directory; name it without arguments, in a league file by `path`")
        } else {
            format!(
                "`{shown}` is a directory without `bot.toml`; name the program in it, or make a bot with `arena new`"
            )
        });
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err(format!(
            "`{shown}` is not executable; make it so (chmod +x), or name its interpreter (for example `python3 {shown}`)"
        ));
    }
    Ok(program.to_owned())
}

/// The hash of the program and of every argument that is a file: for an interpreter, its script. Of a bot that is a
/// directory all files there count as well, as a script reads others.
fn content(program: &Path, args: &[String], dir: &Path, directory: Option<&BotDir>) -> Result<String, String> {
    let files = args.iter().map(|arg| dir.join(arg)).filter(|file| file.is_file());
    let mut all = blake3::Hasher::new();
    for file in std::iter::once(program.to_owned()).chain(files) {
        let mut one = blake3::Hasher::new();
        File::open(&file)
            .and_then(|opened| one.update_reader(opened).map(drop))
            .map_err(|error| format!("`{}`: {error}", file.display()))?;
        all.update(one.finalize().as_bytes());
    }
    if directory.is_some() {
        directory::hash(dir, &mut all)?;
    }
    Ok(short(&all))
}

fn short(hasher: &blake3::Hasher) -> String {
    hasher.finalize().to_hex()[..32].to_owned()
}
