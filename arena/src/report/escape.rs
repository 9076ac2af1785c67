//! Text of bots, names and files, made harmless for the place where it goes.

use std::fmt::Write;

/// Names longer than this are cut where they are shown in a page.
const NAME_MAX: usize = 80;

/// `text` for HTML, in an element or in an attribute with double quotes. Control characters, and those that turn the
/// direction of writing, are shown by their number, but for line ends and tabs.
pub fn html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            _ if is_hidden(c) => safe.extend(c.escape_unicode()),
            _ => safe.push(c),
        }
    }
    safe
}

/// A name for HTML, apart from the writing around it.
pub fn html_name(name: &str) -> String {
    let cut = super::words::cut(name, NAME_MAX);
    let title = if cut == name {
        String::new()
    } else {
        format!(" title=\"{}\"", html(name))
    };
    format!("<bdi{title}>{}</bdi>", html(&cut).replace('\n', "\\n"))
}

/// JSON text for a `<script>` of HTML: nothing in it can end the script, begin a comment or be a line end to JavaScript.
pub fn json_in_script(json: &str) -> String {
    // JSON without line ends has these characters in strings only, where an escape means the same.
    let mut safe = String::with_capacity(json.len() + json.len() / 64);
    for c in json.chars() {
        match c {
            _ if matches!(c, '<' | '>' | '&') || is_hidden(c) => {
                write!(safe, "\\u{:04x}", u32::from(c)).expect("a string takes what is written");
            }
            _ => safe.push(c),
        }
    }
    safe
}

/// `text` as a `data:` URL of JavaScript.
pub fn module_url(text: &str) -> String {
    let mut url = String::with_capacity(text.len() + text.len() / 8);
    url.push_str("data:text/javascript;charset=utf-8,");
    for c in text.chars() {
        match c {
            // What ends a URL or is taken out of it, and what would have to be escaped again where the URL stands.
            '%' | '#' | '"' | '\\' | '<' | '>' | '&' | '\u{0}'..='\u{1f}' | '\u{7f}' => {
                write!(url, "%{:02X}", u32::from(c)).expect("a string takes what is written");
            }
            _ => url.push(c),
        }
    }
    url
}

/// `text` as a code span of Markdown, in which GitHub interprets nothing: no HTML, no mention, no link. `in_table` where it
/// stands in a cell.
pub fn markdown_code(text: &str, in_table: bool) -> String {
    let mut one_line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' if in_table => one_line.push_str("\\|"),
            _ if c.is_control() || is_hidden(c) => one_line.extend(c.escape_unicode()),
            _ => one_line.push(c),
        }
    }
    let longest = one_line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    // One blank at each end is taken off again, so that a backtick or a blank may stand there.
    let blank = if one_line.starts_with(['`', ' ']) || one_line.ends_with(['`', ' ']) || one_line.is_empty() {
        " "
    } else {
        ""
    };
    format!("{fence}{blank}{one_line}{blank}{fence}")
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_of_a_hostile_name_has_no_markup() {
        let found = html("</script><img src=x onerror=\"alert('1')\">&\u{202e}\u{1b}");
        assert!(!found.contains(['<', '>', '"', '\'', '\u{202e}', '\u{1b}']), "{found}");
        assert!(found.ends_with("&amp;\\u{202e}\\u{1b}"), "{found}");
        assert!(
            html_name(&"n".repeat(5_000)).len() > 5_000,
            "the whole of a long name is in its title"
        );
    }

    #[test]
    fn json_in_a_script_is_the_same_json_without_markup() {
        let value = serde_json::json!(["</script><!--<script>", "\u{2028}\u{2029}&", 1.5]);
        let found = json_in_script(&value.to_string());
        assert!(!found.contains(['<', '>', '\u{2028}', '\u{2029}']), "{found}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&found).expect("it is JSON"),
            value
        );
    }

    #[test]
    fn a_module_url_keeps_every_character() {
        let text = "a % b # \"c\" \\ <d>\n\té & 1";
        let url = module_url(text);
        let coded = url
            .strip_prefix("data:text/javascript;charset=utf-8,")
            .expect("a data URL");
        let mut bytes = coded.bytes();
        let mut decoded = Vec::new();
        while let Some(byte) = bytes.next() {
            if byte == b'%' {
                let digits = [bytes.next(), bytes.next()].map(|digit| char::from(digit.expect("two digits")));
                let digits: String = digits.into_iter().collect();
                decoded.push(u8::from_str_radix(&digits, 16).expect("hexadecimal"));
            } else {
                decoded.push(byte);
            }
        }
        assert_eq!(String::from_utf8(decoded).expect("it was text"), text);
    }

    #[test]
    fn a_code_span_cannot_be_left() {
        assert_eq!(markdown_code("plain", true), "`plain`");
        assert_eq!(markdown_code("a|b", true), "`a\\|b`");
        assert_eq!(markdown_code("a|b", false), "`a|b`");
        assert_eq!(markdown_code("`", false), "`` ` ``");
        assert_eq!(markdown_code("a``b", false), "```a``b```");
        assert_eq!(markdown_code("two\nlines", false), "`two\\u{a}lines`");
        assert_eq!(markdown_code("", false), "`  `");
    }
}
