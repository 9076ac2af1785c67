//! The line protocol between the arena and its bots: one JSON object per line, UTF-8, LF.
//!
//! Types of the messages, one line to one message and back, the limits, and the choice of a version. It knows no game:
//! positions and moves are JSON values to it. It does no I/O: [`LineBuffer`] is fed bytes by whoever reads them.
//! `SPEC.md` in this package is the protocol's whole truth; `schema.json` describes every message and is generated from
//! these types.
#![warn(missing_docs)]

mod decode;
mod faults;
mod lines;
mod message;
mod schema;
mod text;

/// The protocol as its specification tells it to authors of bots, in Markdown.
pub const SPEC: &str = include_str!("../SPEC.md");

pub use decode::{DecodeError, Decoded, decode};
pub use faults::{FAULTS, FaultHelp};
pub use lines::{LineBuffer, LineEvent};
pub use message::{
    BotHello, Control, End, Fault, FaultCode, Feature, FromBot, Hello, Observed, PlyMove, SeatFault, Start, ToBot,
    Turn, TurnLine, encode, encode_into,
};
pub use schema::schema;
pub use text::excerpt;

/// The versions of the protocol that this arena speaks, the best first.
pub const VERSIONS: &[u32] = &[1];

/// The longest line from a bot, in bytes, without its newline.
pub const FROM_BOT_BYTES_MAX: usize = 64 * 1024;

/// The longest line to a bot, in bytes, without its newline.
pub const TO_BOT_BYTES_MAX: usize = 1024 * 1024;

/// The deepest nesting of arrays and objects in a line from a bot, the message's own braces included.
pub const DEPTH_MAX: usize = 64;
