//! Matches between bots that write anything at all: bytes through [`LineBuffer`] to the state machine, as in a real match,
//! without processes.
//!
//! It follows the driver in what is dropped before a turn and when nothing more is waited for. The variable [`INPUTS`]
//! says how many chunks of bytes are given; a match that fails is named by its number, which is all that it is drawn from.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use mancala_arena_protocol::{Decoded, FROM_BOT_BYTES_MAX, FromBot, LineBuffer, LineEvent, ToBot, decode, excerpt};
use mancala_arena_rules::{Seat, open_text};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::Value;

use super::tests::{GAMES, bank, no_clock, per_move, position, record};
use super::{Fault, Judged, Machine};
use crate::bot::EXCERPT_CHARS;
use crate::config::TimeControl;
use crate::record::{Record, replay_with};

/// The variable that says how many inputs are given.
const INPUTS: &str = "ARENA_FUZZ_INPUTS";

/// How many without it.
const INPUTS_USUAL: u64 = 300_000;

/// More than any match takes: each input takes time, the time of a turn is limited, and so is the number of plies.
const MATCH_INPUTS_MAX: u64 = 2_000_000;

/// What stands where a number or another value should.
const VALUES: [&str; 22] = [
    "-1",
    "-0",
    "1.0",
    "2.5",
    "1e0",
    "1e999",
    "-1e-999",
    "255",
    "256",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "NaN",
    "null",
    "true",
    "\"0\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "[]",
    "{}",
];

/// What is put into lines where it does not belong.
const TOKENS: [&[u8]; 18] = [
    b"\0",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\t ",
    b"{",
    b"}",
    b"[[[[[[[[[[[[[[[[",
    b"]]]]",
    b"\"",
    b"\\",
    b",\"move\":0",
    b",\"ply\":0",
    b",\"type\":\"move\"",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    "\u{1f3b2}\u{202e}".as_bytes(),
];

/// Lines that are no moves.
const OTHERS: [&str; 14] = [
    r#"{"type":"info","depth":3,"pv":[0,1],"score":-1.5}"#,
    r#"{"type":"info","move":1,"ply":7,"type2":null}"#,
    r#"{"type":"ready"}"#,
    r#"{"type":"resign"}"#,
    r#"{"type":"resign","move":0,"why":["tired"]}"#,
    r#"{"type":"hello","protocol":1,"features":["ready","observe"]}"#,
    r#"{"type":"hello","protocol":99999999999999999999}"#,
    r#"{"type":"weather","sun":1}"#,
    r#"{"type":"move"}"#,
    r#"{"type":["move"],"move":0}"#,
    r#"{"move":0,"move":1}"#,
    "{}",
    "thinking of move 3",
    "",
];

/// The bytes that one bot writes, on their way to the machine.
struct Pipe {
    /// Written and not read yet.
    written: Vec<u8>,
    lines: LineBuffer,
    /// What comes up to the next newline is the rest of a line that was dropped.
    skips: bool,
}

struct Table {
    rng: ChaCha8Rng,
    machine: Machine,
    pipes: Vec<Pipe>,
    now: Duration,
    /// One line in so many is odd.
    tame: u32,
    /// The moves of the lines that were judged to be moves.
    claims: Vec<Value>,
    inputs: u64,
    /// How often a line was judged how.
    tally: BTreeMap<&'static str, u64>,
}

#[test]
fn whatever_bots_write_every_match_ends_and_follows_the_rules() {
    let wanted = std::env::var(INPUTS).map_or(INPUTS_USUAL, |count| count.parse().expect("a number of inputs"));
    let mut tally = BTreeMap::<&str, u64>::new();
    let (mut inputs, mut number) = (0, 0);
    while inputs < wanted {
        let played = std::panic::catch_unwind(|| play(number));
        let (given, counts) = played.unwrap_or_else(|_| panic!("match {number} has failed"));
        inputs += given;
        number += 1;
        for (judged, count) in counts {
            *tally.entry(judged).or_default() += count;
        }
    }
    let _ = writeln!(std::io::stderr(), "{inputs} inputs in {number} matches: {tally:?}");
    let all = [
        "closed_output",
        "dropped",
        "illegal_move",
        "late",
        "line_too_long",
        "moved",
        "not_a_message",
        "output_flood",
        "resigned",
        "waited",
    ];
    assert!(
        wanted < INPUTS_USUAL || tally.keys().copied().eq(all),
        "all that can happen does: {tally:?}"
    );
}

/// Plays the match of this number; gives how many inputs it took and how they were judged.
fn play(number: u64) -> (u64, BTreeMap<&'static str, u64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(number);
    let game = *one_of(&GAMES, &mut rng);
    let no_grace = TimeControl {
        grace_ms: 0,
        ..per_move(100)
    };
    let time = *one_of(&[per_move(1_000), no_grace, bank(2_000, 10), no_clock()], &mut rng);
    let board = open_text(game).expect("the game is one of ours").start();
    let opening = position(&*board);
    let names: Vec<String> = (0..board.seats()).map(|seat| format!("bot-{seat}")).collect();
    let pipe = |_: &String| Pipe {
        written: Vec::new(),
        lines: LineBuffer::new(FROM_BOT_BYTES_MAX),
        skips: false,
    };
    let mut table = Table {
        pipes: names.iter().map(pipe).collect(),
        machine: Machine::new(number.to_string(), board, time, &names),
        now: Duration::ZERO,
        tame: *one_of(&[2, 8, 64, 512], &mut rng),
        claims: Vec::new(),
        inputs: 0,
        tally: BTreeMap::new(),
        rng,
    };
    while let Some(seat) = table.machine.to_move() {
        let judged = table.turn(seat);
        table.count(judged);
    }
    let mut line = Vec::new();
    table.machine.write_end(&mut line);
    assert!(matches!(serde_json::from_slice(&line), Ok(ToBot::<&str>::End(_))));
    let record = record(game, opening, table.machine.into_report());
    assert_eq!(record.plies.len(), table.claims.len());
    let mut claims = table.claims.iter();
    let replayed = replay_with(&record, |board, ply| {
        let claimed = board.find(claims.next().expect("one for each ply"));
        assert_eq!(
            claimed,
            board.find(&ply.r#move),
            "the move of the line is the move of the record"
        );
    });
    assert!(replayed.is_ok(), "{:?}", replayed.err());
    let text = serde_json::to_string(&record).expect("a record is JSON");
    assert_eq!(serde_json::from_str::<Record>(&text).expect("it can be read"), record);
    (table.inputs, table.tally)
}

impl Table {
    /// A turn until its seat has been judged.
    fn turn(&mut self, seat: Seat) -> Judged {
        if self.machine.must_drop_unasked(seat) {
            // Some of what was written has arrived.
            self.arrive(seat);
            match self.pipes[seat.index()].drop_unasked() {
                Some(lines) => self.machine.dropped(seat, lines),
                None => {
                    return given(&mut self.machine, seat, |machine| {
                        machine.fault(seat, &Fault::OutputFlood)
                    });
                }
            }
        }
        let mut line = Vec::new();
        self.machine.write_turn(&mut line);
        let until = self.machine.asked(self.now);
        loop {
            self.inputs += 1;
            assert!(self.inputs < MATCH_INPUTS_MAX, "the match does not end");
            let judged = self.input(seat, until);
            if judged != Judged::Wait {
                return judged;
            }
            self.count(judged);
        }
    }

    /// Time passes, and then something comes or does not.
    fn input(&mut self, seat: Seat, until: Duration) -> Judged {
        let longest_us = *one_of(&[10, 10, 10, 1_000, 20_000, 200_000], &mut self.rng);
        self.now += Duration::from_micros(1 + u64::from(below(longest_us, &mut self.rng)));
        match below(2_000, &mut self.rng) {
            0 => self.now = self.now.max(until + Duration::from_nanos(1)),
            1 => {
                return given(&mut self.machine, seat, |machine| {
                    machine.fault(seat, &Fault::ClosedOutput)
                });
            }
            _ => self.arrive(seat),
        }
        let (machine, pipe) = (&mut self.machine, &mut self.pipes[seat.index()]);
        loop {
            let judged = match pipe.lines.next_line() {
                LineEvent::Line(_) if std::mem::take(&mut pipe.skips) => continue,
                LineEvent::Line(line) => {
                    let judged = given(machine, seat, |machine| machine.line(line, self.now));
                    let ends = matches!(judged, Judged::Resigned | Judged::Faulted);
                    assert!(ends || self.now <= until, "nothing late is played or puts off the end");
                    if judged == Judged::Moved {
                        self.claims.push(claim(line));
                    }
                    judged
                }
                LineEvent::TooLong(line) => {
                    let received = excerpt(line, EXCERPT_CHARS);
                    given(machine, seat, |machine| {
                        machine.fault(seat, &Fault::LineTooLong { received })
                    })
                }
                LineEvent::Incomplete if self.now > until => {
                    given(machine, seat, |machine| machine.no_answer(pipe.lines.pending()))
                }
                LineEvent::Incomplete => return Judged::Wait,
            };
            match judged {
                Judged::Wait => {}
                Judged::Dropped => *self.tally.entry("dropped").or_default() += 1,
                _ => return judged,
            }
        }
    }

    /// A chunk of what the bot of `seat` writes arrives.
    fn arrive(&mut self, seat: Seat) {
        let (rng, pipe) = (&mut self.rng, &mut self.pipes[seat.index()]);
        if pipe.written.is_empty() {
            // Now and then several lines at once.
            for _ in 0..*one_of(&[1, 1, 1, 1, 1, 1, 1, 3], rng) {
                write_line(&self.machine, self.tame, rng, &mut pipe.written);
            }
        }
        let all = pipe.written.len() as u32;
        let length = if below(4, rng) > 0 { all } else { below(all + 1, rng) };
        pipe.lines.push(&pipe.written[..length as usize]);
        pipe.written.drain(..length as usize);
    }

    fn count(&mut self, judged: Judged) {
        let judged = match judged {
            Judged::Wait => "waited",
            Judged::Dropped => "dropped",
            Judged::Moved => "moved",
            Judged::Resigned => "resigned",
            Judged::Faulted | Judged::Relieved(_) => self.machine.last_fault().expect("a fault was made").code.as_str(),
        };
        *self.tally.entry(judged).or_default() += 1;
    }
}

impl Pipe {
    /// What came before the turn is forgotten; gives how many lines, `None` after one that is too long.
    fn drop_unasked(&mut self) -> Option<u64> {
        let mut lines = 0;
        loop {
            match self.lines.next_line() {
                LineEvent::Line(_) => lines += u64::from(!std::mem::take(&mut self.skips)),
                LineEvent::TooLong(_) => return None,
                LineEvent::Incomplete => break,
            }
        }
        if !self.lines.pending().is_empty() {
            self.lines.clear();
            lines += u64::from(!std::mem::replace(&mut self.skips, true));
        }
        Some(lines)
    }
}

/// Gives the machine something for `seat`, and checks that what it says is what has become of the match.
fn given(machine: &mut Machine, seat: Seat, event: impl FnOnce(&mut Machine) -> Judged) -> Judged {
    let of = |machine: &Machine| {
        let fault = machine.last_fault().map(|fault| (fault.seat, fault.ply, fault.code));
        (machine.to_move(), machine.ply(), fault)
    };
    let (before, ply) = (of(machine), machine.ply());
    let judged = event(machine);
    match judged {
        Judged::Wait | Judged::Dropped => assert_eq!(of(machine), before, "nothing has happened"),
        Judged::Moved => {
            assert_eq!(machine.ply(), ply + 1);
            let last = machine.last_ply().expect("it was played");
            assert_eq!(usize::from(last.seat), seat.index());
        }
        Judged::Resigned => assert_eq!((machine.ply(), of(machine).2), (ply, before.2)),
        Judged::Relieved(_) => unreachable!("nothing is granted in these matches"),
        Judged::Faulted => {
            let fault = machine.last_fault().expect("a fault was made");
            assert_eq!(
                (usize::from(fault.seat), fault.ply, machine.ply()),
                (seat.index(), ply, ply)
            );
            // What was received is shown cut.
            assert!(fault.message.chars().count() < 8 * EXCERPT_CHARS, "{}", fault.message);
        }
    }
    let left = matches!(judged, Judged::Resigned | Judged::Faulted);
    assert_eq!(machine.is_in_match(seat), !left);
    assert!(
        !left || machine.to_move() != Some(seat),
        "who has left is not asked again"
    );
    judged
}

/// The move that a line states.
fn claim(line: &[u8]) -> Value {
    match decode(line, false) {
        Ok(Decoded::Message {
            message: FromBot::Move { mv, .. },
            ..
        }) => mv,
        other => panic!("{} is no move: {other:?}", line.escape_ascii()),
    }
}

/// Appends a line for the turn: most often a legal move, one in `tame` something else.
fn write_line(machine: &Machine, tame: u32, rng: &mut ChaCha8Rng, out: &mut Vec<u8>) {
    let start = out.len();
    let odd = below(tame, rng) == 0;
    write_message(machine, odd, rng, out);
    if odd {
        for _ in 0..below(4, rng) {
            mutate(out, start, rng);
        }
    }
    if !odd || below(8, rng) > 0 {
        out.push(b'\n');
    }
}

fn write_message(machine: &Machine, odd: bool, rng: &mut ChaCha8Rng, out: &mut Vec<u8>) {
    let board = machine.board();
    let ply = u64::from(machine.ply());
    let mv = match below(board.legal_len() as u32 + 1, rng) as usize {
        0 if odd => (*one_of(&VALUES, rng)).to_owned(),
        nth => board
            .nth_to_wire(nth.saturating_sub(1))
            .expect("it is legal")
            .to_string(),
    };
    let line = match below(if odd { 9 } else { 2 }, rng) {
        0 => format!(r#"{{"move":{mv}}}"#),
        1 => format!(r#"{{"type":"move","move":{mv},"ply":{ply}}}"#),
        2 => format!(
            r#"{{"move":{mv},"ply":{}}}"#,
            ply.saturating_sub(1 + u64::from(below(3, rng)))
        ),
        3 => format!(r#"{{"move":{mv},"ply":{}}}"#, ply + u64::from(below(3, rng))),
        4 => format!(r#"{{"ply":{},"move":{mv}}}"#, one_of(&VALUES, rng)),
        5 => {
            let depth = below(200, rng) as usize;
            format!(
                r#"{{"type":"info","move":{}{mv}{}}}"#,
                "[".repeat(depth),
                "]".repeat(depth)
            )
        }
        6 if below(6, rng) == 0 => {
            let length = FROM_BOT_BYTES_MAX - 64 + below(128, rng) as usize;
            format!(
                r#"{{"move":{}}}"#,
                one_of(&["1", "[", " ", "\u{e9}"], rng).repeat(length)
            )
        }
        6 => {
            let noise = below(60, rng);
            return out.extend((0..noise).map(|_| rng.next_u32() as u8));
        }
        _ => (*one_of(&OTHERS, rng)).to_owned(),
    };
    out.extend_from_slice(line.as_bytes());
}

/// Changes what stands behind `start`.
fn mutate(out: &mut Vec<u8>, start: usize, rng: &mut ChaCha8Rng) {
    let length = (out.len() - start) as u32;
    let mut place = || start + below(length + 1, rng) as usize;
    let (one, other) = (place(), place());
    let (from, to) = (one.min(other), one.max(other));
    match below(6, rng) {
        0 => {
            if let Some(byte) = out.get_mut(from) {
                *byte ^= 1 << below(8, rng);
            }
        }
        1 => out.truncate(from),
        2 => drop(out.drain(from..to)),
        3 => out.extend_from_within(from..to),
        4 => drop(out.splice(from..to, one_of(&VALUES, rng).bytes())),
        _ => drop(out.splice(from..from, one_of(&TOKENS, rng).iter().copied())),
    }
}

fn below(limit: u32, rng: &mut ChaCha8Rng) -> u32 {
    rng.next_u32() % limit
}

fn one_of<'a, T>(list: &'a [T], rng: &mut ChaCha8Rng) -> &'a T {
    &list[below(list.len() as u32, rng) as usize]
}
