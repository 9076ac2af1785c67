//! What ratings need to keep of the matches.
//!
//! Memory: rotations with the same bots, seats and order of places are kept once with their number. With two seats that
//! is at most nine entries for each pair of bots; with more seats at most one entry for each rotation (about 100 bytes).
//! To count matches and rotations that are copies of each other, about 20 bytes for each distinct one come on top.
//!
//! A rotation is complete when it has as many matches as seats; only rotations still incomplete are kept by number.
//!
//! Matches, rotations and their contents are told apart by 64 bits of each: of a million, two different ones are taken for
//! the same with a probability of one in ten million.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use super::rotations::Rotations;
use crate::record::MatchScore;

/// All matches so far, in the form that ratings need. Order does not matter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The contents of complete rotations, one after the other.
    contents: Vec<u16>,
    kinds: Vec<Kind>,
    /// By what tells a content from others, its place among `kinds`.
    kind_of: HashMap<u64, u32, Mixed>,
    /// By what tells a complete rotation from all that are no copies of it: how often it was played.
    seen: HashMap<u64, u64, Mixed>,
    /// By what tells a rotation's number and its number of seats from others.
    open: HashMap<u64, Open, Mixed>,
    /// Buffers of rotations that are complete.
    spare: Vec<Vec<u16>>,
    bots: Vec<BotTally>,
    distinct: HashSet<u64, Mixed>,
    matches: u64,
    forfeited: u64,
    seats: usize,
}

/// Complete rotations of one content.
#[derive(Clone, Debug)]
struct Kind {
    /// Where it ends in [`Tally::contents`]; it begins where the one before ends.
    end: usize,
    copies: Copies,
}

/// How many distinct rotations of one content were played once, and twice, three times and so on.
#[derive(Clone, Debug, Default)]
struct Copies {
    once: u64,
    more: BTreeMap<u64, u64>,
}

/// A rotation that is not complete.
#[derive(Clone, Debug, Default)]
struct Open {
    seats: usize,
    /// Of each match the bots and then the places, both by seat.
    matches: Vec<u16>,
    /// The sum of what identifies its matches, so that their order does not matter.
    identity: u64,
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
        let identity = { score.bots.iter() }.fold(score.fingerprint, |key, &bot| mix(key, bot as u64));
        self.distinct.insert(identity);
        for seat in 0..seats {
            self.bots[score.bots[seat]].add(score, seat);
        }

        let key = mix(score.rotation, seats as u64);
        let spare = &mut self.spare;
        let rotation = self.open.entry(key).or_insert_with(|| Open {
            seats,
            matches: spare.pop().unwrap_or_default(),
            identity: 0,
        });
        rotation.identity = rotation.identity.wrapping_add(identity);
        let bots = score.bots.iter().map(|&bot| u16::try_from(bot));
        let bots = bots.map(|number| number.expect("a plan has fewer than 65,536 bots"));
        rotation.matches.extend(bots);
        rotation.matches.extend(dense(&score.places));
        if rotation.matches.len() == 2 * seats * seats {
            let mut rotation = self.open.remove(&key).expect("it was just added to");
            self.complete(&rotation);
            rotation.matches.clear();
            self.spare.push(rotation.matches);
        }
    }

    fn complete(&mut self, rotation: &Open) {
        let times = self.seen.entry(rotation.identity).or_default();
        *times += 1;
        let times = *times;
        let start = self.contents.len();
        rotation.append_content(&mut self.contents);
        let key = self.contents[start..]
            .iter()
            .fold(0, |key, &number| mix(key, number.into()));
        let kinds = &mut self.kinds;
        let kind = *self.kind_of.entry(key).or_insert_with(|| {
            kinds.push(Kind {
                end: self.contents.len(),
                copies: Copies::default(),
            });
            u32::try_from(kinds.len() - 1).expect("so many contents do not fit into memory")
        });
        let Kind { end, copies } = &mut kinds[kind as usize];
        if *end != self.contents.len() {
            self.contents.truncate(start);
        }
        copies.add(times);
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
        let mut open: BTreeMap<(Vec<u16>, u64), u64> = BTreeMap::new();
        for rotation in self.open.values() {
            let mut content = Vec::new();
            rotation.append_content(&mut content);
            *open.entry((content, rotation.identity)).or_default() += 1;
        }
        let open = open.iter().map(|((content, _), &times)| (&**content, times, 1));
        let starts = std::iter::once(0).chain(self.kinds.iter().map(|kind| kind.end));
        let complete = self.kinds.iter().zip(starts).flat_map(|(kind, start)| {
            let content = &self.contents[start..kind.end];
            kind.copies.each().map(move |(times, number)| (content, times, number))
        });
        Rotations::new(complete.chain(open))
    }
}

impl Copies {
    /// A rotation has been played once more, for the `times`-th time.
    fn add(&mut self, times: u64) {
        // What was counted with one time less is now one of these; not so where a copy ended otherwise, as of a fault.
        match times {
            1 => self.once += 1,
            2 => self.once = self.once.saturating_sub(1),
            _ => {
                if let Some(fewer) = self.more.get_mut(&(times - 1)) {
                    *fewer -= 1;
                    if *fewer == 0 {
                        self.more.remove(&(times - 1));
                    }
                }
            }
        }
        if times > 1 {
            *self.more.entry(times).or_default() += 1;
        }
    }

    /// How often, and how many were played so often.
    fn each(&self) -> impl Iterator<Item = (u64, u64)> {
        let once = (self.once > 0).then_some((1, self.once));
        once.into_iter()
            .chain(self.more.iter().map(|(&times, &number)| (times, number)))
    }
}

impl Open {
    /// Appends the number of seats and then the matches, in an order of their own.
    fn append_content(&self, contents: &mut Vec<u16>) {
        contents.push(u16::try_from(self.seats).expect("no game has so many seats"));
        let length = 2 * self.seats;
        let mut matches: Vec<&[u16]> = self.matches.chunks_exact(length).collect();
        matches.sort_unstable();
        contents.extend(matches.into_iter().flatten());
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
