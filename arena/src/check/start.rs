//! Checks of how a bot starts: its `hello`, the version that it chooses, `ready`.

use mancala_arena_protocol::{Feature, VERSIONS};
use mancala_arena_rules::infos;

use super::bench::{Bench, Failure, Match, all_games};
use super::{Check, How, Seen, passed, skipped, warning};
use crate::bot::hello_line;

/// A version of the protocol that there will not be for long.
const FUTURE_VERSION: u32 = 1_000;

pub const CHECKS: &[Check] = &[
    Check {
        name: "hello",
        expected: "the program starts and answers `hello` with its own `hello` within the start limit",
        advice: "print the `hello` line first of all, end it with a newline and flush it",
        needs: &[],
        how: How::Script(|bench| Box::pin(hello(bench))),
    },
    Check {
        name: "versions",
        expected: "of the versions in `protocols` it chooses one that it speaks, also where it does not know the first",
        advice: "answer with `\"protocol\":1` as long as that is in `protocols`; do not take the first",
        needs: &["hello"],
        how: How::Script(|bench| Box::pin(versions(bench))),
    },
    Check {
        name: "announced",
        expected: "`games` and `features` of the `hello` name what the arena knows",
        advice: "names are those of `arena games` and of the features in SPEC.md; others have no effect",
        needs: &["hello"],
        how: How::Script(|bench| Box::pin(announced(bench))),
    },
    Check {
        name: "ready",
        expected: "a bot that announces `ready` answers every `start` with it within the start limit",
        advice: "print {\"type\":\"ready\"} after each `start` and flush it, or do not announce the feature",
        needs: &["hello"],
        how: How::Script(|bench| Box::pin(ready(bench))),
    },
];

async fn hello(bench: &mut Bench) -> Result<Seen, Failure> {
    bench.start().await?;
    let hello = bench.notes.hello.clone().unwrap_or_default();
    if bench.games.is_empty() {
        bench.games = all_games();
        if let Some(claimed) = &hello.games {
            bench
                .games
                .retain(|game| claimed.iter().any(|name| name == game.info().name));
            // Whoever names nothing that there is will be told so, and is checked in something.
            if bench.games.is_empty() {
                bench.games = all_games();
            }
        }
    }
    let said = [("name", &hello.name), ("version", &hello.version)];
    let said = said
        .into_iter()
        .filter_map(|(what, text)| Some(format!(", {what} {}", text.as_ref()?)));
    Ok(passed(format!(
        "`hello` after {} ms{}",
        bench.notes.start.as_millis(),
        said.collect::<String>()
    )))
}

async fn versions(bench: &mut Bench) -> Result<Seen, Failure> {
    let offered = [&[FUTURE_VERSION], VERSIONS].concat();
    let ours = serde_json::to_string(VERSIONS).expect("numbers are JSON");
    let offer = serde_json::to_string(&offered).expect("numbers are JSON");
    let hello = bench.start_offering(&hello_line().replace(&ours, &offer)).await?;
    Ok(passed(format!("of {offer} it chooses {}", hello.protocol)))
}

async fn announced(bench: &mut Bench) -> Result<Seen, Failure> {
    let hello = bench.notes.hello.clone().unwrap_or_default();
    let known: Vec<&str> = infos().iter().map(|info| info.name).collect();
    let features = [Feature::Ready, Feature::Observe, Feature::SingleMatch, Feature::Ponder].map(Feature::as_str);
    let unknown = |names: &[String], known: &[&str], what: &str| {
        let unknown = names.iter().filter(|name| !known.contains(&name.as_str()));
        unknown
            .map(|name| format!("unknown {what} `{name}`"))
            .collect::<Vec<_>>()
    };
    let games = hello.games.clone().unwrap_or_default();
    let mut wrong = unknown(&games, &known, "game");
    wrong.extend(unknown(&hello.features, &features, "feature"));
    if hello.games.as_ref().is_some_and(Vec::is_empty) {
        wrong.push("`games` is an empty list: leave it out for any game".to_owned());
    }
    if !wrong.is_empty() {
        let known = format!(
            "known games: {}; known features: {}",
            known.join(", "),
            features.join(", ")
        );
        return Ok(warning(wrong.join("; ")).with_advice(known));
    }
    let or = |list: Vec<String>, none: &str| match list.is_empty() {
        true => none.to_owned(),
        false => list.join(", "),
    };
    Ok(passed(format!(
        "games: {}; features: {}",
        or(games, "any"),
        or(hello.features, "none")
    )))
}

async fn ready(bench: &mut Bench) -> Result<Seen, Failure> {
    if !bench.has(Feature::Ready) {
        return Ok(skipped("it does not announce the feature"));
    }
    bench.open(&Match::new(&bench.games[0].clone(), 0)).await?;
    Ok(passed("`ready` came in time"))
}
