//! One match: the state machine that judges (no I/O, `machine.rs`), its driver over real bots (`drive.rs`), the faults, the
//! guard that knows when the arena itself stood still, and what bots were sent in a match on record (`recall.rs`).

mod drive;
mod fault;
#[cfg(test)]
mod fuzz;
mod guard;
mod machine;
mod recall;
mod relief;
#[cfg(test)]
mod tests;
mod transcript;

pub use drive::{Game, Observer, Played, Setup, Silent, play};
pub(crate) use drive::{Parting, fault_of_input, fault_of_output, part, retire_faulted, wait_for_ready};
pub use fault::Fault;
pub use guard::{Guard, Stall, Stalled, stalled};
pub use machine::{Judged, Machine, Report};
pub use recall::{Next, Recall, sent};
pub use relief::Relief;
pub use transcript::transcript;
