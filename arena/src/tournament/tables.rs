//! Which bots sit together: the groups of one round, as a function of their number.
//!
//! Two seats: every pair. Three or four seats: every group while there are at most [`EVERY_GROUP_MAX`] of them; above
//! that a selection in which each bot plays equally often in each round and pairs meet as equally as numbers allow over
//! a few rounds. A gauntlet joins each of its named bots to such groups of the others, which are one seat smaller. Who
//! sits where is the schedule's business: members are given in ascending order.

use std::cmp::Reverse;

use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

use super::openings::below;

/// Up to this many groups a round holds all of them. Twelve bots have 495 groups of four, fifteen have 455 of three.
pub const EVERY_GROUP_MAX: u64 = 500;

/// How many blocks of a selection may be laid out beyond those of one round.
const BLOCKS_MAX: usize = 400;

/// How many exchanges are tried to even out a selection: milliseconds.
const EXCHANGES_MAX: usize = 20_000;

/// The groups of a tournament's rounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tables {
    /// Every pair once, a day of the circle method after the other: within a day no bot plays twice.
    Pairs {
        /// Bots, at least 2.
        bots: usize,
    },
    /// Every group once, in this order.
    Every(Vec<Vec<usize>>),
    /// Blocks of residues, each shifted by 0..bots: a shift changes every bot alike, so each plays equally often.
    Shifts {
        /// Bots.
        bots: usize,
        /// Blocks used in one round.
        blocks_per_round: usize,
        /// The blocks; a round takes the next `blocks_per_round`, and after the last come the first again.
        blocks: Vec<Vec<usize>>,
    },
    /// Each of the named bots with every group of the others.
    Gauntlet {
        /// The named bots, in the order given.
        named: Vec<usize>,
        /// The others, ascending.
        others: Vec<usize>,
        /// Groups of places in `others`.
        groups: Box<Tables>,
    },
}

impl Tables {
    /// The groups of `seats` out of `bots`, which are at least as many.
    pub fn new(bots: usize, seats: usize) -> Tables {
        if seats == 2 {
            Tables::Pairs { bots }
        } else if groups_of(bots, seats) <= EVERY_GROUP_MAX {
            Tables::Every(every_group(bots, seats))
        } else {
            shifts(bots, seats)
        }
    }

    /// The groups of `seats` out of `bots` that have exactly one of the `named` in them. There are at least `seats - 1`
    /// others.
    pub fn gauntlet(named: &[usize], bots: usize, seats: usize) -> Tables {
        let others: Vec<usize> = (0..bots).filter(|bot| !named.contains(bot)).collect();
        let groups = match seats {
            2 => Tables::Every((0..others.len()).map(|other| vec![other]).collect()),
            _ => Tables::new(others.len(), seats - 1),
        };
        Tables::Gauntlet {
            named: named.to_vec(),
            others,
            groups: Box::new(groups),
        }
    }

    /// Groups in a round.
    pub fn per_round(&self) -> u64 {
        match self {
            Tables::Pairs { bots } => (bots * (bots - 1) / 2) as u64,
            Tables::Every(groups) => groups.len() as u64,
            Tables::Shifts {
                bots, blocks_per_round, ..
            } => (bots * blocks_per_round) as u64,
            Tables::Gauntlet { named, groups, .. } => named.len() as u64 * groups.per_round(),
        }
    }

    /// Rounds after which the groups repeat.
    pub fn period(&self) -> u64 {
        match self {
            Tables::Pairs { .. } | Tables::Every(_) => 1,
            Tables::Shifts {
                blocks_per_round,
                blocks,
                ..
            } => (blocks.len() / blocks_per_round) as u64,
            Tables::Gauntlet { groups, .. } => groups.period(),
        }
    }

    /// The bots of a group, ascending; `group` is below [`Tables::per_round`].
    pub fn members(&self, round: u64, group: u64) -> Vec<usize> {
        let mut members = match self {
            Tables::Pairs { bots } => pair(*bots, group as usize).to_vec(),
            Tables::Every(groups) => groups[group as usize].clone(),
            Tables::Shifts {
                bots,
                blocks_per_round,
                blocks,
            } => {
                let first = (round % self.period()) as usize * blocks_per_round;
                let block = &blocks[first + group as usize / bots];
                let shift = group as usize % bots;
                block.iter().map(|residue| (residue + shift) % bots).collect()
            }
            Tables::Gauntlet { named, others, groups } => {
                let (group, turn) = (group / named.len() as u64, group as usize % named.len());
                let others = groups.members(round, group).into_iter().map(|place| others[place]);
                others.chain([named[turn]]).collect()
            }
        };
        members.sort_unstable();
        members
    }
}

/// How many groups of `seats` there are; `u64::MAX` when more than fit.
fn groups_of(bots: usize, seats: usize) -> u64 {
    let mut count: u64 = 1;
    for chosen in 0..seats as u64 {
        let Some(product) = count.checked_mul(bots as u64 - chosen) else {
            return u64::MAX;
        };
        count = product / (chosen + 1);
    }
    count
}

/// The circle method: one bot stays, the others move round it; with an odd number nobody stays and one rests.
pub(super) fn pair(bots: usize, index: usize) -> [usize; 2] {
    let circle = if bots.is_multiple_of(2) { bots - 1 } else { bots };
    let per_day = bots / 2;
    let (day, place) = (index / per_day, index % per_day);
    if bots.is_multiple_of(2) && place == 0 {
        return [day, bots - 1];
    }
    let step = if bots.is_multiple_of(2) { place } else { place + 1 };
    [(day + step) % circle, (day + circle - step) % circle]
}

/// Every group, ordered so that all bots advance together: next is always the group whose members have played least,
/// then the one whose pairs have met least.
fn every_group(bots: usize, seats: usize) -> Vec<Vec<usize>> {
    let mut left = Vec::new();
    let mut group: Vec<usize> = (0..seats).collect();
    loop {
        left.push(group.clone());
        let Some(at) = (0..seats).rfind(|&at| group[at] < bots - seats + at) else {
            break;
        };
        group[at] += 1;
        for later in at + 1..seats {
            group[later] = group[later - 1] + 1;
        }
    }
    left.reverse();
    let mut played = vec![0; bots];
    let mut met = vec![0; bots * bots];
    let mut ordered = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let cost = |group: &Vec<usize>| -> (u64, u64) {
            let plays = group.iter().map(|&bot| played[bot] * played[bot]).sum();
            (plays, pairs_of(group).map(|(a, b)| met[a * bots + b]).sum())
        };
        let best = (0..left.len()).min_by_key(|&at| (cost(&left[at]), Reverse(at)));
        let group = left.remove(best.expect("the list is not empty"));
        for &bot in &group {
            played[bot] += 1;
        }
        for (a, b) in pairs_of(&group) {
            met[a * bots + b] += 1;
        }
        ordered.push(group);
    }
    ordered
}

/// Blocks whose differences are spread evenly. Two bots at distance `d` meet once for each time `d` or `-d` is a
/// difference of two members of a block; each member is chosen so that the commonest differences grow least, and then
/// [`exchange`] evens out what is left.
///
/// A round has as many blocks as it takes for every pair to meet, were the differences perfect. There are as many
/// rounds' worth of blocks as make the number of differences a multiple of the number of distances, within
/// [`BLOCKS_MAX`].
fn shifts(bots: usize, seats: usize) -> Tables {
    let differences = seats * (seats - 1);
    let blocks_per_round = (bots - 1).div_ceil(differences);
    let rounds = (bots - 1) / gcd(differences * blocks_per_round, bots - 1);
    let rounds = rounds.min(BLOCKS_MAX / blocks_per_round).max(1);
    let mut seen = vec![0; bots];
    let mut blocks = vec![vec![0]; blocks_per_round * rounds];
    for block in &mut blocks {
        while block.len() < seats {
            let best = (1..bots)
                .filter(|residue| !block.contains(residue))
                .min_by_key(|residue| added(block, *residue, &seen))
                .expect("there are more bots than seats");
            note(block, best, &mut seen, |count| count + 1);
            block.push(best);
        }
    }
    exchange(&mut blocks, &mut seen);
    Tables::Shifts {
        bots,
        blocks_per_round,
        blocks,
    }
}

/// Exchanges single members, drawn at random from a fixed stream, where that leaves the counts no less even, until
/// they are within one of each other or [`EXCHANGES_MAX`] have been tried.
fn exchange(blocks: &mut [Vec<usize>], seen: &mut [u64]) {
    let bots = seen.len();
    let mut random = ChaCha8Rng::from_seed([0; 32]);
    for _ in 0..EXCHANGES_MAX {
        let counts = &seen[1..];
        if counts.iter().max().expect("distances") - counts.iter().min().expect("distances") <= 1 {
            return;
        }
        let number = below(&mut random, blocks.len());
        let block = &mut blocks[number];
        let (at, new) = (
            1 + below(&mut random, block.len() - 1),
            1 + below(&mut random, bots - 1),
        );
        if block.contains(&new) {
            continue;
        }
        let old = block.swap_remove(at);
        note(block, old, seen, |count| count - 1);
        let chosen = if added(block, new, seen) <= added(block, old, seen) {
            new
        } else {
            old
        };
        note(block, chosen, seen, |count| count + 1);
        block.push(chosen);
    }
}

/// Changes the count of each distance between `residue` and the members of `block`, in both directions.
fn note(block: &[usize], residue: usize, seen: &mut [u64], change: impl Fn(u64) -> u64) {
    let bots = seen.len();
    for member in block {
        for distance in [(residue + bots - member) % bots, (member + bots - residue) % bots] {
            seen[distance] = change(seen[distance]);
        }
    }
}

/// By how much the sum of squares of all pairs' meetings grows when `next` joins `block`, divided by the number of bots.
/// Half the number of bots is a distance that counts twice, and joins half as many pairs.
fn added(block: &[usize], next: usize, seen: &[u64]) -> u64 {
    let bots = seen.len();
    let distance = |member: usize| {
        let apart = next.abs_diff(member);
        apart.min(bots - apart)
    };
    let mut total = 0;
    for (at, &member) in block.iter().enumerate() {
        let step = if distance(member) * 2 == bots { 2 } else { 1 };
        let same = block[..at]
            .iter()
            .filter(|&&earlier| distance(earlier) == distance(member));
        let before = seen[distance(member)] + step * same.count() as u64;
        total += 2 * before + step;
    }
    total
}

/// Every two members of a group.
pub(super) fn pairs_of(group: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    group
        .iter()
        .enumerate()
        .flat_map(|(at, &a)| group[at + 1..].iter().map(move |&b| (a, b)))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
