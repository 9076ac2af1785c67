//! What ratings need to keep of the matches.
//!
//! Memory: matches with the same bots, seats and order of places are kept once with their number, rotation by rotation.
//! With two seats that is at most nine entries for each pair of bots; with more seats at most one entry for each
//! rotation (about 100 bytes). To count matches that are copies of each other, 8 bytes for each distinct one come on
//! top.
//!
//! A rotation is complete when it has as many matches as seats; only rotations still incomplete are kept by number.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::record::MatchScore;

/// All matches so far, in the form that ratings need. Order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    complete: BTreeMap<Cluster, u64>,
    open: BTreeMap<u64, Vec<Cluster>>,
    bots: Vec<BotTally>,
    distinct: HashSet<u64>,
    matches: u64,
    seats: usize,
}

/// The matches of one rotation, one after another: number of seats, then bots, then places, each by seat.
type Cluster = Box<[u16]>;

/// What one bot did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BotTally {
    /// Matches played.
    pub matches: u64,
    /// Opponents beaten, over all matches; with two seats: matches won.
    pub wins: u64,
    /// Opponents tied with.
    pub draws: u64,
    /// Opponents lost to.
    pub losses: u64,
    /// How often it came first, second and so on.
    pub places: Vec<u64>,
    /// Matches forfeited.
    pub forfeits: u64,
    /// Moves made.
    pub moves: u64,
    /// Time taken over them, microseconds.
    pub time_us: u64,
}

/// A match as it is seen by one of its bots against another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Encounter {
    pub bot: usize,
    pub opponent: usize,
    pub seat: usize,
    pub opponent_seat: usize,
    /// 2 for a win, 1 for a tie, 0 for a loss.
    pub halves: u8,
}

impl Tally {
    /// An empty tally for bots 0 to `bots - 1`.
    pub fn new(bots: usize) -> Tally {
        Tally {
            bots: vec![BotTally::default(); bots],
            ..Tally::default()
        }
    }

    /// Adds a match. Panics when a bot's number is not below the number of bots.
    pub fn add(&mut self, score: &MatchScore) {
        let seats = score.bots.len();
        self.matches += 1;
        self.seats = self.seats.max(seats);
        let mut hasher = DefaultHasher::new();
        (&score.bots, score.fingerprint).hash(&mut hasher);
        self.distinct.insert(hasher.finish());
        for seat in 0..seats {
            self.bots[score.bots[seat]].add(score, seat);
        }

        let bots = score.bots.iter().map(|&bot| u16::try_from(bot));
        let cluster: Cluster = std::iter::once(u16::try_from(seats))
            .chain(bots)
            .map(|number| number.expect("a plan has fewer than 65,536 bots"))
            .chain(dense(&score.places))
            .collect();
        let rotation = self.open.entry(score.rotation).or_default();
        rotation.push(cluster);
        if rotation.len() == seats {
            let matches = self.open.remove(&score.rotation).expect("it was just added to");
            *self.complete.entry(join(matches)).or_default() += 1;
        }
    }

    /// How many bots there are, played or not.
    pub fn bot_count(&self) -> usize {
        self.bots.len()
    }

    /// What one bot did.
    pub fn bot(&self, bot: usize) -> &BotTally {
        &self.bots[bot]
    }

    /// Matches added.
    pub fn matches(&self) -> u64 {
        self.matches
    }

    /// Matches that differ from all others in bots, seats, opening or moves.
    pub fn distinct(&self) -> u64 {
        self.distinct.len() as u64
    }

    /// Most seats of a match; 0 without matches.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// Every rotation's matches, each match as its encounters, with how often the like happened; always in the same
    /// order whatever the order of arrival.
    pub(super) fn clusters(&self) -> impl Iterator<Item = (Vec<Vec<Encounter>>, u64)> {
        let mut open: BTreeMap<Cluster, u64> = BTreeMap::new();
        for matches in self.open.values() {
            *open.entry(join(matches.clone())).or_default() += 1;
        }
        let complete = self
            .complete
            .iter()
            .map(|(cluster, &count)| (matches_of(cluster), count));
        complete.chain(open.into_iter().map(|(cluster, count)| (matches_of(&cluster), count)))
    }
}

impl BotTally {
    fn add(&mut self, score: &MatchScore, seat: usize) {
        self.matches += 1;
        let place = score.places[seat];
        let index = usize::from(place.saturating_sub(1));
        if self.places.len() <= index {
            self.places.resize(index + 1, 0);
        }
        self.places[index] += 1;
        for (other, &opponent) in score.places.iter().enumerate() {
            if other != seat {
                match place.cmp(&opponent) {
                    std::cmp::Ordering::Less => self.wins += 1,
                    std::cmp::Ordering::Equal => self.draws += 1,
                    std::cmp::Ordering::Greater => self.losses += 1,
                }
            }
        }
        self.forfeits += u64::from(score.forfeits[seat]);
        self.moves += u64::from(score.moves[seat]);
        self.time_us += score.time_us[seat];
    }

    /// The share of what it could have scored against its opponents, a tie being half. Absent without matches.
    pub fn share(&self) -> Option<f64> {
        let met = self.wins + self.draws + self.losses;
        (met > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / met as f64)
    }

    /// Mean time over a move. Absent without moves.
    pub fn move_us_mean(&self) -> Option<f64> {
        (self.moves > 0).then(|| self.time_us as f64 / self.moves as f64)
    }
}

/// Places renumbered without gaps, so that 1, 1, 3 and 1, 1, 2 are the same.
fn dense(places: &[u8]) -> Vec<u16> {
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let rank = |place| sorted.binary_search(place).expect("it comes from the same list") as u16;
    places.iter().map(rank).collect()
}

fn join(mut matches: Vec<Cluster>) -> Cluster {
    matches.sort_unstable();
    matches.concat().into_boxed_slice()
}

fn matches_of(cluster: &[u16]) -> Vec<Vec<Encounter>> {
    let mut matches = Vec::new();
    let mut rest = cluster;
    while let Some((&seats, tail)) = rest.split_first() {
        let seats = usize::from(seats);
        let (bots, tail) = tail.split_at(seats);
        let (places, tail) = tail.split_at(seats);
        rest = tail;
        matches.push(encounters(bots, places));
    }
    matches
}

/// Every pair of seats once, seen by the bot in the lower seat. A bot that meets itself is left out: it says nothing.
fn encounters(bots: &[u16], places: &[u16]) -> Vec<Encounter> {
    let mut list = Vec::new();
    for seat in 0..bots.len() {
        for other in seat + 1..bots.len() {
            if bots[seat] != bots[other] {
                list.push(Encounter {
                    bot: usize::from(bots[seat]),
                    opponent: usize::from(bots[other]),
                    seat,
                    opponent_seat: other,
                    halves: match places[seat].cmp(&places[other]) {
                        std::cmp::Ordering::Less => 2,
                        std::cmp::Ordering::Equal => 1,
                        std::cmp::Ordering::Greater => 0,
                    },
                });
            }
        }
    }
    list
}
