//! One group against the rest, both spread over strata: only units of the same stratum are compared.
//!
//! Everything here is conditional on what came up in each stratum, and asks how often chance would deal as much of it to
//! the group. So it does not matter how the strata differ, nor how unevenly the group is spread over them; a stratum whose
//! units are all alike, or all of the group, says nothing. What a reader would get wrong: units must be independent of each
//! other. Matches of one rotation are not.

use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The sum of the group's scores can be lower and higher than expected by so many times the widest range of scores, or the
/// normal law is not trusted with it. N. Mantel and J. L. Fleiss, Minimum expected cell size requirements for the
/// Mantel-Haenszel one-degree-of-freedom chi-square test and a related rapid procedure, American Journal of Epidemiology,
/// 1980, who say so of scores of 0 and 1.
const ROOM_MIN: f64 = 5.0;

/// Terms this much smaller than the largest one are left out of an exact law: a probability is wrong by less than 1e-14.
const TERM_MIN: f64 = 1e-18;

/// A stratum of units with scores.
#[derive(Clone, Copy, Debug)]
pub struct Stratum<'a> {
    /// Each score that came up, lowest first, with how many units of the group and the rest have it.
    pub scores: &'a [(f64, u64)],
    /// How many units are of the group.
    pub group: u64,
    /// What they score together.
    pub sum: f64,
}

/// A stratum of units of which some are marked.
#[derive(Clone, Copy, Debug)]
pub struct MarkedStratum {
    /// How many units.
    pub units: u64,
    /// How many of them are marked.
    pub marked: u64,
    /// How many of them are of the group.
    pub group: u64,
}

/// How the scores of a group differ from those of the rest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MeanScore {
    /// By how much a unit of the group scores more, on average, than one of its stratum: below 0 for less. Units that had
    /// nothing to be compared with are not counted.
    pub excess: f64,
    /// The statistic, with one degree of freedom.
    pub chi_square: f64,
    /// Probability of one as large if nothing depends on the group.
    pub p: f64,
}

/// Whether a group scores as the rest does: the generalised Cochran-Mantel-Haenszel statistic for mean scores, of two groups.
///
/// The square of what the group scored beyond its expectation, over all strata, by the sum of the variances of that under
/// random permutations within each stratum. J. R. Landis, E. R. Heyman and G. G. Koch, Average partial association in
/// three-way contingency tables: a review and discussion of alternative tests, International Statistical Review, 1978;
/// A. Agresti, Categorical data analysis, on tests of conditional independence with scores. No correction for continuity.
///
/// Absent where the sum of the scores has too little room for the normal law: see `ROOM_MIN`. A test of one group in
/// which everything is alike is such a case.
pub fn mean_score_test<'a>(strata: impl IntoIterator<Item = Stratum<'a>>) -> Option<MeanScore> {
    let (mut excess, mut variance, mut compared) = (0.0, 0.0, 0.0);
    let (mut below, mut above, mut range) = (0.0, 0.0, 0.0_f64);
    for Stratum { scores, group, sum } in strata {
        let units: u64 = scores.iter().map(|(_, count)| count).sum();
        if group == 0 || group == units {
            continue;
        }
        let (all, of_group) = (units as f64, group as f64);
        let mean = scores.iter().map(|(score, count)| score * *count as f64).sum::<f64>() / all;
        let squares = scores
            .iter()
            .map(|(score, count)| (score - mean).powi(2) * *count as f64);
        let expected = of_group * mean;
        excess += sum - expected;
        variance += of_group * (all - of_group) / all * squares.sum::<f64>() / (all - 1.0);
        compared += of_group;
        below += expected - sum_of_first(scores.iter(), group);
        above += sum_of_first(scores.iter().rev(), group) - expected;
        range = range.max(scores[scores.len() - 1].0 - scores[0].0);
    }
    // Rounding may leave a variance where there is none; a range it does not.
    if range <= 0.0 || below.min(above) < ROOM_MIN * range {
        return None;
    }
    let chi_square = excess * excess / variance;
    Some(MeanScore {
        excess: excess / compared,
        chi_square,
        p: ChiSquared::new(1.0).expect("one degree of freedom").sf(chi_square),
    })
}

/// The sum of the first `number` scores.
fn sum_of_first<'a>(scores: impl Iterator<Item = &'a (f64, u64)>, number: u64) -> f64 {
    let mut left = number;
    let taken = scores.map(|(score, count)| {
        let taken = left.min(*count);
        left -= taken;
        score * taken as f64
    });
    taken.sum()
}

/// The probability that chance marks `found` units of the group or more, if a mark does not depend on the group: exact,
/// however few there are. Absent where it could not have come otherwise.
///
/// With one stratum this is R. A. Fisher's exact test (The design of experiments, 1935), one-sided; with several the exact
/// conditional test of M. W. Birch, The detection of partial association, I: the 2 x 2 case, Journal of the Royal
/// Statistical Society B, 1964: the marks of the group are a sum of independent hypergeometric numbers.
pub fn marked_test(strata: impl IntoIterator<Item = MarkedStratum>, found: u64) -> Option<f64> {
    let mut law = Law {
        first: 0,
        terms: vec![1.0],
    };
    let mut could_differ = false;
    for stratum in strata {
        let part = Law::of_stratum(stratum);
        could_differ |= part.terms.len() > 1;
        law = law.and(&part);
    }
    let at_least = law.terms.iter().skip(found.saturating_sub(law.first) as usize);
    could_differ.then(|| at_least.sum::<f64>().min(1.0))
}

/// The law of a whole number: probabilities of `first` and those that follow.
struct Law {
    first: u64,
    terms: Vec<f64>,
}

impl Law {
    /// How many marked units are of the group.
    fn of_stratum(stratum: MarkedStratum) -> Law {
        let MarkedStratum { units, marked, group } = stratum;
        let (least, most) = ((marked + group).saturating_sub(units), marked.min(group));
        // From the mode on in both directions, each term by the one beside it.
        let product = (marked as u128 + 1) * (group as u128 + 1) / (units as u128 + 2);
        let mode = (product as u64).clamp(least, most);
        // By what the term of `count + 1` is larger than that of `count`.
        let step = |count: u64| {
            let up = (marked - count) as f64 * (group - count) as f64;
            let down = (count + 1) as f64 * (units + count + 1 - marked - group) as f64;
            up / down
        };
        let mut terms = vec![1.0];
        for count in (least..mode).rev() {
            let term = terms[terms.len() - 1] / step(count);
            terms.push(term);
            if term < TERM_MIN {
                break;
            }
        }
        let first = mode - (terms.len() as u64 - 1);
        terms.reverse();
        for count in mode..most {
            let term = terms[terms.len() - 1] * step(count);
            terms.push(term);
            if term < TERM_MIN {
                break;
            }
        }
        Law { first, terms }.whole()
    }

    /// The law of the sum of two that do not depend on each other.
    fn and(&self, other: &Law) -> Law {
        let mut terms = vec![0.0; self.terms.len() + other.terms.len() - 1];
        for (at, one) in self.terms.iter().enumerate() {
            for (sum, two) in terms[at..].iter_mut().zip(&other.terms) {
                *sum += one * two;
            }
        }
        let first = self.first + other.first;
        Law { first, terms }.whole()
    }

    /// Without the terms that are next to nothing, and in all 1.
    fn whole(mut self) -> Law {
        let most = self.terms.iter().copied().fold(0.0, f64::max);
        let is_something = |term: &f64| *term >= TERM_MIN * most;
        let skipped = self.terms.iter().take_while(|term| !is_something(term)).count();
        let end = self.terms.iter().rposition(is_something).map_or(0, |last| last + 1);
        self.terms.truncate(end);
        self.terms.drain(..skipped);
        self.first += skipped as u64;
        let all: f64 = self.terms.iter().sum();
        self.terms.iter_mut().for_each(|term| *term /= all);
        self
    }
}
