//! The table as a state machine: requests with their times as data, bots played by the test.

use std::time::Duration;

use mancala_arena_protocol::FaultCode;
use mancala_arena_rules::{Seat, open_text};
use serde_json::{Value, json};

use super::played::{Played, PlayedError};
use super::table::{AWAY_AFTER, GONE_AFTER, Refused, STAND_IN, Setup, Sitter, Stored, Table, Task};
use super::token;
use crate::config::TimeControl;
use crate::record::{End, LeftBy, Record, replay};
use crate::referee::Judged;

const ONE: Seat = Seat::new(0);
const TWO: Seat = Seat::new(1);
const THREE: Seat = Seat::new(2);

/// A moment after another.
const MOMENT: Duration = Duration::from_millis(10);

/// A table with people (`P`) and bots (`B`) by seat, all people there.
fn table(game: &str, sitters: &str) -> Table {
    let mut table = table_with(game, sitters, None, false);
    let seats: Vec<Seat> = table.seats().collect();
    table.seen(&seats, Duration::ZERO);
    table
}

fn table_with(game: &str, sitters: &str, limit_s: Option<u64>, rated: bool) -> Table {
    let sitter = |(seat, kind): (usize, char)| match kind {
        'B' => Sitter::Bot("house:random".to_owned()),
        _ => Sitter::Person {
            name: format!("person {seat}"),
            token: token::seal(&format!("token {seat}")),
        },
    };
    Table::new(Setup {
        id: "a table".to_owned(),
        game: open_text(game).expect("it is a game of ours"),
        sitters: sitters.chars().enumerate().map(sitter).collect(),
        limit: limit_s.map(Duration::from_secs),
        rated,
        time: TimeControl::default(),
        seed: 1,
    })
}

/// The bot to move is asked.
fn ask(table: &mut Table, at: Duration) -> Value {
    let mut line = Vec::new();
    table.write_turn(&mut line);
    table.asked(at);
    serde_json::from_slice(&line).expect("the arena writes JSON")
}

/// The bot to move plays the `nth` of its legal moves, counted round and round.
fn bot_plays(table: &mut Table, nth: usize, at: Duration) {
    let turn = ask(table, at);
    let legal = turn["legal"].as_array().expect("a turn lists the legal moves");
    let line = json!({"move": legal[nth % legal.len()]}).to_string();
    assert_eq!(table.line(line.as_bytes(), at), Judged::Moved);
}

/// The person to move plays the `nth` of the legal moves.
fn person_plays(table: &mut Table, nth: usize, at: Duration) {
    let seat = table.to_move().expect("the match goes on");
    let legal = table.legal();
    let played = table.play(seat, table.ply(), &legal[nth % legal.len()], at);
    played.expect("a legal move is played");
}

fn is_bots_turn(table: &Table) -> bool {
    matches!(table.task(), Task::Ask(_))
}

/// Everybody plays one ply.
fn anybody_plays(table: &mut Table, nth: usize) {
    if is_bots_turn(table) {
        bot_plays(table, nth, MOMENT);
    } else {
        person_plays(table, nth, MOMENT);
    }
}

/// Plays until it is a person's turn, or the match is over.
fn bots_play(table: &mut Table, nth: usize) {
    while is_bots_turn(table) {
        bot_plays(table, nth, MOMENT);
    }
}

/// Plays to the end, and checks the record by the rules.
fn to_the_end(table: &mut Table) -> Record {
    let mut nth = 0;
    while table.to_move().is_some() {
        anybody_plays(table, nth);
        nth += 1;
    }
    checked(table)
}

fn checked(table: &Table) -> Record {
    assert_eq!(table.task(), Task::Store);
    let record = table.record();
    replay(&record).expect("the record replays");
    record
}

fn position(table: &Table) -> String {
    let mut text = String::new();
    table.board().write_position(&mut text);
    text
}

#[test]
fn people_and_bots_play_whole_matches_of_every_game() {
    for (game, sitters) in [
        ("kalah", "PB"),
        ("kalah", "PP"),
        ("layli-goobalay", "BP"),
        ("layli-goobalay:ruleset=chain", "PB"),
        ("mancala-basic", "PB"),
        ("mancala-basic:seats=3", "BPB"),
        ("mancala-basic:seats=4,pits=4", "PBPB"),
    ] {
        let record = to_the_end(&mut table(game, sitters));
        assert!(record.left.is_empty() && record.faults.is_empty(), "{game}");
    }
}

#[test]
fn a_move_out_of_turn_names_whose_turn_it_is() {
    let mut table = table("kalah", "PP");
    let refused = table.play(TWO, 0, &json!(0), MOMENT);
    assert_eq!(refused, Err(Refused::NotToMove(ONE)));
    assert_eq!(refused.unwrap_err().to_string(), "it is seat 1's turn");
}

#[test]
fn the_second_of_two_clicks_is_refused_even_when_it_would_be_legal() {
    let mut table = table("kalah", "PB");
    // The last seed falls into the store: the same person is to move again.
    table.play(ONE, 0, &json!(2), MOMENT).expect("it is legal");
    assert_eq!(table.to_move(), Some(ONE));
    let again = table.play(ONE, 0, &json!(3), MOMENT);
    assert_eq!(again, Err(Refused::Stale { asked: 0, next: 1 }));
    assert_eq!(table.ply(), 1);
}

#[test]
fn an_illegal_move_is_no_fault_and_lists_what_is_legal() {
    let mut table = table("kalah", "PP");
    table.play(ONE, 0, &json!(2), MOMENT).expect("it is legal");
    let refused = table.play(ONE, 1, &json!(2), MOMENT).expect_err("the pit is empty");
    assert_eq!(
        refused.to_string(),
        "move 2 is illegal: that pit is empty; legal: 0, 1, 3, 4, 5"
    );
    for nonsense in [json!("2"), json!(null), json!(2.5), json!([1]), json!(99)] {
        assert!(table.play(ONE, 1, &nonsense, MOMENT).is_err(), "{nonsense}");
    }
    assert!(table.faults().is_empty());
    assert_eq!(table.to_move(), Some(ONE));
}

#[test]
fn tokens_open_their_own_seats_only() {
    let table = table("mancala-basic:seats=4", "PBPP");
    assert_eq!(table.seats_of(&["token 0", "token 3"]), [ONE, Seat::new(3)]);
    for wrong in ["", "token 1", "token 00", "Token 0"] {
        assert!(table.seats_of(&[wrong]).is_empty(), "{wrong}");
    }
}

#[test]
fn undo_takes_back_the_last_own_move_with_the_bots_replies() {
    let mut table = table("layli-goobalay", "PB");
    let begin = position(&table);
    person_plays(&mut table, 1, MOMENT);
    bots_play(&mut table, 2);
    let before = (table.ply(), position(&table));
    person_plays(&mut table, 2, MOMENT);
    bots_play(&mut table, 3);
    assert!(table.ply() >= before.0 + 2);
    table
        .undo(ONE, Some(table.ply()), &[ONE], MOMENT)
        .expect("he plays against a bot");
    assert_eq!((table.ply(), position(&table)), before);
    table.undo(ONE, None, &[ONE], MOMENT).expect("there is one more");
    assert_eq!((table.ply(), position(&table)), (0, begin));
    assert_eq!(table.undo(ONE, None, &[ONE], MOMENT), Err(Refused::NothingPlayed(ONE)));
    to_the_end(&mut table);
}

#[test]
fn the_second_click_on_undo_takes_back_nothing_more() {
    let mut table = table("kalah", "PB");
    for nth in [0, 1] {
        person_plays(&mut table, nth, MOMENT);
        bots_play(&mut table, nth);
    }
    let ply = table.ply();
    table
        .undo(ONE, Some(ply), &[ONE], MOMENT)
        .expect("he plays against a bot");
    let next = table.ply();
    let again = table.undo(ONE, Some(ply), &[ONE], MOMENT);
    assert_eq!(again, Err(Refused::Stale { asked: ply, next }));
}

/// Takes the last own move of seat 1 back and plays the same again, with what had followed.
fn take_back_and_repeat(table: &mut Table) {
    let mut plies = table.record().plies;
    let Some(own) = plies.iter().rposition(|ply| ply.seat == 0) else {
        return;
    };
    table.undo(ONE, None, &[ONE], MOMENT).expect("he plays against a bot");
    for ply in plies.split_off(own) {
        if is_bots_turn(table) {
            ask(table, MOMENT);
            let line = json!({"move": ply.r#move}).to_string();
            assert_eq!(table.line(line.as_bytes(), MOMENT), Judged::Moved);
        } else {
            let played = table.play(ONE, table.ply(), &ply.r#move, MOMENT);
            played.expect("it was legal before");
        }
    }
}

#[test]
fn repeated_positions_are_counted_the_same_when_moves_have_been_taken_back() {
    // Each ends with endless relays, which bring the same position about again.
    let matches: [(&str, &[usize]); 3] = [
        ("layli-goobalay:pits=4,seeds=1", &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("layli-goobalay:pits=4,seeds=1", &[1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 1]),
        ("layli-goobalay:pits=4,seeds=3", &[2, 1, 1, 1, 0, 0, 2, 1, 2, 2, 2, 2]),
    ];
    for (game, moves) in matches {
        let (mut plain, mut undone) = (table(game, "PB"), table(game, "PB"));
        for nth in moves {
            anybody_plays(&mut plain, *nth);
            anybody_plays(&mut undone, *nth);
            if undone.to_move() == Some(ONE) {
                take_back_and_repeat(&mut undone);
            }
        }
        let (plain, undone) = (checked(&plain), checked(&undone));
        assert_eq!(plain.end, End::Repetition, "{game} {moves:?}");
        assert_eq!(plain.without_times(), undone.without_times(), "{game} {moves:?}");
    }
}

#[test]
fn a_bot_is_told_of_the_match_anew_after_an_undo() {
    let mut table = table("kalah", "PB");
    let told = table.wanted(TWO);
    person_plays(&mut table, 0, MOMENT);
    bots_play(&mut table, 0);
    table.undo(ONE, None, &[ONE], MOMENT).expect("he plays against a bot");
    assert_ne!(table.wanted(TWO), told);
    let mut line = Vec::new();
    table.write_start(TWO, &mut line);
    person_plays(&mut table, 1, MOMENT);
    let turn = ask(&mut table, MOMENT);
    assert_eq!(turn["since"].as_array().map(Vec::len), Some(1), "{turn}");
    assert_ne!(turn["match"], json!("a table"));
}

#[test]
fn no_move_is_taken_back_in_a_rated_match_or_against_another_person() {
    let mut rated = table_with("kalah", "PB", None, true);
    person_plays(&mut rated, 0, MOMENT);
    bots_play(&mut rated, 0);
    assert_eq!(rated.undo(ONE, None, &[ONE], MOMENT), Err(Refused::Rated));

    let mut table = table("mancala-basic:seats=3", "PBP");
    for nth in 0..3 {
        anybody_plays(&mut table, nth);
    }
    while table.to_move() != Some(ONE) {
        anybody_plays(&mut table, 0);
    }
    assert_eq!(table.undo(ONE, None, &[ONE], MOMENT), Err(Refused::OthersPlay(THREE)));
    table
        .undo(ONE, None, &[ONE, THREE], MOMENT)
        .expect("both people sit at this screen");
}

#[test]
fn an_undo_does_not_bring_back_a_person_who_has_resigned_since() {
    let mut table = table("mancala-basic:seats=3", "PBP");
    while table.to_move() != Some(THREE) {
        anybody_plays(&mut table, 0);
    }
    table.resign(THREE, MOMENT).expect("he may go");
    assert_eq!(table.to_move(), Some(ONE));
    assert_eq!(table.undo(ONE, None, &[ONE], MOMENT), Err(Refused::OthersPlay(THREE)));
    person_plays(&mut table, 0, MOMENT);
    while table.to_move() != Some(ONE) {
        anybody_plays(&mut table, 0);
    }
    table.undo(ONE, None, &[ONE], MOMENT).expect("he had resigned before");
    assert!(!table.is_playing(THREE));
    to_the_end(&mut table);
}

#[test]
fn undo_waits_for_the_bot() {
    let mut table = table("layli-goobalay", "PB");
    person_plays(&mut table, 0, MOMENT);
    assert_eq!(table.undo(ONE, None, &[ONE], MOMENT), Err(Refused::NotToMove(TWO)));
}

#[test]
fn a_resignation_while_a_bot_thinks_takes_effect_after_its_move() {
    let mut table = table("layli-goobalay", "PB");
    person_plays(&mut table, 0, MOMENT);
    let turn = ask(&mut table, MOMENT);
    table.resign(ONE, MOMENT).expect("he may go");
    assert!(table.is_playing(ONE));
    let line = json!({"move": turn["legal"][0]}).to_string();
    assert_eq!(table.line(line.as_bytes(), MOMENT), Judged::Moved);
    let record = checked(&table);
    assert_eq!((record.end, record.plies.len()), (End::Resignation, 2));
    assert_eq!(record.places, [2, 1]);
}

#[test]
fn others_play_on_when_one_of_four_resigns_though_it_is_not_his_turn() {
    let mut table = table("mancala-basic:seats=4", "PPPB");
    table.resign(THREE, MOMENT).expect("he may go");
    assert_eq!(table.to_move(), Some(ONE));
    assert_eq!(table.resign(THREE, MOMENT), Err(Refused::Left(THREE)));
    let record = to_the_end(&mut table);
    assert_eq!(record.places[2], 4);
    assert_eq!((record.left[0].by, record.left[0].ply), (LeftBy::Resignation, 0));
}

#[test]
fn a_person_who_is_there_forfeits_when_his_time_is_over() {
    let mut table = table_with("kalah", "PP", Some(30), false);
    table.seen(&[ONE, TWO], Duration::ZERO);
    let Task::Wait(Some(deadline)) = table.task() else {
        panic!("his clock runs");
    };
    table.seen(&[ONE], deadline - MOMENT);
    table.tick(deadline - MOMENT);
    assert!(table.is_playing(ONE));
    table.tick(deadline);
    let record = checked(&table);
    assert_eq!((record.end, &record.places[..]), (End::Fault, &[2, 1][..]));
    assert_eq!(record.faults[0].code, FaultCode::Late);
}

#[test]
fn a_move_after_the_time_is_refused_though_nobody_had_looked_at_the_clock() {
    let mut table = table_with("kalah", "PP", Some(30), false);
    table.seen(&[ONE, TWO], Duration::ZERO);
    let late = Duration::from_secs(40);
    table.seen(&[ONE], late);
    assert_eq!(table.play(ONE, 0, &json!(0), late), Err(Refused::Over));
}

#[test]
fn a_bot_plays_for_a_person_who_is_gone_when_his_time_is_over_and_he_may_come_back() {
    let mut table = table_with("layli-goobalay", "PP", Some(30), true);
    table.seen(&[ONE, TWO], Duration::ZERO);
    let late = Duration::from_secs(32);
    table.tick(late);
    assert_eq!(table.wanted(ONE).map(|wanted| wanted.name), Some(STAND_IN.to_owned()));
    assert!(table.faults().is_empty());
    // He comes back at once; the ply that the bot was given the seat for it plays.
    table.take_back(ONE, late).expect("the seat is his");
    assert_eq!(table.task(), Task::Ask(ONE));
    bot_plays(&mut table, 0, late);
    assert_eq!(table.wanted(ONE), None);
    person_plays(&mut table, 0, late + MOMENT);
    person_plays(&mut table, 0, late + MOMENT);
    assert_eq!(table.record().seats[0].name, "person 0 (house:greedy)");
}

#[test]
fn the_clock_of_a_person_does_not_run_before_he_has_come() {
    let mut table = table_with("kalah", "PP", Some(30), false);
    let hour = Duration::from_secs(3_600);
    table.tick(hour);
    assert_eq!(table.task(), Task::Wait(None));
    assert!(table.seen(&[ONE], hour));
    assert_eq!(table.time_left(hour), Some(Duration::from_secs(30)));
    table
        .play(ONE, 0, &json!(0), hour + Duration::from_secs(29))
        .expect("he is in time");
}

#[test]
fn nobody_else_gives_a_seat_away_before_its_person_has_been_gone_for_long() {
    let mut table = table("kalah", "PP");
    let bot = || "house:random".to_owned();
    let almost = GONE_AFTER - MOMENT;
    table.seen(&[TWO], almost);
    assert_eq!(table.substitute(ONE, bot(), &[TWO], almost), Err(Refused::NotGone(ONE)));
    assert!(table.occupant(ONE, almost).gone.is_some());
    assert!(table.occupant(ONE, AWAY_AFTER - MOMENT).gone.is_none());
    table
        .substitute(ONE, bot(), &[TWO], GONE_AFTER)
        .expect("he has been gone for long");
    assert_eq!(
        table.play(ONE, 0, &json!(0), GONE_AFTER),
        Err(Refused::BotPlays { seat: ONE, bot: bot() })
    );
    let record = to_the_end(&mut table);
    assert_eq!(record.seats[0].name, "person 0 (house:random)");
    assert!(record.left.is_empty());
}

#[test]
fn a_person_hands_his_own_seat_over_and_takes_it_back_at_any_time() {
    let mut table = table("layli-goobalay", "PP");
    table
        .substitute(TWO, "house:random".to_owned(), &[TWO], MOMENT)
        .expect("the seat is his");
    assert!(table.occupant(TWO, MOMENT).is_bot);
    table.take_back(TWO, MOMENT).expect("the seat is his");
    assert!(!table.occupant(TWO, MOMENT).is_bot);
    assert_eq!(table.take_back(TWO, MOMENT), Err(Refused::NoBotPlays(TWO)));
}

#[test]
fn going_and_coming_does_not_set_a_clock_anew() {
    let mut table = table_with("layli-goobalay", "PP", Some(30), false);
    table.seen(&[ONE, TWO], Duration::ZERO);
    let late = Duration::from_secs(29);
    table.seen(&[ONE], late);
    table
        .substitute(TWO, "house:random".to_owned(), &[TWO], late)
        .expect("the seat is his");
    table.take_back(TWO, late).expect("the seat is his");
    assert_eq!(table.time_left(late), Some(Duration::from_secs(1)));
}

#[test]
fn a_bot_that_makes_a_fault_forfeits_and_gets_another_chance_by_undo() {
    let mut table = table("mancala-basic:seats=3", "PBB");
    person_plays(&mut table, 0, MOMENT);
    while table.to_move() != Some(TWO) {
        anybody_plays(&mut table, 0);
    }
    ask(&mut table, MOMENT);
    assert_eq!(table.line(br#"{"move":99}"#, MOMENT), Judged::Faulted);
    assert!(!table.is_playing(TWO) && table.faults().len() == 1);
    bots_play(&mut table, 0);
    table.undo(ONE, None, &[ONE], MOMENT).expect("he plays against bots");
    assert!(table.is_playing(TWO) && table.faults().is_empty());
    to_the_end(&mut table);
}

#[test]
fn a_fault_before_the_move_taken_back_stays() {
    let mut table = table("mancala-basic:seats=3", "BPB");
    ask(&mut table, MOMENT);
    assert_eq!(table.line(br#"{"move":99}"#, MOMENT), Judged::Faulted);
    person_plays(&mut table, 0, MOMENT);
    while table.to_move() != Some(TWO) {
        anybody_plays(&mut table, 0);
    }
    table.undo(TWO, None, &[TWO], MOMENT).expect("he plays against bots");
    assert!(!table.is_playing(ONE));
    assert_eq!((table.faults().len(), table.ply()), (1, 0));
    to_the_end(&mut table);
}

#[test]
fn the_film_shows_the_end_only_once_the_record_is_stored() {
    let mut table = table("kalah", "PB");
    let record = to_the_end(&mut table);
    let film = table.film();
    assert_eq!((film.frames.len(), film.ending), (record.plies.len(), None));
    table.set_stored(Stored::As(1));
    let ending = table.film().ending.expect("it is stored");
    assert_eq!(ending.places, record.places);
    assert_eq!(table.task(), Task::Done);
}

#[test]
fn tokens_are_long_and_no_two_are_equal() {
    let drawn: std::collections::HashSet<String> = (0..100).map(|_| token::draw().expect("the system gives")).collect();
    assert_eq!(drawn.len(), 100);
    assert!(drawn.iter().all(|token| token.len() == 32));
}

fn some_record() -> Record {
    to_the_end(&mut table("kalah", "PB"))
}

#[test]
fn matches_that_were_played_are_there_after_a_restart() {
    let dir = tempfile::tempdir().expect("there is room");
    let path = dir.path().join("played.jsonl");
    let played = Played::open(&path).expect("it is made");
    assert_eq!(played.add(some_record()).expect("it is stored"), 1);
    assert_eq!(played.add(some_record()).expect("it is stored"), 2);
    let other = Played::open(&path).expect("it can be read");
    assert!(matches!(other.make_ready(), Err(PlayedError::InUse(_))));
    assert_eq!(other.count(), 2);
    drop(played);
    let played = Played::open(&path).expect("it is there");
    assert_eq!(played.count(), 2);
    let numbers = |before| played.list(before, 50).iter().map(|one| one.n).collect::<Vec<_>>();
    assert_eq!(
        (numbers(None), numbers(Some(2)), numbers(Some(1))),
        (vec![2, 1], vec![1], vec![])
    );
    let record = played.get(2).expect("it can be read").expect("it is there");
    replay(&record).expect("the record replays");
    assert!(played.get(0).expect("it can be read").is_none());
    assert!(played.get(3).expect("it can be read").is_none());
}

#[test]
fn a_line_that_was_not_written_to_its_end_is_cut_off() {
    let dir = tempfile::tempdir().expect("there is room");
    let path = dir.path().join("played.jsonl");
    let played = Played::open(&path).expect("it is made");
    played.add(some_record()).expect("it is stored");
    drop(played);
    let whole = std::fs::read(&path).expect("it is there");
    let torn = [&whole[..], &whole[..whole.len() / 2]].concat();
    std::fs::write(&path, torn).expect("it can be written");
    let played = Played::open(&path).expect("it is there");
    assert_eq!(played.add(some_record()).expect("it is stored"), 2);
    assert!(played.get(2).expect("it can be read").is_some());
}

#[test]
fn another_file_is_not_written_over() {
    let dir = tempfile::tempdir().expect("there is room");
    let path = dir.path().join("notes.txt");
    std::fs::write(&path, "what I must not forget\n").expect("it can be written");
    assert!(matches!(Played::open(&path), Err(PlayedError::Form { .. })));
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert_eq!(text, "what I must not forget\n");
    std::fs::write(&path, "and this").expect("it can be written");
    assert!(matches!(Played::open(&path), Err(PlayedError::Form { .. })));
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), "and this");
}
