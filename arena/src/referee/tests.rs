//! The state machine, fed with scripts of events: no process, no sleep, no clock.

use std::sync::Arc;
use std::time::Duration;

use mancala_arena_protocol::{FaultCode, ToBot, Turn, encode};
use mancala_arena_rules::{Seat, open_text};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{Fault, Judged, Machine, Relief, Report};
use crate::bot::Program;
use crate::bot::launch::Launcher;
use crate::config::{Resolved, TimeControl};
use crate::record::{End, LeaveRecord, LeftBy, RECORD_VERSION, Record, SeatRecord, Then, replay};

/// A match that a script is played in.
struct Played {
    game: String,
    opening: Value,
    machine: Machine,
    /// When the last turn was asked for.
    asked: Duration,
    /// When the last event was.
    now: Duration,
    /// The turns asked for, in order.
    turns: Vec<Turn>,
}

impl Played {
    fn new(game: &str, time: TimeControl) -> Played {
        let board = open_text(game).expect("the game is one of ours").start();
        let names: Vec<String> = (0..board.seats()).map(|seat| format!("bot-{seat}")).collect();
        Played {
            game: game.to_owned(),
            opening: position(&*board),
            machine: Machine::new("r1-\"01\"".to_owned(), board, time, &names),
            asked: Duration::ZERO,
            now: Duration::ZERO,
            turns: Vec::new(),
        }
    }

    /// Writes the turn's line and starts the clock; gives what the bot has until it is too late.
    ///
    /// The line is written by hand for speed, so every script also checks that it is the line of the typed message.
    fn ask(&mut self) -> Duration {
        let mut line = Vec::new();
        self.machine.write_turn(&mut line);
        let Ok(ToBot::Turn(turn)) = serde_json::from_slice::<ToBot>(&line) else {
            panic!("expected a turn, got {}", line.escape_ascii())
        };
        let mut position = String::new();
        self.machine.board().write_position(&mut position);
        let typed = ToBot::Turn(Turn {
            r#match: turn.r#match.clone(),
            ply: self.machine.ply(),
            seat: turn.seat,
            position: serde_json::from_str::<&RawValue>(&position).expect("a position is JSON"),
            legal: turn.legal.clone(),
            since: turn.since.clone(),
            move_ms_max: turn.move_ms_max,
            bank_ms: turn.bank_ms.clone(),
            increment_ms: turn.increment_ms,
            last_ms: turn.last_ms,
        });
        assert_eq!(String::from_utf8(line).expect("a line is text"), encode(&typed));
        self.turns.push(turn);
        self.asked = self.now;
        self.machine.asked(self.now) - self.now
    }

    /// An event of the turn, as [`check`] writes it: gives the judgement.
    fn event(&mut self, event: &str) -> Judged {
        let (line, at) = event.rsplit_once(" @").unwrap_or((event, "1"));
        self.now = self.asked + Duration::from_millis(at.parse().expect("a time is a number of milliseconds"));
        let line = line.trim();
        if line == "silence" {
            return self.machine.no_answer(b"");
        }
        let short = line.parse::<u8>().map(|pit| format!(r#"{{"move":{pit}}}"#));
        self.machine.line(short.as_deref().unwrap_or(line).as_bytes(), self.now)
    }

    /// The turn that was asked for last.
    fn turn(&self) -> &Turn {
        self.turns.last().expect("a turn was asked for")
    }

    /// The record that the match leaves; where it goes on, one seat after another resigns first.
    fn into_record(mut self) -> Record {
        while self.machine.to_move().is_some() {
            self.ask();
            self.event(r#"{"type":"resign"}"#);
        }
        record(&self.game, self.opening, self.machine.into_report())
    }
}

/// The record of a match of `game` with nothing in it but what was played.
pub(super) fn record(game: &str, opening: Value, report: Report) -> Record {
    let game = open_text(game).expect("the game is one of ours");
    let seat = |(seat, (log_lines, dropped_lines, unknown))| SeatRecord {
        bot: seat,
        name: format!("bot-{seat}"),
        content: None,
        log_lines,
        dropped_lines,
        unknown,
    };
    Record {
        record: RECORD_VERSION,
        plan: "0123456789ab".to_owned(),
        r#match: 0,
        rotation: 0,
        game: game.info().name.to_owned(),
        options: game.options().to_texts(),
        opening,
        seats: report.counts.into_iter().enumerate().map(seat).collect(),
        seed: 0,
        plies: report.plies,
        end: report.end,
        places: report.places,
        points: report.points,
        faults: report.faults,
        left: report.left,
        started_ms: 0,
        elapsed_us: 0,
        host: None,
    }
}

pub(super) fn position(board: &dyn mancala_arena_rules::AnyMatch) -> Value {
    let mut text = String::new();
    board.write_position(&mut text);
    serde_json::from_str(&text).expect("a position is JSON")
}

/// Plays `script` and compares how each event was judged with `expected`, separated by blanks: `moved`, `wait`,
/// `resigned`, or the code of the fault.
///
/// Events stand between semicolons: a line from the seat to move, where a bare number is short for a move, or `silence`
/// for a deadline that passes; then, after `@`, the milliseconds since the turn was asked for, 1 where they are left out.
fn check(game: &str, time: TimeControl, script: &str, expected: &str) -> Played {
    let mut played = Played::new(game, time);
    let mut judged = Vec::new();
    let mut waiting = false;
    for event in script.split(';') {
        if !waiting {
            played.ask();
        }
        let judgement = played.event(event);
        waiting = matches!(judgement, Judged::Wait | Judged::Dropped);
        judged.push(match judgement {
            Judged::Wait | Judged::Dropped => "wait",
            Judged::Moved => "moved",
            Judged::Resigned => "resigned",
            Judged::Faulted | Judged::Relieved(_) => {
                played.machine.last_fault().expect("a fault was made").code.as_str()
            }
        });
    }
    assert_eq!(judged.join(" "), expected, "{script}");
    played
}

/// So many milliseconds a move, with the usual grace of 20.
pub(super) fn per_move(move_ms_max: u64) -> TimeControl {
    TimeControl {
        move_ms_max: Some(move_ms_max),
        ..TimeControl::default()
    }
}

pub(super) fn bank(bank_ms: u64, increment_ms: u64) -> TimeControl {
    TimeControl {
        move_ms_max: None,
        bank_ms: Some(bank_ms),
        increment_ms,
        ..TimeControl::default()
    }
}

pub(super) fn no_clock() -> TimeControl {
    TimeControl {
        move_ms_max: None,
        ..TimeControl::default()
    }
}

const THREE_SEATS: &str = "mancala-basic:seats=3,pits=4,seeds=3";

/// Every game, with options that make a difference.
pub(super) const GAMES: [&str; 8] = [
    "kalah",
    "kalah:pits=3,seeds=2",
    "kalah:empty_capture=on",
    "layli-goobalay",
    "layli-goobalay:ruleset=chain",
    "mancala-basic:seats=2",
    "mancala-basic:seats=3",
    "mancala-basic:seats=4,pits=4,seeds=3",
];

mod clock {
    use super::*;

    #[test]
    fn a_move_within_the_grace_is_in_time() {
        check("kalah", per_move(1_000), "0 @1020", "moved");
    }

    #[test]
    fn a_late_move_forfeits_even_when_legal() {
        let played = check("kalah", per_move(1_000), "0 @1021", "late");
        let record = played.into_record();
        assert_eq!(record.faults[0].late_ms, Some(21.0));
        assert_eq!(record.end, End::Fault);
        assert_eq!(record.places, [2, 1]);
        assert!(record.plies.is_empty(), "a late move is not played");
    }

    #[test]
    fn a_late_move_is_late_before_it_is_illegal() {
        check("kalah", per_move(1_000), "77 @1021", "late");
    }

    #[test]
    fn silence_is_late() {
        let played = check("kalah", per_move(1_000), "0; silence @1020", "moved late");
        let fault = &played.into_record().faults[0];
        assert_eq!((fault.seat, fault.ply, fault.code), (1, 1, FaultCode::Late));
        assert_eq!(fault.late_ms, None);
    }

    #[test]
    fn bytes_without_a_newline_are_shown_with_the_late_move() {
        let mut played = Played::new("kalah", per_move(1_000));
        played.ask();
        assert_eq!(played.machine.no_answer(b"{\"move\":3}"), Judged::Faulted);
        let fault = &played.into_record().faults[0];
        assert_eq!(fault.received.as_deref(), Some("{\"move\":3}"));
        assert!(fault.message.contains("10 bytes"), "{}", fault.message);
    }

    #[test]
    fn a_stray_print_that_was_meant_as_a_move_is_hinted_at() {
        let played = check(
            "kalah",
            per_move(1_000),
            "\u{feff}{\"move\":0} @1; silence @1020",
            "wait late",
        );
        let hint = played.into_record().faults.remove(0).hint.expect("there is a hint");
        assert!(hint.contains("byte order mark"), "{hint}");
    }

    #[test]
    fn each_move_has_the_whole_limit() {
        check(
            "kalah",
            per_move(100),
            "0 @100; 0 @100; 1 @100; 2 @100",
            "moved moved moved moved",
        );
    }

    #[test]
    fn no_line_moves_the_deadline() {
        let info = r#"{"type":"info","depth":1} @900"#;
        check(
            "kalah",
            per_move(1_000),
            &format!("thinking @900;{info};0 @1021"),
            "wait wait late",
        );
    }

    #[test]
    fn lines_without_an_end_do_not_put_off_the_end_of_the_turn() {
        let played = check("kalah", per_move(1_000), "thinking @1020; thinking @1021", "wait late");
        let message = &played.into_record().faults[0].message;
        assert_eq!(message, "no answer within 1000 ms; lines that were no answer: 2");
    }

    #[test]
    fn an_answer_is_waited_for_until_the_grace_is_over() {
        let limits = [
            (per_move(1_000), 1_020),
            (bank(500, 100), 520),
            (no_clock(), 60_020),
            (
                TimeControl {
                    bank_ms: Some(500),
                    ..per_move(1_000)
                },
                520,
            ),
            (
                TimeControl {
                    bank_ms: Some(5_000),
                    ..per_move(1_000)
                },
                1_020,
            ),
            (
                TimeControl {
                    grace_ms: 0,
                    ..per_move(1_000)
                },
                1_000,
            ),
        ];
        for (time, expected) in limits {
            let waited = Played::new("kalah", time).ask();
            assert_eq!(waited, Duration::from_millis(expected), "{time:?}");
        }
    }

    #[test]
    fn without_a_clock_the_hang_limit_ends_a_move() {
        check("kalah", no_clock(), "0 @60020; 0 @60021", "moved late");
        let turn = check("kalah", no_clock(), "0", "moved").turns.remove(0);
        assert_eq!((turn.move_ms_max, turn.bank_ms, turn.increment_ms), (None, None, None));
    }

    #[test]
    fn a_bank_is_spent_and_gets_its_increment_after_each_move() {
        let mut played = check("kalah", bank(500, 100), "0 @150; 0 @30; 1 @0", "moved moved moved");
        played.ask();
        assert_eq!(played.turns[0].bank_ms, Some(vec![500, 500]));
        assert_eq!(played.turns[1].bank_ms, Some(vec![450, 500]));
        assert_eq!(played.turns[2].bank_ms, Some(vec![450, 570]));
        assert_eq!(played.turns[3].bank_ms, Some(vec![550, 570]));
        assert!(played.turns.iter().all(|turn| turn.increment_ms == Some(100)));
    }

    #[test]
    fn a_bank_that_is_spent_ends_the_match() {
        check("kalah", bank(500, 0), "0 @300; 0; 1 @221", "moved moved late");
    }

    #[test]
    fn a_bank_is_never_below_nothing() {
        let mut played = check("kalah", bank(500, 10), "0 @520; 0", "moved moved");
        assert_eq!(played.ask(), Duration::from_millis(30));
        assert_eq!(played.turn().bank_ms, Some(vec![10, 509]));
    }

    #[test]
    fn with_limit_and_bank_both_hold() {
        let both = TimeControl {
            bank_ms: Some(1_500),
            ..per_move(1_000)
        };
        check("kalah", both, "0 @1021", "late");
        check("kalah", both, "0 @1000; 0; 1 @520", "moved moved moved");
        check("kalah", both, "0 @1000; 0; 1 @521", "moved moved late");
    }

    #[test]
    fn a_bot_is_told_how_long_its_last_move_took() {
        let mut played = check("kalah", per_move(1_000), "0 @12; 0 @34", "moved moved");
        played.ask();
        assert_eq!(played.turns[0].last_ms, None);
        assert_eq!(played.turns[1].last_ms, None);
        assert_eq!(played.turns[2].last_ms, Some(12.0));
    }
}

mod moves {
    use super::*;

    #[test]
    fn an_illegal_move_says_why_and_what_was_legal() {
        let played = check("kalah", per_move(1_000), "2; 2", "moved illegal_move");
        let fault = &played.into_record().faults[0];
        assert_eq!((fault.seat, fault.ply), (0, 1));
        assert_eq!(fault.legal, Some(json!([0, 1, 3, 4, 5])));
        assert_eq!(fault.received.as_deref(), Some(r#"{"move":2}"#));
        assert_eq!(fault.message, "illegal move 2: that pit is empty; legal: 0, 1, 3, 4, 5");
    }

    #[test]
    fn a_whole_number_is_a_pit_however_it_is_written() {
        let played = check("kalah", per_move(1_000), r#"{"move":2.0}; {"move":1e0}"#, "moved moved");
        let moves: Vec<Value> = played.into_record().plies.into_iter().map(|ply| ply.r#move).collect();
        assert_eq!(moves, [json!(2), json!(1)], "kept as the rules write them");
    }

    #[test]
    fn what_is_no_pit_is_illegal_and_never_rounded() {
        for mv in [
            "2.5",
            "\"2\"",
            "true",
            "null",
            "[2]",
            "{}",
            "-1",
            "6",
            "256",
            "1e300",
            "18446744073709551618",
        ] {
            check("kalah", per_move(1_000), &format!("{{\"move\":{mv}}}"), "illegal_move");
        }
    }

    #[test]
    fn a_late_answer_to_an_earlier_ply_is_dropped_and_counted() {
        let script = r#"0; {"move":5,"ply":0}; {"move":1,"ply":1}"#;
        let played = check("kalah", per_move(1_000), script, "moved wait moved");
        let record = played.into_record();
        assert_eq!(record.plies[1].r#move, json!(1));
        assert_eq!(record.seats[1].dropped_lines, 1);
    }

    #[test]
    fn an_answer_to_a_later_ply_is_a_fault() {
        let played = check("kalah", per_move(1_000), r#"{"move":0,"ply":1}"#, "illegal_move");
        let fault = &played.into_record().faults[0];
        assert_eq!(fault.received.as_deref(), Some(r#"{"move":0,"ply":1}"#));
    }

    #[test]
    fn a_second_reply_is_no_move_of_the_next_turn() {
        // The driver drops it before it asks for the next move; the machine only counts.
        let mut played = check("kalah", per_move(1_000), "2", "moved");
        played.machine.dropped(Seat::new(0), 1);
        played.ask();
        assert_eq!((played.turn().seat, played.turn().ply), (0, 1));
        assert_eq!(played.event("0"), Judged::Moved);
        let record = played.into_record();
        assert_eq!(record.seats[0].dropped_lines, 1);
        assert_eq!(record.plies.len(), 2);
    }

    #[test]
    fn the_first_cause_is_the_one_that_is_told() {
        let mut played = check("kalah", per_move(1_000), "6", "illegal_move");
        played
            .machine
            .add_to_last_fault(Some("exited with status 1".to_owned()), None, Some("oops".to_owned()));
        let record = played.into_record();
        assert_eq!(record.faults.len(), 1);
        assert_eq!(record.faults[0].code, FaultCode::IllegalMove);
        assert_eq!(record.faults[0].exit.as_deref(), Some("exited with status 1"));
        assert_eq!(record.faults[0].stderr.as_deref(), Some("oops"));
    }
}

mod lines {
    use super::*;

    #[test]
    fn a_line_that_is_no_message_forfeits() {
        let played = check("kalah", per_move(1_000), r#"{"move":NaN}"#, "not_a_message");
        let fault = &played.into_record().faults[0];
        assert_eq!(fault.received.as_deref(), Some(r#"{"move":NaN}"#));
        assert_eq!(fault.message, "not a message: `NaN` is not JSON at column 9");
    }

    #[test]
    fn the_last_info_of_the_turn_is_kept() {
        let script = r#"{"type":"info","depth":1}; {"type":"info","depth":2,"pv":[0]}; 0; 0"#;
        let played = check("kalah", per_move(1_000), script, "wait wait moved moved");
        let plies = played.into_record().plies;
        assert_eq!(plies[0].info, Some(json!({"depth": 2, "pv": [0]})));
        assert_eq!(plies[1].info, None, "an info belongs to its own turn");
    }

    #[test]
    fn a_thousand_infos_are_as_good_as_none() {
        let infos = r#"{"type":"info","depth":1};"#.repeat(1_000);
        let judged = "wait ".repeat(1_000);
        check(
            "kalah",
            per_move(1_000),
            &format!("{infos}0"),
            &format!("{judged}moved"),
        );
    }

    #[test]
    fn the_info_of_a_turn_without_a_move_goes_to_no_other_ply() {
        let script = r#"{"type":"info","depth":1}; {"type":"resign"}; 0"#;
        let played = check(THREE_SEATS, per_move(1_000), script, "wait resigned moved");
        assert_eq!(played.into_record().plies[0].info, None);
    }

    #[test]
    fn stray_prints_are_counted_and_no_fault() {
        let played = check("kalah", per_move(1_000), "hello; 3 seeds; ; 0", "wait wait wait moved");
        assert_eq!(
            played.into_record().seats[0].log_lines,
            2,
            "an empty line is nothing at all"
        );
    }

    #[test]
    fn unknown_types_and_fields_are_counted_and_no_fault() {
        let script = r#"{"type":"weather","sun":1}; {"move":0,"mood":"good","x":[]}"#;
        let played = check("kalah", per_move(1_000), script, "wait moved");
        assert_eq!(played.into_record().seats[0].unknown, 3);
    }

    #[test]
    fn a_greeting_that_nobody_waits_for_is_dropped_and_counted() {
        let script = r#"{"type":"ready"}; {"type":"hello","protocol":1}; 0"#;
        let played = check("kalah", per_move(1_000), script, "wait wait moved");
        assert_eq!(played.into_record().seats[0].dropped_lines, 2);
    }
}

mod leaving {
    use super::*;

    #[test]
    fn who_resigns_loses() {
        let record = check("kalah", per_move(1_000), r#"0; {"type":"resign"}"#, "moved resigned").into_record();
        assert_eq!(record.end, End::Resignation);
        assert_eq!(record.places, [1, 2]);
        assert!(record.faults.is_empty());
        assert_eq!(
            record.left,
            [LeaveRecord {
                seat: 1,
                ply: 1,
                by: LeftBy::Resignation
            }]
        );
    }

    #[test]
    fn with_three_seats_the_others_play_on_after_a_resignation() {
        let played = check(
            THREE_SEATS,
            per_move(1_000),
            r#"0; {"type":"resign"}; 1"#,
            "moved resigned moved",
        );
        assert!(played.machine.is_in_match(Seat::new(0)));
        assert!(!played.machine.is_in_match(Seat::new(1)));
        let record = play_on(played, 1, &[]).into_record();
        assert_eq!(record.places[1], 3, "who leaves first is last: {:?}", record.places);
        assert_eq!(record.end, End::Rules);
        assert!(record.plies.iter().skip(1).all(|ply| ply.seat != 1));
    }

    #[test]
    fn with_three_seats_the_others_play_on_after_a_fault() {
        let played = check(
            THREE_SEATS,
            per_move(1_000),
            "0; 0; 9; 1",
            "moved moved illegal_move moved",
        );
        let record = play_on(played, 2, &[]).into_record();
        assert_eq!(record.places[2], 3, "{:?}", record.places);
        assert_eq!(
            record.left,
            [LeaveRecord {
                seat: 2,
                ply: 2,
                by: LeftBy::Fault
            }]
        );
        assert_eq!((record.faults[0].seat, record.faults[0].ply), (2, 2));
        assert_eq!(record.end, End::Rules, "the rest ended it by the rules");
        assert!(replay(&record).is_ok());
    }

    #[test]
    fn the_last_to_stay_wins_and_the_first_to_leave_is_last() {
        let script = r#"{"type":"resign"}; 9"#;
        let record = check(THREE_SEATS, per_move(1_000), script, "resigned illegal_move").into_record();
        assert_eq!(record.places, [3, 2, 1]);
        assert_eq!(record.end, End::Fault, "the fault was what ended it");
        let by = [(0, LeftBy::Resignation), (1, LeftBy::Fault)];
        assert_eq!(record.left, by.map(|(seat, by)| LeaveRecord { seat, ply: 0, by }));
    }

    #[test]
    fn a_resignation_after_a_fault_ends_it_as_a_resignation() {
        let script = r#"9; {"type":"resign"}"#;
        let record = check(THREE_SEATS, per_move(1_000), script, "illegal_move resigned").into_record();
        assert_eq!(record.end, End::Resignation);
        assert_eq!(record.places, [3, 2, 1]);
    }

    #[test]
    fn a_bot_that_cannot_play_at_all_loses_before_ply_0() {
        let mut played = Played::new("kalah", per_move(1_000));
        played.machine.fault(Seat::new(1), &Fault::NotReady { limit_ms: 10 });
        assert_eq!(played.machine.to_move(), None);
        let record = played.into_record();
        assert_eq!(record.places, [1, 2]);
        assert_eq!(record.faults[0].code, FaultCode::NoHello);
        assert!(replay(&record).is_ok());
    }

    #[test]
    fn of_two_that_cannot_play_the_first_loses_and_both_faults_are_kept() {
        let mut played = Played::new("kalah", per_move(1_000));
        for seat in [0, 1] {
            played.machine.fault(Seat::new(seat), &Fault::NotReady { limit_ms: 10 });
        }
        let record = played.into_record();
        assert_eq!(record.places, [2, 1]);
        assert_eq!(record.faults.len(), 2);
        assert_eq!(
            record.left.len(),
            1,
            "the match was over when the second would have left"
        );
        assert!(replay(&record).is_ok());
    }

    #[test]
    fn every_bot_is_told_who_made_which_fault() {
        let played = check(THREE_SEATS, per_move(1_000), "9; silence @1020", "illegal_move late");
        let mut line = Vec::new();
        played.machine.write_end(&mut line);
        let Ok(ToBot::End(end)) = serde_json::from_slice::<ToBot>(&line) else {
            panic!("the line is an end")
        };
        assert_eq!((&end.places[..], end.reason.as_str()), (&[3, 2, 1][..], "fault"));
        let told: Vec<_> = end
            .faults
            .iter()
            .map(|fault| (fault.seat, fault.ply, fault.code))
            .collect();
        assert_eq!(told, [(0, 0, FaultCode::IllegalMove), (1, 0, FaultCode::Late)]);
    }
}

/// Plays on to the end, most often with random legal moves: the other `events` each come once in a hundred turns.
fn play_on(mut played: Played, seed: u64, events: &[&str]) -> Played {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    while played.machine.to_move().is_some() {
        played.ask();
        let legal = played.turn().legal.clone();
        let event = match events.get(rng.next_u32() as usize % 100) {
            Some(event) => (*event).to_owned(),
            None => legal[rng.next_u32() as usize % legal.len()].to_string(),
        };
        assert_ne!(played.event(&event), Judged::Wait, "{event}");
    }
    played
}

mod history {
    use super::*;

    /// Random matches of every game, in half of which now and then a seat leaves.
    fn matches() -> impl Iterator<Item = Played> {
        const LEAVING: [&str; 4] = [r#"{"type":"resign"}"#, "silence", r#"{"move":"none"}"#, "{"];
        GAMES.into_iter().flat_map(|game| {
            (0..40).map(move |seed| {
                let events: &[&str] = if seed % 2 == 0 { &LEAVING } else { &[] };
                play_on(Played::new(game, bank(100_000, 5)), seed, events)
            })
        })
    }

    #[test]
    fn after_an_extra_turn_a_bot_is_told_its_own_move() {
        let mut played = check("kalah", per_move(1_000), "2; 5", "moved moved");
        played.ask();
        assert_eq!(
            (played.turns[0].seat, played.turns[1].seat, played.turns[2].seat),
            (0, 0, 1)
        );
        let since = |turn: usize| -> Vec<_> {
            let plies = played.turns[turn].since.iter();
            plies.map(|ply| (ply.ply, ply.seat, ply.r#move.clone())).collect()
        };
        assert_eq!(since(0), []);
        assert_eq!(since(1), [(0, 0, json!(2))]);
        assert_eq!(since(2), [(0, 0, json!(2)), (1, 0, json!(5))]);
    }

    #[test]
    fn no_ply_is_missed_or_told_twice() {
        for played in matches() {
            let (turns, record) = (played.turns.clone(), played.into_record());
            let mut told = vec![Vec::new(); record.seats.len()];
            for turn in turns {
                let told = &mut told[usize::from(turn.seat)];
                told.extend(turn.since.iter().map(|ply| (ply.ply, ply.seat, ply.r#move.clone())));
                let all = record.plies.iter().zip(0..).take(turn.ply as usize);
                let all = all.map(|(ply, number)| (number, ply.seat, ply.r#move.clone()));
                assert_eq!(
                    *told,
                    all.collect::<Vec<_>>(),
                    "{} seat {} ply {}",
                    record.game,
                    turn.seat,
                    turn.ply
                );
            }
        }
    }

    #[test]
    fn every_record_replays_by_the_rules() {
        let mut left = 0;
        for played in matches() {
            let game = played.game.clone();
            let record = played.into_record();
            left += record.left.len();
            replay(&record).unwrap_or_else(|error| panic!("{game}: {error}"));
        }
        assert!(left > 10, "some seats leave before the end");
    }
}

#[test]
fn a_process_that_is_started_again_gets_the_same_turn_and_no_new_time() {
    let mut played = Played::new("kalah", per_move(100));
    played.machine.grant(Seat::new(0), Relief::Restarts(2));
    assert_eq!(played.ask(), Duration::from_millis(120));
    let asked = played.now;
    for _ in 0..2 {
        played.now += Duration::from_millis(30);
        let judged = played.machine.fault(Seat::new(0), &Fault::ClosedOutput);
        assert_eq!(judged, Judged::Relieved(Then::Restarted));
        assert_eq!(played.machine.to_move(), Some(Seat::new(0)));
        // From the instant of this asking until that of the first one and the limit.
        let until = asked + Duration::from_millis(120);
        assert_eq!(played.ask(), until.saturating_sub(played.now));
    }
    let judged = played.machine.fault(Seat::new(0), &Fault::ClosedOutput);
    assert_eq!(judged, Judged::Faulted, "it was granted two");
    let record = played.into_record();
    let followed: Vec<_> = record.faults.iter().map(|fault| fault.then).collect();
    assert_eq!(followed, [Some(Then::Restarted), Some(Then::Restarted), None]);
    assert_eq!(record.score().forfeits, [true, false]);
}

#[test]
fn what_a_bot_chose_is_no_reason_to_start_it_again() {
    for event in ["9", "0 @500", "{\"move\"}"] {
        let mut played = Played::new("kalah", per_move(100));
        played.machine.grant(Seat::new(0), Relief::Restarts(2));
        played.ask();
        assert_eq!(played.event(event), Judged::Faulted, "{event}");
    }
}

#[test]
fn a_substitute_gets_a_turn_of_its_own_and_no_second_chance() {
    let program = Program {
        id: 0,
        name: "stand-in".to_owned(),
        resolved: Resolved {
            program: "none".into(),
            args: Vec::new(),
            dir: ".".into(),
            env: Default::default(),
            content: None,
        },
        launcher: Arc::new(Launcher::direct()),
        hidden: Vec::new(),
    };
    let mut played = Played::new("kalah", per_move(100));
    played
        .machine
        .grant(Seat::new(0), Relief::Substitute(Arc::new(program)));
    played.ask();
    assert_eq!(played.event("9 @90"), Judged::Relieved(Then::Substituted));
    assert_eq!(played.ask(), Duration::from_millis(120));
    assert_eq!(played.event("0"), Judged::Moved);
    let record = played.into_record();
    assert_eq!(record.faults[0].then, Some(Then::Substituted));
    assert_eq!(record.score().forfeits, [false, false], "the result counts");
}
