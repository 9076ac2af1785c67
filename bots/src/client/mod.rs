//! The client loop: reads the arena's lines, asks the bot for moves, writes its answers.
//!
//! Two levels. [`Bot`], for JSON values: a closure is enough. [`GameBot`], for the rules' own types: the loop builds the
//! game that `start` names and reads its positions. Every answer is flushed when it is complete. Lines that are no message
//! and messages of unknown types are passed over; what the arena says of a fault goes to standard error.
//!
//! The loop does not check moves: the arena does.

mod game;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use mancala_arena_protocol::{Hello, VERSIONS};
use mancala_arena_rules::GameError;
use mancala_arena_rules::wire::WireError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use game::{GameBot, GameTurn, Player, TimeLeft, run_game_bot, run_game_bot_on};
pub use mancala_arena_protocol::{BotHello, End, Start, Turn};

/// A bot for JSON values. Every `FnMut(&Turn) -> Value` is one.
pub trait Bot {
    /// What it says of itself.
    fn hello(&self) -> BotHello {
        own_hello()
    }
    /// A match begins.
    fn start(&mut self, _start: &Start) {}
    /// Its turn: the answer's move is one element of `turn.legal`.
    fn turn(&mut self, turn: &Turn) -> Answer;
    /// A match is over.
    fn end(&mut self, _end: &End) {}
}

impl<F, A> Bot for F
where
    F: FnMut(&Turn) -> A,
    A: Into<Answer>,
{
    fn turn(&mut self, turn: &Turn) -> Answer {
        self(turn).into()
    }
}

/// A move, and what the bot wants kept with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<M = Value> {
    /// The move.
    pub mv: M,
    /// Sent before the move.
    pub info: Option<Info<M>>,
}

impl<M> From<M> for Answer<M> {
    fn from(mv: M) -> Answer<M> {
        Answer { mv, info: None }
    }
}

/// What a bot thinks of its move. What it does not know it leaves out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Info<M = Value> {
    /// How well the bot stands, in its own measure; more is better for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// How many plies it looked ahead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// How many positions it looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// The moves that it expects, its own first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<M>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl<M> Default for Info<M> {
    fn default() -> Info<M> {
        Info {
            score: None,
            depth: None,
            nodes: None,
            pv: Vec::new(),
            text: None,
        }
    }
}

/// Why the loop ended before `quit` and before the end of its input.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The input cannot be read or the output cannot be written.
    #[error("cannot talk to the arena: {0}")]
    Io(#[from] io::Error),
    /// A message that is not of the form the protocol gives it.
    #[error("cannot read the arena's `{kind}`: {error}")]
    Message {
        /// The message's type.
        kind: String,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The arena speaks no version that this loop speaks.
    #[error("the arena speaks protocol {offered:?}, this bot speaks {VERSIONS:?}")]
    Version {
        /// What the arena speaks.
        offered: Vec<u32>,
    },
    /// The match's game cannot be built.
    #[error("cannot play match `{id}`: {error}")]
    Game {
        /// The match.
        id: String,
        /// What is wrong.
        error: GameError,
    },
    /// A turn before the first `start`.
    #[error("a `turn` came before any `start`")]
    NotStarted,
    /// A position that the rules refuse.
    #[error("cannot read the position at ply {ply}: {error}")]
    Position {
        /// The ply asked for.
        ply: u32,
        /// What is wrong.
        error: WireError,
    },
    /// A position in which nobody is to move.
    #[error("the match is over at ply {ply}, and a move is asked for")]
    Over {
        /// The ply asked for.
        ply: u32,
    },
}

/// Plays over standard input and output until `quit` or the end of the input.
///
/// # Errors
/// [`ClientError`].
pub fn run(bot: impl Bot) -> Result<(), ClientError> {
    run_on(io::stdin().lock(), io::stdout().lock(), bot)
}

/// Plays over any reader and writer until `quit` or the end of the input.
///
/// # Errors
/// [`ClientError`].
pub fn run_on(input: impl BufRead, output: impl Write, bot: impl Bot) -> Result<(), ClientError> {
    serve(input, output, &mut io::stderr(), &mut Values(bot))
}

/// The smallest `hello`: the version, nothing else.
pub(crate) fn own_hello() -> BotHello {
    BotHello {
        protocol: VERSIONS[0],
        ..BotHello::default()
    }
}

/// What the two levels give the loop. Each gets the whole line, and appends what it answers to `out`.
trait Handler {
    fn hello(&self) -> BotHello;
    fn start(&mut self, line: &[u8]) -> Result<(), ClientError>;
    fn turn(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ClientError>;
    fn end(&mut self, line: &[u8]) -> Result<(), ClientError>;
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
}

/// What a bot's author sees of a fault. Its code is read as text: one that this version does not know is shown too.
#[derive(Deserialize)]
struct Report<'a> {
    #[serde(borrow)]
    code: Cow<'a, str>,
    #[serde(borrow)]
    message: Cow<'a, str>,
}

fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    log: &mut dyn Write,
    handler: &mut impl Handler,
) -> Result<(), ClientError> {
    let (mut line, mut out) = (Vec::new(), Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let kind = match serde_json::from_slice::<Kind>(&line) {
            Ok(kind) => kind.r#type,
            Err(error) => {
                writeln!(log, "passed over a line that is not a message: {error}")?;
                continue;
            }
        };
        out.clear();
        match kind.as_ref() {
            "hello" => answer_hello(read("hello", &line)?, &handler.hello(), &mut out)?,
            "start" => handler.start(&line)?,
            "turn" => handler.turn(&line, &mut out)?,
            "end" => handler.end(&line)?,
            "error" => {
                let report: Report = read("error", &line)?;
                writeln!(log, "the arena reports {}: {}", report.code, report.message)?;
            }
            "quit" => return Ok(()),
            _ => {}
        }
        if !out.is_empty() {
            output.write_all(&out)?;
            output.flush()?;
        }
    }
}

fn read<'a, T: Deserialize<'a>>(kind: &str, line: &'a [u8]) -> Result<T, ClientError> {
    serde_json::from_slice(line).map_err(|error| ClientError::Message {
        kind: kind.to_owned(),
        error,
    })
}

fn answer_hello(arena: Hello, bot: &BotHello, out: &mut Vec<u8>) -> Result<(), ClientError> {
    if !arena.protocols.contains(&bot.protocol) {
        return Err(ClientError::Version {
            offered: arena.protocols,
        });
    }
    push_tagged("hello", bot, out);
    Ok(())
}

/// Appends the info line, if there is one, and the move with the ply that it answers: an answer that comes too late is
/// then never taken for another.
fn push_answer(answer: &Answer, ply: u32, out: &mut Vec<u8>) {
    if let Some(info) = &answer.info {
        push_tagged("info", info, out);
    }
    out.extend_from_slice(b"{\"move\":");
    push_json(&answer.mv, out);
    out.extend_from_slice(b",\"ply\":");
    push_json(&ply, out);
    out.extend_from_slice(b"}\n");
}

fn push_tagged<T: Serialize>(kind: &'static str, body: &T, out: &mut Vec<u8>) {
    #[derive(Serialize)]
    struct Tagged<'a, T> {
        r#type: &'static str,
        #[serde(flatten)]
        body: &'a T,
    }
    push_json(&Tagged { r#type: kind, body }, out);
    out.push(b'\n');
}

fn push_json<T: Serialize>(value: &T, out: &mut Vec<u8>) {
    serde_json::to_writer(out, value).expect("messages have string keys and writing to memory cannot fail");
}

/// The level of JSON values.
struct Values<B>(B);

impl<B: Bot> Handler for Values<B> {
    fn hello(&self) -> BotHello {
        self.0.hello()
    }
    fn start(&mut self, line: &[u8]) -> Result<(), ClientError> {
        self.0.start(&read("start", line)?);
        Ok(())
    }
    fn turn(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ClientError> {
        let turn = read("turn", line)?;
        push_answer(&self.0.turn(&turn), turn.ply, out);
        Ok(())
    }
    fn end(&mut self, line: &[u8]) -> Result<(), ClientError> {
        self.0.end(&read("end", line)?);
        Ok(())
    }
}
