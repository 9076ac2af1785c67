//! Ladder: the next rotation goes where it tells most about the goal.
//!
//! Open are the differences of which the goal needs to know the sign and does not: the best bot to each other, each bot to
//! the next, or one bot to each other. Of the pairs that are open, the one meets whose rotation cuts the variance of all
//! open differences most; with more seats, whoever adds most to that joins them. Ratings and their covariance are a rough
//! running estimate (logistic model, one update for each pair and rotation) that serves this choice only. A bot that has
//! played less than a quarter of the even share comes first.
//!
//! Rotation `k` is chosen from the results of those below `k - window`, and from no others, so that neither the number of
//! jobs nor the order in which matches end changes it. It ends when nothing is open, as [`Separation`] says, or at the most
//! rotations. Choices are floating-point: they are the same wherever that gives the same results.

use std::collections::VecDeque;

use super::separation::Separation;
use super::{Frame, Misfit};
use crate::config::Goal;
use crate::tournament::tables::pairs_of;
use crate::tournament::{MatchId, Scheduled};

/// The most bots: a choice looks at every pair against every open difference.
pub const LADDER_BOTS_MAX: usize = 100;

/// A bot comes first when it has played less than the even share divided by this.
const STARVED: u64 = 4;

/// The variance of a rating before the first match, in squared natural units of the logistic curve: a standard deviation
/// of 350 Elo.
const VARIANCE: f64 = 4.0;

/// A ladder while it is played.
#[derive(Clone, Debug)]
pub struct Ladder {
    frame: Frame,
    bots: usize,
    goal: Goal,
    window: u64,
    rotations_max: u64,
    /// The next id to be given out.
    next: u64,
    /// Rotations whose results are in the estimate.
    applied: u64,
    /// Those chosen after them.
    recent: VecDeque<Rotation>,
    is_over: bool,
    /// Rotations of each bot, chosen.
    plays: Vec<u64>,
    ratings: Vec<f64>,
    /// Of the ratings, after the results that are in them.
    covariance: Covariance,
    /// As it will be after all rotations that are chosen.
    planned: Covariance,
    separation: Separation,
}

/// A rotation that is chosen.
#[derive(Clone, Debug)]
struct Rotation {
    /// Ascending.
    members: Vec<usize>,
    settled: u64,
    /// What the first of each pair of members has scored against the second, in halves.
    halves: Vec<u64>,
}

impl Ladder {
    pub(super) fn new(frame: Frame, bots: usize, goal: Goal, window: u64, rotations_max: u64) -> Ladder {
        Ladder {
            frame,
            bots,
            goal,
            window,
            rotations_max,
            next: 0,
            applied: 0,
            recent: VecDeque::new(),
            is_over: false,
            plays: vec![0; bots],
            ratings: vec![0.0; bots],
            covariance: Covariance::new(bots),
            planned: Covariance::new(bots),
            separation: Separation::new(bots),
        }
    }

    /// The most rotations.
    pub fn rotations_max(&self) -> u64 {
        self.rotations_max
    }

    /// Rotations chosen.
    pub fn rotations(&self) -> u64 {
        self.applied + self.recent.len() as u64
    }

    /// Rotations of each bot.
    pub fn plays(&self) -> &[u64] {
        &self.plays
    }

    /// Whether no more are chosen.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Matches of a rotation.
    pub fn rotation_len(&self) -> u64 {
        self.frame.rotation_len
    }

    /// The bots, best first.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.bots).collect();
        ranking.sort_by(|one, other| self.ratings[*other].total_cmp(&self.ratings[*one]));
        ranking
    }

    /// The two of which the goal needs to know who is better, and which are not separated; the first is in front.
    pub fn open(&self) -> Vec<(usize, usize)> {
        let ranking = self.ranking();
        let mut open: Vec<(usize, usize)> = match self.goal {
            Goal::Best => ranking[1..].iter().map(|other| (ranking[0], *other)).collect(),
            Goal::Order => ranking.windows(2).map(|two| (two[0], two[1])).collect(),
            Goal::Bot(bot) => {
                let at = ranking.iter().position(|other| *other == bot);
                let (above, below) = ranking.split_at(at.expect("it is a bot of the plan"));
                let above = above.iter().map(|other| (*other, bot));
                above.chain(below[1..].iter().map(|other| (bot, *other))).collect()
            }
        };
        open.retain(|(one, other)| !self.separation.is_above(*one, *other));
        open
    }

    /// Takes into account all results up to the first rotation that is not settled: for the last word, not for choices.
    pub fn with_all_results(mut self) -> Ladder {
        while self
            .recent
            .front()
            .is_some_and(|front| front.settled == self.frame.rotation_len)
        {
            self.apply();
        }
        self
    }

    pub(super) fn next(&mut self, is_done: impl Fn(u64) -> bool) -> Option<Scheduled> {
        loop {
            while self.next < self.rotations() * self.frame.rotation_len {
                let id = self.next;
                self.next += 1;
                if !is_done(id) {
                    let rotation = id / self.frame.rotation_len;
                    let members = &self.recent[(rotation - self.applied) as usize].members;
                    return Some(self.frame.scheduled(MatchId(id), rotation, members));
                }
            }
            if !self.choose() {
                return None;
            }
        }
    }

    pub(super) fn settle(&mut self, id: MatchId, bots: &[usize], places: &[u8]) -> Result<(), Misfit> {
        let rotation = id.0 / self.frame.rotation_len;
        while self.rotations() <= rotation {
            if !self.choose() {
                return Err(Misfit::TooEarly { id });
            }
        }
        let at = rotation.checked_sub(self.applied).ok_or(Misfit::Others { id })?;
        let rotation = &mut self.recent[at as usize];
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        if sorted != rotation.members {
            return Err(Misfit::Others { id });
        }
        let place = |bot: usize| bots.iter().position(|other| *other == bot).map(|seat| places[seat]);
        for (halves, (one, other)) in rotation.halves.iter_mut().zip(pairs_of(&rotation.members)) {
            *halves += match place(one).cmp(&place(other)) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            };
        }
        rotation.settled += 1;
        Ok(())
    }

    /// Chooses who plays the next rotation; `false` when that hangs on results to come, or it is over.
    fn choose(&mut self) -> bool {
        let number = self.rotations();
        self.is_over |= number == self.rotations_max;
        if self.is_over {
            return false;
        }
        while self.applied < number.saturating_sub(self.window) {
            if self.recent[0].settled < self.frame.rotation_len {
                return false;
            }
            self.apply();
        }
        let open = self.open();
        if open.is_empty() {
            self.is_over = true;
            return false;
        }
        let members = self.group(&open);
        for (one, other) in pairs_of(&members) {
            let information = self.information(one, other);
            self.planned.add(one, other, information);
        }
        members.iter().for_each(|bot| self.plays[*bot] += 1);
        self.recent.push_back(Rotation {
            settled: 0,
            halves: vec![0; pairs_of(&members).count()],
            members,
        });
        true
    }

    /// The group that cuts the variance of what is open most, ascending: the best open pair, and whoever adds most to it.
    /// Other pairs could cut more, but only meetings of the two themselves separate them.
    fn group(&self, open: &[(usize, usize)]) -> Vec<usize> {
        let gain = |one: usize, other: usize| {
            let information = self.information(one, other);
            self.planned.gain(one, other, information, open)
        };
        let pair = match self.starved() {
            Some(bot) => {
                let others = (0..self.bots).filter(|other| *other != bot);
                (bot, most(others, |other| gain(bot, *other)))
            }
            None => most(open.iter().copied(), |(one, other)| gain(*one, *other)),
        };
        let mut members = vec![pair.0, pair.1];
        while members.len() < self.frame.seats {
            let others = (0..self.bots).filter(|bot| !members.contains(bot));
            let added = most(others, |bot| members.iter().map(|member| gain(*member, *bot)).sum());
            members.push(added);
        }
        members.sort_unstable();
        members
    }

    /// The bot that has played least, if that is too little.
    fn starved(&self) -> Option<usize> {
        let (seats, bots) = (self.frame.seats as u64, self.bots as u64);
        let least = (0..self.bots).min_by_key(|bot| self.plays[*bot])?;
        (self.plays[least] * bots * STARVED < self.rotations() * seats).then_some(least)
    }

    /// What a rotation of the two tells about their difference.
    fn information(&self, one: usize, other: usize) -> f64 {
        let p = self.expected(one, other);
        self.frame.rotation_len as f64 * p * (1.0 - p)
    }

    fn expected(&self, one: usize, other: usize) -> f64 {
        1.0 / (1.0 + (self.ratings[other] - self.ratings[one]).exp())
    }

    /// Moves the first recent rotation into the estimate.
    fn apply(&mut self) {
        let rotation = self.recent.pop_front().expect("there is one");
        self.applied += 1;
        let matches = self.frame.rotation_len as f64;
        for (halves, (one, other)) in rotation.halves.iter().zip(pairs_of(&rotation.members)) {
            let score = *halves as f64 / (2.0 * matches);
            self.separation.add(one, other, score);
            let surprise = matches * (score - self.expected(one, other));
            let information = self.information(one, other);
            let step = self.covariance.add(one, other, information);
            for (rating, step) in self.ratings.iter_mut().zip(step) {
                *rating += step * surprise;
            }
        }
    }
}

/// The first of those that are most.
fn most<T>(of: impl Iterator<Item = T>, value: impl Fn(&T) -> f64) -> T {
    let valued = of.map(|item| (value(&item), item));
    let best = valued.reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.expect("there are as many bots as seats").1
}

/// The covariance of ratings, kept up to date by the formula of Sherman and Morrison.
#[derive(Clone, Debug)]
struct Covariance {
    bots: usize,
    entries: Vec<f64>,
}

impl Covariance {
    fn new(bots: usize) -> Covariance {
        let entry = |at: usize| if at / bots == at % bots { VARIANCE } else { 0.0 };
        Covariance {
            bots,
            entries: (0..bots * bots).map(entry).collect(),
        }
    }

    fn at(&self, one: usize, other: usize) -> f64 {
        self.entries[one * self.bots + other]
    }

    /// The variance of the difference of the two.
    fn variance(&self, one: usize, other: usize) -> f64 {
        self.at(one, one) + self.at(other, other) - 2.0 * self.at(one, other)
    }

    /// By how much so much information on the difference of two bots would cut the variances of these differences.
    fn gain(&self, one: usize, other: usize, information: f64, of: &[(usize, usize)]) -> f64 {
        let covariance = |bot: usize| self.at(one, bot) - self.at(other, bot);
        let squares: f64 = of.iter().map(|(a, b)| (covariance(*a) - covariance(*b)).powi(2)).sum();
        information * squares / (1.0 + information * self.variance(one, other))
    }

    /// Adds information on the difference of two bots. Gives by how much each rating moves for each point that the first
    /// scored more than expected.
    fn add(&mut self, one: usize, other: usize, information: f64) -> Vec<f64> {
        let shrink = 1.0 + information * self.variance(one, other);
        let column: Vec<f64> = (0..self.bots)
            .map(|bot| self.at(one, bot) - self.at(other, bot))
            .collect();
        for (row, of_row) in self.entries.chunks_exact_mut(self.bots).zip(&column) {
            for (entry, of_column) in row.iter_mut().zip(&column) {
                *entry -= information * of_row * of_column / shrink;
            }
        }
        column.into_iter().map(|entry| entry / shrink).collect()
    }
}
