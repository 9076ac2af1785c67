//! Looks at what all scripts together have noted: stray lines, time, memory, and what would be worth adding.

use super::bench::{Notes, Strays};
use super::{Check, How, Seen, passed, skipped, warning};

/// Of how many matches' growth the memory limit must be the multiple: a long tournament in one process.
const MATCHES_IN_A_PROCESS: u64 = 4_000;

/// The share of the limit of a move from which on a busy machine makes a bot late, in percent.
const CLOSE_PERCENT: u128 = 90;

pub const CHECKS: &[Check] = &[
    Check {
        name: "time",
        expected: "every move takes clearly less than the limit",
        advice: "plan with less than `move_ms_max`: what the machine adds comes on top, and the grace is no time to plan with",
        needs: &["hello"],
        how: How::Look(time),
    },
    Check {
        name: "log-lines",
        expected: "standard output holds messages only",
        advice: "print what is meant for people to standard error; a print that begins with `{` would lose the match",
        needs: &["hello"],
        how: How::Look(log_lines),
    },
    Check {
        name: "unasked",
        expected: "one answer to each turn, and none when nothing was asked",
        advice: "answer a `turn` once, and no other message; an answer that nobody waits for is dropped",
        needs: &["hello"],
        how: How::Look(unasked),
    },
    Check {
        name: "unknown-output",
        expected: "its messages have only types and fields that the protocol knows; anything else goes into `info`",
        advice: "is it a slip in a name? What is unknown is ignored; what you want kept belongs into an `info`",
        needs: &["hello"],
        how: How::Look(unknown_output),
    },
    Check {
        name: "names-ply",
        expected: "answers name the `ply` that they answer (this is optional)",
        advice: "add \"ply\" to each move: a late answer is then known for what it is, and cannot be taken for the next",
        needs: &["hello"],
        how: How::Look(names_ply),
    },
    Check {
        name: "resigns",
        expected: "it plays its matches, and does not resign most of them",
        advice: "resign only what is lost",
        needs: &["hello"],
        how: How::Look(resigns),
    },
    Check {
        name: "memory",
        expected: "memory does not grow from match to match",
        advice: "at this rate a long tournament ends in `memory_limit`: bound tables, forget the last match at each `start`. A \
                 runtime that collects garbage late may look the same",
        needs: &["hello", "many-matches"],
        how: How::Look(memory),
    },
];

fn time(notes: &Notes) -> Seen {
    let Some((longest, title)) = &notes.longest else {
        return skipped("it made no move");
    };
    let limit = u128::from(notes.move_ms_max) * 1_000;
    let percent = longest.as_micros() * 100 / limit.max(1);
    let mean = notes.time.as_secs_f64() * 1_000.0 / notes.timed as f64;
    let text = format!(
        "longest move {:.1} ms, {percent} % of the limit ({title}); {mean:.1} ms on average of {} moves",
        longest.as_secs_f64() * 1_000.0,
        notes.timed
    );
    match percent >= CLOSE_PERCENT {
        true => warning(text),
        false => passed(text),
    }
}

fn strays(strays: &Strays, what: &str) -> Seen {
    match &strays.first {
        Some(first) => warning(format!("{} {what}, the first: {first}", strays.count)),
        None => passed("none"),
    }
}

fn log_lines(notes: &Notes) -> Seen {
    strays(&notes.log_lines, "lines that are no messages")
}

fn unasked(notes: &Notes) -> Seen {
    strays(&notes.unasked, "answers that nobody waited for")
}

fn unknown_output(notes: &Notes) -> Seen {
    let unknown: Vec<_> = notes
        .unknown
        .iter()
        .map(|(what, count)| format!("{what} ({count})"))
        .collect();
    match unknown.is_empty() {
        true => passed("none"),
        false => warning(unknown.join(", ")),
    }
}

fn names_ply(notes: &Notes) -> Seen {
    let (named, moves) = (notes.named, notes.moves);
    match (named, moves) {
        (_, 0) => skipped("it made no move"),
        (0, _) => passed("no answer names its ply").with_advice(
            "worth adding: with \"ply\" a late answer is known for what it is, and is not taken for the next one",
        ),
        _ if named >= moves => passed("every answer does"),
        _ => warning(format!("{named} of {moves} answers do")),
    }
}

fn resigns(notes: &Notes) -> Seen {
    let text = format!("{} of {} matches", notes.resigned, notes.matches);
    match 2 * notes.resigned > notes.matches {
        true => warning(text),
        false => passed(text),
    }
}

/// Whether memory grew in both of the last two spans by more than would fill the limit in a long tournament. The first
/// span is for what a program sets up once.
fn memory(notes: &Notes) -> Seen {
    let [_, ref spans @ ..] = notes.memory[..] else {
        return skipped("too few matches were played in one process to tell");
    };
    let &[from, middle, to] = spans else {
        return skipped("too few matches were played in one process to tell");
    };
    let most = notes.memory_max / MATCHES_IN_A_PROCESS * notes.memory_step;
    let growth = [middle.saturating_sub(from), to.saturating_sub(middle)];
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let text = format!(
        "{:.1} MiB after {} matches, {:.1} MiB after {}",
        mib(from),
        2 * notes.memory_step,
        mib(to),
        4 * notes.memory_step
    );
    match growth.iter().all(|growth| *growth > most) {
        true => warning(text),
        false => passed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn verdict(memory_mib: [u64; 4]) -> Verdict {
        let notes = Notes {
            memory: memory_mib.map(|mib| mib << 20).to_vec(),
            memory_step: 50,
            memory_max: 1 << 30,
            ..Notes::default()
        };
        memory(&notes).verdict
    }

    #[test]
    fn memory_that_grows_all_the_time_is_a_leak() {
        assert_eq!(verdict([20, 40, 60, 80]), Verdict::Warning);
    }

    #[test]
    fn memory_that_is_set_up_once_is_none() {
        assert_eq!(verdict([20, 400, 400, 401]), Verdict::Passed);
        assert_eq!(verdict([20, 20, 200, 200]), Verdict::Passed);
        // 100 KiB a match fill the limit in more than 10,000 matches.
        assert_eq!(verdict([20, 24, 28, 32]), Verdict::Passed);
    }
}
