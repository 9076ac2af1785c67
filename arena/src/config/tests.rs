//! Whole plans: what comes out, and what is refused with which words.
