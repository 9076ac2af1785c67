//! What `decode` promises of any line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mancala_arena_protocol::{DecodeError, Decoded, decode, excerpt};

fuzz_target!(|line: &[u8]| {
    let _ = excerpt(line, 40);
    let decoded = decode(line, true);
    match &decoded {
        Ok(Decoded::Message { message, .. }) => {
            let again = serde_json::to_vec(message).expect("a message has string keys");
            let Ok(Decoded::Message { message: same, .. }) = decode(&again, false) else {
                panic!("{message:?} is not read again");
            };
            assert_eq!(&same, message);
        }
        Ok(Decoded::Blank) => {}
        Ok(Decoded::Log) => assert!(!line.starts_with(b"{")),
        Err(DecodeError::NotUtf8 { offset }) => assert!(std::str::from_utf8(&line[..*offset]).is_ok()),
        Err(DecodeError::Form(text)) => {
            let (_, column) = text.rsplit_once(" at column ").expect("the text ends in its column");
            let column: usize = column.parse().expect("the column is a number");
            let chars = String::from_utf8_lossy(line).chars().count();
            assert!((1..=chars).contains(&column), "column {column} of {chars}");
        }
    }
});
