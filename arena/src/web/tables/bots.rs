//! The bots that can be asked to a table: the house bots, and those of the plans that the page is served for. Each table
//! starts its own processes, by the same programs and in the same sandbox as a tournament.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use mancala_arena_bots::house::HOUSE;

use crate::bot::Program;
use crate::bot::launch::Launcher;
use crate::config::{BotSpec, Launch, Resolved, RunBuild, TimeControl, resolve, resolve_recorded};

/// A bot does not forfeit to a person for a host that is busy with the page.
const GRACE_MS: u64 = 2_000;

/// The bots that can be had, by name.
#[derive(Debug)]
pub struct Bots {
    programs: Vec<Arc<Program>>,
    time: TimeControl,
}

/// A bot of a plan that cannot be had.
#[derive(Debug)]
pub struct Missing {
    /// Its name.
    pub bot: String,
    /// Why.
    pub why: String,
}

impl Bots {
    /// The house bots and those of `plan`, the first of each name, whose commands start from `base`, with those that cannot be found. The
    /// results file is kept from them.
    ///
    /// # Errors
    /// The house bots cannot be started: this program does not find itself.
    pub fn find(
        plan: &[BotSpec],
        base: &Path,
        run_build: RunBuild,
        launcher: &Arc<Launcher>,
        results: Option<&Path>,
    ) -> Result<(Bots, Vec<Missing>), String> {
        let mut found: Vec<(String, Resolved)> = Vec::new();
        for house in HOUSE {
            let name = format!("house:{}", house.name);
            let spec = BotSpec {
                name: name.clone(),
                launch: Launch::House {
                    name: house.name.to_owned(),
                    params: Vec::new(),
                },
                dir: None,
                env: Default::default(),
                on_fault: None,
            };
            found.push((name, resolve(&spec, None, base, run_build)?));
        }
        let mut missing = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for spec in plan {
            let is_new = seen.insert(&spec.name);
            if !is_new || found.iter().any(|(name, _)| *name == spec.name) {
                continue;
            }
            match resolve_recorded(spec, base, run_build) {
                Ok(resolved) => found.push((spec.name.clone(), resolved)),
                Err(why) => missing.push(Missing {
                    bot: spec.name.clone(),
                    why,
                }),
            }
        }
        Ok((Bots::new(Program::all(found, launcher, results)), missing))
    }

    /// These bots; the stand-in of people who are gone should be among them.
    pub fn new(programs: Vec<Arc<Program>>) -> Bots {
        let time = TimeControl {
            grace_ms: GRACE_MS,
            ..TimeControl::default()
        };
        Bots { programs, time }
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.programs.iter().map(|program| program.name.as_str())
    }

    /// The bot of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Program>> {
        self.programs.iter().find(|program| program.name == name)
    }

    /// The clocks that they play under.
    pub fn time(&self) -> TimeControl {
        self.time
    }
}
