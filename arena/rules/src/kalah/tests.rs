//! Kalah against published values with perfect play.

use super::*;

/// The exact value of positions: the mover's margin over what the stores hold now.
struct Solver {
    kalah: Kalah,
    table: Vec<Bounds>,
}

/// What is known of the rows in `rows`, seen from the seat to move; no rows are all 0 bits.
#[derive(Clone, Copy)]
struct Bounds {
    rows: u128,
    low: i16,
    high: i16,
}

impl Solver {
    /// A table of two to the power of `table_bits` entries, 32 bytes each.
    fn new(kalah: Kalah, table_bits: u32) -> Solver {
        let nothing = Bounds {
            rows: 0,
            low: 0,
            high: 0,
        };
        Solver {
            kalah,
            table: vec![nothing; 1 << table_bits],
        }
    }

    /// The best margin of the seat to move, found by zero windows that close in on it (MTD(f)).
    fn solve(&mut self) -> i16 {
        let start = self.kalah.start();
        let all = self.in_rows(&start);
        let (mut low, mut high) = (-all, all);
        let mut guess = 0;
        while low < high {
            let beta = if guess == low { guess + 1 } else { guess };
            guess = self.value(&start, beta - 1, beta);
            if guess < beta {
                high = guess;
            } else {
                low = guess;
            }
        }
        low
    }

    /// Fail-soft alpha-beta.
    fn value(&mut self, position: &Position, mut alpha: i16, mut beta: i16) -> i16 {
        let me = position.to_move.expect("the match is not over").index();
        let rows = self.rows(position, me);
        let mixed = (rows as u64 ^ (rows >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let at = (mixed >> 32) as usize % self.table.len();
        let all = self.in_rows(position);
        let known = self.table[at];
        let (low, high) = if known.rows == rows {
            (known.low, known.high)
        } else {
            (-all, all)
        };
        if low >= beta || low == high {
            return low;
        }
        if high <= alpha {
            return high;
        }
        alpha = alpha.max(low);
        beta = beta.min(high);
        let mut best = -all;
        let mut searched = alpha;
        for (next, gain, again) in self.children(position, me) {
            let value = gain
                + match next.to_move {
                    None => 0,
                    Some(_) if again => self.value(&next, searched - gain, beta - gain),
                    Some(_) => -self.value(&next, gain - beta, gain - searched),
                };
            best = best.max(value);
            searched = searched.max(best);
            if best >= beta {
                break;
            }
        }
        let low = if best > alpha { best } else { low };
        let high = if best < beta { best } else { high };
        self.table[at] = Bounds { rows, low, high };
        best
    }

    /// The positions after each move, the mover's gain at once, and whether he moves again: extra turns and gains first.
    fn children(&self, position: &Position, me: usize) -> Vec<(Position, i16, bool)> {
        let now = self.margin(position, me);
        let moves = self.kalah.legal_moves(position);
        let mut children: Vec<_> = moves
            .iter()
            .map(|mv| {
                let mut next = position.clone();
                self.kalah.play(&mut next, mv);
                let gain = self.margin(&next, me) - now;
                let again = next.to_move == position.to_move;
                (next, gain, again)
            })
            .collect();
        children.reverse();
        children.sort_by_key(|(_, gain, again)| (!again, -gain));
        children
    }

    fn margin(&self, position: &Position, me: usize) -> i16 {
        position.ring[self.kalah.store(me)] as i16 - position.ring[self.kalah.store(1 - me)] as i16
    }

    fn in_rows(&self, position: &Position) -> i16 {
        (self.kalah.seeds_in_row(position, 0) + self.kalah.seeds_in_row(position, 1)) as i16
    }

    /// Both rows, the mover's first, 7 bits a pit: for at most 9 pits a row and 127 seeds.
    fn rows(&self, position: &Position, me: usize) -> u128 {
        let rows = [me, 1 - me].map(|seat| &position.ring[self.kalah.row(seat)]);
        rows.iter()
            .flat_map(|row| row.iter())
            .fold(0, |packed, seeds| packed << 7 | u128::from(*seeds))
    }
}

/// How much work it is to solve a board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    /// Up to a second or two.
    Little,
    /// Minutes: left to `ARENA_SLOW_TESTS`.
    Much,
    /// More than ten minutes with this solver: not solved here.
    TooMuch,
}

fn work(pits: usize, seeds: usize, empty_capture: bool) -> Work {
    match (pits, seeds) {
        (6, 4) if empty_capture => Work::Much,
        (6, 4..) => Work::TooMuch,
        _ => Work::Little,
    }
}

#[test]
fn perfect_play_has_the_published_margins() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("../../tests/golden/kalah-values.json")).expect("the file is JSON");
    let slow_too = std::env::var_os("ARENA_SLOW_TESTS").is_some();
    let mut solved = 0;
    for (key, empty_capture) in [("empty_capture_on", true), ("empty_capture_off", false)] {
        for (pits, margins) in golden[key].as_object().expect("margins by pits") {
            let pits: usize = pits.parse().expect("a number of pits");
            for (index, margin) in margins.as_array().expect("margins by seeds").iter().enumerate() {
                let seeds = index + 1;
                let work = work(pits, seeds, empty_capture);
                if work == Work::TooMuch || (work == Work::Much && !slow_too) {
                    continue;
                }
                let kalah = Kalah {
                    pits: pits as u8,
                    seeds: seeds as u8,
                    empty_capture,
                    end: End::Either,
                };
                let mut solver = Solver::new(kalah, if work == Work::Much { 23 } else { 18 });
                assert_eq!(*margin, solver.solve(), "Kalah({pits},{seeds}), {key}");
                solved += 1;
            }
        }
    }
    assert!(solved >= 40, "{solved} boards are solved");
}
