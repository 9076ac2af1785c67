//! Results in the forms in which people look at them: values in, text or plain data out. Nothing here prints, reads a
//! file or asks the store.

mod film;

pub use film::{Board, BoardRow, Ending, Film, Filming, Frame};
