use mancala_arena_rules::{AnyGame, Seat};

use super::samples::{self, Leaving};
use super::*;

fn games() -> Vec<std::sync::Arc<dyn AnyGame>> {
    let infos = mancala_arena_rules::infos();
    let open = |info: &&mancala_arena_rules::GameInfo| {
        mancala_arena_rules::open(info.name, &[]).expect("a game can be opened with its defaults")
    };
    let mut games: Vec<_> = infos.iter().map(open).collect();
    // Every number of seats that an option asks for.
    for info in infos
        .iter()
        .filter(|info| info.options.iter().any(|option| option.key == "seats"))
    {
        for seats in info.seats.0..=info.seats.1 {
            let options = [("seats".to_owned(), seats.to_string())];
            games.push(mancala_arena_rules::open(info.name, &options).expect("the game has that many seats"));
        }
    }
    games
}

fn some_records(leaving: Leaving) -> Vec<Record> {
    let plans = games().into_iter().map(|game| samples::plan(&*game, 11));
    plans
        .flat_map(|plan| (0..40).map(move |id| samples::played(&plan, id, leaving)))
        .collect()
}

fn kalah() -> Record {
    let game = mancala_arena_rules::open_text("kalah").expect("kalah is one of our games");
    samples::played(&samples::plan(&*game, 3), 1, Leaving::Never)
}

#[test]
fn random_matches_of_every_game_replay() {
    for record in some_records(Leaving::Never) {
        let end = replay(&record).unwrap_or_else(|error| panic!("{} match {}: {error}", record.game, record.r#match));
        assert_eq!(end.ply() as usize, record.plies.len());
    }
}

#[test]
fn matches_that_seats_left_replay() {
    let records = some_records(Leaving::Sometimes);
    for end in [End::Fault, End::Resignation] {
        assert!(
            records.iter().any(|record| record.end == end),
            "no match ended by {end:?}"
        );
    }
    for record in records {
        replay(&record).unwrap_or_else(|error| panic!("{} match {}: {error}", record.game, record.r#match));
    }
}

#[test]
fn a_replay_shows_the_match_before_each_ply() {
    let record = kalah();
    let mut seen = Vec::new();
    replay_with(&record, |playing, ply| {
        seen.push((playing.ply(), playing.to_move().map(Seat::index), ply.seat));
    })
    .expect("it is a legal match");
    let expected = record.plies.iter().enumerate();
    let expected: Vec<_> = expected
        .map(|(at, ply)| (at as u32, Some(usize::from(ply.seat)), ply.seat))
        .collect();
    assert_eq!(seen, expected);
}

fn refused(spoil: impl FnOnce(&mut Record)) -> ReplayError {
    let mut record = kalah();
    spoil(&mut record);
    replay(&record).expect_err("the record is wrong")
}

#[test]
fn a_replay_names_what_is_wrong() {
    let leave = |seat, ply| LeaveRecord {
        seat,
        ply,
        by: LeftBy::Fault,
    };
    assert!(matches!(
        refused(|record| record.game = "chess".to_owned()),
        ReplayError::Game(_)
    ));
    assert!(matches!(
        refused(|record| record.opening = "?".into()),
        ReplayError::Opening(_)
    ));
    assert!(matches!(
        refused(|record| record.places.push(3)),
        ReplayError::Seats {
            what: "places",
            found: 3,
            ..
        }
    ));
    assert!(matches!(
        refused(|record| record.left = vec![leave(2, 0)]),
        ReplayError::Nowhere { what: "leave", .. }
    ));
    assert!(matches!(
        refused(|record| record.left = vec![leave(0, 999)]),
        ReplayError::Nowhere { ply: 999, .. }
    ));
    assert!(matches!(
        refused(|record| record.left = vec![leave(0, 3), leave(1, 2)]),
        ReplayError::LeftOrder
    ));
    assert!(matches!(
        refused(|record| record.left = vec![leave(0, 3), leave(0, 3)]),
        ReplayError::LeftOrder
    ));
    assert!(matches!(
        refused(|record| record.left = vec![leave(0, 3)]),
        ReplayError::AfterEnd { ply: 3 }
    ));
    assert!(matches!(
        refused(|record| record.plies[0].seat = 1),
        ReplayError::NotToMove { ply: 0, found: 1, .. }
    ));
    assert!(matches!(
        refused(|record| record.plies[5].r#move = 77.into()),
        ReplayError::Illegal { ply: 5, .. }
    ));
    assert!(matches!(
        refused(|record| drop(record.plies.pop())),
        ReplayError::NotOver { .. }
    ));
    let extra = |record: &mut Record| record.plies.push(record.plies[0].clone());
    assert!(matches!(refused(extra), ReplayError::AfterEnd { .. }));
    assert!(matches!(
        refused(|record| record.end = End::Fault),
        ReplayError::End {
            expected: End::Rules,
            ..
        }
    ));
    assert!(matches!(
        refused(|record| record.places.fill(2)),
        ReplayError::Places { .. }
    ));
    assert!(matches!(
        refused(|record| record.points[0] += 1),
        ReplayError::Points { .. }
    ));
}

fn lines(records: &[Record]) -> Vec<u8> {
    let mut text = Vec::new();
    for record in records {
        write_line(&mut text, record).expect("memory can be written");
    }
    text
}

#[test]
fn records_come_back_from_their_lines() {
    let mut records = some_records(Leaving::Sometimes);
    records.push(samples::filled(kalah()));
    let text = lines(&records);
    assert_eq!(
        text.iter().filter(|byte| **byte == b'\n').count(),
        records.len(),
        "one line each"
    );
    let back: Vec<_> = read_lines(&text[..])
        .collect::<Result<_, _>>()
        .expect("they are records");
    assert_eq!(back, records);
    assert!(lines(&back) == text, "the same bytes when written again");
}

#[test]
fn a_line_has_its_fields_in_the_order_of_the_documentation() {
    let mut record = kalah();
    record.plan = "0123456789ab".to_owned();
    record.plies.truncate(1);
    record.seed = 5;
    let text = String::from_utf8(lines(&[record])).expect("JSON is UTF-8");
    let expected = concat!(
        r#"{"record":1,"plan":"0123456789ab","match":1,"rotation":0,"game":"kalah","#,
        r#""options":[["pits","6"],["seeds","4"],["empty_capture","off"],["end","either"]],"#,
        r#""opening":{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0},"seats":"#,
    );
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn without_times_two_runs_of_a_match_are_equal() {
    let one = samples::filled(kalah());
    let mut two = one.clone();
    two.started_ms += 1;
    two.elapsed_us += 1;
    two.host = Some(HostRecord {
        worker: "c0ffee00".to_owned(),
        name: "elsewhere".to_owned(),
        speed: 200.5,
        load: 0.25,
        limits_factor: None,
    });
    for ply in &mut two.plies {
        ply.elapsed_us += 1;
    }
    two.faults[0].late_ms = Some(1.0);
    two.faults[0].message = "answered 1 ms after the limit".to_owned();
    assert_ne!(lines(std::slice::from_ref(&one)), lines(std::slice::from_ref(&two)));
    let (one, two) = (lines(&[one.without_times()]), lines(&[two.without_times()]));
    assert_eq!(one, two);
    let text = String::from_utf8(one.clone()).expect("JSON is UTF-8");
    for word in ["elapsed_us", "started_ms", "late_ms"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    assert!(read_lines(&one[..]).all(|record| record.is_ok()));
}

#[test]
fn a_line_that_is_no_record_is_named() {
    let good = lines(&[kalah()]);
    let mut text = good.clone();
    text.extend_from_slice(b"\n{\"record\":2,\"new\":true}\n{\"record\":1}\n\xFF\n");
    text.extend_from_slice(&good[..good.len() / 2]);
    let found: Vec<_> = read_lines(&text[..])
        .map(|read| read.map(|record| record.r#match))
        .collect();
    assert!(matches!(found[0], Ok(1)));
    assert!(matches!(found[1], Err(LineError::Version { line: 3, found: 2 })));
    assert!(matches!(found[2], Err(LineError::Form { line: 4, .. })));
    assert!(matches!(found[3], Err(LineError::Io { line: 5, .. })));
    assert!(matches!(found[4], Err(LineError::Form { line: 6, .. })));
    assert_eq!(found.len(), 5);
}

#[test]
fn a_fingerprint_is_of_opening_and_moves_alone() {
    let record = kalah();
    let same = |change: &dyn Fn(&mut Record)| {
        let mut other = record.clone();
        change(&mut other);
        other.score().fingerprint == record.score().fingerprint
    };
    assert!(same(&|other| other.plies[0].elapsed_us += 1));
    assert!(same(&|other| other.seats.reverse()));
    assert!(!same(&|other| other.plies[0].r#move = 77.into()));
    assert!(!same(&|other| drop(other.plies.pop())));
    assert!(!same(&|other| other.opening = 1.into()));
}

#[test]
fn a_score_of_a_record_with_seats_that_are_not_there_does_not_panic() {
    let mut record = kalah();
    record.plies[0].seat = 9;
    record.left.push(LeaveRecord {
        seat: 9,
        ply: 0,
        by: LeftBy::Fault,
    });
    assert_eq!(
        record.score().moves.iter().sum::<u32>() as usize,
        record.plies.len() - 1
    );
}

#[test]
fn a_csv_row_has_as_many_fields_as_the_header() {
    let mut text = Vec::new();
    csv_header(&mut text).expect("memory can be written");
    csv_rows(&mut text, &kalah()).expect("memory can be written");
    let text = String::from_utf8(text).expect("it is text");
    let counts: Vec<_> = text.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(counts, [17, 17, 17]);
}

#[test]
fn a_csv_field_is_quoted_where_it_must_be() {
    for (text, field) in [
        ("plain", "plain"),
        ("a,b", "\"a,b\""),
        ("a\"b", "\"a\"\"b\""),
        ("a\nb", "\"a\nb\""),
    ] {
        assert_eq!(csv_field(text), field);
    }
}
