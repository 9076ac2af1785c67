//! From a league file, the arguments that go over it, and defaults to a plan.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mancala_arena_rules::{AnyGame, open_text};

use super::bots::{self, Written};
use super::error::ConfigError;
use super::file::{CommandLine, League, Source};
use super::resolve::{Resolved, resolve};
use super::{BotSpec, Format, GameChoice, Launch, OnFault, OpeningSource, Plan, Ponder, TimeControl, openings};

/// Openings that each group of bots plays.
const ROTATIONS: u64 = 50;

/// Random plies that lead to an opening.
const OPENING_PLIES: u32 = 4;

/// More random plies than this are a slip of the hand.
const OPENING_PLIES_MAX: u32 = 200;

/// The seed when none is given.
const SEED: u64 = 1;

/// What the command line says; it goes over the league file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `NAME[:key=value,...]`.
    pub game: Option<String>,
    /// Bots as on a command line.
    pub bots: Vec<String>,
    /// Openings for each group.
    pub rotations: Option<u64>,
    /// Random plies that lead to an opening.
    pub opening_plies: Option<u32>,
    /// A file of openings.
    pub openings: Option<PathBuf>,
    /// The seed of everything drawn.
    pub seed: Option<u64>,
    /// The most a move may take.
    pub move_ms: Option<u64>,
    /// What each seat has for the match.
    pub bank_ms: Option<u64>,
    /// What is added after a move.
    pub increment_ms: Option<u64>,
    /// On top of every limit.
    pub grace_ms: Option<u64>,
    /// Neither limit nor bank.
    pub no_clock: bool,
}

/// A plan, and what the runner needs besides.
#[derive(Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// Its game.
    pub game: Arc<dyn AnyGame>,
    /// What is started for each bot.
    pub programs: Vec<Resolved>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Matches side by side, where the league file says.
    pub jobs: Option<usize>,
    /// The results file, where the league file says.
    pub db: Option<PathBuf>,
}

/// A plan from the command line alone.
///
/// # Errors
/// [`ConfigError`].
pub fn from_args(overrides: &Overrides) -> Result<Prepared, ConfigError> {
    let bots = overrides.bots.iter().map(|text| {
        let written = bots::parse(text).map_err(|problem| ConfigError::Argument(format!("bot `{text}`: {problem}")))?;
        Ok(Named {
            written,
            dir: None,
            env: Default::default(),
        })
    });
    let bots: Vec<Named> = bots.collect::<Result<_, ConfigError>>()?;
    let league = League {
        game: None,
        rotations: None,
        opening_plies: None,
        openings: None,
        seed: None,
        jobs: None,
        db: None,
        time: Default::default(),
        bot: Vec::new(),
    };
    build(league, None, overrides, bots)
}

/// A plan from a league file, with what the command line says going over it.
///
/// # Errors
/// [`ConfigError`].
pub fn from_file(path: &Path, overrides: &Overrides) -> Result<Prepared, ConfigError> {
    let source = Source::read(path)?;
    let mut league = source.league()?;
    let bots = std::mem::take(&mut league.bot);
    let bots = bots.into_iter().map(|bot| {
        let at = |problem: &str| source.at(&bot, problem);
        let inner = bot.get_ref();
        let launch = match (&inner.house, &inner.command) {
            (Some(house), None) => bots::house(house),
            (None, Some(CommandLine::Line(line))) => bots::command(line),
            (None, Some(CommandLine::Words(words))) => bots::words_of_command(words.clone()),
            (None, None) => Err("a bot without `house` or `command`; give one of them".to_owned()),
            (Some(_), Some(_)) => Err("a bot with both `house` and `command`; give one of them".to_owned()),
        };
        let launch = launch.map_err(|problem| at(&problem))?;
        let written = Written {
            name: inner.name.clone(),
            launch,
        };
        Ok(Named {
            written,
            dir: inner.dir.clone(),
            env: inner.env.clone(),
        })
    });
    let bots = bots.collect::<Result<_, ConfigError>>()?;
    build(league, Some(&source), overrides, bots)
}

/// A bot before names are settled.
struct Named {
    written: Written,
    dir: Option<PathBuf>,
    env: std::collections::BTreeMap<String, String>,
}

fn build(
    league: League,
    source: Option<&Source>,
    overrides: &Overrides,
    bots: Vec<Named>,
) -> Result<Prepared, ConfigError> {
    let mut notices = Vec::new();
    let base = source.map_or(Path::new("."), Source::dir);
    let game = game(&league, source, overrides)?;
    notices.extend(game.notices());
    let whole = |message: String| match source {
        Some(source) => source.whole(&message),
        None => ConfigError::Argument(message),
    };
    let bots = settle_names(bots).map_err(whole)?;
    if bots.len() < game.seats() {
        return Err(whole(format!(
            "{} bots for a game of {} seats; at least {} are needed (a bot may be listed twice under two names)",
            bots.len(),
            game.seats(),
            game.seats()
        )));
    }
    let openings = opening_source(&league, source, overrides, &*game, base, &mut notices)?;
    let rotations = overrides
        .rotations
        .or(league.rotations.as_ref().map(|value| *value.get_ref()))
        .unwrap_or(ROTATIONS);
    if rotations == 0 {
        let message = "0 rotations; at least 1 is needed";
        return Err(match (&league.rotations, source) {
            (Some(value), Some(source)) if overrides.rotations.is_none() => source.at(value, message),
            _ => ConfigError::Argument(message.to_owned()),
        });
    }
    if let (Some(jobs), Some(source)) = (&league.jobs, source)
        && *jobs.get_ref() == 0
    {
        return Err(source.at(jobs, "0 jobs; at least 1 is needed"));
    }
    let plan = Plan {
        game: GameChoice {
            name: game.info().name.to_owned(),
            options: game.options().to_texts(),
        },
        format: Format::RoundRobin,
        rotations,
        openings,
        seed: overrides.seed.or(league.seed).unwrap_or(SEED),
        time: time_control(&league, source, overrides)?,
        on_fault: OnFault::Forfeit,
        ponder: Ponder::Allow,
        bots,
    };
    let programs = resolve_all(&plan.bots, base)?;
    notices.extend(equal_programs(&plan.bots, &programs));
    Ok(Prepared {
        plan,
        game,
        programs,
        notices,
        jobs: league.jobs.map(|jobs| usize::from(*jobs.get_ref())),
        db: league.db.map(|db| base.join(db)),
    })
}

fn game(league: &League, source: Option<&Source>, overrides: &Overrides) -> Result<Arc<dyn AnyGame>, ConfigError> {
    match (&overrides.game, &league.game, source) {
        (Some(text), _, _) => open_text(text).map_err(|error| ConfigError::Argument(error.to_string())),
        (None, Some(text), Some(source)) => {
            open_text(text.get_ref()).map_err(|error| source.at(text, &error.to_string()))
        }
        (None, _, Some(source)) => Err(source.whole("`game` is missing; for example game = \"kalah\"")),
        (None, _, None) => Err(ConfigError::Argument(
            "no game; give one with --game, for example --game kalah".to_owned(),
        )),
    }
}

/// Gives every bot a name of its own. Names that were given are kept or refused; derived ones get a number.
fn settle_names(bots: Vec<Named>) -> Result<Vec<BotSpec>, String> {
    let mut taken: HashMap<String, (String, String)> = HashMap::new();
    for bot in &bots {
        let Some(name) = &bot.written.name else { continue };
        let command = bots::shown(&bot.written.launch);
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(format!(
                "the name of bot `{command}` is empty or has characters that do not print"
            ));
        }
        if let Some((other, others)) = taken.insert(bots::looks_like(name), (name.clone(), command.clone())) {
            return Err(format!(
                "two bots look alike by name: `{other}` ({others}) and `{name}` ({command}); rename one"
            ));
        }
    }
    let mut specs = Vec::new();
    for bot in bots {
        let name = bot.written.name.clone().unwrap_or_else(|| {
            let base = bots::derived_name(&bot.written.launch);
            let numbered = (2..).map(|number| format!("{base}-{number}"));
            let free = std::iter::once(base.clone())
                .chain(numbered)
                .find(|name| !taken.contains_key(&bots::looks_like(name)));
            let name = free.expect("numbers do not run out");
            taken.insert(bots::looks_like(&name), (name.clone(), String::new()));
            name
        });
        specs.push(BotSpec {
            name,
            launch: bot.written.launch,
            dir: bot.dir,
            env: bot.env,
        });
    }
    Ok(specs)
}

fn opening_source(
    league: &League,
    source: Option<&Source>,
    overrides: &Overrides,
    game: &dyn AnyGame,
    base: &Path,
    notices: &mut Vec<String>,
) -> Result<OpeningSource, ConfigError> {
    if let Some(path) = &overrides.openings {
        return Ok(OpeningSource::List(openings::read(path, game, notices)?));
    }
    if overrides.opening_plies.is_none()
        && let (Some(path), Some(source)) = (&league.openings, source)
    {
        if league.opening_plies.is_some() {
            return Err(source.at(path, "both `openings` and `opening_plies`; give one of them"));
        }
        return Ok(OpeningSource::List(openings::read(
            &base.join(path.get_ref()),
            game,
            notices,
        )?));
    }
    let plies = overrides
        .opening_plies
        .or(league.opening_plies.as_ref().map(|value| *value.get_ref()));
    let plies = plies.unwrap_or(OPENING_PLIES);
    if plies > OPENING_PLIES_MAX {
        let message = format!("{plies} opening plies; at most {OPENING_PLIES_MAX} are taken");
        return Err(match (&league.opening_plies, source) {
            (Some(value), Some(source)) if overrides.opening_plies.is_none() => source.at(value, &message),
            _ => ConfigError::Argument(message),
        });
    }
    Ok(OpeningSource::RandomPlies(plies))
}

fn time_control(league: &League, source: Option<&Source>, overrides: &Overrides) -> Result<TimeControl, ConfigError> {
    let time = &league.time;
    let default = TimeControl::default();
    // A limit of the command line replaces the file's clock, so that the two are never mixed.
    let from_args = overrides.no_clock || overrides.move_ms.is_some() || overrides.bank_ms.is_some();
    let value = |value: &Option<toml::Spanned<u64>>| value.as_ref().map(|value| *value.get_ref());
    let (moves, bank, increment, clock) = if from_args {
        (
            overrides.move_ms,
            overrides.bank_ms,
            overrides.increment_ms,
            !overrides.no_clock,
        )
    } else {
        (
            value(&time.move_ms),
            value(&time.bank_ms),
            value(&time.increment_ms),
            time.clock.unwrap_or(true),
        )
    };
    for (given, key) in [
        (&time.move_ms, "move_ms"),
        (&time.bank_ms, "bank_ms"),
        (&time.start_ms, "start_ms"),
        (&time.hang_ms, "hang_ms"),
    ] {
        if let (Some(given), Some(source)) = (given, source)
            && *given.get_ref() == 0
        {
            return Err(source.at(given, &format!("`{key}` is 0; at least 1 is needed")));
        }
    }
    if moves == Some(0) || bank == Some(0) {
        return Err(ConfigError::Argument(
            "a limit of 0 ms; at least 1 is needed, or --no-clock for none".to_owned(),
        ));
    }
    if let (Some(given), None, Some(source)) = (&time.increment_ms, &time.bank_ms, source) {
        return Err(source.at(given, "`increment_ms` without `bank_ms`; an increment goes to a bank"));
    }
    if !clock
        && !from_args
        && (moves.is_some() || bank.is_some())
        && let Some(source) = source
    {
        return Err(source.whole("`clock = false` together with `move_ms` or `bank_ms`; give one of them"));
    }
    Ok(TimeControl {
        move_ms_max: moves.or(if clock && bank.is_none() {
            default.move_ms_max
        } else {
            None
        }),
        bank_ms: bank,
        increment_ms: increment.unwrap_or(0),
        grace_ms: overrides.grace_ms.or(value(&time.grace_ms)).unwrap_or(default.grace_ms),
        start_ms_max: value(&time.start_ms).unwrap_or(default.start_ms_max),
        hang_ms_max: value(&time.hang_ms).unwrap_or(default.hang_ms_max),
    })
}

fn resolve_all(bots: &[BotSpec], base: &Path) -> Result<Vec<Resolved>, ConfigError> {
    let resolved = bots.iter().map(|bot| {
        resolve(bot, base).map_err(|problem| ConfigError::Program {
            bot: bot.name.clone(),
            problem,
        })
    });
    resolved.collect()
}

/// Two names for one program are meant sometimes, and a slip at other times.
fn equal_programs(bots: &[BotSpec], programs: &[Resolved]) -> Vec<String> {
    let mut first: HashMap<(&Option<String>, &[String]), &str> = HashMap::new();
    let mut notices = Vec::new();
    for (bot, program) in bots.iter().zip(programs) {
        if program.content.is_none() || !matches!(bot.launch, Launch::Command(_)) {
            continue;
        }
        match first.get(&(&program.content, &program.args[..])) {
            Some(other) => notices.push(format!("bots `{other}` and `{}` are the same program", bot.name)),
            None => {
                first.insert((&program.content, &program.args), &bot.name);
            }
        }
    }
    notices
}
