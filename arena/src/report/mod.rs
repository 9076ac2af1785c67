//! Results in the forms in which people look at them: values in, text or plain data out. Nothing here prints, reads a
//! file or asks the store.

mod assets;
mod crosstable;
mod escape;
mod film;
mod html;
mod league;
mod markdown;
mod matches;
pub mod survey;
mod utc;
pub mod words;

pub use crosstable::{Encounter, crosstable, ranked};
pub use film::{Board, BoardRow, Ending, Film, Filming, Frame};
pub use matches::MatchRow;

use crate::rating::{CrossTable, Standings};
use crate::store::{StoredPlan, StoredRun};
use survey::Survey;

/// What the first kilobyte of every report has in it, so that no other file is taken for one.
pub const MARK: &str = "mancala-arena report";

/// Everything that a report tells.
#[derive(Debug)]
pub struct Report<'a> {
    /// The plan with its bots.
    pub plan: &'a StoredPlan,
    /// Each time that matches of it were played.
    pub runs: &'a [StoredRun],
    /// The standings.
    pub standings: &'a Standings,
    /// By bot and opponent, by their place in the plan's list.
    pub scores: &'a CrossTable,
    /// What else was gathered from the matches.
    pub survey: &'a Survey,
    /// The matches to be replayed.
    pub films: &'a Films,
}

/// Matches to be replayed, each a [`Film`] as JSON text.
#[derive(Debug, Default)]
pub struct Films {
    films: Vec<(u64, String)>,
    bytes: usize,
    /// Matches that there was no room for.
    pub left_out: u64,
}

/// All films together take no more bytes than this, so that a report of 100,000 matches stays below 5 MB.
const FILMS_BYTES_MAX: usize = 1_200_000;

/// A single one takes no more than this: bots can say a lot about their moves.
const FILM_BYTES_MAX: usize = 150_000;

impl Films {
    /// Adds the film of a match, where there is room for it.
    pub fn push(&mut self, number: u64, film: &Film) {
        let json = serde_json::to_string(film).expect("a film has string keys only");
        if json.len() > FILM_BYTES_MAX || self.bytes + json.len() > FILMS_BYTES_MAX {
            self.left_out += 1;
            return;
        }
        self.bytes += json.len();
        self.films.push((number, json));
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.films.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.films.is_empty()
    }
}

impl Report<'_> {
    /// The report as one file of HTML that asks for no other.
    pub fn to_html(&self) -> String {
        html::page(self)
    }

    /// A summary in GitHub's Markdown.
    pub fn to_markdown(&self) -> String {
        markdown::summary(self)
    }

    /// What it is about: `Kalah: 4 bots, 48 matches`.
    fn title(&self) -> String {
        let game = &self.plan.plan.game;
        let title = mancala_arena_rules::open(&game.name, &game.options);
        let title = title.map_or(game.name.clone(), |game| game.info().title.to_owned());
        let (bots, matches) = (self.plan.bots.len(), self.standings.matches);
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        format!(
            "{title}: {bots} bot{}, {} match{}",
            plural(bots as u64),
            grouped(matches),
            if matches == 1 { "" } else { "es" }
        )
    }

    /// Bots from the top of the standings to their bottom, by their place in the plan's list.
    fn order(&self) -> Vec<usize> {
        ranked(self.standings)
    }

    fn name(&self, bot: usize) -> &str {
        self.plan.bots.get(bot).map_or("?", |bot| &bot.name)
    }
}

/// A number with its thousands apart: `12,345`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
