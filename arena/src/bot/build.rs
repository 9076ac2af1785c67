//! Building a bot's program by its own command. It is not confined, and what it prints goes to a file, so that a process
//! that it leaves behind, as compilers do that serve many builds, keeps nobody waiting.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use mancala_arena_protocol::excerpt;

use crate::config::Build;

/// Lines of output that an error shows of either end, as some compilers say first what is wrong and others last; and how far
/// from the end they are looked for.
const LINES: usize = 12;
const BYTES: u64 = 64 * 1024;

/// Runs a build and waits for its end.
///
/// # Errors
/// How it ended, what was run and where, and the first and last lines of its output.
pub fn build(build: &Build) -> Result<(), String> {
    let place = format!("`{}` in `{}`", build.command(), build.dir.display());
    let status = run(build).map_err(|error| format!("cannot build it: {place}: {error}"))?;
    if status.success() {
        return Ok(());
    }
    let mut message = format!("its build has failed ({status}): {place}");
    let output = output_lines(&build.output).unwrap_or_else(|error| vec![format!("it cannot be read: {error}")]);
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

/// The lines of a short output, and both ends of a long one.
fn output_lines(output: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(output)?;
    let length = file.metadata()?.len();
    let mut lines_from = |start: u64| -> io::Result<Vec<String>> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&file).take(BYTES).read_to_end(&mut bytes)?;
        let lines = bytes.trim_ascii_end().split(|byte| *byte == b'\n');
        Ok(lines.map(|line| excerpt(line, 200)).collect())
    };
    let mut lines = lines_from(0)?;
    if length <= BYTES && lines.len() <= 2 * LINES {
        return Ok(lines);
    }
    let last = lines_from(length.saturating_sub(BYTES))?;
    lines.truncate(LINES);
    lines.push("...".to_owned());
    lines.extend_from_slice(&last[last.len().saturating_sub(LINES)..]);
    Ok(lines)
}
