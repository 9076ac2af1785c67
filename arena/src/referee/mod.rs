//! One match: the state machine that judges (no I/O, `machine.rs`), its driver over real bots (`drive.rs`), the faults.

mod drive;
mod fault;
mod machine;
#[cfg(test)]
mod tests;
mod transcript;

pub use drive::{Game, Observer, Setup, Silent, play};
pub use fault::Fault;
pub use machine::{Judged, Machine, Report};
pub use transcript::transcript;
