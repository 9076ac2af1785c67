//! Bytes to lines, in bounded memory.

/// Collects the bytes of a stream and gives its lines, never holding more than one line's limit and one read.
///
/// A line is what stands before a newline; a carriage return before it is part of the line and is blank to the decoder.
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where no newline has been found.
    scanned: usize,
    limit: usize,
}

/// What [`LineBuffer::next_line`] finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEvent<'a> {
    /// A whole line, without its newline.
    Line(&'a [u8]),
    /// More bytes than the limit without a newline: the first of them. The stream cannot be used further.
    TooLong(&'a [u8]),
    /// No whole line yet.
    Incomplete,
}

impl LineBuffer {
    /// A buffer for lines of at most `limit` bytes.
    pub fn new(limit: usize) -> LineBuffer {
        LineBuffer {
            bytes: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
        }
    }

    /// Appends bytes that were read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.bytes.len() {
            self.clear();
        } else if self.start > self.limit {
            self.bytes.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next line, if it is whole.
    pub fn next_line(&mut self) -> LineEvent<'_> {
        let fresh = &self.bytes[self.scanned..];
        let end = match fresh.iter().position(|byte| *byte == b'\n') {
            Some(at) => self.scanned + at,
            None => self.bytes.len(),
        };
        let line = &self.bytes[self.start..end];
        if line.len() > self.limit {
            return LineEvent::TooLong(&line[..self.limit]);
        }
        if end == self.bytes.len() {
            self.scanned = end;
            return LineEvent::Incomplete;
        }
        self.start = end + 1;
        self.scanned = self.start;
        LineEvent::Line(line)
    }

    /// The bytes after the last whole line.
    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Forgets everything that is held.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.start = 0;
        self.scanned = 0;
    }
}
