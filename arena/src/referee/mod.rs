//! One match: the state machine that judges (no I/O, `machine.rs`), its driver over real bots (`drive.rs`), the faults, and
//! the guard that knows when the arena itself stood still.

mod drive;
mod fault;
#[cfg(test)]
mod fuzz;
mod guard;
mod machine;
mod relief;
#[cfg(test)]
mod tests;
mod transcript;

pub use drive::{Game, Observer, Played, Setup, Silent, play};
pub use fault::Fault;
pub use guard::{Guard, Stall, Stalled, stalled};
pub use machine::{Judged, Machine, Report};
pub use relief::Relief;
pub use transcript::transcript;
