//! The starter bots of other languages answer as a bot must.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

const SESSION: &str = r#"{"type":"hello","protocols":[1],"arena":"arena 0.1.0"}
{"type":"start","match":"r1-01","game":"kalah","options":{"pits":2},"seat":1,"seats":2,"names":["\"turn\"","b"],"position":{},"time":{"grace_ms":20},"seed":7,"ponder":true}
{"type":"turn","match":"r1-01","ply":1,"seat":1,"position":{"pits":[[0,2],[1,1]]},"legal":[1],"since":[]}
{"type":"weather"}
{"type":"error","code":"late","message":"late","legal":[0,1]}
{"type":"turn","match":"r1-01","ply":3,"seat":1,"position":{"pits":[[0,2],[1,1]]},"legal":[3,11],"since":[{"ply":2,"seat":0,"move":1}]}
{"type":"end","match":"r1-01","places":[1,2],"points":[4,0],"reason":"rules","faults":[]}
"#;

/// What a program says in the session, or `None` where there is no such interpreter.
fn answers(interpreter: &str, script: &str, last: &str) -> Option<Vec<String>> {
    let path = format!("{}/{script}", env!("CARGO_MANIFEST_DIR"));
    let started = Command::new(interpreter)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match started {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("not tested: there is no `{interpreter}` here");
            return None;
        }
        started => started.expect("the interpreter starts"),
    };
    let mut stdin = child.stdin.take().expect("stdin is piped");
    write!(stdin, "{SESSION}{last}").expect("the bot reads");
    drop(stdin);
    let output = child.wait_with_output().expect("the bot ends");
    assert!(output.status.success(), "{script}: {}", output.status);
    let text = String::from_utf8(output.stdout).expect("the bot writes text");
    Some(text.lines().map(|line| line.replace(' ', "")).collect())
}

fn check(interpreter: &str, script: &str, second_moves: &[&str]) {
    for last in ["", "{\"type\":\"quit\"}\n"] {
        let Some(said) = answers(interpreter, script, last) else {
            return;
        };
        assert_eq!(said.len(), 3, "{said:?}");
        assert_eq!(said[0], r#"{"type":"hello","protocol":1}"#);
        assert_eq!(said[1], r#"{"move":1}"#);
        assert!(second_moves.contains(&said[2].as_str()), "{said:?}");
    }
}

#[test]
fn the_python_bot_plays_a_legal_move() {
    check("python3", "python/first_bot.py", &[r#"{"move":3}"#, r#"{"move":11}"#]);
}

#[test]
fn the_shell_bot_plays_the_first_legal_move() {
    check("sh", "shell/first_bot.sh", &[r#"{"move":3}"#]);
}
