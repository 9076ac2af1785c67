//! The house bots: opponents that are always at hand, for every game of the list.
//!
//! Adding one is its file, with its [`GameBot`] and its [`HouseBot`], and its line in [`HOUSE`].
//!
//! The same `start.seed`, ply and position give the same move, whatever was played before and on whatever machine, as long
//! as the clock does not cut a search short: with `depth` or `nodes` given, those are the limit and the clock only guards
//! against losing on time. Of a limit per move they use all but a tenth (at most
//! 50 ms), of a bank a thirtieth and three quarters of the increment.

mod deadline;
mod dice;
mod greedy;
mod mcts;
mod minimax;
mod params;
mod random;
#[cfg(test)]
mod tests;
mod worth;

use std::io::{self, BufRead, Write};

use mancala_arena_protocol::BotHello;

pub use params::{ParamInfo, ParamKind};

use crate::client::{ClientError, GameBot, own_hello, run_game_bot_on};
use params::Params;

/// Every house bot.
pub const HOUSE: &[HouseBot] = &[random::BOT, greedy::BOT, minimax::BOT, mcts::BOT];

/// A house bot.
#[derive(Debug)]
pub struct HouseBot {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
    /// What can be set.
    pub params: &'static [ParamInfo],
    serve: Serve,
}

type Serve = fn(&Params, &mut dyn BufRead, &mut dyn Write) -> Result<(), ClientError>;

/// Why a house bot cannot be had, or has ended.
#[derive(Debug, thiserror::Error)]
pub enum HouseError {
    /// No house bot of that name.
    #[error("unknown house bot `{name}`; there are: {}", known.join(", "))]
    UnknownBot {
        /// What was given.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The bot has no such parameter.
    #[error("house bot `{bot}` has no parameter `{key}`; it has: {}", known.join(", "))]
    UnknownParam {
        /// The bot.
        bot: &'static str,
        /// What was given.
        key: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The same parameter twice.
    #[error("house bot `{bot}`: `{key}` is given twice")]
    Twice {
        /// The bot.
        bot: &'static str,
        /// The parameter.
        key: &'static str,
    },
    /// A value the parameter does not take.
    #[error("house bot `{bot}`: `{key}={value}` is out of range; `{key}` takes {expected}")]
    OutOfRange {
        /// The bot.
        bot: &'static str,
        /// The parameter.
        key: &'static str,
        /// What was given.
        value: String,
        /// The range, in words.
        expected: String,
    },
    /// It ended while playing.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Checks a name and its parameters without playing.
///
/// # Errors
/// The first [`HouseError`]; never [`HouseError::Client`].
pub fn check(name: &str, params: &[(String, String)]) -> Result<(), HouseError> {
    find(name, params).map(|_| ())
}

/// Plays over standard input and output until `quit` or the end of the input.
///
/// # Errors
/// As [`check`], and [`HouseError::Client`].
pub fn run(name: &str, params: &[(String, String)]) -> Result<(), HouseError> {
    run_on(name, params, &mut io::stdin().lock(), &mut io::stdout().lock())
}

/// Plays over any reader and writer until `quit` or the end of the input.
///
/// # Errors
/// As [`run`].
pub fn run_on(
    name: &str,
    params: &[(String, String)],
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> Result<(), HouseError> {
    let (bot, params) = find(name, params)?;
    Ok((bot.serve)(&params, input, output)?)
}

fn find(name: &str, params: &[(String, String)]) -> Result<(&'static HouseBot, Params), HouseError> {
    let Some(bot) = HOUSE.iter().find(|bot| bot.name == name) else {
        return Err(HouseError::UnknownBot {
            name: name.to_owned(),
            known: HOUSE.iter().map(|bot| bot.name).collect(),
        });
    };
    Ok((bot, Params::parse(bot, params)?))
}

/// A bot that is made of its parameters.
trait House: GameBot {
    fn new(params: &Params) -> Self;
}

fn serve<B: House>(params: &Params, input: &mut dyn BufRead, output: &mut dyn Write) -> Result<(), ClientError> {
    run_game_bot_on(input, output, B::new(params))
}

fn hello(bot: &HouseBot) -> BotHello {
    BotHello {
        name: Some(bot.name.to_owned()),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        ..own_hello()
    }
}
