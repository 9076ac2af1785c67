//! From a bot as the plan names it to what is started.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// A program ready to be started: everything absolute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it is started.
    pub dir: PathBuf,
    /// Variables added to its environment.
    pub env: BTreeMap<String, String>,
    /// The hash of the program's content, in hexadecimal digits.
    pub content: Option<String>,
}
