//! What a fleet does at the moment, from what its members tell.

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::crew::shown;
use super::server::{Access, ServerError, run_subject, worker_subject};
use super::wire::{RunReport, WorkerReport};
use crate::tournament::live::FleetWorker;

/// Every member has reported within this time.
const LISTENS: Duration = Duration::from_millis(2_500);

/// What is known of a fleet.
#[derive(Debug, Default)]
pub struct Status {
    /// Workers by name, with the plan that each plays.
    pub workers: Vec<(FleetWorker, Option<String>)>,
    /// Leagues that are played, by plan.
    pub runs: Vec<RunReport>,
    /// Plans whose coordinator is not heard of, with the batches that are out.
    pub left: Vec<(String, usize)>,
}

/// Listens to the fleet for a moment.
///
/// # Errors
/// [`ServerError`].
pub fn status(access: &Access) -> Result<Status, ServerError> {
    let unreachable = |problem: String| ServerError::Unreachable {
        url: access.shown(),
        problem,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| unreachable(error.to_string()))?;
    runtime.block_on(async {
        let server = access.connect("arena fleet status").await?;
        let listen = async |subject: String| {
            let subscriber = server.client.subscribe(subject).await;
            subscriber.map_err(|error| unreachable(error.to_string()))
        };
        let mut reports = listen(worker_subject("*")).await?;
        let mut told = listen(run_subject("*")).await?;
        let (mut workers, mut runs) = (BTreeMap::new(), BTreeMap::new());
        let until = Instant::now() + LISTENS;
        loop {
            let heard = async {
                tokio::select! {
                    Some(message) = reports.next() => {
                        if let Ok(report) = serde_json::from_slice::<WorkerReport>(&message.payload) {
                            workers.insert(report.host.worker.clone(), report);
                        }
                    }
                    Some(message) = told.next() => {
                        if let Ok(report) = serde_json::from_slice::<RunReport>(&message.payload) {
                            runs.insert(report.plan.clone(), report);
                        }
                    }
                }
            };
            if timeout_at(until, heard).await.is_err() {
                break;
            }
        }
        let mut left = Vec::new();
        for (plan, _) in server.plans().await.map_err(unreachable)? {
            if !runs.contains_key(&plan) {
                let issues = server.issues(&plan).await.map_err(unreachable)?;
                left.push((plan, issues.len()));
            }
        }
        Ok(Status {
            workers: workers
                .into_values()
                .map(|report| (shown(&report), report.plan))
                .collect(),
            runs: runs.into_values().collect(),
            left,
        })
    })
}
