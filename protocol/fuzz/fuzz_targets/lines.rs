//! `LineBuffer` against a plain split at newlines. The first byte is the limit, the second the size of the chunks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mancala_arena_protocol::{LineBuffer, LineEvent};

fuzz_target!(|data: &[u8]| {
    let [limit, chunk, stream @ ..] = data else { return };
    let (limit, chunk) = (usize::from(*limit), usize::from(*chunk) + 1);
    let mut expected = stream.split(|byte| *byte == b'\n');
    let mut buffer = LineBuffer::new(limit);
    for piece in stream.chunks(chunk) {
        buffer.push(piece);
        loop {
            match buffer.next_line() {
                LineEvent::Line(line) => {
                    assert!(line.len() <= limit);
                    assert_eq!(Some(line), expected.next());
                }
                LineEvent::TooLong(head) => {
                    let line = expected.next().expect("a line that is too long is in the stream");
                    assert!(line.len() > limit);
                    assert_eq!(head, &line[..limit]);
                    return;
                }
                LineEvent::Incomplete => break,
            }
        }
        assert!(buffer.pending().len() <= limit);
    }
    assert_eq!(buffer.pending(), expected.next().unwrap_or_default());
    assert_eq!(expected.next(), None);
});
