//! The level of the rules' own types: positions and moves of the game that `start` names.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use mancala_arena_protocol::{BotHello, Start, Turn};
use mancala_arena_rules::{Listed, Ruleset, Seat, Visitor, visit};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Answer, ClientError, Handler, Info, own_hello, push_answer, read, serve};

/// A bot that knows the rules, of whatever game.
///
/// This one moves again where it can, and otherwise plays its first legal move:
///
/// ```
/// use mancala_arena_bots::client::{self, Answer, GameBot, GameTurn, Player, Start};
/// use mancala_arena_rules::{Moves, Ruleset};
///
/// struct Eager;
///
/// impl GameBot for Eager {
///     fn start<R: Ruleset>(&mut self, ruleset: R, _: &Start) -> Box<dyn Player<R>> {
///         Box::new(EagerPlayer(ruleset))
///     }
/// }
///
/// struct EagerPlayer<R>(R);
///
/// impl<R: Ruleset> Player<R> for EagerPlayer<R> {
///     fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
///         let legal = self.0.legal_moves(&turn.position);
///         let again = legal.iter().find(|mv| {
///             let mut next = turn.position.clone();
///             self.0.play(&mut next, *mv);
///             self.0.to_move(&next) == Some(turn.seat)
///         });
///         again.or(legal.get(0)).expect("a turn has a legal move").into()
///     }
/// }
///
/// # fn main() -> Result<(), client::ClientError> {
/// # let stdin = r#"{"type":"start","match":"1","game":"kalah","options":{"pits":2,"seeds":2},"seat":0,"seats":2,
/// # "names":["a","b"],"position":{},"time":{"grace_ms":20},"seed":7,"ponder":true}"#.replace('\n', "");
/// # let turn = r#"{"type":"turn","match":"1","ply":0,"seat":0,"position":{"pits":[[2,2],[2,2]],"stores":[0,0],
/// # "to_move":0},"legal":[0,1],"since":[]}"#.replace('\n', "");
/// # let stdin = format!("{stdin}\n{turn}\n");
/// # let (stdin, mut stdout) = (stdin.as_bytes(), Vec::new());
/// // In a program: client::run_game_bot(Eager)
/// client::run_game_bot_on(stdin, &mut stdout, Eager)?;
/// # assert_eq!(stdout, b"{\"move\":0,\"ply\":0}\n");
/// # Ok(())
/// # }
/// ```
pub trait GameBot {
    /// What it says of itself.
    fn hello(&self) -> BotHello {
        own_hello()
    }
    /// A match begins: gives what plays it. It is dropped when the next match begins, so nothing is carried over unless
    /// the bot itself does so.
    fn start<R: Ruleset>(&mut self, ruleset: R, start: &Start) -> Box<dyn Player<R>>;
}

/// What plays one match.
pub trait Player<R: Ruleset> {
    /// Its turn: the answer's move is a legal one.
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move>;
}

/// A request for a move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameTurn<P> {
    /// The number of the ply asked for.
    pub ply: u32,
    /// The bot's own seat, which is to move and has a legal move.
    pub seat: Seat,
    /// The position now.
    pub position: P,
    /// What the clock leaves.
    pub time: TimeLeft,
}

/// What the clock leaves for a move. All absent: there is no clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeLeft {
    /// The most this move may take.
    pub move_max: Option<Duration>,
    /// What the bot's bank holds.
    pub bank: Option<Duration>,
    /// What is added to the bank after this move.
    pub increment: Option<Duration>,
}

/// Plays over standard input and output until `quit` or the end of the input.
///
/// # Errors
/// [`ClientError`].
pub fn run_game_bot(bot: impl GameBot) -> Result<(), ClientError> {
    run_game_bot_on(io::stdin().lock(), io::stdout().lock(), bot)
}

/// Plays over any reader and writer until `quit` or the end of the input.
///
/// # Errors
/// [`ClientError`].
pub fn run_game_bot_on(input: impl BufRead, output: impl Write, bot: impl GameBot) -> Result<(), ClientError> {
    serve(input, output, &mut io::stderr(), &mut Games { bot, playing: None })
}

pub(super) struct Games<B> {
    pub(super) bot: B,
    pub(super) playing: Option<Box<dyn Playing>>,
}

impl<B: GameBot> Handler for Games<B> {
    fn hello(&self) -> BotHello {
        self.bot.hello()
    }
    fn start(&mut self, line: &[u8]) -> Result<(), ClientError> {
        let start: Start = read("start", line)?;
        let options: Vec<_> = start
            .options
            .iter()
            .map(|(key, value)| (key.clone(), text(value)))
            .collect();
        let begin = Begin {
            bot: &mut self.bot,
            start: &start,
        };
        let playing = visit(&start.game, &options, begin).map_err(|error| ClientError::Game {
            id: start.r#match.clone(),
            error,
        })?;
        self.playing = Some(playing);
        Ok(())
    }
    fn turn(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ClientError> {
        self.playing.as_mut().ok_or(ClientError::NotStarted)?.turn(line, out)
    }
    fn end(&mut self, _line: &[u8]) -> Result<(), ClientError> {
        Ok(())
    }
}

/// The value of an option as the rules read it: words without quotes, numbers and switches as JSON writes them.
fn text(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

struct Begin<'a, B> {
    bot: &'a mut B,
    start: &'a Start,
}

impl<B: GameBot> Visitor for Begin<'_, B> {
    type Output = Box<dyn Playing>;
    fn visit<R: Listed>(self, ruleset: R) -> Box<dyn Playing> {
        Box::new(OneMatch {
            player: self.bot.start(ruleset.clone(), self.start),
            ruleset,
        })
    }
}

/// A match, its game's types hidden.
pub(super) trait Playing {
    fn turn(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ClientError>;
}

struct OneMatch<R: Ruleset> {
    ruleset: R,
    player: Box<dyn Player<R>>,
}

impl<R: Listed> Playing for OneMatch<R> {
    fn turn(&mut self, line: &[u8], out: &mut Vec<u8>) -> Result<(), ClientError> {
        let turn: Turn<R::Form, IgnoredAny> = read("turn", line)?;
        let bank = turn.bank_ms.and_then(|banks| banks.get(turn.seat as usize).copied());
        let position = self
            .ruleset
            .read_wire(turn.position)
            .map_err(|error| ClientError::Position { ply: turn.ply, error })?;
        let seat = self
            .ruleset
            .to_move(&position)
            .ok_or(ClientError::Over { ply: turn.ply })?;
        let turn = GameTurn {
            ply: turn.ply,
            seat,
            position,
            time: TimeLeft {
                move_max: turn.move_ms_max.map(Duration::from_millis),
                bank: bank.map(Duration::from_millis),
                increment: turn.increment_ms.map(Duration::from_millis),
            },
        };
        let answer = self.player.turn(&turn);
        let answer = Answer {
            mv: self.ruleset.move_to_wire(answer.mv),
            info: answer.info.map(|info| Info {
                score: info.score,
                depth: info.depth,
                nodes: info.nodes,
                pv: info.pv.into_iter().map(|mv| self.ruleset.move_to_wire(mv)).collect(),
                text: info.text,
            }),
        };
        push_answer(&answer, turn.ply, out);
        Ok(())
    }
}
