//! Checks of what a bot plays: whole matches in every game, seat and variant, positions of all kinds, many matches on end.

use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::Feature;
use mancala_arena_rules::{AnyGame, OptionKind, SEATS_MAX, open};
use serde_json::Value;

use super::bench::{Bench, CHECK_TIME, Failure, Match, Played, describe, random_plies};
use super::{Check, How, Seen, passed, skipped, warning};
use crate::config::TimeControl;

/// Matches on end in one process.
const MANY: u64 = 200;

/// Positions of each game that it is asked for one move in.
const POSITIONS: usize = 40;

/// How long a bot that ends after a match is waited for.
const DEATH_PATIENCE: Duration = Duration::from_millis(100);

/// How many random matches are tried for a long one.
const LONG_TRIALS: u64 = 20;

pub const CHECKS: &[Check] = &[
    Check {
        name: "first-turns",
        expected: "a legal move in time at its first turns, in every seat",
        advice: "answer each `turn` with one element of its `legal`",
        needs: &["hello", "ready"],
        how: How::Script(|bench| Box::pin(first_turns(bench))),
    },
    Check {
        name: "matches",
        expected: "a legal move in time at every turn, in every seat of every game that it plays",
        advice: "answer each `turn` with one element of its `legal`",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(matches(bench))),
    },
    Check {
        name: "positions",
        expected: "a legal move wherever a match may begin; a `start` may follow while a match is on the board",
        advice: "play from `position`, not from the normal start; set everything up anew at each `start`",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(positions(bench))),
    },
    Check {
        name: "variants",
        expected: "legal moves with every option of the games that it plays",
        advice: "read `options`, or take what you need from `position` and `legal`; the number of pits and seeds differs",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(variants(bench))),
    },
    Check {
        name: "seats",
        expected: "legal moves with three and four seats, also when another seat has left the match",
        advice: "nothing may assume two rows or that seats alternate: read `seats`, `seat` and `position`",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(seats(bench))),
    },
    Check {
        name: "forfeits",
        expected: "it plays on after a match that ended by another bot's fault",
        advice: "`end` comes with `reason` \"fault\" and with entries in `faults` at any time; wait for the next `start`",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(forfeits(bench))),
    },
    Check {
        name: "late-join",
        expected: "a legal move at a first turn late in a match, with all plies so far in `since`",
        advice: "a program that is started again in mid-match gets this; play from `position`, read lines of any length",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(late_join(bench))),
    },
    Check {
        name: "clocks",
        expected: "legal moves in time with a bank, and without any clock",
        advice: "`move_ms_max`, `bank_ms` and `increment_ms` are each absent where they do not apply",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(clocks(bench))),
    },
    Check {
        name: "many-matches",
        expected: "200 matches one after the other, each in the same process or, with `single-match`, in one of its own",
        advice: "forget the last match at each `start`; close what you open",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(many_matches(bench))),
    },
    Check {
        name: "deterministic",
        expected: "the same moves when the same matches are played again with the same seed",
        advice: "seed your random numbers with `seed` of each `start`; a search that stops by the clock may differ, and then \
                 a match cannot be reproduced",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(deterministic(bench))),
    },
    Check {
        name: "independent",
        expected: "the same moves whatever was played before in the same process",
        advice: "forget the last match at each `start`, and seed your random numbers there",
        needs: &["hello", "ready", "first-turns"],
        how: How::Script(|bench| Box::pin(independent(bench))),
    },
];

/// What was played of several matches.
#[derive(Default)]
struct Tally {
    matches: u32,
    whole: u32,
    moves: usize,
}

impl Tally {
    fn add(&mut self, played: &Played) {
        self.matches += 1;
        self.whole += u32::from(played.is_whole);
        self.moves += played.moves.len();
    }

    /// What it comes to; a bot that took long has been asked for less.
    fn seen(&self, bench: &Bench, what: &str) -> Seen {
        let (moves, matches) = (self.moves, self.matches);
        let rest = match bench.is_spent() {
            true => ", then the time for this check was over",
            false => "",
        };
        passed(format!("{moves} legal moves in {matches} matches{what}{rest}"))
    }
}

async fn play_all(bench: &mut Bench, specs: &[Match]) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for spec in specs {
        if bench.is_spent() {
            break;
        }
        tally.add(&bench.play(spec).await?);
    }
    Ok(tally)
}

/// Whoever fails here has little to gain from being asked everything else.
async fn first_turns(bench: &mut Bench) -> Result<Seen, Failure> {
    let game = bench.games[0].clone();
    let spec = |seat| Match {
        turns_max: 3,
        ..Match::new(&game, seat)
    };
    let specs: Vec<Match> = (0..game.seats()).map(spec).collect();
    let tally = play_all(bench, &specs).await?;
    Ok(tally.seen(bench, &format!(" of {}", describe(&*game))))
}

async fn matches(bench: &mut Bench) -> Result<Seen, Failure> {
    let mut specs = Vec::new();
    for round in 0..2 {
        for game in &bench.games {
            for seat in 0..game.seats() {
                specs.push(Match {
                    opening_plies: 4 * round,
                    draw: specs.len() as u64,
                    seed: specs.len() as u64,
                    ..Match::new(game, seat)
                });
            }
        }
    }
    let tally = play_all(bench, &specs).await?;
    let games: Vec<String> = bench.games.iter().map(|game| describe(&**game)).collect();
    Ok(tally.seen(bench, &format!(" of {}", games.join(", "))))
}

async fn positions(bench: &mut Bench) -> Result<Seen, Failure> {
    let mut specs = Vec::new();
    for at in 0..POSITIONS {
        for game in &bench.games {
            specs.push(Match {
                opening_plies: at,
                draw: 1_000 + specs.len() as u64,
                turns_max: 1,
                ..Match::new(game, at % game.seats())
            });
        }
    }
    let tally = play_all(bench, &specs).await?;
    Ok(tally.seen(bench, ", each from a position of its own and broken off"))
}

/// The games to be checked with one option after the other at each of its values, the numbers of a range at both ends.
fn variants_of(game: &Arc<dyn AnyGame>) -> Vec<Arc<dyn AnyGame>> {
    let info = game.info();
    let mut variants: Vec<Arc<dyn AnyGame>> = Vec::new();
    for option in info.options {
        let values: Vec<String> = match option.kind {
            OptionKind::Range(least, most) => vec![least.to_string(), most.to_string()],
            OptionKind::Numbers(numbers) => numbers.iter().map(u32::to_string).collect(),
            OptionKind::Words(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            OptionKind::Switch => vec!["on".to_owned(), "off".to_owned()],
        };
        for value in values {
            // Some values do not go with the others' defaults.
            let Ok(variant) = open(info.name, &[(option.key.to_owned(), value)]) else {
                continue;
            };
            let is_new = |other: &Arc<dyn AnyGame>| other.options() != variant.options();
            if is_new(game) && variants.iter().all(is_new) {
                variants.push(variant);
            }
        }
    }
    variants
}

/// Those of all games to be checked; none where the games are given just as they are to be.
fn all_variants(bench: &Bench) -> Vec<Arc<dyn AnyGame>> {
    match bench.games_are_given {
        true => Vec::new(),
        false => bench.games.iter().flat_map(variants_of).collect(),
    }
}

async fn variants(bench: &mut Bench) -> Result<Seen, Failure> {
    let variants = all_variants(bench);
    if variants.is_empty() {
        return Ok(skipped("only the games that --game names are checked"));
    }
    let spec = |(at, game): (usize, &Arc<dyn AnyGame>)| Match {
        draw: 2_000 + at as u64,
        ..Match::new(game, at % game.seats())
    };
    let specs: Vec<Match> = variants.iter().enumerate().map(spec).collect();
    let tally = play_all(bench, &specs).await?;
    Ok(tally.seen(bench, ", each with another option"))
}

async fn seats(bench: &mut Bench) -> Result<Seen, Failure> {
    let games = [bench.games.clone(), all_variants(bench)].concat();
    let mut specs = Vec::new();
    for seats in 3..=SEATS_MAX {
        let Some(game) = games.iter().find(|game| game.seats() == seats) else {
            continue;
        };
        for seat in 0..seats {
            for leaver in [None, Some((seat + 1) % seats)] {
                specs.push(Match {
                    draw: 3_000 + specs.len() as u64,
                    leaver,
                    ..Match::new(game, seat)
                });
            }
        }
    }
    if specs.is_empty() {
        return Ok(skipped("none of the games checked has more than two seats"));
    }
    let tally = play_all(bench, &specs).await?;
    Ok(tally.seen(bench, " of three and four seats"))
}

async fn forfeits(bench: &mut Bench) -> Result<Seen, Failure> {
    let mut tally = Tally::default();
    for game in bench.games.clone() {
        for seat in 0..2 {
            let forfeited = Match {
                draw: 4_000 + seat as u64,
                leaver: Some(1 - seat),
                ..Match::new(&game, seat)
            };
            let next = Match {
                leaver: None,
                turns_max: 3,
                ..forfeited.clone()
            };
            if bench.is_spent() {
                break;
            }
            tally.add(&bench.play(&forfeited).await?);
            // Whoever fails at the `end` may need a moment to die.
            bench.expect_alive(DEATH_PATIENCE).await?;
            tally.add(&bench.play(&next).await?);
        }
    }
    Ok(tally.seen(bench, ", half of them forfeited by another bot"))
}

/// The longest of some random matches of all games: its game, its draw and its plies.
fn longest_match(games: &[Arc<dyn AnyGame>]) -> (Arc<dyn AnyGame>, u32) {
    let tries = games
        .iter()
        .flat_map(|game| (0..LONG_TRIALS).map(move |draw| (Arc::clone(game), random_plies(&**game, draw))));
    tries.max_by_key(|(_, plies)| *plies).expect("there is a game")
}

async fn late_join(bench: &mut Bench) -> Result<Seen, Failure> {
    let games = [bench.games.clone(), all_variants(bench)].concat();
    let (game, wanted) = longest_match(&games);
    let mut joined = 0;
    let mut latest = 0;
    for draw in 5_000..5_020 {
        let mut spec = Match {
            draw,
            ..Match::new(&game, 0)
        };
        // Whoever is to move then is the bot.
        let Some((plies, seat)) = bench.late_turn(&spec, wanted - wanted / 8) else {
            continue;
        };
        spec.seat = seat;
        if bench.is_spent() || joined == 5 {
            break;
        }
        bench.join_late(&spec, plies).await?;
        joined += 1;
        latest = latest.max(plies);
    }
    Ok(passed(format!(
        "{joined} times, the latest at ply {latest} of {}",
        describe(&*game)
    )))
}

async fn clocks(bench: &mut Bench) -> Result<Seen, Failure> {
    let move_ms = bench.time.move_ms_max.unwrap_or(1_000);
    let bank = TimeControl {
        move_ms_max: None,
        bank_ms: Some(60 * move_ms),
        increment_ms: move_ms / 10,
        ..bench.time
    };
    let none = TimeControl {
        move_ms_max: None,
        ..bench.time
    };
    let mut tally = Tally::default();
    for (time, turns_max) in [(bank, 20), (none, 1)] {
        bench.allow(CHECK_TIME / 2);
        for seat in 0..2 {
            if bench.is_spent() {
                break;
            }
            let spec = Match {
                draw: 6_000,
                time: Some(time),
                turns_max,
                ..Match::new(&bench.games[0].clone(), seat)
            };
            tally.add(&bench.play(&spec).await?);
        }
    }
    Ok(tally.seen(bench, ", with a bank and without a clock"))
}

async fn many_matches(bench: &mut Bench) -> Result<Seen, Failure> {
    let games = [bench.games.clone(), all_variants(bench)].concat();
    let shortest = games.iter().min_by_key(|game| random_plies(&***game, 0));
    let game = Arc::clone(shortest.expect("there is a game"));
    let is_single = bench.has(Feature::SingleMatch);
    let wanted = if is_single { 5 } else { MANY };
    bench.notes.memory_step = MANY / 4;
    let mut tally = Tally::default();
    while u64::from(tally.matches) < wanted && !bench.is_spent() {
        let number = u64::from(tally.matches);
        let spec = Match {
            draw: number,
            seed: number,
            ..Match::new(&game, number as usize % game.seats())
        };
        let played = bench.play(&spec).await?;
        tally.add(&played);
        if !is_single && u64::from(tally.matches).is_multiple_of(MANY / 4) {
            let memory = bench.process().tree().map(|tree| tree.memory());
            bench.notes.memory.extend(memory);
        }
    }
    let whose = match is_single {
        true => " of ",
        false => " in one process, of ",
    };
    Ok(tally.seen(bench, &format!("{whose}{}", describe(&*game))))
}

/// The matches that are compared: what they are called, and how they are played.
fn compared(bench: &Bench) -> Vec<Match> {
    let mut specs = Vec::new();
    for game in &bench.games {
        for seat in 0..2 {
            specs.push(Match {
                opening_plies: 2,
                draw: 7_000 + specs.len() as u64,
                seed: 11 + specs.len() as u64,
                turns_max: 20,
                id: Some(format!("again-{}", specs.len())),
                ..Match::new(game, seat)
            });
        }
    }
    specs
}

async fn run_of(bench: &mut Bench, specs: &[Match]) -> Result<Vec<(String, Vec<Value>)>, Failure> {
    let mut played = Vec::new();
    for spec in specs {
        if bench.is_spent() {
            break;
        }
        let title = format!("{}, seat {}", describe(&*spec.game), spec.seat + 1);
        played.push((title, bench.play(spec).await?.moves));
    }
    Ok(played)
}

/// The first difference, as far as both go.
fn difference(one: &[(String, Vec<Value>)], other: &[(String, Vec<Value>)]) -> Option<String> {
    one.iter().zip(other).find_map(|((title, moves), (_, others))| {
        let mut pairs = moves.iter().zip(others).enumerate();
        let (at, (mv, other)) = pairs.find(|(_, (mv, other))| mv != other)?;
        Some(format!(
            "{title}: its move number {} was {mv}, and {other} when it was asked again",
            at + 1
        ))
    })
}

async fn deterministic(bench: &mut Bench) -> Result<Seen, Failure> {
    let specs = compared(bench);
    bench.allow(CHECK_TIME / 2);
    let first = run_of(bench, &specs).await?;
    bench.renew().await;
    bench.allow(CHECK_TIME / 2);
    let second = run_of(bench, &specs).await?;
    if let Some(difference) = difference(&first, &second) {
        return Ok(warning(difference));
    }
    let moves: usize = first.iter().map(|(_, moves)| moves.len()).sum();
    bench.notes.reference = Some(first);
    Ok(passed(format!(
        "{moves} moves in {} matches, the same in two runs",
        specs.len()
    )))
}

async fn independent(bench: &mut Bench) -> Result<Seen, Failure> {
    let Some(reference) = bench.notes.reference.take() else {
        return Ok(skipped("there is nothing to compare with: see `deterministic`"));
    };
    if bench.has(Feature::SingleMatch) {
        return Ok(skipped("it has a fresh process for each match"));
    }
    let mut alone = Vec::new();
    for spec in compared(bench) {
        bench.renew().await;
        alone.extend(run_of(bench, &[spec]).await?);
    }
    Ok(match difference(&reference, &alone) {
        Some(difference) => warning(format!("in a process of its own: {difference}")),
        None => passed("the same moves in a fresh process for each match"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::bench::all_games;
    use super::*;

    #[test]
    fn every_option_of_every_game_is_tried_at_each_of_its_values() {
        for game in all_games() {
            let variants = variants_of(&game);
            assert!(!variants.is_empty(), "{}", describe(&*game));
            for option in game.info().options {
                let value = |game: &Arc<dyn AnyGame>| {
                    let texts = game.options().to_texts();
                    { texts.into_iter() }
                        .find(|(key, _)| key == option.key)
                        .map(|(_, value)| value)
                };
                let others = variants.iter().filter(|variant| value(variant) != value(&game));
                assert!(others.count() > 0, "{}: {}", describe(&*game), option.key);
            }
        }
    }

    #[test]
    fn a_difference_is_told_by_match_and_move() {
        let run = |moves: [u8; 3]| vec![("kalah".to_owned(), moves.map(Value::from).to_vec())];
        assert_eq!(difference(&run([0, 1, 2]), &run([0, 1, 2])), None);
        let told = difference(&run([0, 1, 2]), &run([0, 4, 2])).expect("they differ");
        assert!(told.contains("move number 2 was 1, and 4"), "{told}");
    }
}
