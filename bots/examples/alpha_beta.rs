//! A bot for the games of two seats: iterative deepening, alpha-beta, and the clock.
//!
//! `bots/README.md` explains it block by block, by its twin in Python.

use std::time::{Duration, Instant};

use mancala_arena_bots::client::{self, Answer, ClientError, GameBot, GameTurn, Info, Player, Start, TimeLeft};
use mancala_arena_rules::{Moves, Ruleset, Seat};

const WIN: i32 = 1_000_000;
const INFINITE: i32 = i32::MAX;
const DEPTH_MAX: u32 = 60;
const MARGIN: Duration = Duration::from_millis(60);
const MOVES_TO_COME: u32 = 30;

fn main() -> Result<(), ClientError> {
    client::run_game_bot(AlphaBeta)
}

struct AlphaBeta;

impl GameBot for AlphaBeta {
    fn start<R: Ruleset>(&mut self, ruleset: R, _: &Start) -> Box<dyn Player<R>> {
        Box::new(AlphaBetaPlayer(ruleset))
    }
}

struct AlphaBetaPlayer<R>(R);

impl<R: Ruleset> Player<R> for AlphaBetaPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        let mut search = Search {
            ruleset: &self.0,
            seat: turn.seat,
            deadline: Instant::now() + time_for(&turn.time),
            nodes: 0,
        };
        search.best_move(&turn.position)
    }
}

/// Looks ahead from one position, for the seat that is to move there.
struct Search<'a, R> {
    ruleset: &'a R,
    seat: Seat,
    deadline: Instant,
    nodes: u64,
}

impl<R: Ruleset> Search<'_, R> {
    /// Looks one ply further each time, until time is up or the match is seen to its end.
    fn best_move(&mut self, position: &R::Position) -> Answer<R::Move> {
        let mut moves: Vec<R::Move> = self.ruleset.legal_moves(position).iter().collect();
        let mut info = Info::default();
        for depth in 1..=DEPTH_MAX {
            let Some((value, best)) = self.best_at(position, &moves, depth) else {
                break;
            };
            // The best so far comes first: what is left then is cut sooner.
            moves.sort_by_key(|mv| *mv != best);
            info.score = Some(value.into());
            info.depth = Some(depth);
            if moves.len() == 1 || value.abs() > WIN / 2 {
                break;
            }
        }
        info.nodes = Some(self.nodes);
        Answer {
            mv: moves[0],
            info: Some(info),
        }
    }

    /// The best move so many plies deep, and what it is worth; `None` when time is up.
    fn best_at(&mut self, position: &R::Position, moves: &[R::Move], depth: u32) -> Option<(i32, R::Move)> {
        let mut best = (-INFINITE, moves[0]);
        for mv in moves {
            let value = self.value(&self.after(position, *mv), depth - 1, best.0, INFINITE)?;
            if value > best.0 {
                best = (value, *mv);
            }
        }
        Some(best)
    }

    /// What a position is worth to the own seat, exact only between `alpha` and `beta`; `None` when time is up.
    fn value(&mut self, position: &R::Position, depth: u32, mut alpha: i32, mut beta: i32) -> Option<i32> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) && Instant::now() > self.deadline {
            return None;
        }
        let mover = self.ruleset.to_move(position).filter(|_| depth > 0);
        let Some(mover) = mover else {
            return Some(self.worth(position));
        };
        let moves = self.ruleset.legal_moves(position);
        let mut after: Vec<_> = moves.iter().map(|mv| self.after(position, mv)).collect();
        let own = mover == self.seat;
        if depth > 1 {
            after.sort_by_key(|next| if own { -self.worth(next) } else { self.worth(next) });
        }
        for next in &after {
            let value = self.value(next, depth - 1, alpha, beta)?;
            if own {
                alpha = alpha.max(value);
            } else {
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        Some(if own { alpha } else { beta })
    }

    fn after(&self, position: &R::Position, mv: R::Move) -> R::Position {
        let mut next = position.clone();
        self.ruleset.play(&mut next, mv);
        next
    }

    /// The lead as it stands; when the match is over, a place decides before all else.
    fn worth(&self, position: &R::Position) -> i32 {
        let (own, other) = (self.seat.index(), 1 - self.seat.index());
        let standing = self.ruleset.standing(position);
        let places = self.ruleset.outcome(position).map_or(0, |outcome| {
            i32::from(outcome.places[other]) - i32::from(outcome.places[own])
        });
        standing[own] - standing[other] + WIN * places
    }
}

/// What this move may take: all of a limit for one move, a share of a bank.
fn time_for(time: &TimeLeft) -> Duration {
    let share = |bank: Duration| (bank / MOVES_TO_COME + time.increment.unwrap_or_default() * 3 / 4).min(bank);
    let limits = time.move_max.into_iter().chain(time.bank.map(share));
    let limit = limits.min().unwrap_or(Duration::from_secs(1));
    // A tenth stays for the way to the arena, or more: a host may be busy.
    limit.saturating_sub(MARGIN.max(limit / 10))
}
