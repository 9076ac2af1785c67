//! What is seen in a browser.

pub mod tables;
