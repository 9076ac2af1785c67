//! Mancala basic.
