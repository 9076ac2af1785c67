//! Who meets whom: from `format` and the keys that belong to it, or the flags of these names, to a [`Format`].

use serde::Deserialize;
use toml::Spanned;

use super::build::Overrides;
use super::error::ConfigError;
use super::file::{League, Source};
use super::{BotSpec, Format, Goal};
use crate::tournament::pairings::Swiss;

/// More Swiss rounds than this are a slip of the hand.
const ROUNDS_MAX: u64 = 10_000;

/// Rotations of a ladder that may be on the board: enough for 32 matches side by side.
const LADDER_WINDOW: u64 = 16;

/// A format by its name, before what belongs to it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum FormatName {
    /// Every group of bots meets equally often
    #[default]
    RoundRobin,
    /// Every match has the first bot in it, or one of those that --against names
    Gauntlet,
    /// Bots of about equal points meet round after round, never twice
    Swiss,
    /// Who loses a tie is out; the bracket is seeded by the order of the bots
    Knockout,
    /// Those meet whose matches tell most about the goal, until it is reached for sure
    Ladder,
}

impl FormatName {
    fn as_str(self) -> &'static str {
        match self {
            FormatName::RoundRobin => "round-robin",
            FormatName::Gauntlet => "gauntlet",
            FormatName::Swiss => "swiss",
            FormatName::Knockout => "knockout",
            FormatName::Ladder => "ladder",
        }
    }
}

/// A setting with where it stands, so that it can be refused there.
struct Given<'a, T> {
    key: &'static str,
    value: T,
    /// Absent: on the command line.
    place: Option<(&'a Source, std::ops::Range<usize>)>,
}

impl<'a, T> Given<'a, T> {
    /// What the command line says, or else the file.
    fn of(
        key: &'static str,
        argument: Option<T>,
        written: Option<&'a Spanned<T>>,
        source: Option<&'a Source>,
    ) -> Option<Given<'a, T>>
    where
        T: Clone,
    {
        if let Some(value) = argument {
            let place = None;
            return Some(Given { key, value, place });
        }
        let (written, source) = (written?, source?);
        Some(Given {
            key,
            value: written.get_ref().clone(),
            place: Some((source, written.span())),
        })
    }

    fn shown(&self) -> String {
        match self.place {
            Some(_) => format!("`{}`", self.key),
            None => format!("--{}", self.key.replace('_', "-")),
        }
    }

    fn refused(&self, problem: &str) -> ConfigError {
        let message = format!("{}: {problem}", self.shown());
        match &self.place {
            Some((source, span)) => source.at(&Spanned::new(span.clone(), ()), &message),
            None => ConfigError::Argument(message),
        }
    }

    /// The error of a setting that the format has no use for.
    fn out_of_place(&self, format: FormatName, belongs_to: FormatName) -> ConfigError {
        self.refused(&format!(
            "the format is {}; only {} takes this",
            format.as_str(),
            belongs_to.as_str()
        ))
    }
}

/// The format of a plan with these bots for a game of so many seats. A format of the command line replaces all that the file says of its own.
pub fn format(
    league: &League,
    source: Option<&Source>,
    overrides: &Overrides,
    bots: &[BotSpec],
    seats: usize,
) -> Result<Format, ConfigError> {
    let whole = source;
    let source = source.filter(|_| overrides.format.is_none());
    let name = overrides.format.or(source.and(league.format)).unwrap_or_default();
    let against = Some(overrides.against.clone()).filter(|against| !against.is_empty());
    let against = Given::of("against", against, league.against.as_ref(), source);
    let rounds = Given::of("rounds", overrides.rounds, league.rounds.as_ref(), source);
    let allow_repeats = overrides.allow_repeats.then_some(true);
    let allow_repeats = Given::of("allow_repeats", allow_repeats, league.allow_repeats.as_ref(), source);
    let goal = Given::of("goal", overrides.goal.clone(), league.goal.as_ref(), source);
    check_belongs(&against, name, FormatName::Gauntlet)?;
    check_belongs(&rounds, name, FormatName::Swiss)?;
    check_belongs(&allow_repeats, name, FormatName::Swiss)?;
    check_belongs(&goal, name, FormatName::Ladder)?;
    if seats != 2 && matches!(name, FormatName::Swiss | FormatName::Knockout) {
        let message = format!(
            "the format {} is for games of 2 seats, this one has {seats}; round-robin, gauntlet and ladder take any number",
            name.as_str()
        );
        return Err(whole.map_or(ConfigError::Argument(message.clone()), |source| source.whole(&message)));
    }
    Ok(match name {
        FormatName::RoundRobin => Format::RoundRobin,
        FormatName::Gauntlet => Format::Gauntlet {
            against: against.map_or(Ok(vec![0]), |against| named(&against, bots))?,
        },
        FormatName::Swiss => {
            let repeats = allow_repeats.is_some_and(|allow_repeats| allow_repeats.value);
            let rounds = rounds.map(|rounds| checked_rounds(&rounds, bots.len(), repeats));
            Format::Swiss {
                rounds: rounds.unwrap_or_else(|| Ok(Swiss::rounds_usual(bots.len())))?,
            }
        }
        FormatName::Knockout => Format::Knockout,
        FormatName::Ladder => Format::Ladder {
            goal: goal.map_or(Ok(Goal::Best), |goal| checked_goal(&goal, bots))?,
            window: LADDER_WINDOW,
        },
    })
}

fn check_belongs<T>(given: &Option<Given<'_, T>>, format: FormatName, to: FormatName) -> Result<(), ConfigError> {
    match given {
        Some(given) if format != to => Err(given.out_of_place(format, to)),
        _ => Ok(()),
    }
}

fn checked_rounds(given: &Given<'_, u64>, bots: usize, repeats: bool) -> Result<u64, ConfigError> {
    let most = Swiss::rounds_max(bots);
    match given.value {
        0 => Err(given.refused(&format!("0 rounds; {bots} bots can play 1 to {most}"))),
        rounds if rounds > most && !repeats => Err(given.refused(&format!(
            "{rounds} rounds; {bots} bots can play 1 to {most} without a pairing twice (more with `allow_repeats`)"
        ))),
        rounds if rounds > ROUNDS_MAX => {
            Err(given.refused(&format!("{rounds} rounds; at most {ROUNDS_MAX} are taken")))
        }
        rounds => Ok(rounds),
    }
}

fn checked_goal(given: &Given<'_, String>, bots: &[BotSpec]) -> Result<Goal, ConfigError> {
    match given.value.as_str() {
        "best" => Ok(Goal::Best),
        "order" => Ok(Goal::Order),
        name => {
            let bot = place_of(name, bots);
            bot.map(Goal::Bot)
                .map_err(|problem| given.refused(&format!("neither `best` nor `order`, and {problem}")))
        }
    }
}

/// The places of bots that are given by name.
fn named(given: &Given<'_, Vec<String>>, bots: &[BotSpec]) -> Result<Vec<usize>, ConfigError> {
    let mut places = Vec::new();
    for name in &given.value {
        let place = place_of(name, bots).map_err(|problem| given.refused(&problem))?;
        if places.contains(&place) {
            return Err(given.refused(&format!("bot `{name}` is named twice")));
        }
        places.push(place);
    }
    if places.is_empty() {
        return Err(given.refused("an empty list; name at least one bot, or leave it out for the first bot"));
    }
    Ok(places)
}

fn place_of(name: &str, bots: &[BotSpec]) -> Result<usize, String> {
    bots.iter().position(|bot| bot.name == name).ok_or_else(|| {
        let names: Vec<&str> = bots.iter().map(|bot| bot.name.as_str()).collect();
        format!("unknown bot `{name}`; the bots are: {}", names.join(", "))
    })
}
