//! Bots for the mancala arena: the client loop that speaks the protocol, the house bots, and starter kits in many languages.
//!
//! A bot is one function from a turn to one of its legal moves. This one plays the last legal move of any game; it is
//! `examples/first_bot.rs` but for the move it picks:
//!
//! ```
//! use mancala_arena_bots::client::{self, Turn};
//!
//! # fn main() -> Result<(), client::ClientError> {
//! # let stdin = r#"{"type":"hello","protocols":[1],"arena":"arena 0.1.0"}"#.as_bytes();
//! # let mut stdout = Vec::new();
//! // In a program: client::run(bot)
//! client::run_on(stdin, &mut stdout, |turn: &Turn| turn.legal[turn.legal.len() - 1].clone())?;
//! # assert_eq!(stdout, b"{\"type\":\"hello\",\"protocol\":1}\n");
//! # Ok(())
//! # }
//! ```
//!
//! A bot that searches implements [`client::GameBot`] and gets the rules and positions of the game itself, for any game of
//! the list. The house bots in [`house`] are made that way; nothing here names a game.
//!
//! A bot prints nothing but messages to standard output. To say something, use standard error or [`client::Info`].
#![warn(missing_docs)]

pub mod client;
pub mod house;
pub mod starters;
