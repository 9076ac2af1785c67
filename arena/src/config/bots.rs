//! Bots as people write them, and their names.

use std::path::Path;

use super::directory::{self, BotDir};
use super::{ConfigError, Launch};

/// What a bot can be called.
pub const NAME_RULE: &str = "a name is not empty, has no blank at its ends and prints";

/// A bot as it is written: its name, if it has been given one, and how it is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub name: Option<String>,
    pub launch: Launch,
    /// Where it is a directory: what is said there.
    pub directory: Option<BotDir>,
}

impl Written {
    /// The bot that is a directory.
    pub fn directory(name: Option<String>, directory: BotDir) -> Written {
        Written {
            name,
            launch: Launch::Command(directory.run.clone()),
            directory: Some(directory),
        }
    }

    /// The name of a bot that was not given one.
    pub fn own_name(&self) -> String {
        match &self.directory {
            Some(directory) => directory.name.clone(),
            None => derived_name(&self.launch),
        }
    }
}

/// A bot of a command line: a directory with a `bot.toml`, `house:NAME[,key=value]`, `human`, a command line, or `NAME=` and
/// one of these.
pub fn parse(text: &str) -> Result<Written, ConfigError> {
    let text = text.trim();
    // A name has no blank, slash, colon or comma before its `=`, so that arguments of a command are not taken for one.
    let named = text
        .split_once('=')
        .filter(|(name, _)| !name.contains([' ', '\t', '/', ':', ',']));
    let (name, rest) = match named {
        Some((name, rest)) => (Some(name.to_owned()), rest.trim()),
        None => (None, text),
    };
    let path = Path::new(rest);
    if !rest.is_empty() && directory::is_bot(path) {
        return Ok(Written::directory(name, BotDir::read(Path::new(""), path)?));
    }
    let launch = match rest.strip_prefix("house:") {
        Some(house) => self::house(house),
        None => command(rest),
    };
    Ok(Written {
        name,
        launch: launch.map_err(|problem| ConfigError::Argument(format!("bot `{text}`: {problem}")))?,
        directory: None,
    })
}

/// The bot that is a person.
const PERSON: &str = "human";

/// A house bot: `NAME[,key=value]`.
pub fn house(text: &str) -> Result<Launch, String> {
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default().to_owned();
    let mut params = Vec::new();
    for part in parts {
        let pair = part
            .split_once('=')
            .ok_or_else(|| format!("`{part}` is not `key=value` of house bot `{name}`"))?;
        params.push((pair.0.trim().to_owned(), pair.1.trim().to_owned()));
    }
    mancala_arena_bots::house::check(&name, &params).map_err(|error| error.to_string())?;
    Ok(Launch::House { name, params })
}

/// A command line, or the word for a person.
pub fn command(text: &str) -> Result<Launch, String> {
    words_of_command(words(text)?)
}

/// The words of a command line, split as a shell would, without expanding anything; there is at least one.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let words = shlex::split(text).ok_or_else(|| format!("`{text}`: a quote is not closed"))?;
    not_empty(words)
}

/// A command that is split already.
pub fn words_of_command(words: Vec<String>) -> Result<Launch, String> {
    let words = not_empty(words)?;
    Ok(if words == [PERSON] {
        Launch::Person
    } else {
        Launch::Command(words)
    })
}

fn not_empty(words: Vec<String>) -> Result<Vec<String>, String> {
    if words.first().is_none_or(|program| program.is_empty()) {
        return Err("an empty command; expected a program and its arguments".to_owned());
    }
    Ok(words)
}

/// The name of a bot after its program, or after the script which an interpreter runs.
fn derived_name(launch: &Launch) -> String {
    match launch {
        Launch::House { name, params } => {
            let params = params.iter().map(|(key, value)| format!("-{key}-{value}"));
            std::iter::once(name.clone()).chain(params).collect()
        }
        Launch::Person => PERSON.to_owned(),
        Launch::Command(words) => {
            let stem = |word: &String| {
                Path::new(word)
                    .file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned())
            };
            let script = words[1..].iter().find(|word| !word.starts_with('-'));
            let interpreter = stem(&words[0]).unwrap_or_default();
            let named = if is_interpreter(&interpreter) {
                script.and_then(stem)
            } else {
                None
            };
            named.unwrap_or(interpreter)
        }
    }
}

fn is_interpreter(program: &str) -> bool {
    const NAMES: [&str; 14] = [
        "python", "node", "deno", "bun", "java", "ruby", "perl", "php", "lua", "sh", "bash", "dash", "env", "julia",
    ];
    NAMES.contains(&program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// How a launch is written, to be shown.
pub fn shown(launch: &Launch) -> String {
    match launch {
        Launch::House { name, params } => {
            let params = params.iter().map(|(key, value)| format!(",{key}={value}"));
            std::iter::once(format!("house:{name}")).chain(params).collect()
        }
        Launch::Person => PERSON.to_owned(),
        Launch::Command(words) => joined(words),
    }
}

/// The words of a command as one would type them.
pub fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Whether a bot can be called so: it is not empty, has no blank at its ends and prints.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.trim() == name && !name.chars().any(char::is_control)
}

/// Names that differ only in case, blanks or width look the same in a table.
pub fn looks_like(name: &str) -> String {
    let narrow = |c: char| match c as u32 {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap_or(c),
        _ => c,
    };
    name.chars()
        .map(narrow)
        .filter(|c| !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
