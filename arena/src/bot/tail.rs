//! The last of a stream of bytes, in bounded memory.

use std::collections::VecDeque;

/// Keeps the last bytes of a stream and counts what it dropped.
#[derive(Debug)]
pub struct Tail {
    kept: VecDeque<u8>,
    limit: usize,
    dropped: u64,
    was_written: bool,
}

impl Tail {
    /// A tail of at most `limit` bytes.
    pub fn new(limit: usize) -> Tail {
        Tail {
            kept: VecDeque::new(),
            limit,
            dropped: 0,
            was_written: false,
        }
    }

    /// Whether anything was ever appended, forgotten since or not.
    pub fn was_written(&self) -> bool {
        self.was_written
    }

    /// Appends bytes, dropping the oldest beyond the limit.
    pub fn push(&mut self, bytes: &[u8]) {
        let kept = &bytes[bytes.len().saturating_sub(self.limit)..];
        let room = self.limit - kept.len();
        let drop = self.kept.len().saturating_sub(room);
        self.dropped += (drop + bytes.len() - kept.len()) as u64;
        self.kept.drain(..drop);
        self.kept.extend(kept);
        self.was_written = true;
    }

    /// The bytes kept as text, lossily, with a first line that says how many were dropped. `None` when there are none.
    pub fn text(&self) -> Option<String> {
        if self.kept.is_empty() {
            return None;
        }
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        Some(if self.dropped == 0 {
            text.into_owned()
        } else {
            format!("... ({} bytes dropped)\n{text}", self.dropped)
        })
    }

    /// Forgets everything, as before a new match.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.dropped = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Tail;

    #[test]
    fn the_last_bytes_are_kept_and_the_others_counted() {
        let mut tail = Tail::new(4);
        assert_eq!(tail.text(), None);
        tail.push(b"ab");
        tail.push(b"cde");
        assert_eq!(tail.text().unwrap(), "... (1 bytes dropped)\nbcde");
        tail.push(b"0123456789");
        assert_eq!(tail.text().unwrap(), "... (11 bytes dropped)\n6789");
        tail.clear();
        tail.push(b"\xff");
        assert_eq!(tail.text().unwrap(), "\u{fffd}");
    }
}
