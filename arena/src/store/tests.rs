use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::error::Holder;
use super::*;
use crate::record::samples::{self, Leaving};
use crate::record::{End, HostRecord, MatchScore, Record, Transcript, TranscriptLine, VoidReason, VoidRecord, What};

fn kalah() -> Plan {
    let game = mancala_arena_rules::open_text("kalah").expect("kalah is one of our games");
    samples::plan(&*game, 7)
}

fn dir() -> (TempDir, PathBuf) {
    let dir = TempDir::new().expect("a temporary directory");
    let path = dir.path().join("arena.db");
    (dir, path)
}

fn writer(path: &Path, plan: &Plan) -> (Writer, Receiver<WriterEvent>) {
    let mut store = Store::open_to_write(path).expect("the file can be written");
    let changed = store
        .add_plan(plan, &samples::contents(plan))
        .expect("the plan is added");
    assert_eq!(changed, []);
    let (to, events) = channel();
    let writer = store.into_writer(&plan.id(), move |event| to.send(event).expect("the test listens"));
    (writer.expect("the plan is known"), events)
}

/// A file with these matches of [`kalah`], all stored.
fn file_with(path: &Path, records: &[Record]) {
    let (writer, _events) = writer(path, &kalah());
    for record in records {
        writer.submit(record).expect("the record is of the plan");
    }
    drop(writer.finish().expect("everything is stored"));
}

fn read_all(store: &Store, plan: &Plan, filter: &Filter) -> Vec<Record> {
    let mut all = Vec::new();
    let each = |record| {
        all.push(record);
        Ok::<(), StoreError>(())
    };
    store.records(&plan.id(), filter, each).expect("the file can be read");
    all
}

fn matches(count: u64) -> Vec<Record> {
    (0..count)
        .map(|id| samples::played(&kalah(), id, Leaving::Never))
        .collect()
}

#[test]
fn a_record_comes_back_as_it_was() {
    let (_dir, path) = dir();
    let plain = samples::played(&kalah(), 0, Leaving::Never);
    let full = samples::filled(samples::played(&kalah(), 1, Leaving::Never));
    let left = samples::played(&kalah(), 2, Leaving::Sometimes);
    file_with(&path, &[left.clone(), full.clone(), plain.clone()]);
    let store = Store::open(&path).expect("the file can be read");
    let id = kalah().id();
    assert_eq!(store.record(&id, 1).expect("it is there"), Some(full.clone()));
    assert_eq!(store.record(&id, 3).expect("the plan is known"), None);
    assert_eq!(store.record(&id, u64::MAX).expect("the plan is known"), None);
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), [plain, full, left]);
}

#[test]
fn a_transcript_comes_back_beside_its_match() {
    let (_dir, path) = dir();
    let lines = What::ALL.map(|what| TranscriptLine {
        at_us: 7,
        seat: 1,
        what,
        text: "{\"move\":2}".to_owned(),
    });
    let transcript = Transcript { lines: lines.to_vec() };
    let records = matches(3);
    let (writer, _events) = writer(&path, &kalah());
    writer.submit(&records[0]).expect("it is of this plan");
    let handle = writer.handle();
    handle
        .submit_with(&records[1], Some(&transcript))
        .expect("it is of this plan");
    writer.finish().expect("everything is stored");
    let (store, id) = (Store::open(&path).expect("the file can be read"), kalah().id());
    let kept = |number| store.transcript(&id, number).expect("the plan is known");
    assert_eq!([0, 1, 2, u64::MAX].map(kept), [None, Some(transcript), None, None]);
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), records[..2]);
}

#[test]
fn a_file_of_the_first_version_has_no_transcripts_and_takes_them() {
    let (_dir, path) = dir();
    drop(file::open_to_write(&path, &schema::MIGRATIONS[..1]).expect("the old version is made"));
    file_with(&path, &matches(1));
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(store.transcript(&kalah().id(), 0).expect("the plan is known"), None);
}

#[test]
fn voids_are_counted_and_are_no_matches() {
    let (_dir, path) = dir();
    let void = VoidRecord {
        r#match: 0,
        seat: 1,
        ply: 12,
        reason: VoidReason::Suspended,
        late_us: 900_000,
        stalled_us: u64::MAX / 2,
        at_ms: 1,
    };
    let (writer, events) = writer(&path, &kalah());
    writer.handle().submit_void(void.clone()).expect("the writer runs");
    drop(writer.finish().expect("everything is stored"));
    assert!(matches!(events.recv(), Ok(WriterEvent::Void(told)) if told == void));
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(store.voids(&kalah().id()).expect("the plan is known"), 1);
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), []);
    assert!(!store.done(&kalah().id()).expect("the plan is known").contains(0));
}

#[test]
fn a_run_keeps_where_its_programs_were_found() {
    let (_dir, path) = dir();
    // A file of the version before had nothing of it.
    drop(file::open_to_write(&path, &schema::MIGRATIONS[..4]).expect("the old version is made"));
    let (writer, _events) = writer(&path, &kalah());
    let mut store = writer.finish().expect("everything is stored");
    let programs = [Path::new("/a/bot"), Path::new("/b/bot")];
    let added = store.add_run(&kalah().id(), 2, &["network"], &Limits::default(), &programs);
    added.expect("the plan is known");
    let kept: String = { store.connection }
        .query_row("SELECT programs FROM run", [], |row| row.get(0))
        .expect("there is one run");
    assert_eq!(kept, r#"["/a/bot","/b/bot"]"#);
}

#[test]
fn numbers_keep_all_their_64_bits() {
    let (_dir, path) = dir();
    let mut record = samples::played(&kalah(), i64::MAX as u64, Leaving::Never);
    record.seed = u64::MAX;
    record.plies[0].elapsed_us = u64::MAX / 2;
    file_with(&path, std::slice::from_ref(&record));
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), [record]);
}

#[test]
fn an_info_too_deep_to_be_read_again_is_left_out() {
    let (_dir, path) = dir();
    let mut record = samples::played(&kalah(), 0, Leaving::Never);
    let nested = |levels: usize| {
        format!("{}{}", "[".repeat(levels), "]".repeat(levels))
            .parse()
            .expect("it is JSON")
    };
    record.plies[0].info = Some(nested(120));
    record.plies[1].info = Some(nested(100));
    file_with(&path, std::slice::from_ref(&record));
    record.plies[0].info = None;
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), [record]);
}

#[test]
fn scores_are_those_of_the_records_in_the_order_of_ids() {
    let (_dir, path) = dir();
    let mut records: Vec<_> = (0..20)
        .map(|id| samples::played(&kalah(), id, Leaving::Sometimes))
        .collect();
    records.reverse();
    file_with(&path, &records);
    records.reverse();
    let store = Store::open(&path).expect("the file can be read");
    let mut scores = Vec::new();
    let each = |score: &MatchScore| {
        scores.push(score.clone());
        Ok::<(), StoreError>(())
    };
    store.scores(&kalah().id(), each).expect("the file can be read");
    assert_eq!(scores, records.iter().map(Record::score).collect::<Vec<_>>());
}

#[test]
fn a_match_is_told_with_its_machine_and_whether_a_move_was_late() {
    let (_dir, path) = dir();
    let mut records = matches(4);
    let host = HostRecord {
        worker: "left/1".to_owned(),
        name: "left".to_owned(),
        speed: 20.5,
        load: 0.1 + 0.2,
        limits_factor: Some(1.5),
    };
    records[1].host = Some(host.clone());
    // Late, with an info that is passed over.
    records[2] = samples::filled(records[2].clone());
    records[2].host = Some(host);
    records[3] = samples::played(&kalah(), 3, Leaving::Sometimes);
    file_with(&path, &records);
    let store = Store::open(&path).expect("the file can be read");
    let mut told = Vec::new();
    let each = |hosted: &HostedMatch| {
        told.push(hosted.clone());
        Ok::<(), StoreError>(())
    };
    store.hosted_matches(&kalah().id(), each).expect("the file can be read");
    let expected = records.iter().map(|record| HostedMatch {
        score: record.score(),
        faults: record.faults.len() as u64,
        late: record.r#match == 2,
        host: record.host.clone(),
    });
    assert_eq!(told, expected.collect::<Vec<_>>());
}

#[test]
fn a_filter_lets_through_what_it_names() {
    let (_dir, path) = dir();
    let records: Vec<_> = (0..30)
        .map(|id| samples::played(&kalah(), id, Leaving::Sometimes))
        .collect();
    file_with(&path, &records);
    let store = Store::open(&path).expect("the file can be read");
    let check = |filter: Filter, wanted: &dyn Fn(&&Record) -> bool| {
        let expected: Vec<_> = records.iter().filter(wanted).cloned().collect();
        assert!(!expected.is_empty(), "nothing to find for {filter:?}");
        assert_eq!(read_all(&store, &kalah(), &filter), expected, "{filter:?}");
    };
    check(
        Filter {
            with_faults: true,
            ..Filter::default()
        },
        &|record| !record.faults.is_empty(),
    );
    check(
        Filter {
            end: Some(End::Rules),
            ..Filter::default()
        },
        &|record| record.end == End::Rules,
    );
    check(
        Filter {
            bot: Some(1),
            ..Filter::default()
        },
        &|record| record.seats.iter().any(|seat| seat.bot == 1),
    );
    check(
        Filter {
            limit: Some(3),
            ..Filter::default()
        },
        &|record| record.r#match < 3,
    );
    assert_eq!(
        read_all(
            &store,
            &kalah(),
            &Filter {
                bot: Some(2),
                ..Filter::default()
            }
        ),
        []
    );
}

#[test]
fn a_match_is_stored_once() {
    let (_dir, path) = dir();
    let (writer, events) = writer(&path, &kalah());
    let first = samples::played(&kalah(), 3, Leaving::Never);
    let mut second = first.clone();
    second.started_ms += 1;
    writer.submit(&first).expect("the record is of the plan");
    writer.submit(&second).expect("the record is of the plan");
    let store = writer.finish().expect("everything is stored");
    assert!(matches!(&events.recv(), Ok(WriterEvent::Stored(stored)) if stored.score == first.score()));
    assert!(matches!(&events.recv(), Ok(WriterEvent::AlreadyStored(stored)) if stored.score.r#match == 3));
    assert_eq!(read_all(&store, &kalah(), &Filter::default()), [first]);
}

#[test]
fn what_is_announced_is_already_in_the_file() {
    let (_dir, path) = dir();
    let plan = kalah();
    let mut store = Store::open_to_write(&path).expect("the file can be written");
    store
        .add_plan(&plan, &samples::contents(&plan))
        .expect("the plan is added");
    let missing = Arc::new(Mutex::new(Vec::new()));
    let (reader_path, reader_missing, id) = (path.clone(), Arc::clone(&missing), plan.id());
    let on_event = move |event| {
        let WriterEvent::Stored(stored) = event else {
            panic!("{event:?}")
        };
        let id_stored = stored.score.r#match;
        // A connection of its own sees what a new process would see after a kill.
        let reader = Store::open(&reader_path).expect("the file can be read while it is written");
        if reader.record(&id, id_stored).expect("the plan is known").is_none() {
            reader_missing.lock().expect("no panic").push(id_stored);
        }
    };
    let writer = store.into_writer(&plan.id(), on_event).expect("the plan is known");
    for record in matches(20) {
        writer.submit(&record).expect("the record is of the plan");
    }
    writer.finish().expect("everything is stored");
    assert_eq!(*missing.lock().expect("no panic"), Vec::<u64>::new());
}

#[test]
fn many_threads_store_through_one_writer() {
    let (_dir, path) = dir();
    let (writer, events) = writer(&path, &kalah());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let handle = writer.handle();
            scope.spawn(move || {
                for id in (thread..400).step_by(4) {
                    handle
                        .submit(&samples::played(&kalah(), id, Leaving::Never))
                        .expect("the record is of the plan");
                }
            });
        }
    });
    let store = writer.finish().expect("everything is stored");
    let done = store.done(&kalah().id()).expect("the plan is known");
    assert_eq!(done.ranges(), [0..=399]);
    assert_eq!(events.try_iter().count(), 400);
}

#[test]
fn a_writer_that_has_finished_refuses_more() {
    let (_dir, path) = dir();
    let (writer, _events) = writer(&path, &kalah());
    let handle = writer.handle();
    writer.finish().expect("everything is stored");
    let refused = handle.submit(&samples::played(&kalah(), 0, Leaving::Never));
    assert!(matches!(refused, Err(StoreError::WriterEnded)), "{refused:?}");
}

#[test]
fn a_failure_to_store_is_told_once_and_announces_nothing() {
    let (_dir, path) = dir();
    let (writer, events) = writer(&path, &kalah());
    let broken = Connection::open(&path).expect("SQLite opens it");
    broken
        .execute_batch("DROP TABLE transcript")
        .expect("the table is dropped");
    writer
        .submit(&samples::played(&kalah(), 0, Leaving::Never))
        .expect("it is taken");
    assert!(matches!(events.recv(), Ok(WriterEvent::Failed(_))));
    assert!(matches!(writer.finish(), Err(StoreError::WriterEnded)));
    assert!(events.recv().is_err(), "nothing else is told");
    let stored: i64 = broken
        .query_row("SELECT count(*) FROM match", [], |row| row.get(0))
        .expect("it is there");
    assert_eq!(stored, 0, "a match is stored whole or not at all");
}

#[test]
fn a_full_disk_is_named() {
    let (_dir, path) = dir();
    let (writer, _events) = writer(&path, &kalah());
    let store = writer.finish().expect("nothing to store");
    let pages: i64 = store
        .connection
        .pragma_query_value(None, "page_count", |row| row.get(0))
        .expect("a number");
    store
        .connection
        .pragma_update(None, "max_page_count", pages)
        .expect("the limit is set");
    let (to, events) = channel();
    let on_event = move |event| to.send(event).expect("the test listens");
    let writer = store.into_writer(&kalah().id(), on_event).expect("the plan is known");
    for record in matches(40) {
        // Refused once the writer has failed.
        let _ = writer.submit(&record);
    }
    assert!(writer.finish().is_err());
    let failed = events.iter().find_map(|event| match event {
        WriterEvent::Failed(error) => Some(error),
        _ => None,
    });
    assert!(matches!(failed, Some(StoreError::DiskFull { .. })), "{failed:?}");
}

#[test]
fn a_record_of_another_plan_is_refused() {
    let (_dir, path) = dir();
    let (writer, _events) = writer(&path, &kalah());
    let good = samples::played(&kalah(), 0, Leaving::Never);
    let spoil: [fn(&mut Record); 6] = [
        |record| record.plan = "other".to_owned(),
        |record| record.game = "other".to_owned(),
        |record| record.record += 1,
        |record| record.r#match = u64::MAX,
        |record| record.points.clear(),
        |record| record.plies[0].seat = 2,
    ];
    for (at, spoil) in spoil.into_iter().enumerate() {
        let mut record = good.clone();
        spoil(&mut record);
        let refused = writer.submit(&record);
        assert!(matches!(refused, Err(StoreError::Foreign { .. })), "{at}: {refused:?}");
    }
}

/// What the records of `plan` have in common where its bots are these programs.
fn common(plan: &Plan, contents: &[Option<String>]) -> Common {
    let bots = plan.bots.iter().zip(contents).map(|(spec, content)| StoredBot {
        name: spec.name.clone(),
        content: content.clone(),
    });
    Common {
        plan_id: plan.id(),
        game: plan.game.clone(),
        bots: bots.collect(),
    }
}

/// As it is when it has been sent.
fn sent(packed: &Packed) -> Packed {
    let text = serde_json::to_string(packed).expect("it has string keys only");
    serde_json::from_str(&text).expect("it can be read")
}

#[test]
fn a_record_that_was_packed_elsewhere_comes_back_as_it_was() {
    let plan = kalah();
    let here = samples::contents(&plan);
    let there = vec![here[0].clone(), Some("new".to_owned())];
    for contents in [here, there] {
        let mut records = [
            samples::played(&plan, 0, Leaving::Never),
            samples::filled(samples::played(&plan, 1, Leaving::Never)),
            samples::played(&plan, 2, Leaving::Sometimes),
        ];
        for seat in records.iter_mut().flat_map(|record| &mut record.seats) {
            seat.content.clone_from(&contents[seat.bot]);
        }
        let (_dir, path) = dir();
        let (writer, _events) = writer(&path, &plan);
        let common = common(&plan, &contents);
        for record in &records {
            let packed = sent(&common.pack(record, None).expect("it is of this plan"));
            assert_eq!(packed.check(), Ok(()));
            let handle = writer.handle();
            handle.submit_packed(packed, &common).expect("it is taken");
        }
        let store = writer.finish().expect("everything is stored");
        assert_eq!(read_all(&store, &plan, &Filter::default()), records);
    }
}

#[test]
fn a_packed_record_whose_parts_do_not_fit_is_refused() {
    let common = common(&kalah(), &samples::contents(&kalah()));
    let record = samples::filled(samples::played(&kalah(), 0, Leaving::Never));
    let transcript = Transcript { lines: Vec::new() };
    let good = common.pack(&record, Some(&transcript)).expect("it is of this plan");
    let good = serde_json::to_value(good).expect("it has string keys only");
    let spoil: [fn(&mut Value); 12] = [
        |packed| packed["score"]["places"] = json!([1]),
        |packed| packed["score"]["moves"][0] = json!(1_000),
        |packed| packed["score"]["plies"] = json!(1_000),
        |packed| packed["seats"] = json!("2"),
        |packed| packed["seats"] = json!("/"),
        |packed| packed["moves"] = json!("[1]"),
        |packed| packed["moves"] = json!("[1"),
        |packed| packed["elapsed_us"] = json!("[]"),
        |packed| {
            let times = packed["elapsed_us"].as_str().expect("a text").replacen('[', "[-", 1);
            packed["elapsed_us"] = json!(times);
        },
        |packed| packed["opening"] = json!("{"),
        |packed| packed["details"]["infos"] = json!([[1_000, "beyond"]]),
        |packed| packed["dialogue"] = json!("no line of a transcript"),
    ];
    let check = |packed: &Value| {
        let packed: Packed = serde_json::from_value(packed.clone()).expect("it can be read");
        packed.check()
    };
    assert_eq!(check(&good), Ok(()));
    for (at, spoil) in spoil.into_iter().enumerate() {
        let mut packed = good.clone();
        spoil(&mut packed);
        assert!(check(&packed).is_err(), "{at}: {packed}");
    }
    let mut other = good;
    other["details"]["seats"] = json!([{"bot": 1, "name": "A", "content": null}]);
    assert_eq!(check(&other), Err("its seats are not those of its bots".to_owned()));
}

#[test]
fn several_plans_live_in_one_file() {
    let (_dir, path) = dir();
    let game = mancala_arena_rules::open_text("kalah:pits=4").expect("kalah has this option");
    let (one, two) = (kalah(), samples::plan(&*game, 8));
    file_with(&path, &matches(2));
    let (writer, _events) = writer(&path, &two);
    let record = samples::played(&two, 1, Leaving::Never);
    writer.submit(&record).expect("the record is of the plan");
    let store = writer.finish().expect("everything is stored");
    let plans = store.plans().expect("the file can be read");
    assert_eq!(
        plans
            .iter()
            .map(|stored| (&stored.plan, stored.matches))
            .collect::<Vec<_>>(),
        [(&one, 2), (&two, 1)]
    );
    assert_eq!(read_all(&store, &one, &Filter::default()), matches(2));
    assert_eq!(read_all(&store, &two, &Filter::default()), [record]);
    let unknown = store.done("nothing");
    assert!(matches!(unknown, Err(StoreError::UnknownPlan { .. })), "{unknown:?}");
}

#[test]
fn a_changed_program_is_reported_and_nothing_is_overwritten() {
    let (_dir, path) = dir();
    let plan = kalah();
    let mut store = Store::open_to_write(&path).expect("the file can be written");
    let before = samples::contents(&plan);
    store.add_plan(&plan, &before).expect("the plan is added");
    let after = vec![before[0].clone(), Some("new".to_owned())];
    let changed = ChangedBot {
        name: "bot-1".to_owned(),
        stored: before[1].clone(),
        found: after[1].clone(),
    };
    for _ in 0..2 {
        let found = store.add_plan(&plan, &after).expect("the file can be read");
        assert_eq!(found, std::slice::from_ref(&changed));
    }
    assert_eq!(store.add_plan(&plan, &before).expect("the file can be read"), []);
}

#[test]
fn a_second_writer_is_refused_by_host_and_pid() {
    let (dir, path) = dir();
    let first = Store::open_to_write(&path).expect("the file can be written");
    let link = dir.path().join("link.db");
    std::os::unix::fs::symlink(&path, &link).expect("a link is made");
    for name in [&path, &link] {
        let Err(StoreError::Locked {
            holder: Holder::Process { host, pid },
            ..
        }) = Store::open_to_write(name)
        else {
            panic!("a second writer is refused");
        };
        assert_eq!(pid, std::process::id());
        assert!(!host.is_empty());
    }
    Store::open(&path).expect("reading goes on");
    drop(first);
    Store::open_to_write(&path).expect("the lock is free again");
    assert!(!dir.path().join("arena.db-lock").exists());
}

#[test]
fn a_lock_file_left_by_a_killed_run_means_nothing() {
    let (dir, path) = dir();
    for left in ["", "elsewhere 1\n", "no holder at all"] {
        fs::write(dir.path().join("arena.db-lock"), left).expect("the file is written");
        Store::open_to_write(&path).expect("the lock is free");
    }
}

#[test]
fn a_missing_file_is_named_and_not_made() {
    let (_dir, path) = dir();
    let missing = Store::open(&path);
    assert!(matches!(missing, Err(StoreError::Missing { .. })), "{missing:?}");
    assert!(!path.exists());
}

/// Opens both ways, expects `wanted` of both errors, and the bytes of the file unchanged.
fn refused(path: &Path, wanted: fn(&StoreError) -> bool) {
    let before = fs::read(path).expect("the file is there");
    for error in [Store::open(path).err(), Store::open_to_write(path).err()] {
        let error = error.expect("it is refused");
        assert!(wanted(&error), "{error:?}");
    }
    assert!(
        fs::read(path).expect("the file is there") == before,
        "the file is left as it was"
    );
}

#[test]
fn a_file_of_a_newer_version_is_refused() {
    let (_dir, path) = dir();
    file_with(&path, &matches(1));
    let newer = Connection::open(&path).expect("SQLite opens it");
    newer
        .pragma_update(None, "user_version", schema::MIGRATIONS.len() as i64 + 1)
        .expect("it is set");
    drop(newer);
    refused(&path, |error| {
        let ours = schema::MIGRATIONS.len();
        matches!(error, StoreError::Newer { found, known, .. } if (*found, *known) == (ours as i64 + 1, ours))
    });
}

#[test]
fn a_file_that_is_not_ours_is_refused() {
    let (_dir, path) = dir();
    fs::write(&path, "a league file\n".repeat(100)).expect("the file is written");
    refused(&path, |error| matches!(error, StoreError::NotADatabase { .. }));
    fs::remove_file(&path).expect("the file is removed");
    let other = Connection::open(&path).expect("SQLite makes it");
    other
        .execute_batch("CREATE TABLE bookmark (url TEXT)")
        .expect("a table is made");
    drop(other);
    refused(&path, |error| matches!(error, StoreError::NotOurs { .. }));
}

#[test]
fn damaged_copies_are_named_or_read_and_never_changed() {
    let (dir, path) = dir();
    file_with(&path, &matches(120));
    let whole = fs::read(&path).expect("the file is there");
    let copy = dir.path().join("copy.db");
    let check = |bytes: &[u8]| -> bool {
        fs::write(&copy, bytes).expect("the copy is written");
        let read = |store: Store| -> Result<usize, StoreError> {
            let found = store.damage().len();
            store.scores(&kalah().id(), |_| Ok::<(), StoreError>(()))?;
            store.records(&kalah().id(), &Filter::default(), |_| Ok::<(), StoreError>(()))?;
            Ok(found)
        };
        let seen = !matches!(Store::open(&copy).and_then(read), Ok(0));
        assert!(
            fs::read(&copy).expect("the copy is there") == bytes,
            "reading changes nothing"
        );
        if Store::open_to_write(&copy).is_err() {
            let now = fs::read(&copy).expect("the copy is there");
            assert!(now == bytes, "a refused file is left as it was");
        }
        seen
    };
    for cut in 1..50 {
        let length = whole.len() * cut / 50;
        assert!(check(&whole[..length]), "cut after {length} bytes");
    }
    // Unused space, and what the light row does not repeat (the seed, infos), can change unseen.
    let seen = (0..100).filter(|flip| {
        let mut bytes = whole.clone();
        // Spread over the file, some of them in the header.
        let at = if *flip < 20 {
            flip * 5
        } else {
            (flip - 20) * whole.len() / 80 + flip
        };
        bytes[at] ^= 0x5A;
        check(&bytes)
    });
    let seen = seen.count();
    assert!(seen >= 50, "{seen} of 100 flips are seen");
}

#[test]
fn results_in_a_directory_without_write_permission_can_be_read() {
    let (dir, path) = dir();
    file_with(&path, &matches(2));
    let only_read = fs::Permissions::from_mode(0o555);
    fs::set_permissions(dir.path(), only_read).expect("permissions are set");
    let records = Store::open(&path).map(|store| read_all(&store, &kalah(), &Filter::default()));
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).expect("permissions are set");
    assert_eq!(records.expect("the file can be read"), matches(2));
}

const OLD: &[&str] = &["CREATE TABLE kept (value TEXT) STRICT; INSERT INTO kept VALUES ('old')"];

fn kept(connection: &Connection) -> (i64, Vec<String>) {
    let version = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .expect("a number");
    let mut rows = connection
        .prepare("SELECT value FROM kept")
        .expect("the table is there");
    let rows = rows
        .query_map([], |row| row.get(0))
        .expect("a query")
        .collect::<Result<_, _>>();
    (version, rows.expect("text"))
}

#[test]
fn an_older_file_is_brought_up_to_date_with_a_copy_kept() {
    let (dir, path) = dir();
    drop(file::open_to_write(&path, OLD).expect("the old version is made"));
    assert!(
        file::open_to_read(&path, 2, Extent::Whole)
            .expect("it is ours")
            .is_none(),
        "it must be brought up to date first"
    );
    let new = [OLD[0], "INSERT INTO kept VALUES ('new')"];
    let (connection, _) = file::open_to_write(&path, &new).expect("it is brought up to date");
    assert_eq!(kept(&connection), (2, vec!["old".to_owned(), "new".to_owned()]));
    let copy = Connection::open(dir.path().join("arena.db.v1.bak")).expect("a copy is there");
    assert_eq!(kept(&copy), (1, vec!["old".to_owned()]));
    assert!(!dir.path().join("arena.db.v1.bak-partial").exists());
}

#[test]
fn a_migration_that_fails_leaves_the_file_as_it_was() {
    let (_dir, path) = dir();
    drop(file::open_to_write(&path, OLD).expect("the old version is made"));
    let failing = [
        OLD[0],
        "INSERT INTO kept VALUES ('new')",
        "INSERT INTO nowhere VALUES (1)",
    ];
    assert!(file::open_to_write(&path, &failing).is_err());
    assert_eq!(
        kept(&Connection::open(&path).expect("SQLite opens it")),
        (1, vec!["old".to_owned()])
    );
}

#[test]
fn the_bundled_sqlite_has_no_reset_bug_in_its_write_ahead_log() {
    // Fixed in 3.51.3: several connections that write and checkpoint could damage the file.
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn a_done_set_is_the_ids_it_was_made_from() {
    let ids = [0, 1, 2, 5, 7, 8, 1_000_000];
    let set: DoneSet = ids.into_iter().collect();
    assert_eq!(set.ranges(), [0..=2, 5..=5, 7..=8, 1_000_000..=1_000_000]);
    assert_eq!(set.len(), 7);
    for id in (0..20).chain(999_990..1_000_010) {
        assert_eq!(set.contains(id), ids.contains(&id), "{id}");
        let next = (id..).find(|next| !ids.contains(next));
        assert_eq!(Some(set.next_open(id)), next, "{id}");
    }
    assert!(DoneSet::default().is_empty());
    assert_eq!(DoneSet::default().next_open(3), 3);
}

#[test]
fn a_done_set_of_the_file_is_what_is_stored() {
    let (_dir, path) = dir();
    let records: Vec<_> = [4, 0, 1, 9]
        .map(|id| samples::played(&kalah(), id, Leaving::Never))
        .into();
    file_with(&path, &records);
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(
        store.done(&kalah().id()).expect("the plan is known").ranges(),
        [0..=1, 4..=4, 9..=9]
    );
}

#[test]
fn of_a_file_that_was_cut_short_some_matches_can_be_read() {
    let (_dir, path) = dir();
    file_with(&path, &matches(120));
    let whole = fs::read(&path).expect("the file is there");
    fs::write(&path, &whole[..whole.len() * 9 / 10]).expect("the file is cut");
    assert!(Store::open(&path).is_err());
    let store = Store::open_damaged(&path).expect("what is there can be read");
    assert_ne!(store.damage(), Vec::<String>::new());
    let mut read = Vec::new();
    let each = |id, record: Result<Record, String>| {
        read.extend(record.ok().map(|record| (id, record)));
        Ok::<(), StoreError>(())
    };
    // The index of matches may have lost its end, too.
    let _ = store.each_readable(&kalah().id(), each);
    assert!(read.len() > 60, "{} of 120", read.len());
    let records = matches(120);
    assert!(read.iter().all(|(id, record)| *record == records[*id as usize]));
}

#[test]
fn a_changed_transcript_is_seen_and_the_other_matches_can_be_read() {
    let (_dir, path) = dir();
    file_with(&path, &matches(3));
    let changed = Connection::open(&path).expect("SQLite opens it");
    let statement = "UPDATE transcript SET moves = replace(moves, '2', '3') WHERE match = 2";
    assert_eq!(changed.execute(statement, []).expect("it is changed"), 1);
    drop(changed);
    let store = Store::open(&path).expect("the file can be read");
    let mut read = Vec::new();
    let each = |id, record: Result<Record, String>| {
        read.push((id, record.map_err(drop)));
        Ok::<(), StoreError>(())
    };
    store.each_readable(&kalah().id(), each).expect("the index can be read");
    assert!(matches!(
        store.record(&kalah().id(), 1),
        Err(StoreError::Damaged { .. })
    ));
    let records = matches(3);
    assert_eq!(
        read,
        [(0, Ok(records[0].clone())), (1, Err(())), (2, Ok(records[2].clone()))]
    );
}

#[test]
fn a_match_without_its_transcript_is_named() {
    let (_dir, path) = dir();
    file_with(&path, &matches(1));
    let changed = Connection::open(&path).expect("SQLite opens it");
    changed.execute("DELETE FROM transcript", []).expect("it is deleted");
    drop(changed);
    let store = Store::open(&path).expect("the file can be read");
    let mut found = Vec::new();
    let each = |id, record: Result<Record, String>| {
        found.push((id, record.is_err()));
        Ok::<(), StoreError>(())
    };
    store.each_readable(&kalah().id(), each).expect("the index can be read");
    assert_eq!(found, [(0, true)]);
}

#[test]
fn a_row_that_refers_to_nothing_is_named() {
    let (_dir, path) = dir();
    file_with(&path, &matches(1));
    let changed = Connection::open(&path).expect("SQLite opens it");
    changed
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM match")
        .expect("it is deleted");
    drop(changed);
    let store = Store::open(&path).expect("the file can be read");
    assert_eq!(store.damage(), ["transcript row 1 refers to a match that is not there"]);
}

#[test]
fn a_file_system_that_refuses_the_write_ahead_log_gets_a_rollback_journal() {
    let (_dir, path) = dir();
    // This way of SQLite to lock files has no shared memory, as some network file systems have none.
    let flags = rusqlite::OpenFlags::default();
    let connection = Connection::open_with_flags_and_vfs(&path, flags, c"unix-dotfile").expect("SQLite makes it");
    assert_eq!(
        file::choose_journal(&connection, &path).expect("a journal is chosen"),
        Journal::Rollback
    );
    drop(connection);
    assert_eq!(
        Store::open_to_write(&path).expect("it can be written").journal(),
        Journal::WriteAhead
    );
}
