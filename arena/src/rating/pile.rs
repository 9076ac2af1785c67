//! A pile of things of which equal ones become one.
//!
//! It is put in order only when it is full, and when it is asked for: looking each thing up as it comes would be a
//! cache miss for each, once there are millions.

/// What can be piled up. Equal things come next to each other in their order.
pub(super) trait Piled: Copy + Ord {
    /// Takes in another one that comes right after it, if both are the same; whether it did.
    fn take_in(&mut self, other: &Self) -> bool;
}

/// Takes half as much memory again as its different things need, at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Pile<T>(Vec<T>);

/// Fewer things are not worth putting in order.
const LENGTH_MIN: usize = 1_024;

impl<T: Piled> Pile<T> {
    pub fn push(&mut self, thing: T) {
        if self.0.len() == self.0.capacity() {
            put_in_order(&mut self.0);
            self.0.reserve_exact((self.0.len() / 2).max(LENGTH_MIN));
        }
        self.0.push(thing);
    }

    /// The different things, in their order.
    pub fn sorted(&self) -> Vec<T> {
        let mut things = self.0.clone();
        put_in_order(&mut things);
        things
    }
}

/// The sort is the one that makes use of what is in order already: most of a pile.
fn put_in_order<T: Piled>(things: &mut Vec<T>) {
    things.sort();
    things.dedup_by(|next, kept| kept.take_in(next));
}

#[cfg(test)]
mod tests {
    use super::{LENGTH_MIN, Pile};
    use crate::rating::draws::Draws;

    #[test]
    fn a_pile_has_each_thing_once_and_no_room_for_its_copies() {
        let mut draws = Draws::new(3);
        for different in [10, 5_000, 40_000] {
            let mut pile = Pile::default();
            let pushed: Vec<u64> = (0..100_000)
                .map(|_| (draws.uniform() * f64::from(different)) as u64)
                .collect();
            pushed.iter().for_each(|&number| pile.push(number));
            let expected: Vec<u64> = std::collections::BTreeSet::from_iter(pushed).into_iter().collect();
            assert_eq!(pile.sorted(), expected);
            let room = pile.0.capacity();
            assert!(room <= expected.len() * 3 / 2 + LENGTH_MIN, "room for {room}");
        }
    }
}
