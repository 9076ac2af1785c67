//! What workers have told of themselves lately.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::wire::WorkerReport;
use crate::tournament::live::FleetWorker;

/// Time limits are multiplied by no more than this, and by no less than its inverse.
pub const FACTOR_MAX: f64 = 4.0;

/// Who has not been heard of for so long is away.
const AWAY: Duration = Duration::from_secs(6);

/// The workers that are heard of.
#[derive(Debug, Default)]
pub struct Crew(BTreeMap<String, (WorkerReport, Instant)>);

impl Crew {
    /// A worker has reported.
    pub fn note(&mut self, report: WorkerReport, now: Instant) {
        self.0.retain(|_, (_, heard)| now - *heard < AWAY);
        self.0.insert(report.host.worker.clone(), (report, now));
    }

    /// Matches side by side that the workers of a plan play.
    pub fn jobs(&self, plan: &str) -> usize {
        let playing = self.0.values().filter(|(report, heard)| {
            report.plan.as_deref() == Some(plan) && report.idle.is_none() && heard.elapsed() < AWAY
        });
        playing.map(|(report, _)| report.jobs).sum()
    }

    /// Why nobody plays.
    pub fn idleness(&self, now: Instant) -> String {
        let heard = self.0.values().filter(|(_, heard)| now - *heard < AWAY);
        let whys: Vec<&str> = heard
            .map(|(report, _)| report.idle.as_deref().unwrap_or("plays another league"))
            .collect();
        let distinct: BTreeSet<&str> = whys.iter().copied().collect();
        match whys.len() {
            0 => "no worker is there; start one with `arena worker`".to_owned(),
            number => {
                let distinct: Vec<&str> = distinct.into_iter().collect();
                format!(
                    "of the workers that are there ({number}) none does: {}",
                    distinct.join("; ")
                )
            }
        }
    }

    /// The workers of a plan, to be shown.
    pub fn of_plan(&self, plan: &str, now: Instant) -> Vec<FleetWorker> {
        let of_plan = self
            .0
            .values()
            .filter(|(report, _)| report.plan.as_deref() == Some(plan));
        of_plan
            .filter(|(_, heard)| now - *heard < AWAY)
            .map(|(report, _)| shown(report))
            .collect()
    }
}

/// A worker as it is shown.
pub fn shown(report: &WorkerReport) -> FleetWorker {
    FleetWorker {
        worker: report.host.worker.clone(),
        host: report.host.name.clone(),
        labels: report.labels.clone(),
        jobs: report.jobs,
        on_board: report.on_board.clone(),
        played: report.played,
        unsent: report.unsent,
        speed: report.host.speed,
        load: report.host.load,
        still_ms: report.still_ms,
        stuck: report.stuck,
        idle: report.idle.clone(),
    }
}
