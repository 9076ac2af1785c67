use std::io::BufReader;

use mancala_arena_rules::{Moves, Ruleset};
use serde_json::json;

use super::game::Games;
use super::*;

/// What a loop says and logs when it is given these lines, and how it ends.
fn session(handler: &mut impl Handler, lines: &[&str]) -> (String, String, Result<(), ClientError>) {
    let (mut out, mut log) = (Vec::new(), Vec::new());
    let end = serve(lines.join("\n").as_bytes(), &mut out, &mut log, handler);
    let text = |bytes| String::from_utf8(bytes).expect("the loop writes JSON");
    (text(out), text(log), end)
}

/// What a bot of JSON values that plays the last legal move says.
fn last_mover(lines: &[&str]) -> (String, String, Result<(), ClientError>) {
    session(&mut Values(|turn: &Turn| turn.legal.last().cloned().unwrap()), lines)
}

/// Plays the first move of the rules' own list and tells the number of seeds its match's game begins with.
struct FirstMover;

struct FirstPlayer<R>(R);

impl GameBot for FirstMover {
    fn start<R: Ruleset>(&mut self, ruleset: R, _start: &Start) -> Box<dyn Player<R>> {
        Box::new(FirstPlayer(ruleset))
    }
}

impl<R: Ruleset> Player<R> for FirstPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        let mv = self.0.legal_moves(&turn.position).get(0).unwrap();
        Answer {
            mv,
            info: Some(Info {
                pv: vec![mv],
                text: Some(format!("{:?} of {:?}", turn.time.bank, self.0.options().number("pits"))),
                ..Info::default()
            }),
        }
    }
}

fn first_mover(lines: &[&str]) -> (String, String, Result<(), ClientError>) {
    let mut handler = Games {
        bot: FirstMover,
        playing: None,
    };
    session(&mut handler, lines)
}

const HELLO: &str = r#"{"type":"hello","protocols":[1],"arena":"arena 0.1.0"}"#;
const START: &str = r#"{"type":"start","match":"r1-01","game":"kalah","options":{"pits":3,"seeds":1,"empty_capture":true,"end":"mover"},"seat":0,"seats":2,"names":["a","b"],"position":{"pits":[[1,1,1],[1,1,1]],"stores":[0,0],"to_move":0},"time":{"bank_ms":5000,"increment_ms":10,"grace_ms":20},"seed":7,"ponder":true}"#;
const TURN: &str = r#"{"type":"turn","match":"r1-01","ply":2,"seat":0,"position":{"pits":[[0,2,1],[0,2,1]],"stores":[0,0],"to_move":0},"legal":[1,2],"since":[{"ply":0,"seat":0,"move":0},{"ply":1,"seat":1,"move":0}],"bank_ms":[4000,3000],"increment_ms":10,"last_ms":0.1}"#;
const END: &str = r#"{"type":"end","match":"r1-01","places":[1,2],"points":[4,2],"reason":"rules","faults":[]}"#;

#[test]
fn a_closure_plays_several_matches() {
    let (out, log, end) = last_mover(&[HELLO, START, TURN, TURN, END, START, TURN, END, r#"{"type":"quit"}"#]);
    end.unwrap();
    assert_eq!(
        out,
        "{\"type\":\"hello\",\"protocol\":1}\n{\"move\":2,\"ply\":2}\n{\"move\":2,\"ply\":2}\n{\"move\":2,\"ply\":2}\n"
    );
    assert_eq!(log, "");
}

#[test]
fn nothing_is_read_after_quit() {
    let (out, _, end) = last_mover(&[r#"{"type":"quit"}"#, HELLO]);
    end.unwrap();
    assert_eq!(out, "");
}

#[test]
fn the_end_of_input_ends_the_loop_even_within_a_line() {
    let (out, _, end) = last_mover(&[HELLO, "{\"type\":\"tu"]);
    end.unwrap();
    assert_eq!(out.lines().count(), 1);
}

#[test]
fn what_is_not_known_is_passed_over() {
    let turn = TURN.replacen('{', r#"{"weather":{"rain":[1]},"#, 1);
    let (out, log, end) = last_mover(&["", r#"{"type":"ply","seat":1}"#, "how are you?", "{}", &turn]);
    end.unwrap();
    assert_eq!(out, "{\"move\":2,\"ply\":2}\n");
    assert_eq!(
        log.lines().count(),
        2,
        "one line each for the two lines that are no message: {log}"
    );
}

#[test]
fn crlf_is_read() {
    let lines = format!("{HELLO}\r\n{TURN}\r\n");
    let (out, _, end) = last_mover(&[&lines]);
    end.unwrap();
    assert_eq!(out.lines().count(), 2);
}

#[test]
fn an_error_of_the_arena_goes_to_the_log() {
    let error = r#"{"type":"error","code":"illegal_move","message":"illegal move 5: that pit is empty","legal":[1]}"#;
    let (out, log, end) = last_mover(&[error]);
    end.unwrap();
    assert_eq!(out, "");
    assert_eq!(
        log,
        "the arena reports illegal_move: illegal move 5: that pit is empty\n"
    );
}

#[test]
fn an_error_of_a_kind_not_known_goes_to_the_log() {
    let (_, log, end) = last_mover(&[r#"{"type":"error","code":"too_rude","message":"\"no\""}"#]);
    end.unwrap();
    assert_eq!(log, "the arena reports too_rude: \"no\"\n");
}

#[test]
fn an_arena_of_another_version_is_refused() {
    let (out, _, end) = last_mover(&[r#"{"type":"hello","protocols":[7,8],"arena":"arena 9.0.0"}"#]);
    assert_eq!(out, "");
    assert_eq!(
        end.unwrap_err().to_string(),
        "the arena speaks protocol [7, 8], this bot speaks [1]"
    );
}

#[test]
fn a_message_of_the_wrong_form_ends_the_loop() {
    let (_, _, end) = last_mover(&[r#"{"type":"turn","match":"r1-01"}"#]);
    let error = end.unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read the arena's `turn`: missing field"),
        "{error}"
    );
}

#[test]
fn an_info_line_comes_before_the_move() {
    let bot = |_: &Turn| Answer {
        mv: json!(1),
        info: Some(Info {
            score: Some(1.5),
            depth: Some(3),
            nodes: Some(99),
            pv: vec![json!(1), json!(0)],
            text: Some("sure".to_owned()),
        }),
    };
    let (out, _, end) = session(&mut Values(bot), &[TURN]);
    end.unwrap();
    let info = r#"{"type":"info","score":1.5,"depth":3,"nodes":99,"pv":[1,0],"text":"sure"}"#;
    assert_eq!(out, format!("{info}\n{{\"move\":1,\"ply\":2}}\n"));
}

#[test]
fn every_answer_of_the_loop_is_a_message_to_the_arena() {
    use mancala_arena_protocol::{Decoded, FromBot, decode};
    let (out, _, _) = first_mover(&[HELLO, START, TURN]);
    let messages: Vec<_> = out
        .lines()
        .map(|line| decode(line.as_bytes(), false).unwrap())
        .collect();
    let [
        Decoded::Message { message: hello, .. },
        Decoded::Message { message: info, .. },
        Decoded::Message { message: mv, .. },
    ] = &messages[..]
    else {
        panic!("hello, info and move, but: {messages:?}");
    };
    assert!(
        matches!(hello, FromBot::Hello(hello) if hello.protocol == 1),
        "{hello:?}"
    );
    assert!(matches!(info, FromBot::Info(_)), "{info:?}");
    assert!(
        matches!(mv, FromBot::Move { mv, ply: Some(2) } if *mv == json!(1)),
        "{mv:?}"
    );
}

#[test]
fn a_game_bot_gets_the_game_with_its_options_and_its_own_bank() {
    let (out, log, end) = first_mover(&[HELLO, START, TURN]);
    end.unwrap();
    let info = r#"{"type":"info","pv":[1],"text":"Some(4s) of 3"}"#;
    assert_eq!(
        out,
        format!("{{\"type\":\"hello\",\"protocol\":1}}\n{info}\n{{\"move\":1,\"ply\":2}}\n")
    );
    assert_eq!(log, "");
}

#[test]
fn a_game_bot_refuses_what_it_cannot_play() {
    let errors = [
        (vec![TURN.to_owned()], "a `turn` came before any `start`"),
        (
            vec![START.replace("kalah", "chess")],
            "cannot play match `r1-01`: unknown game `chess`; known games: ",
        ),
        (
            vec![START.replace(r#""pits":3"#, r#""pits":99"#)],
            "cannot play match `r1-01`: kalah: `pits=99` is out of range; `pits` takes ",
        ),
        (
            vec![START.to_owned(), TURN.replace("[0,2,1]", "[0,2]")],
            "cannot read the position at ply 2: ",
        ),
        (
            vec![
                START.to_owned(),
                TURN.replace(
                    r#"[[0,2,1],[0,2,1]],"stores":[0,0],"to_move":0"#,
                    r#"[[0,0,0],[0,0,0]],"stores":[3,3],"to_move":null"#,
                ),
            ],
            "the match is over at ply 2, and a move is asked for",
        ),
    ];
    for (lines, expected) in errors {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let error = first_mover(&lines).2.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn lines_are_read_through_small_buffers() {
    let lines = [HELLO, START, TURN].join("\n");
    let mut out = Vec::new();
    run_game_bot_on(BufReader::with_capacity(3, lines.as_bytes()), &mut out, FirstMover).unwrap();
    assert_eq!(out.split(|byte| *byte == b'\n').count(), 4);
}
