//! What ratings need to keep of the matches.
//!
//! Memory: rotations with the same bots, seats and order of places are kept once with their number. With two seats that
//! is at most nine entries for each pair of bots; with more seats at most one entry for each rotation (about 100 bytes).
//! To count matches and rotations that are copies of each other, about 20 bytes for each distinct one come on top.
//!
//! A rotation is complete when it has as many matches as seats; only rotations still incomplete are kept by number.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::rotations::Rotations;
use crate::record::MatchScore;

/// All matches so far, in the form that ratings need. Order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    complete: HashMap<Content, Copies>,
    /// By what tells a complete rotation from all that are no copies of it: how often it was played.
    seen: HashMap<u64, u64>,
    open: HashMap<(u64, usize), Open>,
    bots: Vec<BotTally>,
    distinct: HashSet<u64>,
    matches: u64,
    forfeited: u64,
    seats: usize,
}

/// The matches of one rotation: the number of seats, then of each match the bots and then the places, both by seat.
type Content = Box<[u16]>;

/// How many distinct rotations of one content were played once, twice and so on.
pub(super) type Copies = BTreeMap<u64, u64>;

/// A rotation that is not complete.
#[derive(Clone, Debug, Default)]
struct Open {
    /// As [`Content`], without the number of seats.
    matches: Vec<u16>,
    /// The sum of what identifies its matches, so that their order does not matter.
    identity: u64,
}

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
        self.forfeited += u64::from(score.forfeits.contains(&true));
        self.seats = self.seats.max(seats);
        let mut hasher = DefaultHasher::new();
        (&score.bots, score.fingerprint).hash(&mut hasher);
        let identity = hasher.finish();
        self.distinct.insert(identity);
        for seat in 0..seats {
            self.bots[score.bots[seat]].add(score, seat);
        }

        let rotation = self.open.entry((score.rotation, seats)).or_default();
        rotation.identity = rotation.identity.wrapping_add(identity);
        let bots = score.bots.iter().map(|&bot| u16::try_from(bot));
        let bots = bots.map(|number| number.expect("a plan has fewer than 65,536 bots"));
        rotation.matches.extend(bots);
        rotation.matches.extend(dense(&score.places));
        if rotation.matches.len() == 2 * seats * seats {
            let rotation = self.open.remove(&(score.rotation, seats));
            self.complete(seats, rotation.expect("it was just added to"));
        }
    }

    fn complete(&mut self, seats: usize, rotation: Open) {
        let times = self.seen.entry(rotation.identity).or_default();
        *times += 1;
        let times = *times;
        let copies = self.complete.entry(content(seats, &rotation.matches)).or_default();
        *copies.entry(times).or_default() += 1;
        // The same rotation was counted before, with one time less.
        if let Some(fewer) = copies.get_mut(&(times - 1)) {
            *fewer -= 1;
            if *fewer == 0 {
                copies.remove(&(times - 1));
            }
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

    /// Matches in which somebody forfeited.
    pub fn forfeited(&self) -> u64 {
        self.forfeited
    }

    /// All rotations, always in the same order whatever the order of arrival.
    pub(super) fn rotations(&self) -> Rotations {
        let mut open: BTreeMap<(Content, u64), u64> = BTreeMap::new();
        for (&(_, seats), rotation) in &self.open {
            *open
                .entry((content(seats, &rotation.matches), rotation.identity))
                .or_default() += 1;
        }
        let open = open.iter().map(|((content, _), &times)| (&**content, times, 1));
        let complete = self
            .complete
            .iter()
            .flat_map(|(content, copies)| copies.iter().map(move |(&times, &number)| (&**content, times, number)));
        Rotations::new(complete.chain(open))
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
fn dense(places: &[u8]) -> impl Iterator<Item = u16> {
    let is_first = |seat: usize| !places[..seat].contains(&places[seat]);
    let rank = move |&place: &u8| {
        (0..places.len())
            .filter(|&seat| places[seat] < place && is_first(seat))
            .count()
    };
    places.iter().map(move |place| rank(place) as u16)
}

/// The matches in an order of their own, after the number of seats.
fn content(seats: usize, matches: &[u16]) -> Content {
    let mut matches: Vec<&[u16]> = matches.chunks_exact(2 * seats).collect();
    matches.sort_unstable();
    let seats = u16::try_from(seats).expect("no game has so many seats");
    let mut content = Vec::with_capacity(1 + matches.iter().map(|score| score.len()).sum::<usize>());
    content.push(seats);
    content.extend(matches.into_iter().flatten());
    content.into_boxed_slice()
}
