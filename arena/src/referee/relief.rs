//! What follows a fault beside a forfeit: the process is started again, or a house bot plays on.

use std::sync::Arc;

use crate::bot::Program;
use crate::bot::launch::Launcher;
use crate::config::{OnFault, Plan, Resolved};

/// What a bot is granted in each of its matches.
#[derive(Clone, Debug, Default)]
pub enum Relief {
    /// Nothing: a fault is a forfeit.
    #[default]
    None,
    /// A process that fails is started again, so often at most.
    Restarts(u32),
    /// This program plays on.
    Substitute(Arc<Program>),
}

impl Relief {
    /// What the plan grants each of its bots; `stand_ins` by the bots' places.
    pub fn all(plan: &Plan, stand_ins: Vec<Option<Resolved>>, launcher: &Arc<Launcher>) -> Vec<Relief> {
        let bots = plan.bots.iter().zip(stand_ins).enumerate();
        let relief = bots.map(|(id, (bot, stand_in))| {
            let substitute = |resolved| {
                Relief::Substitute(Arc::new(Program {
                    id,
                    name: bot.name.clone(),
                    resolved,
                    launcher: Arc::clone(launcher),
                    hidden: Vec::new(),
                }))
            };
            match bot.on_fault.as_ref().unwrap_or(&plan.on_fault) {
                OnFault::Forfeit => Relief::None,
                OnFault::Restart { times } => Relief::Restarts(*times),
                OnFault::Substitute { .. } => stand_in.map_or(Relief::None, substitute),
            }
        });
        relief.collect()
    }
}
