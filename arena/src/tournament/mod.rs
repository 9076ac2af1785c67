//! From a plan to stored results: which matches there are, and the runner that plays them.

mod schedule;

pub use schedule::{MatchId, Scheduled};
