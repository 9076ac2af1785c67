//! The rotations of a tally, laid out to be gone through many times.
//!
//! Rotations that are copies of each other, match by match, are one entry played several times. Whoever measures how
//! results scatter must take them as one observation: a deterministic pair of bots that plays the same opening a thousand
//! times has told no more than once.

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

/// All rotations in an order that depends on their content only.
#[derive(Debug)]
pub(super) struct Rotations {
    contents: Vec<u16>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    length: usize,
    copies: u64,
    number: u64,
}

/// Rotations that differ in opening or moves only, if at all.
pub(super) struct Rotation<'a> {
    content: &'a [u16],
    /// Every pair of seats of every match, seen by the bot in the lower seat.
    pub encounters: &'a [Encounter],
    /// How often each of them was played.
    pub copies: u64,
    /// How many of them differ.
    pub number: u64,
}

/// Encounters of the same two bots in the same seats, taken together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The lower of the two numbers.
    pub bot: usize,
    pub opponent: usize,
    pub seat: usize,
    pub opponent_seat: usize,
    /// How many.
    pub number: u64,
    /// Half-points that the first bot scored in them.
    pub halves: u64,
}

impl Rotations {
    /// From each rotation's content (number of seats; then by match bots and places), how often each distinct one of this
    /// content was played, and how many there are.
    pub fn new<'a>(rotations: impl Iterator<Item = (&'a [u16], u64, u64)>) -> Rotations {
        // The first four numbers in one make most comparisons cheap.
        let prefix = |content: &[u16]| {
            let first = content.iter().skip(1).chain(std::iter::repeat(&0)).take(4);
            first.fold(0, |prefix: u64, &number| prefix << 16 | u64::from(number))
        };
        let mut sorted: Vec<_> = rotations
            .map(|(content, copies, number)| (prefix(content), content, copies, number))
            .collect();
        sorted.sort_unstable();
        Rotations {
            contents: sorted.iter().flat_map(|&(_, content, ..)| content).copied().collect(),
            entries: sorted
                .iter()
                .map(|&(_, content, copies, number)| Entry {
                    length: content.len(),
                    copies,
                    number,
                })
                .collect(),
        }
    }

    /// Calls `visit` with every rotation.
    pub fn each(&self, mut visit: impl FnMut(Rotation<'_>)) {
        let mut encounters = Vec::new();
        let mut rest = &self.contents[..];
        for entry in &self.entries {
            let (content, tail) = rest.split_at(entry.length);
            rest = tail;
            encounters.clear();
            for (bots, places) in matches_of(content) {
                encounters.extend(encounters_of(bots, places));
            }
            visit(Rotation {
                content,
                encounters: &encounters,
                copies: entry.copies,
                number: entry.number,
            });
        }
    }

    /// All encounters, sorted by bots.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<(u64, u64, u64)> = Vec::new();
        self.each(|rotation| {
            let times = rotation.copies * rotation.number;
            for &encounter in rotation.encounters {
                let Encounter {
                    bot,
                    opponent,
                    seat,
                    opponent_seat,
                    halves,
                } = encounter.by_lower_bot();
                // Bots are below 65,536 and seats below 256, so that the four sort as one.
                let key = (bot as u64) << 48 | (opponent as u64) << 32 | (seat as u64) << 16 | opponent_seat as u64;
                rows.push((key, times, times * u64::from(halves)));
            }
        });
        rows.sort_unstable_by_key(|&(key, ..)| key);
        rows.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
                kept.2 += next.2;
            }
            same
        });
        let part = |key: u64, shift: u32| usize::from((key >> shift) as u16);
        rows.into_iter()
            .map(|(key, number, halves)| Row {
                bot: part(key, 48),
                opponent: part(key, 32),
                seat: part(key, 16),
                opponent_seat: part(key, 0),
                number,
                halves,
            })
            .collect()
    }
}

impl Rotation<'_> {
    /// Its encounters match by match.
    pub fn matches(&self) -> Vec<Vec<Encounter>> {
        matches_of(self.content)
            .map(|(bots, places)| encounters_of(bots, places).collect())
            .collect()
    }
}

impl Encounter {
    /// The same, seen by the bot with the lower number.
    pub fn by_lower_bot(self) -> Encounter {
        if self.bot < self.opponent {
            return self;
        }
        Encounter {
            bot: self.opponent,
            opponent: self.bot,
            seat: self.opponent_seat,
            opponent_seat: self.seat,
            halves: 2 - self.halves,
        }
    }
}

/// The bots and places of each match of a rotation.
fn matches_of(content: &[u16]) -> impl Iterator<Item = (&[u16], &[u16])> {
    let (&seats, matches) = content
        .split_first()
        .expect("a content begins with the number of seats");
    let seats = usize::from(seats);
    matches.chunks_exact(2 * seats).map(move |score| score.split_at(seats))
}

/// Every pair of seats once, seen by the bot in the lower seat. A bot that meets itself is left out: it says nothing.
fn encounters_of<'a>(bots: &'a [u16], places: &'a [u16]) -> impl Iterator<Item = Encounter> {
    let pairs = (0..bots.len()).flat_map(move |seat| (seat + 1..bots.len()).map(move |other| (seat, other)));
    pairs
        .filter(|&(seat, other)| bots[seat] != bots[other])
        .map(|(seat, other)| Encounter {
            bot: usize::from(bots[seat]),
            opponent: usize::from(bots[other]),
            seat,
            opponent_seat: other,
            halves: match places[seat].cmp(&places[other]) {
                std::cmp::Ordering::Less => 2,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Greater => 0,
            },
        })
}
