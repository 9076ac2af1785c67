//! From a results file to a report on one of its plans: reads all that a [`Report`] tells.

use crate::rating::{CrossTable, Standings, head_to_head};
use crate::report::survey::{Seen, Survey};
use crate::report::{Film, Films, Report};
use crate::store::{Store, StoreError, StoredPlan, StoredRun};

/// Matches with a fault that are replayed.
const FAULTY_FILMS: usize = 100;

/// What a report tells, read from the file.
#[derive(Debug)]
pub struct Gathered {
    plan: StoredPlan,
    runs: Vec<StoredRun>,
    standings: Standings,
    scores: CrossTable,
    survey: Survey,
    films: Films,
}

impl Gathered {
    /// Reads what there is of `plan`. With `replays`, that many matches can be replayed, spread evenly over all, and those
    /// with a fault (at most 100).
    ///
    /// # Errors
    /// [`StoreError`] when the file cannot be read.
    pub fn of(store: &Store, plan: StoredPlan, replays: Option<u64>) -> Result<Gathered, StoreError> {
        let names: Vec<String> = plan.bots.iter().map(|bot| bot.name.clone()).collect();
        let mut survey = Survey::new(names.len(), plan.matches, replays.unwrap_or(0));
        store.timed_matches::<StoreError>(&plan.id, |timed| {
            survey.add(&Seen {
                score: &timed.score,
                faults: timed.faults,
                elapsed_us: timed.elapsed_us,
                seats: &timed.seats,
                ply_us: &timed.ply_us,
            });
            Ok(())
        })?;
        store.faults::<StoreError>(&plan.id, |number, bot, fault| {
            survey.add_fault(number, bot, fault);
            Ok(())
        })?;
        let mut standings = Standings::of(&names, &survey.tally, None, None);
        standings.voids = store.voids(&plan.id)?;
        standings.adaptive = plan.plan.format.hangs_on_results();
        let films = match replays {
            Some(_) => films(store, &plan, &survey)?,
            None => Films::default(),
        };
        Ok(Gathered {
            runs: store.runs(&plan.id)?,
            scores: head_to_head(&survey.tally),
            standings,
            survey,
            films,
            plan,
        })
    }

    /// The report.
    pub fn report(&self) -> Report<'_> {
        Report {
            plan: &self.plan,
            runs: &self.runs,
            standings: &self.standings,
            scores: &self.scores,
            survey: &self.survey,
            films: &self.films,
        }
    }
}

/// The matches to be replayed. One that does not follow the rules (the file is damaged, or of another version of the game)
/// is left out, as `arena verify` tells.
fn films(store: &Store, plan: &StoredPlan, survey: &Survey) -> Result<Films, StoreError> {
    let mut films = Films::default();
    let (faulty, sample) = survey.replayed(FAULTY_FILMS);
    for number in faulty.into_iter().chain(sample) {
        if let Some(record) = store.record(&plan.id, number)?
            && let Ok(film) = Film::of(&record)
        {
            films.push(number, &film);
        }
    }
    Ok(films)
}
