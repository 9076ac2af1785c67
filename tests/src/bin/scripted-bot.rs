//! A bot that behaves well except where its arguments say otherwise.
//!
//! It plays the first legal move. Misdeeds that take a ply happen at its first turn of that ply or a later one; all of
//! them stand in [`Misdeeds`]. It uses no client loop of ours, so that it can do everything wrong. Everything it reads
//! goes to the file that [`LOG_VARIABLE`] names.

use std::io::{BufRead, Write, stderr, stdin, stdout};
use std::process::{Command, exit};
use std::time::Duration;

use mancala_arena_tests::{Account, LOG_VARIABLE};
use rustix::process::{Signal, getpid, kill_process};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// What it does wrong. Names are those of the arguments, with `-` for `_`.
#[derive(Debug, Default)]
struct Misdeeds {
    /// Exits at once, before it has read anything, with this status.
    start_exit: Option<i32>,
    /// Reads the arena's `hello` and answers nothing.
    no_hello: bool,
    /// Chooses a version that nobody offers.
    bad_protocol: bool,
    /// Starts its first line with a byte order mark.
    bom: bool,
    /// Ends its lines with CR LF, with blanks and empty lines around them.
    crlf: bool,
    /// Features to announce.
    features: Vec<&'static str>,
    /// Reads nothing after its `hello`.
    no_reading: bool,
    /// Announces `ready` and never sends it.
    never_ready: bool,
    /// Exits with `exit_code`, or by the signal, instead of a move.
    crash_at: Option<u64>,
    /// The status to exit with.
    exit_code: i32,
    /// The signal to end itself with.
    signal: Option<i32>,
    /// Answers nothing, and reads on.
    hang: Option<u64>,
    /// Waits for as many milliseconds before each move.
    late: Option<u64>,
    /// Uses so many milliseconds of processor time before each move.
    burn: Option<u64>,
    /// Has a thread that computes all the time.
    spin: bool,
    /// Answers the first turn after as many milliseconds, and all later ones at once.
    stale: Option<u64>,
    /// Writes a stray print before each move.
    garbage: bool,
    /// Writes what begins like a message and is none.
    not_json: Option<u64>,
    /// Plays a move that is not legal.
    illegal: Option<u64>,
    /// Plays a move that is not legal in its match of this number, counted from 0.
    illegal_in: Option<u64>,
    /// Plays a move that is not legal, and exits.
    illegal_then_exit: Option<u64>,
    /// Closes its output and lives on.
    close_output: Option<u64>,
    /// Closes its input, answers, and lives on.
    close_input: Option<u64>,
    /// Writes a line of so many bytes that hold a legal move.
    long_line: Option<usize>,
    /// Writes its move without a newline.
    no_newline: Option<u64>,
    /// Writes stray prints without end instead of a move.
    flood: Option<u64>,
    /// Writes so many bytes to standard error before each move.
    stderr_flood: Option<usize>,
    /// Writes bytes to standard error that are no text.
    bad_utf8_stderr: bool,
    /// Writes to standard error when it has started, and when a match has ended.
    stderr_between: bool,
    /// Answers every turn twice, in one write.
    double: bool,
    /// Reads on after `quit`, and sleeps at the end of its input.
    ignore_quit: bool,
    /// Starts a process of its own, which sleeps and holds the bot's input and output.
    leave_child: bool,
    /// Compares every turn with its own account of the match.
    checks_state: bool,
    /// With it, takes for granted that a match may have begun without it.
    joins: bool,
}

impl Misdeeds {
    fn from_args() -> Misdeeds {
        let mut misdeeds = Misdeeds::default();
        let mut args = std::env::args().skip(1);
        while let Some(name) = args.next() {
            let mut value = || args.next().unwrap_or_else(|| panic!("`{name}` needs a value"));
            match name.as_str() {
                "--start-exit" => misdeeds.start_exit = Some(number(&value())),
                "--no-hello" => misdeeds.no_hello = true,
                "--bad-protocol" => misdeeds.bad_protocol = true,
                "--bom" => misdeeds.bom = true,
                "--crlf" => misdeeds.crlf = true,
                "--ready" => misdeeds.features.push("ready"),
                "--observe" => misdeeds.features.push("observe"),
                "--single-match" => misdeeds.features.push("single-match"),
                "--no-reading" => misdeeds.no_reading = true,
                "--never-ready" => misdeeds.never_ready = true,
                "--crash-at" => misdeeds.crash_at = Some(number(&value())),
                "--exit-code" => misdeeds.exit_code = number(&value()),
                "--signal" => misdeeds.signal = Some(number(&value())),
                "--hang" => misdeeds.hang = Some(number(&value())),
                "--late" => misdeeds.late = Some(number(&value())),
                "--burn" => misdeeds.burn = Some(number(&value())),
                "--spin" => misdeeds.spin = true,
                "--stale" => misdeeds.stale = Some(number(&value())),
                "--garbage" => misdeeds.garbage = true,
                "--not-json" => misdeeds.not_json = Some(number(&value())),
                "--illegal" => misdeeds.illegal = Some(number(&value())),
                "--illegal-in" => misdeeds.illegal_in = Some(number(&value())),
                "--illegal-then-exit" => misdeeds.illegal_then_exit = Some(number(&value())),
                "--close-output" => misdeeds.close_output = Some(number(&value())),
                "--close-input" => misdeeds.close_input = Some(number(&value())),
                "--long-line" => misdeeds.long_line = Some(number(&value())),
                "--no-newline" => misdeeds.no_newline = Some(number(&value())),
                "--flood" => misdeeds.flood = Some(number(&value())),
                "--stderr-flood" => misdeeds.stderr_flood = Some(number(&value())),
                "--bad-utf8-stderr" => misdeeds.bad_utf8_stderr = true,
                "--stderr-between" => misdeeds.stderr_between = true,
                "--double" => misdeeds.double = true,
                "--ignore-quit" => misdeeds.ignore_quit = true,
                "--leave-child" => misdeeds.leave_child = true,
                "--checks-state" => misdeeds.checks_state = true,
                "--joins" => misdeeds.joins = true,
                _ => panic!("unknown argument `{name}`"),
            }
        }
        misdeeds
    }
}

fn number<N: std::str::FromStr>(text: &str) -> N {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not such a number"))
}

fn main() {
    let misdeeds = Misdeeds::from_args();
    log("started");
    if let Some(status) = misdeeds.start_exit {
        eprintln!("cannot go on");
        exit(status);
    }
    if misdeeds.spin {
        std::thread::spawn(|| burn(Duration::MAX));
    }
    let mut bot = ScriptedBot {
        misdeeds,
        first_line: true,
        matches: 0,
        account: None,
    };
    let mut line = String::new();
    while stdin().lock().read_line(&mut line).expect("the arena writes text") > 0 {
        let message = serde_json::from_str(&line).expect("the arena writes messages");
        bot.read(&message);
        line.clear();
    }
    if bot.misdeeds.ignore_quit {
        sleep_for_ever();
    }
}

/// Computes until this process has used so much processor time more.
fn burn(time: Duration) {
    let used = || {
        let now = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let before = used();
    while used() - before < time {}
}

struct ScriptedBot {
    misdeeds: Misdeeds,
    /// Nothing has been written yet.
    first_line: bool,
    /// Matches that have begun.
    matches: u64,
    /// Its own account of the match, where it keeps one.
    account: Option<Account>,
}

impl ScriptedBot {
    fn read(&mut self, message: &Value) {
        let kind = message["type"].as_str().expect("a message has a type");
        log(&message.to_string());
        match kind {
            "hello" => self.hello(),
            "start" => self.start(message),
            "turn" => self.turn(message),
            "end" if self.misdeeds.stderr_between => {
                eprintln!("after match {}", message["match"]);
                log("written");
            }
            "ply" => self.observe(message),
            "quit" if !self.misdeeds.ignore_quit => exit(0),
            _ => {}
        }
    }

    fn hello(&mut self) {
        if self.misdeeds.no_hello {
            return;
        }
        if self.misdeeds.leave_child {
            #[expect(clippy::zombie_processes, reason = "leaving it behind is the misdeed")]
            let child = Command::new("sleep").arg("1000").spawn().expect("sleep starts");
            log(&format!("child {}", child.id()));
        }
        if self.misdeeds.stderr_between {
            eprintln!("started");
        }
        let protocol = if self.misdeeds.bad_protocol { 9 } else { 1 };
        self.write(&json!({"type": "hello", "protocol": protocol, "features": self.misdeeds.features}).to_string());
        if self.misdeeds.no_reading {
            sleep_for_ever();
        }
    }

    fn start(&mut self, message: &Value) {
        self.matches += 1;
        if self.misdeeds.checks_state {
            let account = Account::new(message).unwrap_or_else(|what| mismatch(&what));
            self.account = Some(if self.misdeeds.joins {
                account.of_some_ply()
            } else {
                account
            });
        }
        if self.misdeeds.features.contains(&"ready") && !self.misdeeds.never_ready {
            self.write(r#"{"type":"ready"}"#);
        }
    }

    fn observe(&mut self, message: &Value) {
        if let Some(account) = &mut self.account {
            account.observe(message).unwrap_or_else(|what| mismatch(&what));
        }
    }

    fn turn(&mut self, message: &Value) {
        let ply = message["ply"].as_u64().expect("a turn has a ply");
        if let Some(account) = &mut self.account {
            account.check(message).unwrap_or_else(|what| mismatch(&what));
        }
        let due = |at: Option<u64>| at.is_some_and(|at| ply >= at);
        let answer = format!(r#"{{"move":{}}}"#, message["legal"][0]);
        let misdeeds = &mut self.misdeeds;
        if let Some(bytes) = misdeeds.stderr_flood {
            stderr().write_all(&vec![b'e'; bytes]).expect("standard error is read");
        }
        if misdeeds.bad_utf8_stderr {
            stderr()
                .write_all(b"bytes \xff\xc3\x28 end\n")
                .expect("standard error is read");
        }
        if let Some(time) = misdeeds.burn {
            burn(Duration::from_millis(time));
        }
        if due(misdeeds.crash_at) {
            eprintln!("about to crash at ply {ply}");
            crash(misdeeds);
        }
        if due(misdeeds.flood) {
            flood();
        }
        if due(misdeeds.hang) {
            return;
        }
        if due(misdeeds.close_output) {
            rustix::stdio::dup2_stdout(nothing()).expect("output can be closed");
            return;
        }
        if due(misdeeds.close_input) {
            rustix::stdio::dup2_stdin(nothing()).expect("input can be closed");
            self.write(&answer);
            sleep_for_ever();
        }
        if due(misdeeds.no_newline) {
            print!("{answer}");
            stdout().flush().expect("the arena reads");
            return;
        }
        if due(misdeeds.illegal_then_exit) {
            self.write(r#"{"move":99}"#);
            exit(0);
        }
        let wait_ms = misdeeds.late.or(misdeeds.stale.take());
        std::thread::sleep(Duration::from_millis(wait_ms.unwrap_or(0)));
        if due(misdeeds.not_json) {
            return self.write(r#"{"move" 3}"#);
        }
        if due(misdeeds.illegal) || misdeeds.illegal_in == self.matches.checked_sub(1) {
            return self.write(r#"{"move":99}"#);
        }
        if let Some(bytes) = misdeeds.long_line {
            let blanks = bytes - answer.len();
            return self.write(&format!("{answer}{}", " ".repeat(blanks)));
        }
        if misdeeds.garbage {
            self.write("thinking of a move");
        }
        if self.misdeeds.double {
            return self.write(&format!("{answer}\n{answer}"));
        }
        self.write(&answer);
    }

    /// Writes a line.
    fn write(&mut self, line: &str) {
        let mark = if std::mem::take(&mut self.first_line) && self.misdeeds.bom {
            "\u{feff}"
        } else {
            ""
        };
        let text = if self.misdeeds.crlf {
            format!("{mark}\r\n \t{line} \t\r\n\r\n")
        } else {
            format!("{mark}{line}\n")
        };
        let mut out = stdout().lock();
        // An arena that does not listen any more has its reasons.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
}

/// Appends a line to the log, where there is one.
fn log(line: &str) {
    if let Some(path) = std::env::var_os(LOG_VARIABLE) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        let line = format!("{} {line}\n", std::process::id());
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the log can be written");
    }
}

fn mismatch(what: &str) -> ! {
    eprintln!("STATE MISMATCH: {what}");
    exit(3)
}

fn crash(misdeeds: &Misdeeds) -> ! {
    if let Some(signal) = misdeeds.signal.and_then(Signal::from_named_raw) {
        kill_process(getpid(), signal).expect("a process can signal itself");
    }
    exit(misdeeds.exit_code)
}

fn flood() -> ! {
    let lines = format!("{}\n", "no end of words ".repeat(60)).repeat(20);
    loop {
        if stdout().lock().write_all(lines.as_bytes()).is_err() {
            sleep_for_ever();
        }
    }
}

fn nothing() -> std::fs::File {
    std::fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
        .expect("there is a /dev/null")
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3_600));
    }
}
