//! Text made to fit: cut or filled to a width in columns, in which some characters take two and some none.

use ratatui::text::Span;

use crate::cli::results::printable;

/// Columns that `text` takes.
pub(in crate::cli) fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// `text` on one line and with its control characters escaped, cut with `…` where it takes more than `most` columns.
pub(in crate::cli) fn cut(text: &str, most: usize) -> String {
    let text = printable(text);
    if columns(&text) <= most {
        return text;
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        // One column is for the mark.
        if columns(&kept) >= most {
            kept.pop();
            break;
        }
    }
    if most > 0 {
        kept.push('…');
    }
    kept
}

/// As [`cut`], and filled with blanks on the right to exactly `width` columns.
pub(in crate::cli) fn left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let blanks = width - columns(&text).min(width);
    text + &" ".repeat(blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(left("名前", 6), "名前  ");
        assert_eq!(cut("名前名前", 6), "名前…");
        assert_eq!(columns(&left("名前名前", 6)), 6);
    }

    #[test]
    fn control_characters_are_escaped_before_anything_is_measured() {
        assert_eq!(cut("a\u{1b}[2J", 20), "a\\u{1b}[2J");
        assert_eq!(left("a\tb", 6), "a\\tb  ");
    }

    #[test]
    fn what_fits_exactly_is_not_cut() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("abc", 0), "");
    }
}
