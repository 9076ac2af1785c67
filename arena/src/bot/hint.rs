//! What the author of a bot could do about a fault whose cause is a common one.
//!
//! A hint is a guess from the evidence, for people, beside the message that says what was found. Nothing is decided by it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use mancala_arena_protocol::{Decoded, decode, excerpt};
use rustix::io::Errno;

use super::session::{EXCERPT_CHARS, StartError, signal_name};

/// How a line leaves a program at once.
pub const FLUSH: &str = "flush after every line: print(..., flush=True) in Python, fflush(stdout) in C, std::endl in C++, \
                         System.out.flush() in Java, $| = 1 in Perl";

/// What to do about bytes without a newline.
pub const NEWLINE: &str = "a line counts when its newline has arrived: end every message with one";

/// What to do about a line that is no message because something stands before it.
const GLUED: &str = "a debug print without a newline before the message: the line does not begin with `{`, so it is taken for a \
                     stray print; print to standard error instead";

/// What to do about a bot that wrote of what a sandbox refuses, before it ended.
pub const SANDBOX: &str = "it ran in a sandbox: it sees the system's directories and its own, has no network, and may \
                           write to its scratch directory only; to try without: --sandbox off";

/// What programs write when a sandbox has refused them something, and else for other reasons.
const REFUSALS: [&str; 6] = [
    "No such file or directory",
    "Permission denied",
    "Operation not permitted",
    "Read-only file system",
    "Network is unreachable",
    "name resolution",
];

/// For a bot in a sandbox that has ended with these last words.
pub fn of_last_words(stderr: &str) -> Option<&'static str> {
    REFUSALS.iter().any(|words| stderr.contains(words)).then_some(SANDBOX)
}

/// For a bot that did not get as far as `hello`.
pub fn of_start(error: &StartError, program: &Path) -> Option<String> {
    match error {
        StartError::CannotStart { error, .. } => of_program(program, error),
        StartError::NoHello { hint, .. } | StartError::NotHello { hint, .. } => hint.clone(),
        StartError::Exited(status) => {
            let not_found = status.code() == Some(127);
            let carriage_return = not_found.then(|| carriage_return(program)).flatten();
            carriage_return.or_else(|| of_exit(*status))
        }
        StartError::NoSandbox { .. } => Some("`arena doctor` says what this machine gives".to_owned()),
        StartError::UnsupportedProtocol { .. } | StartError::ClosedOutput => None,
    }
}

/// For a program that the operating system does not start.
fn of_program(program: &Path, error: &io::Error) -> Option<String> {
    let errno = Errno::from_io_error(error)?;
    let shown = program.display();
    if errno == Errno::ACCESS {
        return Some(format!(
            "is it executable? chmod +x {shown}, or name its interpreter before it"
        ));
    }
    if errno == Errno::NOEXEC {
        return Some(format!(
            "it is no program of this machine, and its first line does not name an interpreter: begin it with \
             `#!/usr/bin/env python3` or the like, or name its interpreter before it, as in `python3 {shown}`"
        ));
    }
    if errno != Errno::NOENT || !program.exists() {
        return None;
    }
    carriage_return(program)
        .or_else(|| {
            let interpreter = interpreter(program)?;
            let shown = excerpt(&interpreter, EXCERPT_CHARS);
            Some(format!("its first line names `{shown}`, which is not there"))
        })
        .or_else(|| Some("the file is there; what it needs to be loaded is not: is it for this system?".to_owned()))
}

/// For a script whose first line ends as on Windows, so that its interpreter is looked for with a carriage return.
fn carriage_return(program: &Path) -> Option<String> {
    first_line(program).filter(|line| line.starts_with(b"#!") && line.ends_with(b"\r"))?;
    Some(format!(
        "the lines of the script end in CR LF, so its interpreter is not found; take the CRs out: sed -i 's/\\r$//' {}",
        program.display()
    ))
}

/// The interpreter that a script names.
fn interpreter(program: &Path) -> Option<Vec<u8>> {
    let line = first_line(program)?;
    let words = line.strip_prefix(b"#!")?.trim_ascii_start();
    let path = words.split(u8::is_ascii_whitespace).next()?;
    (!Path::new(OsStr::from_bytes(path)).exists()).then(|| path.to_vec())
}

fn first_line(program: &Path) -> Option<Vec<u8>> {
    let mut start = Vec::new();
    File::open(program).ok()?.take(256).read_to_end(&mut start).ok()?;
    let end = start.iter().position(|byte| *byte == b'\n').unwrap_or(start.len());
    start.truncate(end);
    Some(start)
}

/// For a process that has ended before it should.
pub fn of_exit(status: ExitStatus) -> Option<String> {
    if let Some(signal) = status.signal() {
        return of_signal(signal).map(str::to_owned);
    }
    match status.code()? {
        0 => Some("it ended of its own accord: a bot reads on until `quit` or the end of its input".to_owned()),
        126 => {
            Some("126 is a shell's word for a command that is there and cannot be run: is it executable?".to_owned())
        }
        127 => Some("127 is a shell's word for a command that is not there".to_owned()),
        // Of greater ones none is known by name.
        code @ 129..160 => {
            let signal = code - 128;
            let name = signal_name(signal);
            let why = of_signal(signal).map_or(String::new(), |why| format!("; {why}"));
            Some(format!(
                "{code} is a shell's word for a command that was ended by {name}{why}"
            ))
        }
        _ => None,
    }
}

fn of_signal(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    Some(match Signal::from_named_raw(number)? {
        Signal::ABORT => "it gave up by itself: a failed assertion, an uncaught exception, or an abort",
        Signal::BUS | Signal::SEGV => "it used memory that is not its own: a wild pointer, or a recursion without end",
        Signal::FPE => "most often a division by zero",
        Signal::ILL => "is it built for another processor?",
        Signal::KILL => "it was killed from outside: most often by the system, for want of memory",
        Signal::PIPE => "it wrote to a pipe that nobody reads any more",
        Signal::XCPU => "it used more processor time than it may",
        Signal::XFSZ => "it wrote a larger file than it may",
        Signal::SYS => "it made a system call that is forbidden to it",
        _ => return None,
    })
}

/// For a line that is no message, whether it was meant as one or not.
pub fn of_line(line: &[u8]) -> Option<&'static str> {
    let text = line.trim_ascii();
    if line.starts_with(b"\xff\xfe") || line.starts_with(b"\xfe\xff") || line.contains(&0) {
        return Some("this looks like UTF-16: write UTF-8");
    }
    if line.starts_with(b"\xef\xbb\xbf") {
        return Some("it begins with a byte order mark (EF BB BF): write UTF-8 without one");
    }
    let Some(inside) = text.strip_prefix(b"{") else {
        let number = str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok());
        return match number {
            true => Some("a bare move is no message: write it as {\"move\":2}"),
            false => hides_message(text).then_some(GLUED),
        };
    };
    match inside.trim_ascii_start().first()? {
        b'\'' => Some("JSON has double quotes: in Python print json.dumps(message), not the dict itself"),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Some(
            "JSON has its keys in double quotes: in JavaScript print JSON.stringify(message), not the object itself",
        ),
        _ if holds(inside, b"NaN") || holds(inside, b"Infinity") => {
            Some("JSON has neither NaN nor Infinity: leave such a field out; Python's json.dumps writes them unasked")
        }
        _ => None,
    }
}

fn holds(text: &[u8], word: &[u8]) -> bool {
    find(text, word).is_some()
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|part| part == word)
}

/// Whether a line ends in a message that would have counted on a line of its own.
fn hides_message(line: &[u8]) -> bool {
    let message = find(line, b"{\"").map(|start| decode(&line[start..], false));
    matches!(message, Some(Ok(Decoded::Message { .. })))
}

/// For a bot that was silent until its input was closed and then wrote these bytes.
pub fn of_held_back(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    Some(format!(
        "{} bytes came as soon as its input was closed: {}; if they were ready before, they waited in its buffer: {FLUSH}",
        bytes.len(),
        excerpt(bytes, EXCERPT_CHARS)
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn lines_that_are_nearly_messages_are_told_what_they_lack() {
        for (line, says) in [
            (&b"{'move': 2}"[..], "json.dumps"),
            (b"{ move: 2 }", "JSON.stringify"),
            (b"{\"type\":\"info\",\"score\":NaN}", "NaN"),
            (b"{\"type\":\"info\",\"score\":-Infinity}", "NaN"),
            (b"\xff\xfe{\0\"\0m\0", "UTF-16"),
            (b"\0{\0\"\0m\0o", "UTF-16"),
            (b"\xef\xbb\xbf{\"move\":2}", "byte order mark"),
            (b" 2 \r", "{\"move\":2}"),
            (b"x{\"move\":2}", "without a newline before the message"),
            (
                b"depth {1} {\"type\":\"hello\",\"protocol\":1}\r",
                "without a newline before",
            ),
        ] {
            let hint = of_line(line).unwrap_or_else(|| panic!("{line:?} has a hint"));
            assert!(hint.contains(says), "{line:?}: {hint}");
        }
        for line in [
            &b"thinking"[..],
            b"",
            b"{\"move\" 3}",
            b"{",
            b"[2]",
            b"was sent {\"type\"",
            b"is {2}",
        ] {
            assert_eq!(of_line(line), None, "{line:?}");
        }
    }

    #[test]
    fn exits_are_told_by_what_they_most_often_mean() {
        let ended = |raw: i32| of_exit(ExitStatus::from_raw(raw)).unwrap_or_default();
        for (raw, says) in [
            (127 << 8, "not there"),
            (126 << 8, "executable"),
            (139 << 8, "SIGSEGV; it used memory"),
            (143 << 8, "SIGTERM"),
            (0, "`quit`"),
            (9, "want of memory"),
            (11, "memory that is not its own"),
        ] {
            assert!(ended(raw).contains(says), "{raw}: {}", ended(raw));
        }
        for raw in [1 << 8, 2 << 8, 255 << 8, 15] {
            assert_eq!(ended(raw), "", "{raw}");
        }
    }

    #[test]
    fn a_script_that_does_not_start_is_told_why() {
        let dir = tempfile::tempdir().expect("a directory can be made");
        let program = dir.path().join("bot");
        let check = |text: &str, mode: u32, says: &str| {
            fs::write(&program, text).expect("a file can be written");
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).expect("permissions can be set");
            let start = || {
                let started = std::process::Command::new(&program).current_dir(dir.path()).spawn();
                started.expect_err("it does not start")
            };
            // A process that another test starts just now may hold the file open for writing until it runs.
            let error = std::iter::repeat_with(start).find(|error| error.kind() != io::ErrorKind::ExecutableFileBusy);
            let error = error.expect("there is no end of attempts");
            let hint = of_program(&program, &error).unwrap_or_else(|| panic!("{text:?} has a hint: {error}"));
            assert!(hint.contains(says), "{text:?}: {hint}");
        };
        check("#!/bin/sh\r\necho\r\n", 0o755, "CR LF");
        check("#!/no/such/shell -x\n", 0o755, "`/no/such/shell`, which is not there");
        check("#!/bin/sh\n", 0o644, "chmod +x");
        check("print('hello')\n", 0o755, "interpreter");
        let missing = dir.path().join("none");
        assert_eq!(of_program(&missing, &io::Error::from_raw_os_error(2)), None);
    }
}
