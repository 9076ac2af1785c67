//! What one bot did against another, counted, and the figures that follow from the counts alone.
//!
//! Knows nothing of stopping rules: every interval here holds for a number of matches that was fixed beforehand. A run
//! that was stopped by looking at it needs [`super::Sprt`] or [`super::AnytimeInterval`].
//!
//! Counts are of *units*, single matches or pairs, and a unit's score is the mean over its matches: the variance of
//! pairs is not that of matches.

use super::{ELO_PER_LOGIT, ScoreInterval, normal_cdf, wilson_phi};

/// How a match ended for the bot whose strength is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scored {
    /// It lost.
    Loss,
    /// It tied.
    Draw,
    /// It won.
    Win,
}

/// What is counted, and taken as independent of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Single matches.
    Match,
    /// Pairs of matches from one opening, the seats swapped.
    Pair,
}

impl Unit {
    /// How many matches are in one.
    pub const fn matches(self) -> u64 {
        match self {
            Unit::Match => 1,
            Unit::Pair => 2,
        }
    }
}

/// How often each score came up, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counts {
    /// Losses, draws and wins of single matches.
    Matches([u64; 3]),
    /// Pairs by their half-points, 0 to 4: LL, LD, WL or DD, WD, WW.
    Pairs([u64; 5]),
}

/// Pairs by the two results in them, whichever came first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pairs {
    /// Both lost.
    pub ll: u64,
    /// A loss and a draw.
    pub ld: u64,
    /// A win and a loss: the opening decided, or chance.
    pub wl: u64,
    /// Both tied: worth as much as [`Pairs::wl`], and kept apart since the two say different things of the openings.
    pub dd: u64,
    /// A win and a draw.
    pub wd: u64,
    /// Both won.
    pub ww: u64,
}

/// Mean and variance of the score of a unit, from 0.0 to 1.0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The variance, divided by the number of units.
    pub variance: f64,
    /// Of what.
    pub unit: Unit,
}

/// A value with the ends of its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// What fits the counts.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Points of normalized Elo in one standard deviation of the score of a match: 800 / ln 10.
pub const NELO_PER_DEVIATION: f64 = 2.0 * ELO_PER_LOGIT;

/// What stands for a count of zero where a likelihood needs every score to be possible; fishtest and fastchess use the same.
const ZERO_COUNT: f64 = 1e-3;

impl Pairs {
    /// Adds a pair by its two results, in any order.
    pub fn add(&mut self, one: Scored, other: Scored) {
        use Scored::{Draw, Loss, Win};
        *match (one, other) {
            (Loss, Loss) => &mut self.ll,
            (Loss, Draw) | (Draw, Loss) => &mut self.ld,
            (Win, Loss) | (Loss, Win) => &mut self.wl,
            (Draw, Draw) => &mut self.dd,
            (Win, Draw) | (Draw, Win) => &mut self.wd,
            (Win, Win) => &mut self.ww,
        } += 1;
    }

    /// The pairs by score, which no longer tells a win and a loss from two draws.
    pub fn counts(&self) -> Counts {
        Counts::Pairs([self.ll, self.ld, self.wl + self.dd, self.wd, self.ww])
    }

    /// The losses, draws and wins in the pairs.
    pub fn matches(&self) -> [u64; 3] {
        [
            2 * self.ll + self.ld + self.wl,
            self.ld + 2 * self.dd + self.wd,
            self.wl + self.wd + 2 * self.ww,
        ]
    }
}

impl Counts {
    /// The counts of a histogram of half-points: 3 numbers are single matches, 5 are pairs; absent for other lengths.
    pub fn of_half_points(histogram: &[u64]) -> Option<Counts> {
        let matches = histogram.try_into().map(Counts::Matches);
        matches.or_else(|_| histogram.try_into().map(Counts::Pairs)).ok()
    }

    /// What is counted.
    pub fn unit(&self) -> Unit {
        match self {
            Counts::Matches(_) => Unit::Match,
            Counts::Pairs(_) => Unit::Pair,
        }
    }

    /// The counts by half-points, 0 first.
    pub fn half_points(&self) -> &[u64] {
        match self {
            Counts::Matches(counts) => counts,
            Counts::Pairs(counts) => counts,
        }
    }

    /// How many units were counted.
    pub fn total(&self) -> u64 {
        self.half_points().iter().sum()
    }

    /// The same as seen by the other bot.
    #[must_use]
    pub fn swapped(mut self) -> Counts {
        match &mut self {
            Counts::Matches(counts) => counts.reverse(),
            Counts::Pairs(counts) => counts.reverse(),
        }
        self
    }

    /// Each score that is possible with its count.
    fn classes(&self) -> Vec<(f64, u64)> {
        let counts = self.half_points();
        let top = (counts.len() - 1) as f64;
        let scored = counts.iter().enumerate();
        scored.map(|(half, &count)| (half as f64 / top, count)).collect()
    }

    /// Each score that is possible with its count, a thousandth for those that never came up.
    pub(super) fn regularized(&self) -> Vec<(f64, f64)> {
        let count = |count: u64| if count == 0 { ZERO_COUNT } else { count as f64 };
        self.classes().into_iter().map(|(x, n)| (x, count(n))).collect()
    }

    /// Mean and variance; absent without any unit.
    pub fn moments(&self) -> Option<Moments> {
        let classes: Vec<(f64, f64)> = self.classes().into_iter().map(|(x, n)| (x, n as f64)).collect();
        (self.total() > 0).then(|| Moments::of(&classes, self.unit()))
    }

    /// The score with its interval by [`wilson_phi`]; absent without any unit.
    pub fn interval(&self, confidence: f64) -> Option<ScoreInterval> {
        wilson_phi(&self.classes(), confidence)
    }

    /// The difference in normalized Elo, its ends those of [`Counts::interval`]; absent where the scores do not differ.
    ///
    /// Normalized Elo is the mean score over one half in standard deviations of a match's score, in such points that it
    /// is near logistic Elo between equals without draws. It says how many matches tell the two apart, and it is no
    /// rating: it depends on how often they tie. The ends take the deviation for known. Source: Michel Van den Bergh, Normalized Elo, 2021; fastchess prints it.
    pub fn nelo(&self, confidence: f64) -> Option<Estimate> {
        let interval = self.interval(confidence)?;
        let deviation = self.moments()?.match_deviation();
        let nelo = |score: f64| NELO_PER_DEVIATION * (score - 0.5) / deviation;
        (deviation > 0.0).then(|| Estimate {
            value: nelo(interval.score),
            low: nelo(interval.low),
            high: nelo(interval.high),
        })
    }

    /// The likelihood of superiority: how often a bot that is no stronger would score less than this one did, 0.0 to 1.0.
    /// Absent where the scores do not differ.
    ///
    /// It is one minus a one-sided p value. It is not the probability that the bot is the stronger one, for which one
    /// had to know what bots are like; and it means nothing in a run that was stopped by looking. Normal approximation,
    /// draws counted, as fishtest and fastchess print it.
    pub fn los(&self) -> Option<f64> {
        let moments = self.moments()?;
        let error = (moments.variance / self.total() as f64).sqrt();
        (error > 0.0).then(|| normal_cdf((moments.mean - 0.5) / error))
    }

    /// Units with more than half of the points for each one with less; absent where there is none with less.
    pub fn ratio(&self) -> Option<f64> {
        let counts = self.half_points();
        let half = counts.len() / 2;
        let (worse, better): (u64, u64) = (counts[..half].iter().sum(), counts[half + 1..].iter().sum());
        (worse > 0).then(|| better as f64 / worse as f64)
    }
}

impl Moments {
    /// The moments of `classes`, each a score with its weight.
    pub(super) fn of(classes: &[(f64, f64)], unit: Unit) -> Moments {
        let total: f64 = classes.iter().map(|&(_, n)| n).sum();
        let mean = classes.iter().map(|&(x, n)| x * n).sum::<f64>() / total;
        let variance = classes.iter().map(|&(x, n)| (x - mean).powi(2) * n).sum::<f64>() / total;
        Moments { mean, variance, unit }
    }

    /// The standard deviation of the score of one match.
    pub fn match_deviation(&self) -> f64 {
        (self.variance * self.unit.matches() as f64).sqrt()
    }
}
