//! One bot: its process, the lines it is sent and sends, its start and its end. The only module that starts or ends a
//! process. It knows nothing of matches or clocks: whoever asks gives a deadline and judges the answer.

mod build;
pub mod hint;
pub mod launch;
mod process;
mod session;
mod tail;
#[cfg(test)]
mod tests;
mod transcript;
mod tree;

pub use build::build;
pub use process::{Process, Received, SendError, TURN_BYTES_MAX, WRITE_PATIENCE};
pub use session::{
    Bot, EXCERPT_CHARS, EXIT_PATIENCE, HELD_BACK_PATIENCE, NotStarted, Program, Retirements, SLOW_START, StartError,
    exit_text, hello_line,
};
pub use tail::Tail;
pub use transcript::{Gap, Kept, Transcript, Way};
pub use tree::Tree;
