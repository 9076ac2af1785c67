//! `arena new`: writes a starter kit, and says what to do with it.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mancala_arena_bots::starters;
use mancala_arena_rules::open_text;

use super::{Exit, Output};
use crate::config::{self, BotDir};

/// Write a starter bot that plays already, or list the languages there are
///
/// The new directory holds a bot that plays every game, its test, and `bot.toml`, which says how it is built and run. Such a
/// directory is a bot everywhere: `arena play kalah ./my-bot house:greedy`. Without arguments: lists the languages.
#[derive(clap::Args)]
pub struct Args {
    /// The language of the bot
    #[arg(value_parser = language())]
    language: Option<&'static str>,
    /// The directory to make, which gives the bot its name [default: LANGUAGE-bot, here]
    dir: Option<PathBuf>,
    /// The game in the commands that are printed; the bot plays all of them
    #[arg(long, default_value = "kalah")]
    game: String,
}

/// Takes a language by any of its names.
fn language() -> impl TypedValueParser<Value = &'static str> {
    let names = |language| PossibleValue::new(language).aliases(starters::aliases(language));
    PossibleValuesParser::new(starters::languages().map(names)).map(|name| {
        starters::languages()
            .find(|language| *language == name || starters::aliases(language).any(|alias| alias == name))
            .expect("one of the possible values was given")
    })
}

pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Exit> {
    let Some(language) = args.language else {
        return list(out);
    };
    let dir = &{ args.dir.clone() }.unwrap_or_else(|| PathBuf::from(format!("{language}-bot")));
    let seats = open_text(&args.game)?.seats();
    make(dir)?;
    let files = starters::files(language).expect("the language was taken from the list");
    for file in files {
        write_file(dir, file).with_context(|| format!("cannot write `{}`", dir.join(file.path).display()))?;
    }
    let bot = BotDir::read(Path::new(""), dir)?;
    let paths: Vec<&str> = files.iter().map(|file| file.path).collect();
    writeln!(out, "bot `{}` in {language}: {}", bot.name, paths.join(", "))?;
    next_commands(dir, &args.game, seats, out)?;
    out.flush()?;
    for tool in missing_tools(&bot) {
        let _ = writeln!(
            anstream::stderr(),
            "note: `{tool}` is not installed, and the bot needs it; `{}` says where it is found",
            dir.join("README.md").display()
        );
    }
    Ok(Exit::Done)
}

fn list(out: &mut Output) -> anyhow::Result<Exit> {
    for language in starters::languages() {
        let aliases: Vec<&str> = starters::aliases(language).collect();
        let aliases = match &*aliases {
            [] => String::new(),
            _ => format!(" ({})", aliases.join(", ")),
        };
        writeln!(out, "{language}{aliases}")?;
    }
    writeln!(
        out,
        "\nTo begin with one: arena new LANGUAGE [DIR], for example arena new python my-bot"
    )?;
    Ok(Exit::Done)
}

/// Makes the directory, where there is nothing that could be overwritten.
fn make(dir: &Path) -> anyhow::Result<()> {
    let shown = dir.display();
    match fs::read_dir(dir).map(|mut entries| entries.next().is_some()) {
        Ok(false) => Ok(()),
        Ok(true) => bail!("directory `{shown}` is not empty; name one that is, or that is not there yet"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(dir).with_context(|| format!("cannot make directory `{shown}`"))
        }
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            bail!("`{shown}` is a file; name a directory that is empty, or not there yet")
        }
        Err(error) => Err(error).with_context(|| format!("cannot read directory `{shown}`")),
    }
}

fn write_file(dir: &Path, file: &starters::File) -> anyhow::Result<()> {
    let path = dir.join(file.path);
    fs::create_dir_all(path.parent().unwrap_or(dir))?;
    if file.path == config::BOT_FILE {
        let description = std::str::from_utf8(file.content)?;
        fs::write(path, named(description, &config::own_name(dir)))?;
    } else {
        fs::write(path, file.content)?;
    }
    Ok(())
}

/// A kit's description with the bot's name in it. A directory that is called as no bot can be leaves the name as it is.
fn named(description: &str, name: &str) -> String {
    let named = |line: &str| match line.strip_prefix("name = ") {
        // A string of JSON without control characters is one of TOML.
        Some(_) if config::is_name(name) => format!("name = {}\n", serde_json::json!(name)),
        _ => format!("{line}\n"),
    };
    description.lines().map(named).collect()
}

/// Prints what can be done with the bot, as it can be typed.
fn next_commands(dir: &Path, game: &str, seats: usize, out: &mut Output) -> anyhow::Result<()> {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| word.to_owned(), |quoted| quoted.into_owned());
    let program = quoted(&std::env::args().next().unwrap_or_else(|| "arena".to_owned()));
    let bot = quoted(&as_argument(dir));
    let game = quoted(game);
    let others = ["house:greedy", "house:random", "house:minimax,depth=2"];
    let opponents = others[..seats - 1].join(" ");
    let others = others.join(" ");
    writeln!(
        out,
        "\na match to watch:\n  {program} play {game} {bot} {opponents} --watch\n\
         does it keep the protocol and the rules?\n  {program} check {bot}\n\
         a tournament:\n  {program} run --game {game} {bot} {others} --rotations 10"
    )?;
    Ok(())
}

/// A directory as a bot of the command line: with a slash, so that it is not taken for a program or a name.
fn as_argument(dir: &Path) -> String {
    let shown = dir.display().to_string();
    if dir.is_absolute() || shown.starts_with('.') {
        shown
    } else {
        format!("./{shown}")
    }
}

/// The programs that build and run the bot, as far as they are not here.
fn missing_tools(bot: &BotDir) -> Vec<&str> {
    let commands = bot.build.iter().chain([&bot.run]);
    let tools = commands
        .map(|words| words[0].as_str())
        .filter(|word| !word.contains('/'));
    tools.filter(|tool| !config::is_on_path(tool)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_directory_s_and_the_rest_stays() {
        let kit = "# name\nname = \"my-bot\"\nrun = \"./bot\"\n";
        assert_eq!(
            named(kit, "a \"b\""),
            "# name\nname = \"a \\\"b\\\"\"\nrun = \"./bot\"\n"
        );
        assert_eq!(named(kit, " "), kit);
    }

    #[test]
    fn every_kit_is_a_bot_of_the_name_it_is_given() {
        for language in starters::languages() {
            let parent = tempfile::tempdir().expect("a directory");
            let dir = parent.path().join("It's \"mine\"");
            for file in starters::files(language).expect("it was listed") {
                write_file(&dir, file).expect("it can be written");
            }
            let bot = BotDir::read(Path::new(""), &dir).expect("it is a bot");
            assert_eq!(bot.name, "It's \"mine\"", "{language}");
        }
    }

    #[test]
    fn a_directory_is_written_so_that_it_is_taken_for_nothing_else() {
        for (dir, argument) in [
            ("a=b", "./a=b"),
            ("./a", "./a"),
            ("../a", "../a"),
            (".", "."),
            ("/a", "/a"),
        ] {
            assert_eq!(as_argument(Path::new(dir)), argument);
        }
    }
}
