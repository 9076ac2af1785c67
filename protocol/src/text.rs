//! Text from a bot, made fit to be shown.

/// The bytes as text, cut to `chars_max` characters and escaped, with what was cut counted.
///
/// Backslashes and characters that do not print are escaped as in Rust, bytes that are not UTF-8 become `\xNN`; quotes stay
/// as they are. An escape counts as the one character it stands for.
pub fn excerpt(bytes: &[u8], chars_max: usize) -> String {
    let mut shown = String::new();
    let mut chars = 0;
    let mut used = 0;
    'all: for chunk in bytes.utf8_chunks() {
        for char in chunk.valid().chars() {
            if chars == chars_max {
                break 'all;
            }
            match char {
                '"' => shown.push('"'),
                '\'' => shown.push('\''),
                _ => shown.extend(char.escape_debug()),
            }
            chars += 1;
            used += char.len_utf8();
        }
        for byte in chunk.invalid() {
            if chars == chars_max {
                break 'all;
            }
            shown.push_str(&format!("\\x{byte:02x}"));
            chars += 1;
            used += 1;
        }
    }
    if used < bytes.len() {
        shown.push_str(&format!("... ({} bytes more)", bytes.len() - used));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        assert_eq!(excerpt("{\"move\": 3} it's é".as_bytes(), 80), "{\"move\": 3} it's é");
        assert_eq!(excerpt(b"", 10), "");
    }

    #[test]
    fn what_does_not_print_is_escaped() {
        assert_eq!(excerpt(b"a\tb\r\0\x1b[31m\\", 80), "a\\tb\\r\\0\\u{1b}[31m\\\\");
        assert_eq!(excerpt("\u{feff}\u{202e}".as_bytes(), 80), "\\u{feff}\\u{202e}");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_shown_as_bytes() {
        assert_eq!(excerpt(b"a\xff\xc3(", 80), "a\\xff\\xc3(");
    }

    #[test]
    fn what_is_cut_is_counted_in_bytes() {
        assert_eq!(excerpt(b"12345", 5), "12345");
        assert_eq!(excerpt(b"123456", 5), "12345... (1 bytes more)");
        assert_eq!(excerpt("ééé".as_bytes(), 1), "é... (4 bytes more)");
        assert_eq!(excerpt(b"a\xff\xff", 2), "a\\xff... (1 bytes more)");
    }
}
