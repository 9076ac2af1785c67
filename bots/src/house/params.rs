//! Parameters of house bots: declared as data, checked in one place.

use std::fmt;

use super::{HouseBot, HouseError};

/// A parameter of a house bot.
#[derive(Debug)]
pub struct ParamInfo {
    /// Its name.
    pub key: &'static str,
    /// What values it takes.
    pub kind: ParamKind,
    /// What holds when it is not given, in words.
    pub default: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

/// The values a parameter takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamKind {
    /// A whole number from the first to the second, both included.
    Whole(u64, u64),
    /// A decimal number from the first to the second, both included.
    Decimal(f64, f64),
    /// One of these words.
    Words(&'static [&'static str]),
}

/// The bot's own random numbers; every bot that draws lots has it.
pub(super) const SEED: ParamInfo = ParamInfo {
    key: "seed",
    kind: ParamKind::Whole(0, u64::MAX),
    default: "0",
    help: "mixed with the match's seed: another seed, other choices",
};

/// Whether a searching bot says what it found.
pub(super) const INFO: ParamInfo = ParamInfo {
    key: "info",
    kind: ParamKind::Words(&["off", "on"]),
    default: "off",
    help: "send an info line (score, depth, nodes, expected moves) before a move",
};

#[derive(Clone, Copy, Debug)]
enum ParamValue {
    Whole(u64),
    Decimal(f64),
    Word(&'static str),
}

/// The parameters that were given, checked.
#[derive(Debug)]
pub(super) struct Params(Vec<(&'static str, ParamValue)>);

impl Params {
    pub(super) fn parse(bot: &'static HouseBot, given: &[(String, String)]) -> Result<Params, HouseError> {
        let mut values: Vec<(&'static str, ParamValue)> = Vec::new();
        for (key, text) in given {
            let Some(param) = bot.params.iter().find(|param| param.key == key) else {
                return Err(HouseError::UnknownParam {
                    bot: bot.name,
                    key: key.clone(),
                    known: bot.params.iter().map(|param| param.key).collect(),
                });
            };
            if values.iter().any(|(known, _)| *known == param.key) {
                return Err(HouseError::Twice {
                    bot: bot.name,
                    key: param.key,
                });
            }
            let value = param.kind.parse(text).ok_or_else(|| HouseError::OutOfRange {
                bot: bot.name,
                key: param.key,
                value: text.clone(),
                expected: param.kind.to_string(),
            })?;
            values.push((param.key, value));
        }
        Ok(Params(values))
    }

    fn get(&self, key: &str) -> Option<ParamValue> {
        self.0.iter().find(|(given, _)| *given == key).map(|(_, value)| *value)
    }

    pub(super) fn whole(&self, key: &str) -> Option<u64> {
        self.get(key).map(|value| match value {
            ParamValue::Whole(number) => number,
            other => panic!("parameter {key} is declared as a whole number and holds {other:?}"),
        })
    }

    pub(super) fn decimal(&self, key: &str) -> Option<f64> {
        self.get(key).map(|value| match value {
            ParamValue::Decimal(number) => number,
            other => panic!("parameter {key} is declared as a decimal number and holds {other:?}"),
        })
    }

    pub(super) fn word(&self, key: &str) -> Option<&'static str> {
        self.get(key).map(|value| match value {
            ParamValue::Word(word) => word,
            other => panic!("parameter {key} is declared as a word and holds {other:?}"),
        })
    }
}

impl ParamKind {
    fn parse(self, text: &str) -> Option<ParamValue> {
        match self {
            ParamKind::Whole(min, max) => {
                let number = text.parse().ok()?;
                (min..=max).contains(&number).then_some(ParamValue::Whole(number))
            }
            ParamKind::Decimal(min, max) => {
                let number = text.parse().ok()?;
                (min..=max).contains(&number).then_some(ParamValue::Decimal(number))
            }
            ParamKind::Words(words) => {
                let word = words.iter().find(|word| **word == text)?;
                Some(ParamValue::Word(word))
            }
        }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Whole(min, u64::MAX) => write!(f, "a whole number from {min}"),
            ParamKind::Whole(min, max) => write!(f, "{min} to {max}"),
            ParamKind::Decimal(min, max) => write!(f, "{min:?} to {max:?}"),
            ParamKind::Words(words) => f.write_str(&words.join(", ")),
        }
    }
}
