//! The league file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::error::in_file;
use super::{Clock, ConfigError, FormatName, Limits, Ponder, Sandbox, Transcripts};

/// A league file as it is written; every key but the game and the bots may be left out.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct League {
    /// As on a command line: `kalah:pits=6,seeds=4`.
    pub game: Option<Spanned<String>>,
    /// Who meets whom.
    pub format: Option<FormatName>,
    /// The bots of a gauntlet that every match has one of.
    pub against: Option<Spanned<Vec<String>>>,
    /// Of a Swiss tournament.
    pub rounds: Option<Spanned<u64>>,
    /// Whether its rounds may be so many that bots meet again.
    pub allow_repeats: Option<Spanned<bool>>,
    /// Of a ladder: `best`, `order` or a bot's name.
    pub goal: Option<Spanned<String>>,
    pub rotations: Option<Spanned<u64>>,
    pub opening_plies: Option<Spanned<u32>>,
    /// A file of openings.
    pub openings: Option<Spanned<PathBuf>>,
    pub seed: Option<u64>,
    pub jobs: Option<Spanned<u16>>,
    /// The results file.
    pub db: Option<PathBuf>,
    /// Whether bots may think off turn.
    pub ponder: Option<Ponder>,
    /// `forfeit`, `restart[:TIMES]` or `substitute[:HOUSE]`.
    pub on_fault: Option<Spanned<String>>,
    /// `auto`, `required` or `off`.
    pub sandbox: Option<Sandbox>,
    /// What each bot may use.
    #[serde(default)]
    pub limits: Limits,
    pub transcripts: Option<Transcripts>,
    #[serde(default)]
    pub time: Time,
    #[serde(default)]
    pub bot: Vec<Spanned<Bot>>,
}

/// The clocks, in milliseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    pub move_ms: Option<Spanned<u64>>,
    pub bank_ms: Option<Spanned<u64>>,
    pub increment_ms: Option<Spanned<u64>>,
    pub grace_ms: Option<Spanned<u64>>,
    pub start_ms: Option<Spanned<u64>>,
    pub hang_ms: Option<Spanned<u64>>,
    pub wall_ms: Option<Spanned<u64>>,
    pub clock: Option<Spanned<ClockChoice>>,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(untagged, expecting = "`\"wall\"`, `\"cpu\"`, or false for no clock")]
pub enum ClockChoice {
    /// `false`: neither limit nor bank; `true`: there is a clock.
    Any(bool),
    Of(Clock),
}

/// One bot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bot {
    pub name: Option<Spanned<String>>,
    /// A house bot with its parameters: `minimax,depth=4`.
    pub house: Option<String>,
    pub command: Option<CommandLine>,
    /// A directory with a `bot.toml` in it.
    pub path: Option<Spanned<PathBuf>>,
    pub dir: Option<PathBuf>,
    /// Threads that it computes with; 1 where it is left out.
    pub threads: Option<Spanned<u16>>,
    pub on_fault: Option<Spanned<String>>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// A command, split already or not.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "a command: a string, or a list of strings")]
pub enum CommandLine {
    Line(String),
    Words(Vec<String>),
}

/// A league file with its text, so that errors can show where they are.
#[derive(Debug)]
pub struct Source {
    pub path: PathBuf,
    pub text: String,
}

impl Source {
    /// Reads the text of a league file.
    pub fn read(path: &Path) -> Result<Source, ConfigError> {
        let read = std::fs::read_to_string(path);
        let text = read.map_err(|error| ConfigError::Read {
            path: path.to_owned(),
            error,
        })?;
        Ok(Source {
            path: path.to_owned(),
            text,
        })
    }

    /// The league that the text describes.
    pub fn league(&self) -> Result<League, ConfigError> {
        toml::from_str(&self.text).map_err(|error| in_file(&self.path, &self.text, error.span(), error.message()))
    }

    /// A problem with a value of the file.
    pub fn at<T>(&self, value: &Spanned<T>, message: &str) -> ConfigError {
        in_file(&self.path, &self.text, Some(value.span()), message)
    }

    /// A problem with the file as a whole.
    pub fn whole(&self, message: &str) -> ConfigError {
        in_file(&self.path, &self.text, None, message)
    }

    /// The directory that the file's paths start from.
    pub fn dir(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }
}
