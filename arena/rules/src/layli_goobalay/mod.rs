//! Layli Goobalay.
