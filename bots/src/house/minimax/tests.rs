use mancala_arena_rules::{Moves, Ruleset, Seat};

use super::super::tests::{Pile, kalah, positions};
use super::super::worth::{WIN, worth};
use super::table::{Bound, Entry, Table};
use super::*;

/// The whole tree to a depth, without bounds, order or table.
fn full_width<R: Ruleset>(ruleset: &R, position: &R::Position, seat: Seat, depth: u32) -> i32 {
    let mover = match ruleset.to_move(position) {
        Some(mover) if depth > 0 => mover,
        _ => return worth(ruleset, position, seat),
    };
    let moves = ruleset.legal_moves(position);
    let each = moves.iter().map(|mv| {
        let mut next = position.clone();
        ruleset.play(&mut next, mv);
        full_width(ruleset, &next, seat, depth - 1)
    });
    if mover == seat { each.max() } else { each.min() }.unwrap()
}

fn search<R: Ruleset>(ruleset: &R, table_mb: u64) -> Search<R> {
    Search::new(ruleset.clone(), Rc::new(RefCell::new(Table::new(table_mb))))
}

fn equals_full_width<R: Ruleset>(ruleset: &R, count: usize, depth_max: u32) {
    let mut search = search(ruleset, 1);
    for (at, position) in positions(ruleset, 1, count).into_iter().enumerate() {
        let seat = ruleset.to_move(&position).unwrap();
        search.begin(seat, u64::MAX, None);
        // Several depths with one table, in both orders, so that entries of all depths meet.
        let mut depths: Vec<u32> = (1..=depth_max).collect();
        if at % 2 == 1 {
            depths.reverse();
        }
        for depth in depths {
            let found = search.value(&position, seat, depth, -INFINITE, INFINITE);
            assert_eq!(
                found.value,
                full_width(ruleset, &position, seat, depth),
                "depth {depth} of {position:?}"
            );
        }
    }
}

#[test]
fn a_search_finds_what_the_whole_tree_holds() {
    equals_full_width(&kalah(6, 4), 40, 6);
}

#[test]
fn a_search_to_the_end_finds_what_the_whole_tree_holds() {
    equals_full_width(&kalah(2, 3), 100, 14);
}

#[test]
fn a_search_with_more_seats_finds_what_the_whole_tree_holds() {
    for seats in 2..=4 {
        equals_full_width(&Pile { seats, tokens: 30 }, 40, 8);
    }
}

#[test]
fn deepening_chooses_a_best_move_of_the_whole_tree() {
    let ruleset = kalah(6, 4);
    let mut search = search(&ruleset, 1);
    for position in positions(&ruleset, 2, 40) {
        let seat = ruleset.to_move(&position).unwrap();
        search.begin(seat, u64::MAX, None);
        let best = search.deepen(&position, 5);
        if best.depth < 5 {
            continue;
        }
        let mut next = position.clone();
        ruleset.play(&mut next, best.mv);
        assert_eq!(best.value, full_width(&ruleset, &position, seat, 5));
        assert_eq!(best.value, full_width(&ruleset, &next, seat, 4));
    }
}

#[test]
fn the_shortest_win_is_taken_without_looking_further() {
    let ruleset = Pile { seats: 2, tokens: 3 };
    let mut search = search(&ruleset, 1);
    search.begin(Seat::new(0), u64::MAX, None);
    let best = search.deepen(&ruleset.start(), 64);
    assert_eq!(best.depth, 1);
    assert!(best.value > WIN / 2);
}

#[test]
fn a_search_stops_soon_after_its_nodes() {
    let ruleset = kalah(6, 4);
    let mut search = search(&ruleset, 1);
    for nodes_max in [1, 10, 100, 12_345] {
        search.begin(Seat::new(0), nodes_max, None);
        let best = search.deepen(&ruleset.start(), 64);
        assert!(ruleset.check(&ruleset.start(), best.mv).is_ok());
        assert!(
            (nodes_max..nodes_max + 6).contains(&search.nodes),
            "{} of {nodes_max}",
            search.nodes
        );
    }
}

#[test]
fn the_expected_line_can_be_played_and_is_as_good_as_it_says() {
    let ruleset = kalah(6, 4);
    let mut search = search(&ruleset, 16);
    search.begin(Seat::new(0), u64::MAX, None);
    let best = search.deepen(&ruleset.start(), 6);
    let line = search.expected(&ruleset.start(), best.mv, best.depth);
    assert_eq!(line[0], best.mv);
    assert!(line.len() > 1, "{line:?}");
    let mut position = ruleset.start();
    for mv in line {
        ruleset.check(&position, mv).unwrap();
        ruleset.play(&mut position, mv);
    }
}

fn entry(depth: u32, value: i32) -> Entry {
    Entry {
        value,
        bound: Bound::AtMost,
        depth,
        settled: depth % 2 == 1,
        best: 5,
    }
}

#[test]
fn a_table_gives_back_what_it_was_given_until_it_forgets() {
    let mut table = Table::new(1);
    for turn in 0..600 {
        assert_eq!(table.get(7), None, "turn {turn}");
        table.put(7, entry(127, -3 * WIN - turn));
        assert_eq!(table.get(7), Some(entry(127, -3 * WIN - turn)));
        table.forget();
    }
}

#[test]
fn a_full_bucket_keeps_the_deepest_entry_and_the_latest() {
    let mut table = Table::new(1);
    table.put(1, entry(9, 1));
    table.put(2, entry(3, 2));
    table.put(3, entry(4, 3));
    assert_eq!(table.get(1), Some(entry(9, 1)));
    assert_eq!(table.get(2), None);
    assert_eq!(table.get(3), Some(entry(4, 3)));
    table.put(4, entry(10, 4));
    assert_eq!(table.get(4), Some(entry(10, 4)));
    assert_eq!(table.get(1), Some(entry(9, 1)));
}

#[test]
fn keys_differ_wherever_positions_do() {
    let ruleset = kalah(6, 4);
    let positions = positions(&ruleset, 9, 20_000);
    let seen: std::collections::HashSet<_> = positions.iter().collect();
    let keys: std::collections::HashSet<_> = positions.iter().map(|position| table::key(position, true)).collect();
    assert_eq!(keys.len(), seen.len());
}
