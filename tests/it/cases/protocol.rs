//! What bots write: answers that are no answers, and answers that nobody waits for.

use std::time::{Duration, Instant};

use mancala_arena::record::{End, Record};
use mancala_arena_protocol::FaultCode;

use super::{GOOD, KALAH, Place, bad, forfeits, forfeits_of, hostile, plays_on, python, slow_tests_wanted};
use crate::program::{code, stderr};

/// The moves of each match.
fn moves(records: &[Record]) -> Vec<Vec<&serde_json::Value>> {
    let plies = records.iter().map(|record| &record.plies);
    plies
        .map(|plies| plies.iter().map(|ply| &ply.r#move).collect())
        .collect()
}

/// Whoever never flushes the output is told to.
#[test]
fn c022_a_bot_that_does_not_flush_is_told_so() {
    for whose in ["own", "comes"] {
        let faults = forfeits(
            "--game kalah --rotations 1 --opening-plies 0 --move-ms 2000",
            &format!("never_flushes.py move {whose}"),
            FaultCode::Late,
        );
        for fault in faults {
            let hint = fault.hint.expect("a common mistake");
            assert!(hint.contains("flush"), "{hint}");
            assert_eq!(fault.received, None);
        }
    }
    // Not even its greeting comes: that ends the run before the first match.
    let league = format!(
        "game = \"kalah\"\n[time]\nstart_ms = 4000\n[[bot]]\nname = \"bad\"\ncommand = \"\"\"{}\"\"\"\n[[bot]]\nhouse = \"random\"\n",
        hostile("never_flushes.py all")
    );
    let output = Place::new().with("league.toml", &league).run("run league.toml", &[]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    assert!(stderr(&output).contains("flush"), "{}", stderr(&output));
}

/// An interpreter that was told not to buffer hides the mistake: the arena sets no such variable, and passes it on.
#[test]
fn c022_a_variable_of_the_environment_reaches_the_bot() {
    let unbuffered = hostile("never_flushes.py move comes").replace(python(), &python().replace("-BES", "-BS"));
    let bad = format!("bad=env PYTHONUNBUFFERED=1 {unbuffered}");
    for record in Place::new().play(KALAH, &[&bad, GOOD]) {
        assert_eq!((record.end, record.faults), (End::Rules, vec![]));
    }
}

/// What Python writes for numbers that are none is no JSON: apify/apify-client-python#87.
#[test]
fn c028_nan_and_infinity_are_faults_wherever_they_stand() {
    for (token, field, column) in [
        ("NaN", "move", 10),
        ("Infinity", "move", 10),
        ("-Infinity", "move", 10),
        ("NaN", "score", 32),
    ] {
        for fault in forfeits(KALAH, &format!("odd_value.py {token} {field}"), FaultCode::NotAMessage) {
            assert!(
                fault.message.contains(&format!("`{token}`")) && fault.message.contains("at column "),
                "{}",
                fault.message
            );
            // Seat 1 answers a later ply, whose number may be longer.
            if fault.ply == 0 {
                assert!(
                    fault.message.ends_with(&format!("column {column}")),
                    "{}",
                    fault.message
                );
            }
        }
    }
}

/// A whole number is one however it is written, and nothing else is made one: dmtrKovalenko/fff#326.
#[test]
fn c029_a_whole_number_is_a_pit_and_nothing_else_is() {
    for spelling in ["LEGAL.0", "LEGALe0"] {
        plays_on(KALAH, &format!("odd_value.py {spelling}"));
    }
    for value in ["LEGAL.5", r#"'"LEGAL"'"#, "true", "null", "[LEGAL]", "1e30"] {
        for fault in forfeits(KALAH, &format!("odd_value.py {value}"), FaultCode::IllegalMove) {
            assert!(
                fault.received.is_some_and(|received| received.contains("\"move\": ")),
                "{}",
                fault.message
            );
        }
    }
}

/// Readers differ on which of two equal keys counts: here neither does.
#[test]
fn c031_a_move_named_twice_is_no_move() {
    for illegal in ["first", "last"] {
        for fault in forfeits(KALAH, &format!("repeats_a_key.py {illegal}"), FaultCode::NotAMessage) {
            assert!(fault.message.contains("repeated key `move`"), "{}", fault.message);
        }
    }
}

/// Brackets within brackets overflow nobody's stack, and end nobody else's match: serde-rs/json#509.
#[test]
fn c032_deep_nesting_is_the_fault_of_that_bot_alone() {
    for (script, code) in [
        ("nests_deep.py 30000 array", FaultCode::NotAMessage),
        ("nests_deep.py 10000 object", FaultCode::NotAMessage),
        ("nests_deep.py 10000 array move", FaultCode::NotAMessage),
        ("nests_deep.py 100000 object", FaultCode::LineTooLong),
    ] {
        let bots = [&bad(script), GOOD, "other=house:greedy"];
        let (with, without): (Vec<_>, Vec<_>) = Place::new()
            .play(&format!("{KALAH} --jobs 3"), &bots)
            .into_iter()
            .partition(|record| record.seats.iter().any(|seat| seat.name == "bad"));
        assert_eq!((with.len(), without.len()), (4, 2));
        forfeits_of(&with, code);
        assert!(without.iter().all(|record| record.end == End::Rules), "{without:?}");
    }
}

/// A second answer is never the answer to the next turn: Disservin/fastchess#617.
#[test]
fn c034_a_second_answer_is_dropped_whatever_it_is() {
    for second in ["same", "other", "resign"] {
        for record in plays_on(KALAH, &format!("answers_twice.py {second}")) {
            let seat = record
                .seats
                .iter()
                .position(|seat| seat.name == "bad")
                .expect("it plays");
            let turns = record.plies.iter().filter(|ply| usize::from(ply.seat) == seat).count() as u64;
            // The second answer to the last turn may come when the match has ended.
            let dropped = record.seats[seat].dropped_lines;
            assert!(
                (turns - 1..=turns).contains(&dropped),
                "{dropped} dropped in {turns} turns"
            );
        }
    }
}

/// Which of two causes is told is no race, and silence is always lateness: RagnarGrootKoerkamp/BAPCtools#94.
#[test]
fn c037_the_first_cause_is_told_every_time() {
    for (how, code) in [
        ("illegal", FaultCode::IllegalMove),
        ("not-json", FaultCode::NotAMessage),
    ] {
        let many = KALAH.replace("--rotations 1", "--rotations 15") + " --jobs 4";
        forfeits(&many, &format!("spoils_and_exits.py {how}"), code);
    }
    let hang = "--game kalah --rotations 5 --move-ms 2000 --jobs 10";
    for fault in forfeits(hang, "never_answers.py", FaultCode::Late) {
        assert_eq!((fault.received, fault.late_ms), (None, None));
    }
}

/// Output without end, from a bot that reads nothing, hangs no arena and fills no memory: DOMjudge/domjudge#605.
#[test]
fn c038_a_flood_of_moves_ends_the_match_and_fills_no_memory() {
    let began = Instant::now();
    let (records, peak) = Place::new().play_measured(KALAH, &[&bad("floods_with_moves.py"), GOOD]);
    assert!(began.elapsed() < Duration::from_secs(30));
    assert!(peak < 100 * 1024, "{peak} KiB");
    // What comes unasked is dropped before each turn; what is written after it is an answer, whoever wrote it why.
    for fault in records.into_iter().flat_map(|record| record.faults) {
        assert_eq!(fault.bot, "bad");
        let codes = [FaultCode::OutputFlood, FaultCode::IllegalMove, FaultCode::NotReading];
        assert!(codes.contains(&fault.code), "{fault:?}");
    }
}

/// An `info` is never needed, and many of them change nothing: bdmendes/camel#60.
#[test]
fn c041_infos_are_welcome_and_never_needed() {
    let none = plays_on(KALAH, "many_infos.py 0");
    let mut counts = vec!["1", "1000"];
    if slow_tests_wanted() {
        counts.push("1000000 1");
    }
    for count in counts {
        let some = plays_on(KALAH, &format!("many_infos.py {count}"));
        assert_eq!(moves(&some), moves(&none));
        let infos = some
            .iter()
            .flat_map(|record| &record.plies)
            .filter(|ply| ply.info.is_some());
        assert!(infos.count() > 0);
    }
}

/// Who is left over when another bot dies is told how the match ended, and has time to exit: Cryptyc/Sc2LadderServer#128.
#[test]
fn c043_the_survivor_is_told_and_ends_in_peace() {
    let place = Place::new();
    let survivor = format!("good={}", hostile("notes_its_end.py notes"));
    let records = place.play(
        &format!("{KALAH} --jobs 1 --sandbox off"),
        &[&bad("dies_on_turn.py 2 segv"), &survivor],
    );
    forfeits_of(&records, FaultCode::Exited);
    let notes = std::fs::read_to_string(place.path().join("notes")).expect("it has noted something");
    let ends: Vec<_> = notes.lines().filter(|line| line.starts_with("end")).collect();
    assert_eq!(ends, ["end [2, 1] fault ['exited']", "end [1, 2] fault ['exited']"]);
    // Once after the trial that it can start, once after the matches.
    for word in ["quit", "done"] {
        assert_eq!(notes.lines().filter(|line| *line == word).count(), 2, "{notes}");
    }
}

/// After a fault the position stays one, and the places of the others follow from it: BattlesnakeOfficial/rules#41.
#[test]
fn c044_the_others_play_on_by_the_rules() {
    let game = "--game mancala-basic:seats=4,pits=4,seeds=3 --rotations 1 --opening-plies 0 --move-ms 60000";
    let bad = bad("dies_on_turn.py 2 abort");
    let records = Place::new().play(game, &[&bad, "b=house:random,seed=1", "c=house:greedy", GOOD]);
    assert_eq!(records.len(), 4);
    for record in &records {
        let [fault] = &record.faults[..] else {
            panic!("{:?}", record.faults)
        };
        assert_eq!((fault.bot.as_str(), fault.code), ("bad", FaultCode::Exited));
        assert_eq!(fault.exit.as_deref(), Some("ended by SIGABRT"));
        assert_eq!(record.places[usize::from(fault.seat)], 4);
        // That the places of all are those of the position is part of every replay.
        assert_eq!(record.end, End::Rules);
        let after = record.plies.iter().skip(fault.ply as usize);
        assert!({ after }.all(|ply| ply.seat != fault.seat));
    }
}

/// Bytes that are not UTF-8 break no reader, and are told by their place: flet-dev/flet#5396.
#[test]
fn c046_bytes_that_are_not_utf8_are_told_by_their_place() {
    for fault in forfeits(KALAH, "bad_utf8.py", FaultCode::NotAMessage) {
        assert!(fault.message.contains("byte"), "{}", fault.message);
        let received = fault.received.expect("it is shown");
        assert!(received.contains(r"\xff\xfe\x80"), "{received}");
    }
}
