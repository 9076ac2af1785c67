//! Results as people look at them: from values to text.

pub mod words;
