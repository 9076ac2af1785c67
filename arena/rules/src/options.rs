//! Options of games: declared as data, checked in one place, never replaced by a default in silence.

use std::fmt;

use crate::GameInfo;

/// One option of a game.
#[derive(Debug)]
pub struct OptionInfo {
    /// Its name.
    pub key: &'static str,
    /// What values it takes.
    pub kind: OptionKind,
    /// The value when it is not given.
    pub default: OptionValue,
    /// What it does, in one line.
    pub help: &'static str,
}

/// The values an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// A number from the first to the second, both included.
    Range(u32, u32),
    /// One of these numbers.
    Numbers(&'static [u32]),
    /// One of these words.
    Words(&'static [&'static str]),
    /// `on` or `off`.
    Switch,
}

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// Of [`OptionKind::Range`] and [`OptionKind::Numbers`].
    Number(u32),
    /// Of [`OptionKind::Words`].
    Word(&'static str),
    /// Of [`OptionKind::Switch`].
    Switch(bool),
}

/// All options of one game with their values, in the order of [`GameInfo::options`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options(Vec<(&'static str, OptionValue)>);

/// What is wrong with the options of a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionError {
    /// The game has no such option.
    #[error("unknown option `{key}` of {game}; {game} has: {}", known.join(", "))]
    Unknown {
        /// What was given.
        key: String,
        /// The game.
        game: &'static str,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The same option twice.
    #[error("option `{key}` of {game} is given twice")]
    Twice {
        /// The option.
        key: &'static str,
        /// The game.
        game: &'static str,
    },
    /// A value the option does not take.
    #[error("{game}: `{key}={value}` is out of range; `{key}` takes {expected}")]
    OutOfRange {
        /// The game.
        game: &'static str,
        /// The option.
        key: &'static str,
        /// What was given.
        value: String,
        /// The range, in words.
        expected: String,
    },
    /// Values that do not go together.
    #[error("{game}: {message}")]
    Conflict {
        /// The game.
        game: &'static str,
        /// What does not fit, and what would.
        message: String,
    },
}

impl Options {
    /// Fills in defaults and checks every value against its kind.
    ///
    /// # Errors
    /// The first [`OptionError`].
    pub fn parse(info: &'static GameInfo, given: &[(String, String)]) -> Result<Options, OptionError> {
        let mut values: Vec<(&'static str, Option<OptionValue>)> = info.options.iter().map(|o| (o.key, None)).collect();
        for (key, text) in given {
            let Some(at) = info.options.iter().position(|option| option.key == key) else {
                let known = info.options.iter().map(|option| option.key).collect();
                return Err(OptionError::Unknown {
                    key: key.clone(),
                    game: info.name,
                    known,
                });
            };
            let option = &info.options[at];
            if values[at].1.is_some() {
                return Err(OptionError::Twice {
                    key: option.key,
                    game: info.name,
                });
            }
            let value = option.kind.parse(text).ok_or_else(|| OptionError::OutOfRange {
                game: info.name,
                key: option.key,
                value: text.clone(),
                expected: option.kind.to_string(),
            })?;
            values[at].1 = Some(value);
        }
        let filled = values.into_iter().zip(info.options);
        Ok(Options(
            filled
                .map(|((key, value), option)| (key, value.unwrap_or(option.default)))
                .collect(),
        ))
    }

    /// Options from values that a ruleset holds.
    pub fn from_values(values: Vec<(&'static str, OptionValue)>) -> Options {
        Options(values)
    }

    /// Every option with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, OptionValue)> {
        self.0.iter().copied()
    }

    /// The options as text, as [`crate::open`] takes them.
    pub fn to_texts(&self) -> Vec<(String, String)> {
        self.iter()
            .map(|(key, value)| (key.to_owned(), value.to_string()))
            .collect()
    }

    fn get(&self, key: &str) -> OptionValue {
        let found = self.0.iter().find(|(name, _)| *name == key);
        found.expect("a game asks for options that it declares").1
    }

    /// A number.
    ///
    /// # Panics
    /// When the game declares no such number: a bug of the game.
    pub fn number(&self, key: &str) -> u32 {
        match self.get(key) {
            OptionValue::Number(value) => value,
            other => panic!("option {key} is declared as a number and holds {other:?}"),
        }
    }

    /// A word.
    ///
    /// # Panics
    /// As [`Options::number`].
    pub fn word(&self, key: &str) -> &'static str {
        match self.get(key) {
            OptionValue::Word(value) => value,
            other => panic!("option {key} is declared as a word and holds {other:?}"),
        }
    }

    /// A switch.
    ///
    /// # Panics
    /// As [`Options::number`].
    pub fn switch(&self, key: &str) -> bool {
        match self.get(key) {
            OptionValue::Switch(value) => value,
            other => panic!("option {key} is declared as a switch and holds {other:?}"),
        }
    }
}

impl OptionKind {
    fn parse(self, text: &str) -> Option<OptionValue> {
        match self {
            OptionKind::Range(min, max) => text
                .parse()
                .ok()
                .filter(|n| (min..=max).contains(n))
                .map(OptionValue::Number),
            OptionKind::Numbers(numbers) => text
                .parse()
                .ok()
                .filter(|n| numbers.contains(n))
                .map(OptionValue::Number),
            OptionKind::Words(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| OptionValue::Word(word)),
            OptionKind::Switch => match text {
                "on" | "true" => Some(OptionValue::Switch(true)),
                "off" | "false" => Some(OptionValue::Switch(false)),
                _ => None,
            },
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Range(min, max) => write!(f, "{min} to {max}"),
            OptionKind::Numbers(numbers) => {
                let texts: Vec<_> = numbers.iter().map(u32::to_string).collect();
                f.write_str(&texts.join(", "))
            }
            OptionKind::Words(words) => f.write_str(&words.join(", ")),
            OptionKind::Switch => f.write_str("on, off"),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Number(value) => value.fmt(f),
            OptionValue::Word(value) => value.fmt(f),
            OptionValue::Switch(value) => f.write_str(if *value { "on" } else { "off" }),
        }
    }
}
