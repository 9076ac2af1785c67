//! Which bots meet at one table.
//!
//! Pairs come by the circle method (J. Kirkman 1847; in every textbook on tournaments), so that within a round every bot
//! plays early. Tables of three or four are all combinations while those are few. Above that they are cyclic shifts of a
//! few base tables: each bot then sits at equally many tables by construction, and base tables are chosen one after the
//! other so that the differences inside them, and with them the meetings of pairs, come out as equal as they can greedily
//! be made.

/// Up to this many combinations all of them are played in a round.
const COMBINATIONS_MAX: u64 = 5_000;

/// The pair with this index among all pairs of `bots`.
pub fn pair(bots: usize, index: u64) -> [usize; 2] {
    // An odd number of bots goes round a circle; of an even number one stays in the middle.
    let circle = if bots.is_multiple_of(2) { bots - 1 } else { bots };
    let per_turn = (bots / 2) as u64;
    let (turn, place) = ((index / per_turn) as usize, (index % per_turn) as usize);
    let place = if bots.is_multiple_of(2) { place } else { place + 1 };
    if place == 0 {
        return [turn, bots - 1];
    }
    [(turn + place) % circle, (turn + circle - place) % circle]
}

/// The tables of a round, `seats` entries for each, members in ascending order.
pub fn tables(bots: usize, seats: usize) -> Vec<u32> {
    let combinations = (0..seats as u64).try_fold(1u64, |n, i| n.checked_mul(bots as u64 - i).map(|n| n / (i + 1)));
    match combinations {
        Some(count) if count <= COMBINATIONS_MAX => all_combinations(bots, seats),
        _ => cyclic(bots, seats),
    }
}

/// Puts members in the arrangement with this number, counted modulo the number of arrangements.
pub fn arrange(members: &mut [usize], number: u64) {
    let mut number = number;
    for at in 0..members.len() {
        let rest = (members.len() - at) as u64;
        members[at..].rotate_left((number % rest) as usize);
        number /= rest;
    }
}

fn all_combinations(bots: usize, seats: usize) -> Vec<u32> {
    let mut table: Vec<u32> = (0..seats as u32).collect();
    let mut all = Vec::new();
    loop {
        all.extend(&table);
        // The last member that can still move up does, and those after it follow close.
        let Some(at) = (0..seats).rev().find(|at| (table[*at] as usize) < bots - seats + at) else {
            return all;
        };
        table[at] += 1;
        for after in at + 1..seats {
            table[after] = table[after - 1] + 1;
        }
    }
}

fn cyclic(bots: usize, seats: usize) -> Vec<u32> {
    let mut met = vec![0u32; bots];
    let mut all = Vec::new();
    // Base tables until every two bots meet.
    while met[1..=bots / 2].contains(&0) {
        let base = base_table(bots, seats, &mut met);
        for shift in 0..bots {
            let mut table: Vec<u32> = base.iter().map(|bot| ((bot + shift) % bots) as u32).collect();
            table.sort_unstable();
            all.extend(table);
        }
    }
    all
}

/// The table that repeats the fewest differences, and counts its own in `met`.
fn base_table(bots: usize, seats: usize, met: &mut [u32]) -> Vec<usize> {
    let mut table = vec![0];
    while table.len() < seats {
        let cost = |candidate: usize| {
            // Differences among the new ones themselves count too: a table should not repeat one.
            let mut added: Vec<usize> = table.iter().map(|other| distance(bots, candidate, *other)).collect();
            added.sort_unstable();
            let repeats = added.windows(2).filter(|pair| pair[0] == pair[1]).count() as u32;
            (
                added.iter().map(|difference| met[*difference]).max(),
                repeats,
                added.iter().map(|d| met[*d]).sum::<u32>(),
            )
        };
        let free = (1..bots).filter(|candidate| !table.contains(candidate));
        let best = free
            .min_by_key(|candidate| cost(*candidate))
            .expect("there are more bots than seats");
        for other in &table {
            met[distance(bots, best, *other)] += 1;
        }
        table.push(best);
    }
    table
}

/// The difference round the circle, counted the shorter way.
fn distance(bots: usize, a: usize, b: usize) -> usize {
    let difference = a.abs_diff(b);
    difference.min(bots - difference)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn pairs_are_all_pairs_once_and_every_turn_of_the_circle_has_each_bot_once() {
        for bots in 2..=9 {
            let count = (bots * (bots - 1) / 2) as u64;
            let pairs: Vec<_> = (0..count).map(|index| pair(bots, index)).collect();
            let distinct: HashSet<_> = pairs.iter().map(|[a, b]| (a.min(b), a.max(b))).collect();
            assert_eq!(distinct.len() as u64, count, "{bots} bots");
            for turn in pairs.chunks(bots / 2) {
                let members: HashSet<_> = turn.iter().flatten().collect();
                assert_eq!(members.len(), bots / 2 * 2, "{bots} bots: {turn:?}");
            }
        }
    }

    #[test]
    fn arrangements_are_all_different() {
        let arrangements: HashSet<_> = (0..6)
            .map(|number| {
                let mut members = [1, 2, 3];
                arrange(&mut members, number);
                members
            })
            .collect();
        assert_eq!(arrangements.len(), 6);
    }

    #[test]
    fn combinations_are_all_and_distinct() {
        let all = tables(7, 4);
        let distinct: HashSet<_> = all.chunks(4).collect();
        assert_eq!((all.len() / 4, distinct.len()), (35, 35));
    }
}
