//! One line from a bot to one message.
//!
//! Strict where two readers could differ: no key twice, no `NaN`, nothing behind the object. It does not know whose turn
//! it is and which moves are legal, and it does not look at the length of a line: [`crate::LineBuffer`] does.
//!
//! Columns in errors count characters from 1, byte offsets count bytes from 0; both from the first byte of the line as it
//! was sent, leading blanks and a byte order mark included.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::{BotHello, DEPTH_MAX, FromBot, excerpt};

/// What a line from a bot holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Decoded {
    /// Only blanks.
    Blank,
    /// A line that does not begin with `{`: a stray print. Kept and counted, not a fault.
    Log,
    /// A message.
    Message {
        /// The message.
        message: FromBot,
        /// Names of fields that the protocol does not know.
        unknown_fields: Vec<String>,
    },
}

/// Why a line that begins with `{` is not a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not UTF-8.
    #[error("not UTF-8 at byte offset {offset}")]
    NotUtf8 {
        /// Bytes before the first wrong one.
        offset: usize,
    },
    /// Not JSON, or not of the right form; the text ends in `at column N`.
    #[error("{0}")]
    Form(String),
}

/// Words that other writers of JSON and other languages use, and that are not JSON.
const NOT_JSON: [&str; 13] = [
    "NaN",
    "nan",
    "-NaN",
    "-nan",
    "Infinity",
    "-Infinity",
    "inf",
    "-inf",
    "True",
    "False",
    "None",
    "nil",
    "undefined",
];

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Decodes one line without its newline. `first` says that nothing came before it: a byte order mark is passed over then.
///
/// # Errors
/// [`DecodeError`] when the line begins with `{` after blanks and is not a message.
pub fn decode(line: &[u8], first: bool) -> Result<Decoded, DecodeError> {
    if let Some(message) = plain_move(line) {
        return Ok(Decoded::Message {
            message,
            unknown_fields: Vec::new(),
        });
    }
    let mark = first && line.starts_with(BYTE_ORDER_MARK.as_bytes());
    let marked = if mark { BYTE_ORDER_MARK.len() } else { 0 };
    let blanks = line[marked..].iter().take_while(|byte| is_blank(**byte)).count();
    let body = marked + blanks;
    match line.get(body) {
        None => return Ok(Decoded::Blank),
        Some(b'{') => {}
        Some(_) => return Ok(Decoded::Log),
    }
    let text = std::str::from_utf8(line).map_err(|error| DecodeError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let fields = serde_json::from_str(&text[body..]).map_err(|error| syntax_error(text, body, &error))?;
    message(fields).map_err(|what| {
        let column = blanks + 1 + usize::from(mark);
        DecodeError::Form(format!("{what} in the object at column {column}"))
    })
}

/// A move in its plainest form, `{"move":3,"ply":12}` with or without its type: what comes at nearly every ply, for a
/// third of what the JSON reader costs. Whatever is in any other form, be it a blank, is left to that one.
fn plain_move(line: &[u8]) -> Option<FromBot> {
    let fields = line.strip_prefix(b"{")?;
    let fields = fields.strip_prefix(b"\"type\":\"move\",").unwrap_or(fields);
    let (mv, rest) = plain_number(fields.strip_prefix(b"\"move\":")?)?;
    let (ply, rest) = plain_number(rest.strip_prefix(b",\"ply\":")?)?;
    (rest == b"}").then(|| FromBot::Move {
        mv: mv.into(),
        ply: Some(ply.into()),
    })
}

/// The whole number of at most nine digits that `bytes` begin with, and what follows it.
fn plain_number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let length = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(length);
    let is_plain = matches!(digits, [b'0'] | [b'1'..=b'9', ..]) && length < 10;
    is_plain.then(|| {
        (
            digits
                .iter()
                .fold(0, |number, digit| number * 10 + u32::from(digit - b'0')),
            rest,
        )
    })
}

/// What JSON calls whitespace.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The error that the JSON reader found in `text` from byte `body` on.
fn syntax_error(text: &str, body: usize, error: &serde_json::Error) -> DecodeError {
    // The reader counts bytes from the start of the object, and 0 where the line is empty.
    let at = body + error.column().saturating_sub(1);
    let mut column = 1 + text.char_indices().take_while(|(start, _)| *start < at).count();
    // A column inside a character of several bytes is that character's.
    if !text.is_char_boundary(at) {
        column -= 1;
    }
    let what = match error.classify() {
        Category::Eof => "the line ends inside the message".to_owned(),
        category => match foreign_word(text, at).filter(|_| category == Category::Syntax) {
            Some((word, start)) => {
                column = 1 + text[..start].chars().count();
                format!("`{word}` is not JSON")
            }
            None => {
                let full = error.to_string();
                let end = full.rfind(" at line ").unwrap_or(full.len());
                full[..end].to_owned()
            }
        },
    };
    DecodeError::Form(format!("{what} at column {column}"))
}

/// The word of [`NOT_JSON`] that byte `at` belongs to, and where it starts.
fn foreign_word(text: &str, at: usize) -> Option<(&'static str, usize)> {
    let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let bytes = text.as_bytes();
    let before = bytes.get(..at)?.iter().rev().take_while(|byte| of_word(byte)).count();
    let after = bytes[at..].iter().take_while(|byte| of_word(byte)).count();
    if after == 0 {
        return None;
    }
    let word = &bytes[at - before..at + after];
    let known = NOT_JSON.iter().find(|known| known.as_bytes() == word)?;
    Some((known, at - before))
}

/// The fields of a message: those of a move apart, so that a move costs no map.
#[derive(Default)]
struct Fields {
    kind: Option<Value>,
    mv: Option<Value>,
    ply: Option<Value>,
    others: Map<String, Value>,
}

impl Fields {
    /// Every field but the type.
    fn into_map(self) -> Map<String, Value> {
        let mut all = self.others;
        all.extend(self.mv.map(|mv| ("move".to_owned(), mv)));
        all.extend(self.ply.map(|ply| ("ply".to_owned(), ply)));
        all
    }
}

fn message(mut fields: Fields) -> Result<Decoded, String> {
    let kind = match fields.kind.take() {
        Some(Value::String(kind)) => Cow::Owned(kind),
        Some(other) => return Err(unexpected("type", "a string", &other)),
        None if fields.mv.is_some() => Cow::Borrowed("move"),
        None => return Err("neither `type` nor `move`".to_owned()),
    };
    let (message, unknown) = match &*kind {
        "move" => {
            let mv = fields.mv.take().ok_or("`move` is missing")?;
            let ply = optional(fields.ply.take(), "ply", "the number of a ply", whole)?;
            (FromBot::Move { mv, ply }, fields.others)
        }
        "info" => (FromBot::Info(fields.into_map()), Map::new()),
        "hello" => {
            let mut all = fields.into_map();
            (FromBot::Hello(hello(&mut all)?), all)
        }
        "ready" => (FromBot::Ready, fields.into_map()),
        "resign" => (FromBot::Resign, fields.into_map()),
        _ => {
            let kind = kind.into_owned();
            (FromBot::Unknown { kind }, Map::new())
        }
    };
    Ok(Decoded::Message {
        message,
        unknown_fields: unknown.into_iter().map(|(name, _)| name).collect(),
    })
}

/// Takes the fields that the protocol knows out of `fields`.
fn hello(fields: &mut Map<String, Value>) -> Result<BotHello, String> {
    let version = |value: &Value| whole(value).and_then(|number| number.try_into().ok());
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let texts = |value: &Value| value.as_array()?.iter().map(text).collect();
    let mut take = |name| (fields.remove(name), name);
    let of = |(value, name): (Option<Value>, &str)| optional(value, name, "a string", text);
    let list_of = |(value, name): (Option<Value>, &str)| optional(value, name, "a list of strings", texts);
    let (protocol, name) = take("protocol");
    Ok(BotHello {
        protocol: optional(protocol, name, "the number of a version", version)?.ok_or("`protocol` is missing")?,
        name: of(take("name"))?,
        version: of(take("version"))?,
        author: of(take("author"))?,
        games: list_of(take("games"))?,
        features: list_of(take("features"))?.unwrap_or_default(),
    })
}

/// The field's value as `read` takes it. `null` is as good as absent.
fn optional<T>(
    value: Option<Value>,
    name: &str,
    expected: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(unexpected(name, expected, &value)),
        },
    }
}

fn unexpected(name: &str, expected: &str, found: &Value) -> String {
    let found = excerpt(found.to_string().as_bytes(), 40);
    format!("`{name}` is `{found}`, expected {expected}")
}

/// A whole number from 0 on, also when it is written `2.0` or `2e0`.
fn whole(value: &Value) -> Option<u64> {
    const EXACT_MAX: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    let float = || {
        value
            .as_f64()
            .filter(|n| n.fract() == 0.0 && (0.0..=EXACT_MAX).contains(n))
    };
    value.as_u64().or_else(|| float().map(|number| number as u64))
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let inside = Strict { depth: 1 };
        let mut fields = Fields::default();
        while let Some(Key(key)) = map.next_key()? {
            let known = match &*key {
                "type" => &mut fields.kind,
                "move" => &mut fields.mv,
                "ply" => &mut fields.ply,
                _ => {
                    insert_new(&mut fields.others, key, &mut map, inside)?;
                    continue;
                }
            };
            if known.is_some() {
                return Err(repeated(&key));
            }
            *known = Some(map.next_value_seed(inside)?);
        }
        Ok(fields)
    }
}

/// Reads the value of `key` into `fields`, unless it is there.
fn insert_new<'de, A: MapAccess<'de>>(
    fields: &mut Map<String, Value>,
    key: Cow<'de, str>,
    map: &mut A,
    inside: Strict,
) -> Result<(), A::Error> {
    if fields.contains_key(&*key) {
        return Err(repeated(&key));
    }
    let value = map.next_value_seed(inside)?;
    fields.insert(key.into_owned(), value);
    Ok(())
}

fn repeated<E: de::Error>(key: &str) -> E {
    E::custom(format_args!("repeated key `{}`", excerpt(key.as_bytes(), 40)))
}

/// A key, borrowed from the line when it holds no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

/// Reads a JSON value in which no key stands twice and nothing is nested too deep.
///
/// The JSON reader has a bound of its own, at twice [`DEPTH_MAX`]; ours does not move when that one does.
#[derive(Clone, Copy)]
struct Strict {
    /// How many arrays and objects are open around the value.
    depth: usize,
}

impl Strict {
    /// For what stands inside an array or object.
    fn inside<E: de::Error>(self) -> Result<Strict, E> {
        if self.depth == DEPTH_MAX {
            return Err(E::custom(format_args!("nested more than {DEPTH_MAX} deep")));
        }
        Ok(Strict { depth: self.depth + 1 })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.inside()?;
        let mut fields = Map::new();
        while let Some(Key(key)) = map.next_key()? {
            insert_new(&mut fields, key, &mut map, inside)?;
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests;
