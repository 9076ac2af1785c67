//! Checks of what a bot does when nothing is asked of it: while others think, after `quit`, at the end of its input.

use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use tokio::time::sleep;

use super::bench::{Bench, Failure, Match};
use super::{Check, How, Seen, passed, warning};
use crate::bot::{Tree, exit_text};

/// How long a bot may still be busy with the move that it has made.
const SETTLE: Duration = Duration::from_millis(100);

/// How long it is watched then.
const WATCH: Duration = Duration::from_millis(500);

/// What a bot may use meanwhile that only waits for a line: a timer, a collector of garbage.
const IDLE_MAX: Duration = Duration::from_millis(25);

pub const CHECKS: &[Check] = &[
    Check {
        name: "idle",
        expected: "no processor time while it is not its turn and `ponder` is false",
        advice: "wait for the next line by reading it, not in a loop that looks whether there is one; stop threads that search",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(idle(bench))),
    },
    Check {
        name: "quit",
        expected: "after `quit` it ends by itself within its grace",
        advice: "leave the reading loop at `quit`, and end what the program has started",
        needs: &["hello"],
        how: How::Script(|bench| Box::pin(quit(bench))),
    },
    Check {
        name: "end-of-input",
        expected: "when its input is closed without `quit` it ends by itself within its grace",
        advice: "leave the reading loop where there is no more line",
        needs: &["hello"],
        how: How::Script(|bench| Box::pin(end_of_input(bench))),
    },
    Check {
        name: "broken-off",
        expected: "when its input is closed in the middle of a match it ends by itself within its grace",
        advice: "leave the reading loop where there is no more line, wherever the program reads",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(broken_off(bench))),
    },
];

/// A match that is broken off after the bot's first move.
fn begun(bench: &Bench) -> Match {
    Match {
        turns_max: 1,
        may_ponder: false,
        ..Match::new(&bench.games[0].clone(), 0)
    }
}

async fn idle(bench: &mut Bench) -> Result<Seen, Failure> {
    bench.play(&begun(bench)).await?;
    sleep(SETTLE).await;
    let used = |bench: &mut Bench| bench.process().tree().map_or(Duration::ZERO, Tree::used);
    let before = used(bench);
    sleep(WATCH).await;
    let used = used(bench).saturating_sub(before);
    let text = format!("{} ms of processor time in {} ms", used.as_millis(), WATCH.as_millis());
    Ok(match used > IDLE_MAX {
        true => warning(text),
        false => passed(text),
    })
}

async fn quit(bench: &mut Bench) -> Result<Seen, Failure> {
    bench.start().await?;
    ended(bench, true).await
}

async fn end_of_input(bench: &mut Bench) -> Result<Seen, Failure> {
    bench.start().await?;
    ended(bench, false).await
}

async fn broken_off(bench: &mut Bench) -> Result<Seen, Failure> {
    bench.play(&begun(bench)).await?;
    ended(bench, false).await
}

async fn ended(bench: &mut Bench, says_quit: bool) -> Result<Seen, Failure> {
    let grace = bench.grace();
    let Some((status, after)) = bench.dismiss(says_quit).await else {
        return Err(Failure::new(format!(
            "it still ran after {} ms, and was killed",
            grace.as_millis()
        )));
    };
    let text = format!("{} after {} ms", exit_text(status), after.as_millis());
    Ok(match status.success() {
        true => passed(text),
        false if status.signal().is_some() => warning(text).with_advice("it should end, not crash, at the end"),
        false => warning(text).with_advice("a status other than 0 says that something went wrong at the end"),
    })
}
