//! What the commands have in common that start one bot and play no match.

use std::sync::Arc;

use super::confine::{self, Confine};
use super::text;
use crate::bot::Program;
use crate::config::{self, Overrides};

/// The bot that `text` names, as everywhere on a command line, ready to be started.
pub fn program(text: &str, confine: &Confine) -> anyhow::Result<Arc<Program>> {
    // A bot is resolved as a player, so it gets a game and an opponent, neither of which is used.
    let mut overrides = Overrides {
        game: Some("kalah".to_owned()),
        bots: vec![text.to_owned(), "house:random".to_owned()],
        opening_plies: Some(0),
        ..Overrides::default()
    };
    confine.apply(&mut overrides);
    let mut prepared = config::from_args(&overrides, text::build)?;
    prepared.programs.truncate(1);
    let names = prepared.plan.bots.iter().map(|bot| bot.name.clone());
    let bots = names.zip(prepared.programs.iter().cloned()).collect();
    let mut programs = Program::all(bots, &confine::launcher(&prepared)?, None);
    Ok(programs.swap_remove(0))
}
