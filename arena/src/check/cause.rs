//! Whether two checks have failed for the same cause, so that it need not be told twice.
//!
//! It is a guess, for people: nothing but how much is printed hangs on it. A bot's words differ from turn to turn by
//! their numbers, and by how often the same was said before; by more than that only where the cause is another.

use std::collections::BTreeSet;

use mancala_arena_protocol::FaultCode;

use super::bench::Failure;

/// How many of a bot's last lines tell why it failed: those that are shown.
pub const LAST_LINES: usize = 10;

/// What one failure has in common with others that have the same cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    code: FaultCode,
    /// What was found, in words without digits; an exit in all its words, for its status is not of the turn.
    found: Vec<String>,
    /// The bot's last lines, each in words without digits; however often, in whatever order.
    said: BTreeSet<Vec<String>>,
}

impl Cause {
    /// The cause of a failure; none where it is no fault in a match: then it is about what that one check asks for.
    pub fn of(failure: &Failure) -> Option<Cause> {
        let code = failure.code?;
        let said = failure.stderr.as_deref().map(last_lines).unwrap_or_default();
        Some(Cause {
            code,
            found: match code {
                FaultCode::Exited => vec![failure.found.clone()],
                _ => words(&failure.found),
            },
            said: said.into_iter().map(words).collect(),
        })
    }
}

/// The last lines of a text, as many as are shown.
pub fn last_lines(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].to_vec()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    words
        .filter(|word| !word.is_empty() && !word.contains(|char: char| char.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause_of(code: FaultCode, found: &str, stderr: &str) -> Option<Cause> {
        Cause::of(&Failure {
            code: Some(code),
            stderr: Some(stderr.to_owned()),
            ..Failure::new(found)
        })
    }

    fn cause(found: &str, stderr: &str) -> Option<Cause> {
        cause_of(FaultCode::IllegalMove, found, stderr)
    }

    #[test]
    fn numbers_and_what_was_said_more_often_make_no_other_cause() {
        let trace =
            |line: u32, address: &str| format!("at 0x{address}, line {line}\nValueError: pit {line} is empty\n");
        let one = cause("illegal move 3; legal: 0, 2", &trace(3, "c0ffee1"));
        let other = cause(
            "illegal move 12; legal: 5",
            &format!("depth 4\ndepth 5\n{}", trace(7, "b2")),
        );
        let with_log = cause("illegal move 3; legal: 0, 2", &format!("depth 1\n{}", trace(9, "d3")));
        assert_ne!(one, other);
        assert_eq!(other, with_log);
    }

    #[test]
    fn another_word_another_code_or_another_line_is_another_cause() {
        let one = cause("exited with status 1", "KeyError: stores");
        assert_ne!(one, cause("exited with status 1", "KeyError: pits"));
        assert_ne!(one, cause("ended by SIGSEGV", "KeyError: stores"));
        assert_ne!(one, cause("exited with status 1", ""));
        assert_ne!(
            one,
            cause_of(FaultCode::Late, "exited with status 1", "KeyError: stores")
        );
        let exited = |status| cause_of(FaultCode::Exited, &format!("exited with status {status}"), "");
        assert_ne!(exited(1), exited(2));
    }

    #[test]
    fn what_is_no_fault_in_a_match_is_told_each_time() {
        assert_eq!(Cause::of(&Failure::new("it still ran after 1000 ms")), None);
    }

    #[test]
    fn only_the_lines_that_are_shown_count() {
        let long = |first: &str| format!("{first}\n{}", "the same\n".repeat(LAST_LINES));
        assert_eq!(cause("exited", &long("one")), cause("exited", &long("other")));
    }
}
