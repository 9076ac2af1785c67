//! Results in the forms in which people look at them: values in, text or plain data out. Nothing here prints, reads a
//! file or asks the store.

mod crosstable;
mod film;
mod matches;

pub use crosstable::{Encounter, crosstable, ranked};
pub use film::{Board, BoardRow, Ending, Film, Filming, Frame};
pub use matches::MatchRow;
