//! What ratings need to keep of the matches.
//!
//! Memory: 24 bytes for each distinct match with two seats and at most half as much again to grow into; copies take none.
//! With more seats it is less. A rotation that cannot be packed (more than four seats, or bots that change within it)
//! takes some hundred bytes.
//!
//! A rotation is complete when it has as many matches as seats; only rotations still incomplete are kept by number.
//!
//! Matches and rotations are told apart by 64 bits of each: of a million, two different ones are taken for the same with
//! a probability of one in ten million.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

use super::packed::Packed;
use super::pile::{Pile, Piled};
use super::rotations::Rotations;
use crate::record::MatchScore;

/// All matches so far, in the form that ratings need. Order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// What tells each match from all that are no copies of it.
    identities: Pile<u64>,
    complete: Pile<Complete>,
    /// Complete rotations that cannot be packed: by content and identity how often each was played.
    unpacked: BTreeMap<(Vec<u16>, u64), u64>,
    /// By what tells a rotation's number and its number of seats from others.
    open: HashMap<u64, Open, Mixed>,
    /// Buffers of rotations that are complete.
    spare: Vec<Vec<u16>>,
    bots: Vec<BotTally>,
    matches: u64,
    forfeited: u64,
    seats: usize,
}

/// A complete rotation. One with a content of its own is another rotation even where the identity is the same: a fault
/// may end a copy in another way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Complete {
    content: Packed,
    identity: u64,
    /// How often it was played.
    times: u64,
}

/// A rotation that is not complete.
#[derive(Clone, Debug)]
struct Open {
    /// The number of seats; then of each match the bots and the places, both by seat. The matches are in an order of
    /// their own.
    content: Vec<u16>,
    /// The sum of what identifies its matches, so that their order does not matter.
    identity: u64,
}

impl Piled for u64 {
    fn take_in(&mut self, other: &u64) -> bool {
        self == other
    }
}

impl Piled for Complete {
    fn take_in(&mut self, other: &Complete) -> bool {
        let same = self.content == other.content && self.identity == other.identity;
        if same {
            self.times += other.times;
        }
        same
    }
}

/// For keys that are well mixed already.
type Mixed = BuildHasherDefault<AsItIs>;

/// Takes a key as its own hash.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers of 64 bits")
    }
    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// Mixes `number` into `key`, so that every bit of both matters to every bit: the finaliser of SplitMix64 (G. L. Steele,
/// D. Lea and C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
fn mix(key: u64, number: u64) -> u64 {
    // Multiplied, for keys and numbers that both only count from 0 would else meet.
    let mut mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(number);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
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
        // Bots count from 1, for two zeros would mix to nothing new.
        let identity = { score.bots.iter() }.fold(score.fingerprint, |key, &bot| mix(key, bot as u64 + 1));
        self.identities.push(identity);
        for seat in 0..seats {
            self.bots[score.bots[seat]].add(score, seat);
        }

        let mut entry = match self.open.entry(mix(score.rotation, seats as u64)) {
            Entry::Occupied(entry) => entry,
            Entry::Vacant(entry) => entry.insert_entry(Open::new(seats, self.spare.pop().unwrap_or_default())),
        };
        entry.get_mut().add(score, identity);
        if entry.get().content.len() == 1 + 2 * seats * seats {
            let Open { content, identity } = entry.remove();
            match Packed::of(&content) {
                Some(content) => self.complete.push(Complete {
                    content,
                    identity,
                    times: 1,
                }),
                None => *self.unpacked.entry((content.clone(), identity)).or_default() += 1,
            }
            self.spare.push(content);
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
        self.identities.sorted().len() as u64
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
        let complete = self.complete.sorted();
        let mut rotations = Rotations::with_capacity(complete.len());
        let (mut content, mut times) = (Vec::new(), Vec::new());
        for same in complete.chunk_by(|one, other| one.content == other.content) {
            content.clear();
            same[0].content.unpack(&mut content);
            times.clear();
            times.extend(same.iter().map(|rotation| rotation.times));
            times.sort_unstable();
            for equal in times.chunk_by(u64::eq) {
                rotations.push(&content, equal[0], equal.len() as u64);
            }
        }
        let mut open: BTreeMap<(&[u16], u64), u64> = BTreeMap::new();
        for rotation in self.open.values() {
            *open.entry((&rotation.content, rotation.identity)).or_default() += 1;
        }
        let unpacked = { self.unpacked.iter() }.map(|((content, _), &times)| (&**content, times));
        for (content, times) in unpacked.chain(open.iter().map(|(&(content, _), &times)| (content, times))) {
            rotations.push(content, times, 1);
        }
        rotations
    }
}

impl Open {
    /// Without a match. The buffer is used again.
    fn new(seats: usize, mut content: Vec<u16>) -> Open {
        content.clear();
        content.push(u16::try_from(seats).expect("no game has so many seats"));
        Open { content, identity: 0 }
    }

    fn add(&mut self, score: &MatchScore, identity: u64) {
        self.identity = self.identity.wrapping_add(identity);
        let before = self.content.len();
        let bots = score.bots.iter().map(|&bot| u16::try_from(bot));
        self.content
            .extend(bots.map(|number| number.expect("a plan has fewer than 65,536 bots")));
        self.content.extend(dense(&score.places));
        let (known, added) = self.content[1..].split_at(before - 1);
        let earlier = known.chunks_exact(added.len()).take_while(|known| *known <= added);
        let (at, length) = (1 + earlier.count() * added.len(), added.len());
        self.content[at..].rotate_right(length);
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
