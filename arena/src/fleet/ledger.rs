//! Which matches are out, under which lease, and how often they have failed: a state machine without I/O.
//!
//! Matches go out as an *issue*, under a number that is never used again; whoever has it delivered holds a *lease* on it,
//! counted from 1. A result is taken from the newest lease of a match's newest issue alone, so that a worker which was
//! given up cannot decide a match that another one is playing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::tournament::{ParkedMatches, Scheduled};

/// The matches that are out.
#[derive(Debug)]
pub struct Ledger {
    issues: BTreeMap<u64, Issue>,
    /// The issue that a match is out under.
    issue_of: HashMap<u64, u64>,
    next_issue: u64,
    /// Of rotations that have failed, how often and why at last.
    failures: HashMap<u64, u64>,
    parked: Vec<ParkedMatches>,
    tries_max: u64,
}

/// Matches that went out together.
#[derive(Debug)]
struct Issue {
    /// Those whose results are not there yet, by id: there may be thousands.
    matches: BTreeMap<u64, Scheduled>,
    /// The newest lease; 0: nobody has begun on it.
    lease: u64,
    /// Who holds that.
    worker: Option<String>,
    /// Who held the one before.
    before: Option<String>,
    /// Whether it was missing from the server when that was looked at last.
    missing: bool,
}

/// Matches that are told by their ids; of more only the number.
const IDS_TOLD: usize = 8;

/// What is to be done with a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judged {
    /// It counts.
    Counts,
    /// Its lease has run out, and another is held.
    Stale {
        /// The newer lease.
        lease: u64,
        /// Who holds it.
        worker: Option<String>,
    },
    /// The match went out again under another issue.
    Reissued,
    /// The match is not out: it is stored already, or has never been sent out by this ledger.
    NotOut,
}

/// What follows a failure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Failed {
    /// To be sent out again, rotation by rotation.
    pub again: Vec<Vec<Scheduled>>,
    /// Given up.
    pub parked: Vec<ParkedMatches>,
}

impl Ledger {
    /// Nothing is out. Issues are numbered from `first_issue`; a rotation is given up after `tries_max` failures.
    pub fn new(first_issue: u64, tries_max: u64) -> Ledger {
        Ledger {
            issues: BTreeMap::new(),
            issue_of: HashMap::new(),
            next_issue: first_issue,
            failures: HashMap::new(),
            parked: Vec::new(),
            tries_max,
        }
    }

    /// The number of the issue that goes out next.
    pub fn next_issue(&self) -> u64 {
        self.next_issue
    }

    /// How many matches are out.
    pub fn matches_out(&self) -> usize {
        self.issue_of.len()
    }

    /// How many of them a worker has begun on.
    pub fn matches_claimed(&self) -> usize {
        let claimed = self.issues.values().filter(|issue| issue.lease > 0);
        claimed.map(|issue| issue.matches.len()).sum()
    }

    /// Whether the match is out.
    pub fn is_out(&self, r#match: u64) -> bool {
        self.issue_of.contains_key(&r#match)
    }

    /// What the match is, while it is out.
    pub fn scheduled(&self, r#match: u64) -> Option<&Scheduled> {
        let issue = &self.issues[self.issue_of.get(&r#match)?];
        issue.matches.get(&r#match)
    }

    /// What was given up.
    pub fn parked(&self) -> &[ParkedMatches] {
        &self.parked
    }

    /// Matches go out; gives the number of their issue.
    pub fn issue(&mut self, matches: Vec<Scheduled>) -> u64 {
        let issue = self.next_issue;
        self.adopt(issue, matches);
        issue
    }

    /// Matches are out already under this number.
    pub fn adopt(&mut self, issue: u64, matches: Vec<Scheduled>) {
        self.next_issue = self.next_issue.max(issue + 1);
        for scheduled in &matches {
            self.issue_of.insert(scheduled.id.0, issue);
        }
        let issued = Issue {
            matches: matches
                .into_iter()
                .map(|scheduled| (scheduled.id.0, scheduled))
                .collect(),
            lease: 0,
            worker: None,
            before: None,
            missing: false,
        };
        self.issues.insert(issue, issued);
    }

    /// A worker has begun under this lease.
    pub fn claim(&mut self, issue: u64, lease: u64, worker: &str) {
        if let Some(issued) = self.issues.get_mut(&issue)
            && lease > issued.lease
        {
            issued.lease = lease;
            issued.before = issued.worker.replace(worker.to_owned());
        }
    }

    /// Who held the lease before the newest of an issue.
    pub fn held_before(&self, issue: u64) -> Option<&str> {
        self.issues.get(&issue)?.before.as_deref()
    }

    /// What is to be done with a result that was made under this lease.
    pub fn judge(&self, r#match: u64, issue: u64, lease: u64) -> Judged {
        match self.issue_of.get(&r#match) {
            None => Judged::NotOut,
            Some(current) if *current != issue => Judged::Reissued,
            Some(current) => {
                let issued = &self.issues[current];
                if lease < issued.lease {
                    Judged::Stale {
                        lease: issued.lease,
                        worker: issued.worker.clone(),
                    }
                } else {
                    Judged::Counts
                }
            }
        }
    }

    /// The result of a match is there.
    pub fn settle(&mut self, r#match: u64) {
        let Some(issue) = self.issue_of.remove(&r#match) else {
            return;
        };
        let issued = self.issues.get_mut(&issue).expect("a match is out under an issue");
        issued.matches.remove(&r#match);
        issued.missing = false;
        if issued.matches.is_empty() {
            self.issues.remove(&issue);
        }
    }

    /// The rest of an issue has come to nothing. Only the rotations of the matches that were on the board count as tried;
    /// where that is not known, the rotation of an issue that has only one. `None`: nobody waits for it under that lease.
    pub fn fail(&mut self, issue: u64, lease: u64, on_board: &[u64], tries: u64, cause: &str) -> Option<Failed> {
        let rotations = self.take(issue, lease)?;
        let alone = rotations.len() == 1;
        let mut failed = Failed::default();
        for (rotation, matches) in rotations {
            let suspect = matches.iter().any(|scheduled| on_board.contains(&scheduled.id.0));
            if !(suspect || on_board.is_empty() && alone) {
                failed.again.push(matches);
                continue;
            }
            let count = self.failures.entry(rotation).or_insert(0);
            *count += tries;
            if *count < self.tries_max {
                failed.again.push(matches);
                continue;
            }
            let parked = parked(&matches, *count, cause);
            self.parked.push(parked.clone());
            failed.parked.push(parked);
        }
        Some(failed)
    }

    /// A worker leaves; the rest of the issue is to be sent out again. As [`Ledger::fail`], and nobody is to blame.
    pub fn give_back(&mut self, issue: u64, lease: u64) -> Option<Vec<Vec<Scheduled>>> {
        let rotations = self.take(issue, lease)?;
        Some(rotations.into_values().collect())
    }

    /// Gives up what is out with one of these bots in it; says which issues that were.
    pub fn park_bots(&mut self, bots: &[usize], cause: &str) -> Vec<u64> {
        let with = |issue: &Issue| {
            let mut seats = issue.matches.values().flat_map(|scheduled| &scheduled.bots);
            seats.any(|bot| bots.contains(bot))
        };
        let issues: Vec<u64> = self
            .issues
            .iter()
            .filter(|(_, issue)| with(issue))
            .map(|(number, _)| *number)
            .collect();
        for issue in &issues {
            let lease = self.issues[issue].lease;
            for matches in self
                .take(*issue, lease)
                .into_iter()
                .flatten()
                .map(|(_, matches)| matches)
            {
                self.park(&matches, cause);
            }
        }
        issues
    }

    /// Gives matches up that are not out and were not tried. There may be many of them with one cause.
    pub fn park(&mut self, matches: &[Scheduled], cause: &str) {
        let new = parked(matches, 0, cause);
        match self
            .parked
            .iter_mut()
            .find(|known| known.tries == 0 && known.cause == cause)
        {
            Some(known) => {
                known.count += new.count;
                known.first.extend(new.first);
                known.first.truncate(IDS_TOLD);
            }
            None => self.parked.push(new),
        }
    }

    /// Compares with the issues that the server has. One that it did not have twice in a row, without a result meanwhile, is
    /// lost, and what is left of it is to be sent out again. An issue is missing for a while when a worker has finished it
    /// and its results are on their way, so this is only to be asked when none are. Those from `before` on were sent out
    /// after the server was asked.
    pub fn lost(&mut self, present: &BTreeSet<u64>, before: u64) -> Vec<Vec<Scheduled>> {
        let mut lost = Vec::new();
        for (number, issue) in self.issues.range_mut(..before) {
            if present.contains(number) {
                issue.missing = false;
            } else if !std::mem::replace(&mut issue.missing, true) {
                continue;
            } else {
                lost.push((*number, issue.lease));
            }
        }
        let rotations = lost.into_iter().filter_map(|(issue, lease)| self.take(issue, lease));
        let rotations: Vec<_> = rotations.collect();
        rotations.into_iter().flat_map(BTreeMap::into_values).collect()
    }

    /// Takes an issue back, by rotations, unless a newer lease than this is held.
    fn take(&mut self, issue: u64, lease: u64) -> Option<BTreeMap<u64, Vec<Scheduled>>> {
        if lease < self.issues.get(&issue)?.lease {
            return None;
        }
        let mut rotations: BTreeMap<u64, Vec<Scheduled>> = BTreeMap::new();
        for scheduled in self.issues.remove(&issue)?.matches.into_values() {
            self.issue_of.remove(&scheduled.id.0);
            rotations.entry(scheduled.rotation).or_default().push(scheduled);
        }
        Some(rotations)
    }
}

fn parked(matches: &[Scheduled], tries: u64, cause: &str) -> ParkedMatches {
    let ids = matches.iter().map(|scheduled| scheduled.id.0);
    ParkedMatches {
        count: matches.len() as u64,
        first: ids.take(IDS_TOLD).collect(),
        tries,
        cause: cause.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::MatchId;

    /// The two matches of each of these rotations.
    fn rotations(numbers: &[u64]) -> Vec<Scheduled> {
        let ids = numbers.iter().flat_map(|rotation| [2 * rotation, 2 * rotation + 1]);
        ids.map(|id| Scheduled {
            id: MatchId(id),
            rotation: id / 2,
            bots: vec![(id % 2) as usize, (1 - id % 2) as usize],
            opening: id / 2,
            seed: id,
        })
        .collect()
    }

    fn ids(matches: &[Vec<Scheduled>]) -> Vec<Vec<u64>> {
        let ids = |matches: &Vec<Scheduled>| matches.iter().map(|scheduled| scheduled.id.0).collect();
        matches.iter().map(ids).collect()
    }

    #[test]
    fn who_held_the_lease_before_is_known() {
        let mut ledger = Ledger::new(100, 3);
        let issue = ledger.issue(rotations(&[0]));
        assert_eq!(ledger.held_before(issue), None);
        ledger.claim(issue, 1, "one");
        assert_eq!(ledger.held_before(issue), None);
        ledger.claim(issue, 2, "two");
        // Heard twice.
        ledger.claim(issue, 2, "two");
        assert_eq!(ledger.held_before(issue), Some("one"));
    }

    #[test]
    fn a_result_of_the_newest_lease_counts_and_only_that() {
        let mut ledger = Ledger::new(100, 3);
        let issue = ledger.issue(rotations(&[0]));
        assert_eq!(ledger.judge(0, issue, 1), Judged::Counts);
        ledger.claim(issue, 1, "a");
        assert_eq!(ledger.judge(0, issue, 1), Judged::Counts);
        ledger.claim(issue, 2, "b");
        // A claim that comes late changes nothing.
        ledger.claim(issue, 1, "a");
        let stale = Judged::Stale {
            lease: 2,
            worker: Some("b".to_owned()),
        };
        assert_eq!(ledger.judge(0, issue, 1), stale);
        assert_eq!(ledger.judge(0, issue, 2), Judged::Counts);
        ledger.settle(0);
        assert_eq!(ledger.judge(0, issue, 2), Judged::NotOut);
        assert_eq!((ledger.matches_out(), ledger.matches_claimed()), (1, 1));
        ledger.settle(1);
        assert_eq!((ledger.matches_out(), ledger.matches_claimed()), (0, 0));
        ledger.settle(1);
    }

    #[test]
    fn a_failure_is_laid_at_the_rotations_that_were_on_the_board() {
        let mut ledger = Ledger::new(1, 2);
        let issue = ledger.issue(rotations(&[0, 1, 2]));
        ledger.claim(issue, 1, "a");
        let failed = ledger.fail(issue, 1, &[3], 1, "killed").expect("it is out");
        assert_eq!(ids(&failed.again), [[0, 1], [2, 3], [4, 5]]);
        assert_eq!(failed.parked, []);
        let again: Vec<u64> = failed.again.into_iter().map(|matches| ledger.issue(matches)).collect();
        assert_eq!(ledger.judge(2, issue, 1), Judged::Reissued);
        assert_eq!(
            ledger.fail(issue, 1, &[3], 1, "again"),
            None,
            "nobody waits for it any more"
        );
        // Alone it need not be said what was on the board.
        let failed = ledger.fail(again[1], 1, &[], 1, "killed again").expect("it is out");
        let expected = ParkedMatches {
            count: 2,
            first: vec![2, 3],
            tries: 2,
            cause: "killed again".to_owned(),
        };
        assert_eq!((failed.again, failed.parked), (vec![], vec![expected.clone()]));
        assert_eq!(ledger.parked(), [expected]);
        assert!(!ledger.is_out(2) && ledger.is_out(0));
    }

    #[test]
    fn of_many_rotations_none_is_blamed_where_nobody_knows_which_it_was() {
        let mut ledger = Ledger::new(1, 1);
        let issue = ledger.issue(rotations(&[0, 1]));
        let failed = ledger.fail(issue, 1, &[], 5, "lost").expect("it is out");
        assert_eq!(ids(&failed.again), [[0, 1], [2, 3]]);
        assert_eq!(failed.parked, []);
    }

    #[test]
    fn what_a_worker_gives_back_under_an_old_lease_stays_with_the_new_one() {
        let mut ledger = Ledger::new(1, 3);
        let issue = ledger.issue(rotations(&[0]));
        ledger.claim(issue, 2, "b");
        assert_eq!(ledger.give_back(issue, 1), None);
        assert_eq!(
            ledger.give_back(issue, 2).map(|again| ids(&again)),
            Some(vec![vec![0, 1]])
        );
    }

    #[test]
    fn an_issue_is_lost_when_it_is_missing_twice_without_a_result_between() {
        let mut ledger = Ledger::new(7, 3);
        let (one, two) = (ledger.issue(rotations(&[0])), ledger.issue(rotations(&[1])));
        assert_eq!((one, two), (7, 8));
        let present = BTreeSet::from([two]);
        assert!(ledger.lost(&present, u64::MAX).is_empty());
        ledger.settle(0);
        assert!(
            ledger.lost(&present, u64::MAX).is_empty(),
            "a result has come meanwhile"
        );
        assert_eq!(ids(&ledger.lost(&present, u64::MAX)), [[1]]);
        assert!(ledger.lost(&present, u64::MAX).is_empty(), "it is not out any more");
        assert!(ledger.is_out(2));
    }

    #[test]
    fn an_adopted_issue_is_numbered_over() {
        let mut ledger = Ledger::new(5, 3);
        ledger.adopt(9, rotations(&[0]));
        assert_eq!(ledger.issue(rotations(&[1])), 10);
        assert_eq!(ledger.judge(0, 9, 1), Judged::Counts);
    }

    #[test]
    fn the_matches_of_a_bot_are_parked_wherever_they_are() {
        let mut ledger = Ledger::new(1, 3);
        let mut others = rotations(&[6]);
        others.iter_mut().for_each(|scheduled| scheduled.bots = vec![2, 3]);
        let (with, without) = (ledger.issue(rotations(&[0, 1])), ledger.issue(others));
        assert_eq!(ledger.park_bots(&[1], "no start"), [with]);
        ledger.park(&rotations(&[2, 3, 4]), "no start");
        let [parked] = ledger.parked() else {
            panic!("one cause: {:?}", ledger.parked())
        };
        assert_eq!((parked.count, parked.first.len()), (10, IDS_TOLD));
        assert_eq!(
            parked.to_string(),
            "matches 0, 1, 2, 3, 4, 5, 6, 7 and 2 more: no start"
        );
        assert_eq!(ledger.judge(12, without, 1), Judged::Counts);
    }
}
