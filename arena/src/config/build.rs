//! From a league file, the arguments that go over it, and defaults to a plan.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mancala_arena_rules::{AnyGame, open_text};
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::bots::{self, NAME_RULE, Written};
use super::directory::{self, BotDir, RunBuild};
use super::error::ConfigError;
use super::file::{Bot, ClockChoice, CommandLine, League, Source};
use super::format::format;
use super::resolve::{Resolved, resolve, resolve_recorded};
use super::{
    BotSpec, Clock, FormatName, GameChoice, Launch, Limits, OnFault, OpeningSource, Plan, Ponder, Sandbox, TimeControl,
    openings,
};

/// Openings that each group of bots plays.
const ROTATIONS: u64 = 50;

/// Random plies that lead to an opening.
const OPENING_PLIES: u32 = 4;

/// More random plies than this are a slip of the hand.
const OPENING_PLIES_MAX: u32 = 200;

/// The longest limit: a week.
const MS_MAX: u64 = 7 * 24 * 3_600_000;

/// Where processor time is charged, a move may take by the wall so many times its limit, and so much more.
const WALL_FACTOR: u64 = 10;
const WALL_MS_MORE: u64 = 1_000;

/// The seed when none is given.
const SEED: u64 = 1;

/// What the command line says; it goes over the league file.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `NAME[:key=value,...]`.
    pub game: Option<String>,
    /// Bots as on a command line.
    pub bots: Vec<String>,
    /// Who meets whom. With it, what the league file says of its own format goes.
    pub format: Option<FormatName>,
    /// The bots of a gauntlet that every match has one of; none: what the league file says.
    pub against: Vec<String>,
    /// Rounds of a Swiss tournament.
    pub rounds: Option<u64>,
    /// Whether they may be so many that bots meet again.
    pub allow_repeats: bool,
    /// What a ladder is to find out: `best`, `order` or a bot's name.
    pub goal: Option<String>,
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
    /// Whether bots are confined.
    pub sandbox: Option<Sandbox>,
    /// What follows a fault.
    pub on_fault: Option<OnFault>,
    /// What limit and bank are measured in.
    pub clock: Option<Clock>,
    /// Whether bots may think off turn.
    pub ponder: Option<Ponder>,
    /// Whether a person may be among the bots.
    pub people: bool,
    /// As [`TimeControl::reference_speed_milli`].
    pub reference_speed_milli: Option<u64>,
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
    /// What plays on for each bot after a fault, where somebody does.
    pub stand_ins: Vec<Option<Resolved>>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Matches side by side, where the league file says.
    pub jobs: Option<usize>,
    /// The most threads that a bot computes with: cores that a match needs. A setting of the run, as the jobs are: results
    /// are the same wherever there are cores enough.
    pub threads: usize,
    /// The results file, where the league file says.
    pub db: Option<PathBuf>,
    /// Whether bots are confined.
    pub sandbox: Sandbox,
    /// What each bot may use in the sandbox.
    pub limits: Limits,
    /// The matches whose transcript is kept, where the league file says.
    pub transcripts: Option<Transcripts>,
}

/// The matches whose transcript is kept: no part of a plan, as it does not change results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Transcripts {
    /// No match's.
    None,
    /// That of every match with a fault.
    #[default]
    Faults,
    /// Every match's.
    All,
}

/// A plan from the command line alone. Programs that have to be built are, by `run_build`.
///
/// # Errors
/// [`ConfigError`].
pub fn from_args(overrides: &Overrides, run_build: RunBuild) -> Result<Prepared, ConfigError> {
    let bots = overrides.bots.iter().map(|text| {
        Ok(Named {
            written: bots::parse(text)?,
            place: None,
            dir: None,
            env: Default::default(),
            on_fault: None,
        })
    });
    let bots: Vec<Named> = bots.collect::<Result<_, ConfigError>>()?;
    build(League::default(), None, overrides, bots, run_build)
}

/// A plan from a league file, with what the command line says going over it. Programs that have to be built are, by
/// `run_build`.
///
/// # Errors
/// [`ConfigError`].
pub fn from_file(path: &Path, overrides: &Overrides, run_build: RunBuild) -> Result<Prepared, ConfigError> {
    let source = Source::read(path)?;
    let mut league = source.league()?;
    let bots = std::mem::take(&mut league.bot);
    let threads = bots.iter().filter_map(|bot| bot.get_ref().threads.as_ref());
    if let Some(none) = threads.clone().find(|threads| *threads.get_ref() == 0) {
        return Err(source.at(none, "0 threads; at least 1 is needed"));
    }
    let threads = threads.map(|threads| usize::from(*threads.get_ref())).max();
    let bots = bots.into_iter().map(|bot| {
        let inner = bot.get_ref();
        Ok(Named {
            written: written(&bot, &source)?,
            place: Some(Spanned::new(inner.name.as_ref().map_or(bot.span(), Spanned::span), ())),
            dir: inner.dir.clone(),
            env: inner.env.clone(),
            on_fault: on_fault(&inner.on_fault, &source)?,
        })
    });
    let bots = bots.collect::<Result<_, ConfigError>>()?;
    let prepared = build(league, Some(&source), overrides, bots, run_build)?;
    Ok(Prepared {
        threads: threads.unwrap_or(1),
        ..prepared
    })
}

/// A plan that was made elsewhere, and is to be played here. `dirs` is where the bots are that are directories, by their
/// place in the plan. Programs that have to be built are, by `run_build`.
///
/// # Errors
/// [`ConfigError`].
pub fn from_plan(plan: Plan, dirs: &[Option<PathBuf>], run_build: RunBuild) -> Result<Prepared, ConfigError> {
    let game = mancala_arena_rules::open(&plan.game.name, &plan.game.options)
        .map_err(|error| ConfigError::Argument(error.to_string()))?;
    let base = Path::new(".");
    let program = |(bot, dir): (&BotSpec, &Option<PathBuf>)| {
        let here = BotSpec {
            dir: dir.clone(),
            ..bot.clone()
        };
        resolve_recorded(&here, base, run_build).map_err(|problem| ConfigError::Program {
            bot: bot.name.clone(),
            problem,
        })
    };
    let programs = plan.bots.iter().zip(dirs).map(program).collect::<Result<_, _>>()?;
    let stand_ins = plan
        .bots
        .iter()
        .map(|bot| stand_in(bot, &plan.on_fault, base, run_build));
    let stand_ins = stand_ins.collect::<Result<_, _>>()?;
    Ok(Prepared {
        plan,
        game,
        programs,
        stand_ins,
        notices: Vec::new(),
        jobs: None,
        threads: 1,
        db: None,
        sandbox: Sandbox::default(),
        limits: Limits::default(),
        transcripts: None,
    })
}

/// A bot as a league file describes it.
fn written(bot: &Spanned<Bot>, source: &Source) -> Result<Written, ConfigError> {
    let Bot {
        house,
        command,
        path,
        dir,
        ..
    } = bot.get_ref();
    let name = bot.get_ref().name.as_ref().map(|name| name.get_ref().clone());
    let launch = match (house, command, path) {
        (Some(house), None, None) => bots::house(house),
        (None, Some(CommandLine::Line(line)), None) => bots::command(line),
        (None, Some(CommandLine::Words(words)), None) => bots::words_of_command(words.clone()),
        (None, None, Some(path)) => {
            let place = source.dir().join(path.get_ref());
            return match dir {
                Some(_) => Err(source.at(path, "both `path` and `dir`; a bot is started in its own directory")),
                None if directory::is_bot(&place) => {
                    Ok(Written::directory(name, BotDir::read(source.dir(), path.get_ref())?))
                }
                None => Err(source.at(path, &directory::not_a_bot(&place))),
            };
        }
        (None, None, None) => Err("a bot without `house`, `command` or `path`; give one of them".to_owned()),
        _ => Err("a bot with more than one of `house`, `command` and `path`; give one of them".to_owned()),
    };
    Ok(Written {
        name,
        launch: launch.map_err(|problem| source.at(bot, &problem))?,
        directory: None,
    })
}

/// A bot before names are settled.
struct Named {
    written: Written,
    /// Where the league file says its name, or that there is a bot.
    place: Option<Spanned<()>>,
    dir: Option<PathBuf>,
    env: std::collections::BTreeMap<String, String>,
    on_fault: Option<OnFault>,
}

fn build(
    league: League,
    source: Option<&Source>,
    overrides: &Overrides,
    bots: Vec<Named>,
    run_build: RunBuild,
) -> Result<Prepared, ConfigError> {
    let mut notices = Vec::new();
    let base = source.map_or(Path::new("."), Source::dir);
    let game = game(&league, source, overrides)?;
    notices.extend(game.notices());
    let whole = |message: String| match source {
        Some(source) => source.whole(&message),
        None => ConfigError::Argument(message),
    };
    let directories: Vec<Option<BotDir>> = bots.iter().map(|bot| bot.written.directory.clone()).collect();
    let bots = settle_names(bots).map_err(|(place, message)| match (place, source) {
        (Some(place), Some(source)) => source.at(&place, &message),
        _ => ConfigError::Argument(message),
    })?;
    if bots.len() < game.seats() {
        return Err(whole(format!(
            "{} bots for a game of {} seats; at least {} are needed (a bot may be listed twice under two names)",
            bots.len(),
            game.seats(),
            game.seats()
        )));
    }
    let person = bots.iter().find(|bot| bot.launch == Launch::Person);
    if let Some(person) = person.filter(|_| !overrides.people) {
        return Err(whole(format!(
            "bot `{}` is a person; a person plays only in `arena play`",
            person.name
        )));
    }
    let patient = person.is_some();
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
        format: format(&league, source, overrides, &bots, game.seats())?,
        rotations,
        openings,
        seed: overrides.seed.or(league.seed).unwrap_or(SEED),
        time: time_control(&league, source, overrides, patient)?,
        on_fault: match (&overrides.on_fault, source) {
            (Some(on_fault), _) => on_fault.clone(),
            (None, Some(source)) => on_fault(&league.on_fault, source)?.unwrap_or_default(),
            (None, None) => OnFault::default(),
        },
        ponder: overrides.ponder.or(league.ponder).unwrap_or_default(),
        bots,
    };
    let programs = plan.bots.iter().zip(&directories);
    let programs = programs.map(|(bot, directory)| program(bot, directory.as_ref(), base, run_build));
    let programs: Vec<Resolved> = programs.collect::<Result<_, _>>()?;
    let stand_ins = plan
        .bots
        .iter()
        .map(|bot| stand_in(bot, &plan.on_fault, base, run_build));
    let stand_ins = stand_ins.collect::<Result<_, _>>()?;
    notices.extend(equal_programs(&plan.bots, &programs));
    Ok(Prepared {
        plan,
        game,
        programs,
        stand_ins,
        notices,
        jobs: league.jobs.map(|jobs| usize::from(*jobs.get_ref())),
        threads: 1,
        db: league.db.map(|db| base.join(db)),
        sandbox: overrides.sandbox.or(league.sandbox).unwrap_or_default(),
        limits: league.limits,
        transcripts: league.transcripts,
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

/// Gives every bot a name of its own. Names that were given are kept or refused; derived ones get a number. A directory
/// that was copied with the name in it is called what the directory is called.
fn settle_names(bots: Vec<Named>) -> Result<Vec<BotSpec>, (Option<Spanned<()>>, String)> {
    let mut taken: HashMap<String, (String, String)> = HashMap::new();
    for bot in &bots {
        let Some(name) = &bot.written.name else { continue };
        let command = bots::shown(&bot.written.launch);
        if !bots::is_name(name) {
            let message = format!("`{}` is no name for bot `{command}`; {NAME_RULE}", name.escape_debug());
            return Err((bot.place.clone(), message));
        }
        if let Some((other, others)) = taken.insert(bots::looks_like(name), (name.clone(), command.clone())) {
            let message =
                format!("two bots look alike by name: `{other}` ({others}) and `{name}` ({command}); rename one");
            return Err((bot.place.clone(), message));
        }
    }
    // By own name, the directories that have it: the same one twice is no copy.
    let mut called: HashMap<String, HashSet<PathBuf>> = HashMap::new();
    for directory in bots.iter().filter_map(|bot| bot.written.directory.as_ref()) {
        let paths = called.entry(bots::looks_like(&directory.name)).or_default();
        paths.insert(directory.path.clone());
    }
    let mut specs = Vec::new();
    for bot in bots {
        let name = bot.written.name.clone().unwrap_or_else(|| {
            let own_name = bot.written.own_name();
            let copied = bot.written.directory.as_ref();
            let copied = copied.filter(|_| called[&bots::looks_like(&own_name)].len() > 1);
            let base = copied.and_then(BotDir::last_name).unwrap_or(own_name);
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
            dir: bot.written.directory.map(|directory| directory.path).or(bot.dir),
            env: bot.env,
            on_fault: bot.on_fault,
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

/// The clocks. A clock of the command line replaces the file's whole clock, so that the two are never mixed. `patient`:
/// without a limit that is given there is none, as for a person.
fn time_control(
    league: &League,
    source: Option<&Source>,
    overrides: &Overrides,
    patient: bool,
) -> Result<TimeControl, ConfigError> {
    let (time, default) = (&league.time, TimeControl::default());
    let in_file = |value: &Option<Spanned<u64>>| value.as_ref().map(|value| *value.get_ref());
    let least_and_given = [
        ("move_ms", 1, &time.move_ms, overrides.move_ms),
        ("bank_ms", 1, &time.bank_ms, overrides.bank_ms),
        ("increment_ms", 0, &time.increment_ms, overrides.increment_ms),
        ("grace_ms", 0, &time.grace_ms, overrides.grace_ms),
        ("start_ms", 1, &time.start_ms, None),
        ("hang_ms", 1, &time.hang_ms, None),
        ("wall_ms", 1, &time.wall_ms, None),
    ];
    for (key, least, written, argument) in least_and_given {
        let problem = |value: u64, shown: &str| {
            let range = least..=MS_MAX;
            (!range.contains(&value)).then(|| format!("{shown} is {value}; it takes {least} to {MS_MAX} milliseconds"))
        };
        if let (Some(written), Some(source)) = (written, source)
            && let Some(problem) = problem(*written.get_ref(), &format!("`{key}`"))
        {
            return Err(source.at(written, &problem));
        }
        let flag = format!("--{}", key.replace('_', "-"));
        if let Some(problem) = argument.and_then(|value| problem(value, &flag)) {
            return Err(ConfigError::Argument(problem));
        }
    }
    let by_argument = overrides
        .move_ms
        .or(overrides.bank_ms)
        .or(overrides.increment_ms)
        .is_some();
    if overrides.no_clock && by_argument {
        let problem = "--no-clock together with a limit; give one of them";
        return Err(ConfigError::Argument(problem.to_owned()));
    }
    if overrides.increment_ms.is_some() && overrides.bank_ms.is_none() {
        let problem = "--increment-ms without --bank-ms; an increment goes to a bank";
        return Err(ConfigError::Argument(problem.to_owned()));
    }
    if let (Some(increment), None, Some(source)) = (&time.increment_ms, &time.bank_ms, source) {
        return Err(source.at(
            increment,
            "`increment_ms` without `bank_ms`; an increment goes to a bank",
        ));
    }
    let clock_in_file = time.clock.as_ref().map(|clock| *clock.get_ref());
    if let (Some(ClockChoice::Any(false)), Some(limit), Some(source)) =
        (clock_in_file, time.move_ms.as_ref().or(time.bank_ms.as_ref()), source)
    {
        return Err(source.at(limit, "a limit together with `clock = false`; give one of them"));
    }
    let (moves, bank, increment, clock) = if overrides.no_clock || by_argument {
        (
            overrides.move_ms,
            overrides.bank_ms,
            overrides.increment_ms,
            !overrides.no_clock,
        )
    } else {
        let clock = clock_in_file != Some(ClockChoice::Any(false));
        (
            in_file(&time.move_ms),
            in_file(&time.bank_ms),
            in_file(&time.increment_ms),
            clock,
        )
    };
    let move_ms_max = moves.or(default.move_ms_max.filter(|_| clock && bank.is_none() && !patient));
    let measured = match (overrides.clock, clock_in_file) {
        (Some(clock), _) => clock,
        (None, Some(ClockChoice::Of(clock))) if !overrides.no_clock => clock,
        _ => Clock::Wall,
    };
    let wall_ms_max = match (measured, move_ms_max.or(bank)) {
        (Clock::Wall, _) => None,
        (Clock::Cpu, Some(limit)) => Some(in_file(&time.wall_ms).unwrap_or(WALL_FACTOR * limit + WALL_MS_MORE)),
        (Clock::Cpu, None) => {
            let problem = "the clock `cpu` without a limit; give a limit a move, or a bank";
            return Err(ConfigError::Argument(problem.to_owned()));
        }
    };
    if let (Some(wall), Some(source)) = (&time.wall_ms, source)
        && clock_in_file != Some(ClockChoice::Of(Clock::Cpu))
    {
        return Err(source.at(
            wall,
            "`wall_ms` without `clock = \"cpu\"`; it limits what a move takes beside its processor time",
        ));
    }
    Ok(TimeControl {
        move_ms_max,
        bank_ms: bank,
        increment_ms: increment.unwrap_or(0),
        grace_ms: overrides
            .grace_ms
            .or(in_file(&time.grace_ms))
            .unwrap_or(default.grace_ms),
        start_ms_max: in_file(&time.start_ms).unwrap_or(default.start_ms_max),
        hang_ms_max: in_file(&time.hang_ms).unwrap_or(if patient { MS_MAX } else { default.hang_ms_max }),
        clock: measured,
        wall_ms_max,
        reference_speed_milli: overrides.reference_speed_milli,
    })
}

fn on_fault(written: &Option<Spanned<String>>, source: &Source) -> Result<Option<OnFault>, ConfigError> {
    let Some(written) = written else { return Ok(None) };
    let parsed = OnFault::parse(written.get_ref()).map_err(|problem| source.at(written, &problem))?;
    Ok(Some(parsed))
}

/// What plays on for a bot after a fault, where somebody does.
fn stand_in(
    bot: &BotSpec,
    of_all: &OnFault,
    base: &Path,
    run_build: RunBuild,
) -> Result<Option<Resolved>, ConfigError> {
    let OnFault::Substitute { house } = bot.on_fault.as_ref().unwrap_or(of_all) else {
        return Ok(None);
    };
    let spec = BotSpec {
        launch: bots::house(house).map_err(ConfigError::Argument)?,
        dir: None,
        env: Default::default(),
        ..bot.clone()
    };
    program(&spec, None, base, run_build).map(Some)
}

fn program(
    bot: &BotSpec,
    directory: Option<&BotDir>,
    base: &Path,
    run_build: RunBuild,
) -> Result<Resolved, ConfigError> {
    resolve(bot, directory, base, run_build).map_err(|problem| ConfigError::Program {
        bot: bot.name.clone(),
        problem,
    })
}

/// Two names for one program are meant sometimes, and a slip at other times. What a file is called makes no difference:
/// its content does.
fn equal_programs(bots: &[BotSpec], programs: &[Resolved]) -> Vec<String> {
    let mut first: HashMap<_, &str> = HashMap::new();
    let mut notices = Vec::new();
    for (bot, program) in bots.iter().zip(programs) {
        // House bots are told apart by their seeds.
        if !matches!(bot.launch, Launch::Command(_)) {
            continue;
        }
        let Some(identity) = program.identity() else { continue };
        match first.get(&identity) {
            Some(other) => notices.push(format!("bots `{other}` and `{}` are the same program", bot.name)),
            None => {
                first.insert(identity, &bot.name);
            }
        }
    }
    notices
}
