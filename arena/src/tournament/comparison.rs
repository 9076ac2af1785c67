//! Whether one bot is better than another: counts the matches of a plan of two bots, pair by pair, and says when that is
//! decided.
//!
//! Pairs count in the order of the schedule, whatever the order in which their matches end: short matches, which end
//! first, need not go as long ones do, and a test that saw them first would stop on that. What is played beyond the pair
//! that decides is stored and does not count.

use std::collections::{BTreeMap, HashSet};

use crate::record::MatchScore;
use crate::stats::{AnytimeInterval, CONFIDENCE, Counts, Pairs, Scored, Sprt, Verdict};

/// When a comparison ends, and how it is judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Rule {
    /// A sequential test between two hypotheses.
    Sprt(Sprt),
    /// As soon as an interval that may be looked at after every pair leaves out equality.
    Anytime,
    /// After the last pair of the schedule, by an interval for a number of matches fixed beforehand.
    Fixed,
}

/// What has come out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The first bot is better.
    Better,
    /// It is not, as far as the rule asks.
    NotBetter,
    /// All pairs are played, and the rule leaves it open.
    Undecided,
}

/// The matches of two bots, counted up to the pair that decides.
#[derive(Clone, Debug)]
pub struct Comparison {
    rule: Rule,
    /// Pairs of the schedule.
    pairs_max: u64,
    /// Matches that were taken, whether they count or not.
    taken: u64,
    /// The next pair that counts.
    next: u64,
    /// Matches of pairs that do not count yet: what the first bot scored.
    waiting: BTreeMap<u64, Vec<Counted>>,
    pairs: Pairs,
    anytime: AnytimeInterval,
    forfeits: [u64; 2],
    seats: [u64; 2],
    distinct: HashSet<[u64; 2]>,
    answer: Option<Answer>,
}

/// What is needed of a match until its pair counts.
#[derive(Clone, Debug)]
struct Counted {
    scored: Scored,
    first_seat: bool,
    fingerprint: u64,
    /// By bot.
    forfeits: [bool; 2],
}

impl Comparison {
    /// Of the bots 0 and 1 of a plan with so many pairs.
    pub fn new(rule: Rule, pairs_max: u64) -> Comparison {
        Comparison {
            rule,
            pairs_max,
            taken: 0,
            next: 0,
            waiting: BTreeMap::new(),
            pairs: Pairs::default(),
            anytime: AnytimeInterval::new(CONFIDENCE),
            forfeits: [0; 2],
            seats: [0; 2],
            distinct: HashSet::new(),
            answer: None,
        }
    }

    /// Takes a match that has been stored; each once, in any order.
    pub fn add(&mut self, score: &MatchScore) {
        self.taken += 1;
        if self.answer.is_some() || score.rotation < self.next {
            return;
        }
        let seat = usize::from(score.bots[0] != 0);
        let scored = match score.places[seat].cmp(&score.places[1 - seat]) {
            std::cmp::Ordering::Less => Scored::Win,
            std::cmp::Ordering::Equal => Scored::Draw,
            std::cmp::Ordering::Greater => Scored::Loss,
        };
        let counted = Counted {
            scored,
            first_seat: seat == 0,
            fingerprint: score.fingerprint,
            forfeits: [score.forfeits[seat], score.forfeits[1 - seat]],
        };
        self.waiting.entry(score.rotation).or_default().push(counted);
        while self.answer.is_none()
            && let Some(pair) = self.waiting.remove(&self.next)
        {
            let [one, other] = &pair[..] else {
                self.waiting.insert(self.next, pair);
                return;
            };
            self.count(one, other);
        }
    }

    fn count(&mut self, one: &Counted, other: &Counted) {
        self.next += 1;
        self.pairs.add(one.scored, other.scored);
        let halves = |counted: &Counted| match counted.scored {
            Scored::Loss => 0,
            Scored::Draw => 1,
            Scored::Win => 2,
        };
        self.anytime.add(f64::from(halves(one) + halves(other)) / 4.0);
        for counted in [one, other] {
            for (sum, forfeit) in self.forfeits.iter_mut().zip(counted.forfeits) {
                *sum += u64::from(forfeit);
            }
            self.seats[usize::from(!counted.first_seat)] += halves(counted) as u64;
        }
        let (first, second) = if one.first_seat { (one, other) } else { (other, one) };
        self.distinct.insert([first.fingerprint, second.fingerprint]);
        self.answer = self.judge();
    }

    fn judge(&self) -> Option<Answer> {
        let last = self.next == self.pairs_max;
        let end = |answer| last.then_some(answer);
        match self.rule {
            Rule::Sprt(sprt) => match sprt.decide(&self.counts()) {
                Verdict::AcceptH1 => Some(Answer::Better),
                Verdict::AcceptH0 => Some(Answer::NotBetter),
                Verdict::GoOn => end(Answer::Undecided),
            },
            Rule::Anytime => match self.anytime.interval() {
                (low, _) if low > 0.5 => Some(Answer::Better),
                (_, high) if high < 0.5 => Some(Answer::NotBetter),
                _ => end(Answer::Undecided),
            },
            Rule::Fixed => match self.counts().interval(CONFIDENCE) {
                Some(interval) if interval.low > 0.5 => end(Answer::Better),
                Some(interval) if interval.high < 0.5 => end(Answer::NotBetter),
                _ => end(Answer::Undecided),
            },
        }
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// What has come out; absent while it goes on.
    pub fn answer(&self) -> Option<Answer> {
        self.answer
    }

    /// Pairs of the schedule.
    pub fn pairs_max(&self) -> u64 {
        self.pairs_max
    }

    /// The pairs that count so far, as the first bot scored in them.
    pub fn pairs(&self) -> &Pairs {
        &self.pairs
    }

    /// Matches that were played and do not count: of pairs beyond the one that decides, or not complete.
    pub fn matches_beyond(&self) -> u64 {
        self.taken - 2 * self.next
    }

    /// The same by score.
    pub fn counts(&self) -> Counts {
        self.pairs.counts()
    }

    /// The interval for the mean score that may be looked at any time.
    pub fn anytime(&self) -> &AnytimeInterval {
        &self.anytime
    }

    /// By bot: matches among those that count which it lost by a fault.
    pub fn forfeits(&self) -> [u64; 2] {
        self.forfeits
    }

    /// Pairs among those that count which are no copy of another, move by move.
    pub fn distinct(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// What the first bot scored in the first seat and in the second, as a share of what it could; absent without any pair.
    pub fn seat_shares(&self) -> Option<[f64; 2]> {
        (self.next > 0).then(|| self.seats.map(|halves| halves as f64 / 2.0 / self.next as f64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::End;
    use crate::stats::Model;

    /// A match of `rotation` in which bot 0 sat in `seat` and won, tied or lost.
    fn played(rotation: u64, seat: usize, scored: Scored) -> MatchScore {
        let mut places = match scored {
            Scored::Win => [1, 2],
            Scored::Draw => [1, 1],
            Scored::Loss => [2, 1],
        };
        let mut bots = [0, 1];
        if seat == 1 {
            places.reverse();
            bots.reverse();
        }
        MatchScore {
            r#match: 2 * rotation + seat as u64,
            rotation,
            bots: bots.to_vec(),
            places: places.to_vec(),
            points: vec![0; 2],
            forfeits: vec![false; 2],
            end: End::Rules,
            plies: 10,
            moves: vec![5; 2],
            time_us: vec![5_000; 2],
            fingerprint: rotation,
        }
    }

    fn sprt() -> Rule {
        Rule::Sprt(Sprt::new(0.0, 20.0, 0.05, 0.05, Model::Normalized).expect("these are sensible"))
    }

    /// All results of a schedule, `results` being those of bot 0, two for each pair.
    fn schedule(results: &[(Scored, Scored)]) -> Vec<MatchScore> {
        let pairs = results.iter().zip(0..);
        pairs
            .flat_map(|(&(one, other), rotation)| [played(rotation, 0, one), played(rotation, 1, other)])
            .collect()
    }

    fn scored() -> impl Strategy<Value = Scored> {
        prop_oneof![Just(Scored::Win), Just(Scored::Draw), Just(Scored::Loss)]
    }

    proptest! {
        #[test]
        fn the_answer_does_not_hang_on_which_match_ends_first(
            results in prop::collection::vec((scored(), scored()), 1..300),
            seed in any::<u64>(),
            rule in prop_oneof![Just(sprt()), Just(Rule::Anytime), Just(Rule::Fixed)],
        ) {
            let in_order = schedule(&results);
            let mut shuffled = in_order.clone();
            shuffled.sort_by_key(|score| (score.r#match + 1).wrapping_mul(seed | 1).rotate_left(17));
            let outcome = |scores: &[MatchScore]| {
                let mut comparison = Comparison::new(rule, results.len() as u64);
                scores.iter().for_each(|score| comparison.add(score));
                (comparison.answer(), *comparison.pairs())
            };
            let expected = outcome(&in_order);
            prop_assert!(expected.0.is_some());
            prop_assert_eq!(outcome(&shuffled), expected);
        }
    }

    #[test]
    fn a_pair_counts_only_when_all_before_it_are_there() {
        let mut comparison = Comparison::new(sprt(), 100);
        comparison.add(&played(1, 0, Scored::Win));
        comparison.add(&played(1, 1, Scored::Win));
        comparison.add(&played(0, 1, Scored::Loss));
        assert_eq!(comparison.counts().total(), 0);
        comparison.add(&played(0, 0, Scored::Draw));
        assert_eq!((comparison.pairs().ld, comparison.pairs().ww), (1, 1));
    }

    #[test]
    fn winning_everything_is_better_and_losing_everything_is_not() {
        for (scored, answer) in [(Scored::Win, Answer::Better), (Scored::Loss, Answer::NotBetter)] {
            for rule in [sprt(), Rule::Anytime, Rule::Fixed] {
                let mut comparison = Comparison::new(rule, 400);
                for score in schedule(&[(scored, scored); 400]) {
                    comparison.add(&score);
                }
                assert_eq!(comparison.answer(), Some(answer), "{rule:?} {scored:?}");
            }
        }
    }

    #[test]
    fn equals_are_not_better_and_without_a_test_undecided() {
        let pairs = [(Scored::Win, Scored::Loss), (Scored::Loss, Scored::Win)].repeat(2_000);
        for (rule, answer) in [
            (sprt(), Answer::NotBetter),
            (Rule::Anytime, Answer::Undecided),
            (Rule::Fixed, Answer::Undecided),
        ] {
            let mut comparison = Comparison::new(rule, pairs.len() as u64);
            schedule(&pairs).iter().for_each(|score| comparison.add(score));
            assert_eq!(comparison.answer(), Some(answer), "{rule:?}");
        }
    }

    #[test]
    fn what_the_seats_are_worth_is_kept_apart() {
        let mut comparison = Comparison::new(Rule::Anytime, 10);
        assert_eq!(comparison.seat_shares(), None);
        for score in schedule(&[(Scored::Win, Scored::Loss), (Scored::Draw, Scored::Loss)]) {
            comparison.add(&score);
        }
        assert_eq!(comparison.seat_shares(), Some([0.75, 0.0]));
    }

    #[test]
    fn pairs_that_are_copies_are_told_from_others() {
        let mut comparison = Comparison::new(Rule::Anytime, 10);
        let mut scores = schedule(&[(Scored::Win, Scored::Loss); 4]);
        scores
            .iter_mut()
            .for_each(|score| score.fingerprint = score.rotation / 2);
        scores.iter().for_each(|score| comparison.add(score));
        assert_eq!((comparison.counts().total(), comparison.distinct()), (4, 2));
    }

    #[test]
    fn what_is_played_beyond_the_decision_does_not_count() {
        let mut comparison = Comparison::new(sprt(), 1_000);
        for score in schedule(&[(Scored::Win, Scored::Win); 1_000]) {
            comparison.add(&score);
        }
        let decided = *comparison.pairs();
        assert!(decided.ww < 1_000, "{decided:?}");
        comparison.add(&played(999, 0, Scored::Loss));
        assert_eq!(*comparison.pairs(), decided);
    }
}
