//! What the commands that read a results file share: which file, which plan of it.

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::record::Record;
use crate::store::{Store, StoredPlan};

/// Which results to read
#[derive(clap::Args)]
pub struct Results {
    /// The results file
    #[arg(long, value_name = "FILE", default_value = "arena.db")]
    pub db: PathBuf,
    /// Only this plan of the file (its id, or how it begins)
    #[arg(long, value_name = "ID")]
    pub plan: Option<String>,
}

impl Results {
    /// Opens the file to read.
    pub fn open(&self) -> anyhow::Result<Store> {
        Ok(Store::open(&self.db)?)
    }

    /// Opens the file to read what is there of it, also where its end is missing.
    pub fn open_damaged(&self) -> anyhow::Result<Store> {
        Ok(Store::open_damaged(&self.db)?)
    }

    /// The plans that are meant: the one that `--plan` names, or all.
    pub fn plans(&self, store: &Store) -> anyhow::Result<Vec<StoredPlan>> {
        let plans = store.plans()?;
        match &self.plan {
            Some(start) => Ok(vec![one(plans, start)?]),
            None => Ok(plans),
        }
    }

    /// The one plan that is meant: the one that `--plan` names, or the only one in the file.
    pub fn plan(&self, store: &Store) -> anyhow::Result<StoredPlan> {
        one(store.plans()?, self.plan.as_deref().unwrap_or(""))
    }
}

impl Results {
    /// The match that `id` names, its number or PLAN/MATCH, with the file and the plan that it is of.
    pub fn record(&self, id: &str) -> anyhow::Result<(Store, StoredPlan, Record)> {
        let (plan, number) = match id.rsplit_once('/') {
            Some((plan, number)) => (Some(plan.to_owned()), number),
            None => (self.plan.clone(), id),
        };
        let number: u64 = number
            .parse()
            .ok()
            .with_context(|| format!("`{id}` is not a match; expected its number, or PLAN/MATCH"))?;
        let store = self.open()?;
        let plan = one(store.plans()?, plan.as_deref().unwrap_or(""))?;
        let Some(record) = store.record(&plan.id, number)? else {
            bail!(
                "match {number} of plan `{}` is not stored; {} of its matches are: `arena matches` lists them",
                plan.id,
                plan.matches
            );
        };
        Ok((store, plan, record))
    }
}

/// The seat of the bot called `name`.
pub fn seat_of(record: &Record, name: &str) -> anyhow::Result<usize> {
    let seat = record.seats.iter().position(|seat| seat.name == name);
    seat.with_context(|| {
        let names: Vec<String> = record.seats.iter().map(|seat| format!("`{}`", seat.name)).collect();
        format!(
            "no bot `{name}` in match {}; its bots: {}",
            record.r#match,
            names.join(", ")
        )
    })
}

/// The only plan whose id begins with `start`.
fn one(plans: Vec<StoredPlan>, start: &str) -> anyhow::Result<StoredPlan> {
    let shown = |plan: &StoredPlan| {
        let bots: Vec<&str> = plan.plan.bots.iter().map(|bot| bot.name.as_str()).collect();
        format!(
            "\n  {}  {} matches of {}: {}",
            plan.id,
            plan.matches,
            plan.plan.game.name,
            bots.join(", ")
        )
    };
    let ids: Vec<String> = plans.iter().map(shown).collect();
    let mut fitting = plans.into_iter().filter(|plan| plan.id.starts_with(start));
    match (fitting.next(), fitting.next()) {
        (Some(plan), None) => Ok(plan),
        (None, _) if ids.is_empty() => bail!("the file has no plan: nothing has been played"),
        (None, _) => bail!("no plan `{start}`; plans in the file:{}", ids.concat()),
        (Some(_), Some(_)) => bail!("several plans in the file; choose one with --plan ID:{}", ids.concat()),
    }
}

/// `text` on one line, control characters escaped: what a bot wrote must not reach a terminal raw.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[31m\r\nb\u{9b}2Jé"), "a\\u{1b}[31m\\r\\nb\\u{9b}2Jé");
    }
}
