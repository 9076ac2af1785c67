//! Building a bot's program by its own command. It is not confined, and what it prints goes to a file, so that a process
//! that it leaves behind, as compilers do that serve many builds, keeps nobody waiting.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use mancala_arena_protocol::excerpt;

use crate::config::Build;

/// Lines of output that an error shows, and how far back they are looked for.
const LINES: usize = 20;
const BYTES: u64 = 16 * 1024;

/// Runs a build and waits for its end.
///
/// # Errors
/// How it ended, what was run and where, and the last lines of its output.
pub fn build(build: &Build) -> Result<(), String> {
    let place = format!("`{}` in `{}`", build.command(), build.dir.display());
    let status = run(build).map_err(|error| format!("cannot build it: {place}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let mut message = format!("its build has failed ({status}): {place}");
    let output = last_lines(&build.output).unwrap_or_else(|error| vec![format!("it cannot be read: {error}")]);
    for line in output {
        message.push_str(&format!("\n  output: {line}"));
    }
    message.push_str(&format!(
        "\n  mend it and give the same command again; the whole output is in `{}`",
        build.output.display()
    ));
    Err(message)
}

fn run(build: &Build) -> io::Result<ExitStatus> {
    let output = File::create(&build.output)?;
    Command::new(&build.program)
        .args(&build.words[1..])
        .current_dir(&build.dir)
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output)
        .status()
}

fn last_lines(output: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(output)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    let lines: Vec<String> = { bytes.trim_ascii_end().split(|byte| *byte == b'\n') }
        .map(|line| excerpt(line, 200))
        .collect();
    Ok(lines[lines.len().saturating_sub(LINES)..].to_vec())
}
