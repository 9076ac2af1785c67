//! Bytes to lines, in bounded memory.

/// Collects the bytes of a stream and gives its lines.
///
/// A line is what stands before a newline; a carriage return before it is part of the line and is blank to the decoder.
/// Whoever takes all lines after each [`push`](LineBuffer::push) never makes it hold more than one line's limit and one
/// push. A line above the limit ends the stream: it stays [`LineEvent::TooLong`] and nothing more is collected.
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// Up to where no newline has been found.
    scanned: usize,
    limit: usize,
    too_long: bool,
}

/// What [`LineBuffer::next_line`] finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEvent<'a> {
    /// A whole line, without its newline.
    Line(&'a [u8]),
    /// More bytes than the limit without a newline: as many of them as the limit. The stream cannot be used further.
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
            too_long: false,
        }
    }

    /// Appends bytes that were read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.too_long {
            return;
        }
        // What is left is the beginning of one line, most often nothing.
        self.bytes.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
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
            self.too_long = true;
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

    /// The bytes after the last line that was taken.
    pub fn pending(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Forgets everything that is held.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.start = 0;
        self.scanned = 0;
        self.too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::FROM_BOT_BYTES_MAX;

    /// Pushes `stream` in pieces of the sizes in `pieces` and takes all lines after each; the lines, what is pending at the
    /// end, and whether a line was too long.
    fn split(limit: usize, stream: &[u8], pieces: &[usize]) -> (Vec<Vec<u8>>, Vec<u8>, bool) {
        let mut buffer = LineBuffer::new(limit);
        let (mut lines, mut rest) = (Vec::new(), stream);
        for size in pieces.iter().chain(std::iter::repeat(&usize::MAX)) {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*size).min(rest.len()));
            rest = after;
            buffer.push(piece);
            loop {
                match buffer.next_line() {
                    LineEvent::Line(line) => lines.push(line.to_vec()),
                    LineEvent::TooLong(head) => {
                        assert_eq!(head.len(), limit);
                        return (lines, head.to_vec(), true);
                    }
                    LineEvent::Incomplete => break,
                }
            }
            assert!(buffer.pending().len() <= limit);
            assert!(buffer.bytes.len() <= limit + piece.len());
        }
        (lines, buffer.pending().to_vec(), false)
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_lines_of_the_whole(
            stream in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            pieces in prop::collection::vec(1_usize..40, 0..40),
            limit in 1_usize..60,
        ) {
            let mut expected: Vec<&[u8]> = stream.split(|byte| *byte == b'\n').collect();
            let too_long = expected.iter().position(|line| line.len() > limit);
            let pending = match too_long {
                Some(at) => {
                    let pending = &expected[at][..limit];
                    expected.truncate(at);
                    pending
                }
                None => expected.pop().unwrap(),
            };
            let (lines, rest, refused) = split(limit, &stream, &pieces);
            prop_assert_eq!(lines, expected);
            prop_assert_eq!(rest, pending);
            prop_assert_eq!(refused, too_long.is_some());
        }
    }

    #[test]
    fn the_limit_is_exact() {
        for (length, refused) in [(FROM_BOT_BYTES_MAX, false), (FROM_BOT_BYTES_MAX + 1, true)] {
            let mut stream = vec![b'x'; length];
            assert_eq!(
                split(FROM_BOT_BYTES_MAX, &stream, &[]).2,
                refused,
                "{length} bytes, newline to come"
            );
            stream.push(b'\n');
            assert_eq!(
                split(FROM_BOT_BYTES_MAX, &stream, &[]).2,
                refused,
                "{length} bytes and a newline"
            );
        }
        assert_eq!(FROM_BOT_BYTES_MAX, 65_536);
    }

    #[test]
    fn a_flood_without_a_newline_is_not_collected() {
        let mut buffer = LineBuffer::new(100);
        for _ in 0..1_000 {
            buffer.push(&[b'x'; 64]);
            buffer.next_line();
        }
        assert_eq!(buffer.next_line(), LineEvent::TooLong(&[b'x'; 100]));
        assert!(buffer.bytes.len() <= 164);
    }

    #[test]
    fn a_line_after_one_that_is_too_long_is_never_given() {
        let mut buffer = LineBuffer::new(4);
        buffer.push(b"12345\n");
        assert_eq!(buffer.next_line(), LineEvent::TooLong(b"1234"));
        buffer.push(b"ok\n");
        assert_eq!(buffer.next_line(), LineEvent::TooLong(b"1234"));
    }

    #[test]
    fn a_fragment_is_pending_until_it_is_cleared() {
        let mut buffer = LineBuffer::new(100);
        buffer.push(b"one\ntwo");
        assert_eq!(buffer.next_line(), LineEvent::Line(b"one"));
        assert_eq!(buffer.next_line(), LineEvent::Incomplete);
        assert_eq!(buffer.pending(), b"two");
        buffer.clear();
        buffer.push(b"three\n");
        assert_eq!(buffer.next_line(), LineEvent::Line(b"three"));
    }
}
