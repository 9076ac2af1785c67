//! Moves a second in random playouts, choice of the move included, on one core.
//!
//! Rounds of all contestants are interleaved, so that what else the machine does falls on everyone. The yardstick is
//! Kalah(6,4) as one would write it for that board alone. Run: `cargo bench -p mancala-arena-rules --bench playouts`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use mancala_arena_rules::{Listed, Moves, Visitor, visit};

const ROUNDS: usize = 15;
const ROUND: Duration = Duration::from_millis(60);

/// Ruleset and options of each contestant after the yardstick; the first is the yardstick's own game.
const CONTESTANTS: &[(&str, &[(&str, &str)])] = &[
    ("kalah", &[]),
    ("layli-goobalay", &[]),
    ("layli-goobalay", &[("ruleset", "chain")]),
    ("mancala-basic", &[]),
    ("mancala-basic", &[("seats", "3")]),
    ("mancala-basic", &[("seats", "4")]),
];

fn main() {
    let mut runners: Vec<(String, Box<dyn FnMut() -> u64>)> = vec![("yardstick".to_owned(), Box::new(yardstick()))];
    for (name, options) in CONTESTANTS {
        let texts: Vec<_> = options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let label: Vec<_> = options.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let runner = visit(name, &texts, Playouts).expect("the bench names games of the list");
        runners.push((format!("{name} {}", label.join(",")), runner));
    }
    for _ in 0..1_000 {
        assert_eq!(
            runners[0].1(),
            runners[1].1(),
            "the yardstick and Kalah(6,4) play the same matches"
        );
    }
    let mut rates = vec![Vec::new(); runners.len()];
    for _ in 0..ROUNDS {
        for ((_, playout), rates) in runners.iter_mut().zip(&mut rates) {
            let (start, mut moves) = (Instant::now(), 0);
            while start.elapsed() < ROUND {
                for _ in 0..50 {
                    moves += playout();
                }
            }
            rates.push(moves as f64 / start.elapsed().as_secs_f64());
        }
    }
    let medians: Vec<f64> = rates.into_iter().map(median).collect();
    println!("{:32} {:>10} {:>13} {:>9}", "", "M moves/s", "of yardstick", "of kalah");
    for ((name, _), rate) in runners.iter().zip(&medians) {
        println!(
            "{name:32} {:10.2} {:13.2} {:9.2}",
            rate / 1e6,
            rate / medians[0],
            rate / medians[1]
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A xorshift generator: the cheapest that is good enough to choose moves.
struct Random(u64);

impl Random {
    #[inline]
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * bound as u64) >> 32) as usize
    }
}

/// Makes a function that plays one match at random and returns its number of moves.
struct Playouts;

impl Visitor for Playouts {
    type Output = Box<dyn FnMut() -> u64>;

    fn visit<R: Listed>(self, ruleset: R) -> Self::Output {
        let mut random = Random(1);
        let plies_max = u64::from(ruleset.limits().plies);
        Box::new(move || {
            let mut position = ruleset.start();
            let mut plies = 0;
            loop {
                let moves = ruleset.legal_moves(&position);
                if moves.is_empty() || plies == plies_max {
                    break;
                }
                let index = random.below(moves.len());
                ruleset.play(&mut position, moves.get(index).expect("the index is below the length"));
                plies += 1;
            }
            black_box(&position);
            plies
        })
    }
}

/// Kalah(6,4), empty capture off, end on either row, as plain code for that board alone.
fn yardstick() -> impl FnMut() -> u64 {
    let mut random = Random(1);
    move || {
        // Row 0 at 0 to 5, its store at 6, row 1 at 7 to 12, its store at 13.
        let mut board: [u8; 14] = [4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0];
        let mut own = 0;
        let mut plies = 0;
        loop {
            let mut legal = [0; 6];
            let mut count = 0;
            for (pit, seeds) in board[own..own + 6].iter().enumerate() {
                legal[count] = own + pit;
                count += usize::from(*seeds > 0);
            }
            let mut at = legal[random.below(count)];
            let skipped = 13 - own;
            let mut hand = board[at];
            board[at] = 0;
            while hand > 0 {
                at += 1;
                if at == skipped {
                    at += 1;
                }
                if at >= 14 {
                    at = 0;
                }
                board[at] += 1;
                hand -= 1;
            }
            plies += 1;
            if at != own + 6 {
                if at >= own && at < own + 6 && board[at] == 1 && board[12 - at] > 0 {
                    board[own + 6] += 1 + board[12 - at];
                    board[at] = 0;
                    board[12 - at] = 0;
                }
                own = 7 - own;
            }
            if board[0..6].iter().sum::<u8>() == 0 || board[7..13].iter().sum::<u8>() == 0 {
                break;
            }
        }
        black_box(&board);
        plies
    }
}
