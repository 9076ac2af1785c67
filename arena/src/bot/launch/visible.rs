//! Which files a bot needs, and which it must not see.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::files::{SCRATCH, SYSTEM};
use crate::config::Resolved;

/// What `bot` is shown beside the system's directories: its own directory, its program's, and its interpreter's.
pub fn visible(bot: &Resolved) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut add = |path: PathBuf| {
        if !is_system(&path) && !found.contains(&path) {
            found.push(path);
        }
    };
    for file in own_files(bot).into_iter().chain(interpreters(&bot.program)) {
        let real = file.canonicalize().ok();
        for file in std::iter::once(file).chain(real) {
            add(home_of(&file));
        }
    }
    add(if is_private(&bot.dir) {
        bot.program.clone()
    } else {
        bot.dir.clone()
    });
    // Those above others first, so that none covers what was shown before it.
    found.sort();
    found
}

/// What `bot` must not see though it may lie in its directories: the results, and what is the other bots' alone.
pub fn hidden(bot: &Resolved, others: &[&Resolved], results: Option<&Path>) -> Vec<PathBuf> {
    let own: Vec<PathBuf> = own_files(bot).into_iter().chain([bot.dir.clone()]).collect();
    let theirs = others
        .iter()
        .flat_map(|other| own_files(other).into_iter().chain([other.dir.clone()]));
    let mut hidden: Vec<PathBuf> = theirs
        .filter(|path| !is_system(path) && !own.iter().any(|own| own.starts_with(path)))
        .collect();
    if let Some(results) = results.and_then(|results| std::path::absolute(results).ok()) {
        for suffix in ["", "-wal", "-shm", "-journal", "-lock"] {
            let mut name = results.clone().into_os_string();
            name.push(suffix);
            hidden.push(name.into());
        }
    }
    hidden.sort();
    hidden.dedup();
    hidden
}

/// The program and the files among its arguments.
fn own_files(bot: &Resolved) -> Vec<PathBuf> {
    let files = bot
        .args
        .iter()
        .map(|arg| bot.dir.join(arg))
        .filter(|file| file.is_file());
    std::iter::once(bot.program.clone()).chain(files).collect()
}

/// The directory that a file is shown with: what it is installed with, or what lies beside it.
fn home_of(file: &Path) -> PathBuf {
    let Some(dir) = file.parent() else {
        return file.to_owned();
    };
    let is_program_dir = dir
        .file_name()
        .is_some_and(|name| ["bin", "sbin", "shims"].iter().any(|word| name == *word));
    let installation = dir
        .parent()
        .filter(|_| is_program_dir)
        .filter(|above| !is_private(above));
    match installation {
        Some(installation) => installation.to_owned(),
        None if is_private(dir) => file.to_owned(),
        None => dir.to_owned(),
    }
}

/// Whether a directory holds far more than a bot: the root, the one for temporary files, the user's home or one above.
fn is_private(dir: &Path) -> bool {
    dir.parent().is_none()
        || dir == Path::new(SCRATCH)
        || dir == std::env::temp_dir()
        || std::env::var_os("HOME").is_some_and(|home| Path::new(&home).starts_with(dir))
}

fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|dir| path.starts_with(dir))
}

/// The programs that a script's first line names.
fn interpreters(program: &Path) -> Vec<PathBuf> {
    let mut line = String::new();
    let read = std::fs::File::open(program).and_then(|file| BufReader::new(file.take(256)).read_line(&mut line));
    let Some(command) = read.ok().and(line.strip_prefix("#!")) else {
        return Vec::new();
    };
    let mut words = command.split_ascii_whitespace();
    let first = words.next().map(PathBuf::from);
    let by_name = words
        .find(|word| !word.starts_with('-') && !word.contains('='))
        .and_then(on_path);
    first.into_iter().chain(by_name).collect()
}

/// The program that a name stands for.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}
