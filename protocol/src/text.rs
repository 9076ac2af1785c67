//! Text from a bot, made fit to be shown.

/// The bytes as text, cut to `chars_max` characters and escaped, with what was cut counted.
///
/// Quotes and characters that do not print are escaped, bytes that are not UTF-8 become `\xNN`.
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
