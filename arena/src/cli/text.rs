//! Messages that several commands print on standard error, and words for people.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use super::Exit;
use crate::bot::EXCERPT_CHARS;
use crate::bot::hint::SANDBOX;
use crate::config::Build;
use crate::record::{End, FaultRecord, MatchScore, SeatRecord, Then, Transcript, TranscriptLine, What};
use crate::tournament::CannotStart;

/// What the user should know about the settings.
pub fn notices(notices: &[String]) {
    for notice in notices {
        let _ = writeln!(anstream::stderr(), "note: {notice}");
    }
}

/// Builds a bot's program, and says so: it may take a while.
pub fn build(build: &Build) -> Result<(), String> {
    let _ = writeln!(anstream::stderr(), "building bot `{}`: {}", build.bot, build.command());
    crate::bot::build(build)
}

/// A bot takes its time to say hello. Only whoever watches wants to know.
pub fn slow_start(name: &str, start_ms_max: u64) {
    let mut stderr = std::io::stderr();
    if stderr.is_terminal() {
        let limit = start_ms_max as f64 / 1_000.0;
        let _ = writeln!(stderr, "waiting for `{name}` to say hello (limit {limit} s)");
    }
}

/// A fault, as its bot's author needs it.
pub fn fault(of: &str, fault: &FaultRecord) {
    let (bot, seat, ply, message) = (&fault.bot, fault.seat + 1, fault.ply, &fault.message);
    let mut line = match fault.then {
        None => format!("bot `{bot}` (seat {seat}) forfeits {of} at ply {ply}: {message}"),
        Some(Then::Restarted) => format!("bot `{bot}` (seat {seat}) is started again in {of} at ply {ply}: {message}"),
        Some(Then::Substituted) => {
            format!("a house bot plays on for bot `{bot}` (seat {seat}) in {of} from ply {ply}: {message}")
        }
    };
    if let Some(received) = fault
        .received
        .as_ref()
        .filter(|received| !fault.message.contains(received.as_str()))
    {
        line.push_str(&format!("; received: {received}"));
    }
    if let Some(exit) = fault
        .exit
        .as_ref()
        .filter(|exit| !fault.message.contains(exit.as_str()))
    {
        line.push_str(&format!("; the process {exit}"));
    }
    let _ = writeln!(anstream::stderr(), "{line}");
    hint(fault.hint.as_deref());
    last_words(fault.stderr.as_deref());
}

/// A bot that cannot start, with its last words, and the exit code for it.
pub fn cannot_start(error: &CannotStart) -> Exit {
    let _ = writeln!(anstream::stderr(), "error: {error}");
    hint(error.why.hint.as_deref());
    last_words(error.why.stderr.as_deref());
    if error.confined {
        let _ = writeln!(anstream::stderr(), "  {SANDBOX}");
    }
    Exit::BotCannotStart
}

/// What the author of a bot could do.
pub fn hint(hint: Option<&str>) {
    if let Some(hint) = hint {
        let _ = writeln!(anstream::stderr(), "  hint: {hint}");
    }
}

/// What a bot without a fault wrote to standard error, if anything.
pub fn standard_error(name: &str, words: Option<&str>) {
    if words.is_some() {
        let _ = writeln!(anstream::stderr(), "`{name}` wrote to standard error, at last:");
        last_words(words);
    }
}

/// What a bot printed that is no message, if it did. It may have printed more than its transcript has kept.
pub fn stray_prints(at: &SeatRecord, seat: usize, transcript: &Transcript) {
    let is_stray = |line: &&TranscriptLine| usize::from(line.seat) == seat && line.what == What::Log;
    let mut kept = transcript.lines.iter().filter(is_stray);
    let Some(first) = kept.next() else { return };
    let lines = at.log_lines.max(1 + kept.count() as u64);
    let mut shown: String = first.text.chars().take(EXCERPT_CHARS).collect();
    if shown.len() < first.text.len() {
        shown.push_str("...");
    }
    let which = match lines {
        1 => "a line to its standard output that is no message".to_owned(),
        _ => format!("{lines} lines to its standard output that are no messages, the first"),
    };
    let _ = writeln!(
        anstream::stderr(),
        "bot `{}` wrote {which}: `{shown}`; print to standard error instead",
        at.name
    );
}

/// The last lines of a bot's standard error.
fn last_words(stderr: Option<&str>) {
    const LINES: usize = 20;
    let Some(stderr) = stderr else { return };
    let lines: Vec<&str> = stderr.lines().collect();
    for line in &lines[lines.len().saturating_sub(LINES)..] {
        let _ = writeln!(
            anstream::stderr(),
            "  stderr: {}",
            mancala_arena_protocol::excerpt(line.as_bytes(), 200)
        );
    }
}

/// A match in one line.
pub fn finished(score: &MatchScore, names: &[&str]) -> String {
    let seats = score.bots.iter().zip(&score.places).zip(&score.points);
    let seats: Vec<String> = seats
        .map(|((bot, place), points)| format!("{} place {place} ({points} points)", names[*bot]))
        .collect();
    format!(
        "match {}: {}; {} plies, {}",
        score.r#match,
        seats.join(", "),
        score.plies,
        end(score.end)
    )
}

/// A number with its word, in the plural where it is not 1.
pub fn count(number: u64, word: &str) -> String {
    let ending = match number {
        1 => "",
        _ if word.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{number} {word}{ending}")
}

/// Why a match ended.
pub fn end(end: End) -> &'static str {
    match end {
        End::Rules => "ended by the rules",
        End::Repetition => "ended by repetition",
        End::PlyCap => "ended by the cap on plies",
        End::Resignation => "ended by resignation",
        End::Fault => "ended by a fault",
    }
}

/// A time in the unit that suits it.
pub fn duration(time: Duration) -> String {
    let micros = time.as_micros();
    match micros {
        0..1_000 => format!("{micros} µs"),
        1_000..1_000_000 => format!("{:.1} ms", time.as_secs_f64() * 1_000.0),
        _ => format!("{:.2} s", time.as_secs_f64()),
    }
}
