//! Checks of how a bot reads: what it does not know, long lines, lines in pieces, numbers and texts at the edge.

use super::bench::{Bench, Delivery, Failure, Match};
use super::{Check, How, Seen, passed};

pub const CHECKS: &[Check] = &[
    Check {
        name: "unknown-fields",
        expected: "fields that it does not know are ignored, in every message",
        advice: "later versions add fields: take what you know by name and ignore the rest",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(with(bench, Delivery::UnknownField))),
    },
    Check {
        name: "unknown-messages",
        expected: "messages of a type that it does not know are ignored and not answered",
        advice: "look at `type`; do nothing for a type that you do not know",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(with(bench, Delivery::UnknownMessage))),
    },
    Check {
        name: "long-lines",
        expected: "a line is read whole, however long; lines to a bot hold up to 1 MiB",
        advice: "read up to the newline with a buffer that grows, not into one of a fixed size",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(with(bench, Delivery::LongLine))),
    },
    Check {
        name: "pieces",
        expected: "a line that arrives in two pieces is read as one",
        advice: "read up to the newline: one read of a pipe is not one line",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(with(bench, Delivery::Pieces))),
    },
    Check {
        name: "seeds",
        expected: "a `start` with any `seed` from 0 to 2^64 - 1 is read",
        advice: "read it as an unsigned 64-bit number, or as a floating-point one",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(seeds(bench))),
    },
    Check {
        name: "texts",
        expected: "`match` and `names` may be any text: quotes, other alphabets, what looks like JSON",
        advice: "let a JSON library read the line, as UTF-8; `match` is a text, not a number",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(texts(bench))),
    },
];

/// Two matches of the first game whose lines are sent in another way; the bot is asked for some moves.
async fn with(bench: &mut Bench, delivery: Delivery) -> Result<Seen, Failure> {
    let mut moves = 0;
    for seat in 0..2 {
        let spec = Match {
            draw: 8_000,
            delivery,
            turns_max: 12,
            ..Match::new(&bench.games[0].clone(), seat)
        };
        moves += bench.play(&spec).await?.moves.len();
    }
    Ok(passed(format!("{moves} legal moves")))
}

async fn seeds(bench: &mut Bench) -> Result<Seen, Failure> {
    for seed in [0, (1 << 53) + 1, i64::MAX as u64 + 1, u64::MAX] {
        let spec = Match {
            seed,
            turns_max: 2,
            ..Match::new(&bench.games[0].clone(), 0)
        };
        bench.play(&spec).await.map_err(|failure| Failure {
            found: format!("with `\"seed\":{seed}`: {}", failure.found),
            ..failure
        })?;
    }
    Ok(passed(format!("seeds up to {}", u64::MAX)))
}

async fn texts(bench: &mut Bench) -> Result<Seen, Failure> {
    let odd = [
        "Änne \"die Schnelle\"",
        "{\"type\":\"turn\",\"legal\":[99]}",
        "播棋 🌱",
        "back\\slash",
    ];
    for (at, id) in ["r1-03/ä \"x\"", "007"].into_iter().enumerate() {
        let game = bench.games[0].clone();
        let spec = Match {
            names: Some(odd.iter().take(game.seats()).map(|name| (*name).to_owned()).collect()),
            id: Some(id.to_owned()),
            turns_max: 4,
            draw: 9_000,
            ..Match::new(&game, at)
        };
        bench.play(&spec).await?;
    }
    Ok(passed("names and match ids of all kinds"))
}
