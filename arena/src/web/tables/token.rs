//! Tokens by which a person is known: 128 bits of the operating system's randomness, kept only as a hash.

use std::fs::File;
use std::io::{self, Read};

/// A token as it is kept. Two are compared in a time that does not tell where they differ.
pub type Sealed = blake3::Hash;

/// Bytes of a token.
const BYTES: usize = 16;

/// A new token, in hexadecimal digits.
///
/// # Errors
/// The operating system gives no randomness.
pub fn draw() -> io::Result<String> {
    let bytes: [u8; BYTES] = random()?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Random bytes of the operating system.
///
/// # Errors
/// It gives none.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What is kept of a token.
pub fn seal(token: &str) -> Sealed {
    blake3::hash(token.as_bytes())
}
