//! Your bot: make `choose_move` better.

mod arena;
#[cfg(test)]
mod tests;

use arena::{Move, Start, Turn};

/// Returns one of `turn.legal`: the first of those that look best.
///
/// Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
/// `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
fn choose_move<'a>(turn: &'a Turn, start: &Start) -> &'a Move {
    // Where to go on: play each move on a copy of the position, and look at what the
    // opponent can do next. `arena::log(...)` prints to standard error.
    let mut best = &turn.legal[0];
    for candidate in &turn.legal {
        if rate(candidate, turn, start) > rate(best, turn, start) {
            best = candidate;
        }
    }
    best
}

/// Says how good a move looks, by what is common to the games.
///
/// Seeds are sown one a pit, to the right. More than one round is not looked at.
fn rate(candidate: &Move, turn: &Turn, start: &Start) -> usize {
    let pits = &turn.position.pits;
    // No pit of the own row: a game that is not known here.
    let (Some(row), Some(pit)) = (pits.get(turn.seat), candidate.pit) else {
        return 0;
    };
    let Some(&seeds) = row.get(pit) else {
        return 0;
    };

    let last = pit + seeds;
    // The last seed falls into the own store: another move. Nearest pit first.
    if last == row.len() && !turn.position.stores.is_empty() {
        return 2000 + pit;
    }
    // It falls into an empty own pit: it captures the seeds in the facing pit.
    let captures = pits.len() == 2 && start.game != "mancala-basic";
    if captures && row.get(last) == Some(&0) {
        let facing = pits[1 - turn.seat][row.len() - 1 - last];
        if facing > 0 {
            return 1000 + facing;
        }
    }
    // Else, the more seeds move on, the fewer can be captured.
    seeds
}

fn main() -> std::io::Result<()> {
    arena::run(choose_move)
}
