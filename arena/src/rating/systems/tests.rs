//! Published numbers first, then properties.
