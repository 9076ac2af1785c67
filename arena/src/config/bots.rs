//! Bots as people write them, and their names.

use std::path::Path;

use super::Launch;

/// A bot as it is written: its name, if it has been given one, and how it is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    pub name: Option<String>,
    pub launch: Launch,
}

/// A bot of a command line: `house:NAME[,key=value]`, a command line, or `NAME=` and one of these.
pub fn parse(text: &str) -> Result<Written, String> {
    let text = text.trim();
    // A name has no blank, slash, colon or comma before its `=`, so that arguments of a command are not taken for one.
    let named = text
        .split_once('=')
        .filter(|(name, _)| !name.contains([' ', '\t', '/', ':', ',']));
    let (name, rest) = match named {
        Some((name, rest)) => (Some(name.to_owned()), rest.trim()),
        None => (None, text),
    };
    let launch = match rest.strip_prefix("house:") {
        Some(house) => self::house(house)?,
        None => command(rest)?,
    };
    Ok(Written { name, launch })
}

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

/// A command line, split as a shell would, without expanding anything.
pub fn command(text: &str) -> Result<Launch, String> {
    let words = shlex::split(text).ok_or_else(|| format!("`{text}`: a quote is not closed"))?;
    words_of_command(words)
}

/// A command that is split already.
pub fn words_of_command(words: Vec<String>) -> Result<Launch, String> {
    if words.first().is_none_or(|program| program.is_empty()) {
        return Err("an empty command; expected a program and its arguments, or house:NAME".to_owned());
    }
    Ok(Launch::Command(words))
}

/// The name of a bot that was not given one: its program's, or that of the script which an interpreter runs.
pub fn derived_name(launch: &Launch) -> String {
    match launch {
        Launch::House { name, params } => {
            let params = params.iter().map(|(key, value)| format!("-{key}-{value}"));
            std::iter::once(name.clone()).chain(params).collect()
        }
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
        Launch::Command(words) => shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" ")),
    }
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
