//! referee
