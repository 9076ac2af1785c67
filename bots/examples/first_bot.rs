//! The smallest bot: it plays the first legal move.

use mancala_arena_bots::client::{self, ClientError, Turn};

fn main() -> Result<(), ClientError> {
    client::run(|turn: &Turn| turn.legal[0].clone())
}
