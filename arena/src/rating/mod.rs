//! Ratings of many bots from their matches; one file per rating system.
//!
//! [`Tally`] collects matches as they come, [`ml`] rates everybody at once whatever the order, [`elo`] is the running
//! number that depends on the order, [`Standings`] is the table that people read. Nothing here prints or reads a store.
//!
//! A rating is only defined relative to something: the mean of the bots rated together, or an anchor.

mod cholesky;
mod cycles;
mod draws;
pub mod elo;
mod groups;
mod headtohead;
pub mod ml;
mod packed;
mod pile;
mod ranks;
mod rotations;
mod standings;
pub mod systems;
mod tally;
#[cfg(test)]
mod tests;
pub mod workers;

pub use cycles::{Circle, Cycles};
pub use headtohead::{CrossTable, HeadToHead, RatedPair, Residual, Unit, head_to_head, rated_pairs};
pub use ranks::RankRange;
pub use standings::{Anchor, Line, Options, Rating, Reference, SeatLine, Standings, Table, TableKind};
pub use tally::{BotTally, Tally};
