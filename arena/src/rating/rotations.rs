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
    /// The bots, the lower number first, and their seats, 16 bits each: there may be a million rows.
    key: u64,
    /// How many.
    pub number: u64,
    /// Half-points that the first bot scored in them.
    pub halves: u64,
}

impl Row {
    /// `times` encounters like this one.
    fn of(encounter: Encounter, times: u64) -> Row {
        let Encounter {
            bot,
            opponent,
            seat,
            opponent_seat,
            halves,
        } = encounter.by_lower_bot();
        Row {
            key: (bot as u64) << 48 | (opponent as u64) << 32 | (seat as u64) << 16 | opponent_seat as u64,
            number: times,
            halves: times * u64::from(halves),
        }
    }

    fn take_in(&mut self, other: &Row) {
        self.number += other.number;
        self.halves += other.halves;
    }

    fn bots(&self) -> u64 {
        self.key >> 32
    }

    /// The lower of the two numbers.
    pub fn bot(&self) -> usize {
        usize::from((self.key >> 48) as u16)
    }

    pub fn opponent(&self) -> usize {
        usize::from((self.key >> 32) as u16)
    }

    pub fn seat(&self) -> usize {
        usize::from((self.key >> 16) as u16)
    }

    pub fn opponent_seat(&self) -> usize {
        usize::from(self.key as u16)
    }
}

impl Rotations {
    /// With room for so many of two seats.
    pub fn with_capacity(number: usize) -> Rotations {
        Rotations {
            contents: Vec::with_capacity(9 * number),
            entries: Vec::with_capacity(number),
        }
    }

    /// Adds rotations of one content (the number of seats; then by match bots and places): how often each distinct one of
    /// them was played, and how many there are.
    pub fn push(&mut self, content: &[u16], copies: u64, number: u64) {
        self.contents.extend(content);
        self.entries.push(Entry {
            length: content.len(),
            copies,
            number,
        });
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
        let mut rows: Vec<Row> = Vec::with_capacity(2 * self.entries.len());
        self.each(|rotation| {
            let times = rotation.copies * rotation.number;
            for &encounter in rotation.encounters {
                let row = Row::of(encounter, times);
                // With two seats rotations of the same bots come one after another, and all rows find their place here.
                let is_later = |known: &&Row| known.bots() == row.bots() && known.key > row.key;
                let at = rows.len() - rows.iter().rev().take_while(is_later).count();
                match rows[..at].last_mut() {
                    Some(known) if known.key == row.key => known.take_in(&row),
                    _ => rows.insert(at, row),
                }
            }
        });
        rows.sort_unstable_by_key(|row| row.key);
        rows.dedup_by(|next, kept| {
            let same = next.key == kept.key;
            if same {
                kept.take_in(next);
            }
            same
        });
        rows
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
