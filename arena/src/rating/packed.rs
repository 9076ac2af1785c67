//! The content of a complete rotation in two numbers.
//!
//! A content is the number of seats and then, match by match in an order of their own, the bots and the places by seat;
//! places count from 0 without gaps. It fits where all matches are between the bots of the first, as those of a rotation
//! are, in at most [`SEATS_MAX`] seats.

/// Places and bots of a rotation take two bits each.
const SEATS_MAX: usize = 4;

/// Where the number of seats begins among the results, which take at most as many bits.
const SEATS_SHIFT: usize = 56;

/// In the order of contents, as far as the bots of the first match go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Packed {
    /// Those of the first match, 16 bits each.
    bots: u64,
    /// The number of seats; then the places of the first match, and of each other match which of the bots sat where and
    /// the places.
    results: u64,
}

impl Packed {
    /// Absent where it does not fit.
    pub fn of(content: &[u16]) -> Option<Packed> {
        let (&number, matches) = content.split_first()?;
        let seats = usize::from(number);
        if !(1..=SEATS_MAX).contains(&seats) || matches.len() != 2 * seats * seats {
            return None;
        }
        let bots = &matches[..seats];
        let mut results = 0;
        for (index, score) in matches.chunks_exact(2 * seats).enumerate() {
            let (sat, places) = score.split_at(seats);
            if index > 0 {
                for bot in sat {
                    results = results << 2 | bots.iter().position(|known| known == bot)? as u64;
                }
            }
            for &place in places {
                results = results << 2 | u64::from(place);
            }
        }
        Some(Packed {
            bots: bots.iter().fold(0, |bots, &bot| bots << 16 | u64::from(bot)),
            results: (seats as u64) << SEATS_SHIFT | results,
        })
    }

    /// Appends the content.
    pub fn unpack(self, content: &mut Vec<u16>) {
        let seats = (self.results >> SEATS_SHIFT) as usize;
        content.push(seats as u16);
        let bot = |which: usize| (self.bots >> (16 * (seats - 1 - which))) as u16;
        let mut shift = 2 * seats * (2 * seats - 1);
        let mut next = || {
            shift -= 2;
            (self.results >> shift & 3) as usize
        };
        for index in 0..seats {
            for seat in 0..seats {
                content.push(bot(if index == 0 { seat } else { next() }));
            }
            content.extend((0..seats).map(|_| next() as u16));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Packed;

    fn packed_and_unpacked(content: &[u16]) -> Option<Vec<u16>> {
        let mut unpacked = Vec::new();
        Packed::of(content)?.unpack(&mut unpacked);
        Some(unpacked)
    }

    #[test]
    fn a_packed_content_comes_back_as_it_was() {
        for content in [
            vec![1, 7, 0],
            vec![2, 3, 65_535, 0, 1, 65_535, 3, 0, 0],
            vec![3, 0, 0, 9, 0, 1, 2, 0, 9, 0, 2, 1, 0, 9, 0, 0, 0, 0, 0],
            [vec![4], [65_535, 2, 1, 0, 3, 2, 1, 0].repeat(4)].concat(),
        ] {
            assert_eq!(packed_and_unpacked(&content), Some(content));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_packed() {
        let another_bot = [2, 3, 4, 0, 1, 4, 5, 0, 1];
        let five_seats = [vec![5], [0, 1, 2, 3, 4, 0, 1, 2, 3, 4].repeat(5)].concat();
        let incomplete = [2, 3, 4, 0, 1];
        for content in [&another_bot[..], &five_seats, &incomplete] {
            assert_eq!(Packed::of(content), None);
        }
    }
}
