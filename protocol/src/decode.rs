//! One line from a bot to one message.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::BotHello;

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

/// A message from a bot.
#[derive(Clone, PartialEq, Debug)]
pub enum FromBot {
    /// It has started.
    Hello(BotHello),
    /// It has prepared for the match.
    Ready,
    /// Its move.
    Move {
        /// The move, not yet checked against the legal ones.
        mv: Value,
        /// The ply it answers, when it says so.
        ply: Option<u64>,
    },
    /// Anything it wants kept with the record.
    Info(Map<String, Value>),
    /// It leaves the match.
    Resign,
    /// A type that this version does not know: ignored and counted.
    Unknown {
        /// The type.
        kind: String,
    },
}

/// Why a line that begins with `{` is not a message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not UTF-8.
    #[error("not UTF-8 at byte {offset}")]
    NotUtf8 {
        /// Bytes before the first wrong one.
        offset: usize,
    },
    /// Not JSON, or not of the right form.
    #[error("{0}")]
    Form(String),
}

/// Decodes one line without its newline. `first` says that nothing came before it: a byte order mark is passed over then.
///
/// # Errors
/// [`DecodeError`] when the line begins with `{` after blanks and is not a message.
pub fn decode(line: &[u8], first: bool) -> Result<Decoded, DecodeError> {
    let line = if first {
        line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
    } else {
        line
    };
    let body = line.trim_ascii();
    if body.is_empty() {
        return Ok(Decoded::Blank);
    }
    if body[0] != b'{' {
        return Ok(Decoded::Log);
    }
    let text = std::str::from_utf8(line).map_err(|error| DecodeError::NotUtf8 {
        offset: error.valid_up_to(),
    })?;
    let Fields(fields) = serde_json::from_str(text).map_err(|error| DecodeError::Form(at_column(&error)))?;
    message(fields)
}

/// The error of a one-line text: the column says it all.
fn at_column(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(at) if error.column() > 0 => format!("{} at column {}", &text[..at], error.column()),
        _ => text,
    }
}

fn message(mut fields: Map<String, Value>) -> Result<Decoded, DecodeError> {
    let form = |text: &str| Err(DecodeError::Form(text.to_owned()));
    let kind = match fields.remove("type") {
        Some(Value::String(kind)) => kind,
        Some(_) => return form("`type` is not a string"),
        None if fields.contains_key("move") => "move".to_owned(),
        None => return form("neither `type` nor `move`"),
    };
    let message = match kind.as_str() {
        "hello" => {
            let known: BotHello = serde_json::from_value(Value::Object(fields.clone()))
                .map_err(|error| DecodeError::Form(format!("`hello`: {error}")))?;
            for field in ["protocol", "name", "version", "author", "games", "features"] {
                fields.remove(field);
            }
            FromBot::Hello(known)
        }
        "ready" => FromBot::Ready,
        "resign" => FromBot::Resign,
        "move" => {
            let Some(mv) = fields.remove("move") else {
                return form("`move` is missing");
            };
            let ply = match fields.remove("ply") {
                None => None,
                Some(value) => match value.as_u64() {
                    Some(ply) => Some(ply),
                    None => return form("`ply` is not a ply number"),
                },
            };
            FromBot::Move { mv, ply }
        }
        "info" => FromBot::Info(std::mem::take(&mut fields)),
        _ => {
            fields.clear();
            FromBot::Unknown { kind }
        }
    };
    Ok(Decoded::Message {
        message,
        unknown_fields: fields.into_iter().map(|(name, _)| name).collect(),
    })
}

/// A JSON object in which no key stands twice, at any depth.
struct Fields(Map<String, Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_map(StrictVisitor)? {
            Value::Object(fields) => Ok(Fields(fields)),
            _ => Err(de::Error::custom("expected an object")),
        }
    }
}

/// A JSON value in which no key stands twice, at any depth.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
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
    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(de::Error::custom(format!("repeated key `{key}`")));
            }
            let Strict(value) = map.next_value()?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}
