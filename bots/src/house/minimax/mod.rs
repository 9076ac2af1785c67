//! `minimax`: iterative deepening alpha-beta over the standing, for two to four seats.
//!
//! A seat may move again, so the sign follows the side to move and not the ply. There are two sides: the bot, and everyone
//! else together (with three or four seats this is the paranoid search: it sees worse enemies than it has, and gets
//! alpha-beta for it). Depth counts plies. A repetition or a cap on plies is not seen: a position holds no history.
//!
//! The table never changes what a search to a fixed depth finds, only how soon: what it holds is used for a search to the
//! same depth, or for any deeper one where no line below was cut off. It is empty at each turn.

mod table;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::rc::Rc;

use mancala_arena_protocol::{BotHello, Start};
use mancala_arena_rules::{Moves, Ruleset, Seat};

use self::table::{Bound, Entry, Table};
use super::deadline::{Deadline, Now};
use super::params::{self, ParamInfo, ParamKind, Params};
use super::worth::{WIN, worth};
use super::{House, HouseBot, hello, serve};
use crate::client::{Answer, GameBot, GameTurn, Info, Player, TimeLeft};

const DEPTH_MAX: u32 = 64;

/// The depth without a limit and without a clock.
const DEPTH_DEFAULT: u32 = 8;

/// How many nodes pass between two looks at the clock.
const NODES_PER_LOOK: u64 = 512;

/// Above any worth, and safe to negate.
const INFINITE: i32 = i32::MAX;

pub(super) const BOT: HouseBot = HouseBot {
    name: "minimax",
    help: "looks ahead as far as depth, nodes and the clock allow (alpha-beta; paranoid with 3 or 4 seats)",
    params: &[
        ParamInfo {
            key: "depth",
            kind: ParamKind::Whole(1, DEPTH_MAX as u64),
            default: "no limit; 8 where there is neither `nodes` nor a clock",
            help: "plies to look ahead",
        },
        ParamInfo {
            key: "nodes",
            kind: ParamKind::Whole(1, u64::MAX),
            default: "no limit",
            help: "positions to look at for a move",
        },
        ParamInfo {
            key: "table_mb",
            kind: ParamKind::Whole(1, 4096),
            default: "16",
            help: "memory for positions seen, in MiB",
        },
        params::INFO,
    ],
    serve: serve::<Minimax>,
};

#[derive(Clone)]
pub(super) struct Minimax {
    depth: Option<u32>,
    nodes: Option<u64>,
    /// One for all matches: to map and clear it anew takes longer than a match of quick bots.
    table: Rc<RefCell<Table>>,
    info: bool,
    pub(super) now: Now,
}

impl House for Minimax {
    fn new(params: &Params) -> Minimax {
        Minimax {
            depth: params.whole("depth").map(|depth| depth as u32),
            nodes: params.whole("nodes"),
            table: Rc::new(RefCell::new(Table::new(params.whole("table_mb").unwrap_or(16)))),
            info: params.word("info") == Some("on"),
            now: std::time::Instant::now,
        }
    }
}

impl GameBot for Minimax {
    fn hello(&self) -> BotHello {
        hello(&BOT)
    }
    fn start<R: Ruleset>(&mut self, ruleset: R, _start: &Start) -> Box<dyn Player<R>> {
        Box::new(MinimaxPlayer {
            search: Search::new(ruleset, Rc::clone(&self.table)),
            settings: self.clone(),
        })
    }
}

struct MinimaxPlayer<R: Ruleset> {
    search: Search<R>,
    settings: Minimax,
}

impl<R: Ruleset> Player<R> for MinimaxPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        let depth_max = self.prepare(turn.seat, &turn.time);
        let found = self.search.deepen(&turn.position, depth_max);
        let info = self.settings.info.then(|| Info {
            score: Some(found.value.into()),
            depth: Some(found.depth),
            nodes: Some(self.search.nodes),
            pv: self.search.expected(&turn.position, found.mv, found.depth),
            text: None,
        });
        Answer { mv: found.mv, info }
    }
}

impl<R: Ruleset> MinimaxPlayer<R> {
    /// Sets the limits of the next search, and gives that of its depth.
    fn prepare(&mut self, seat: Seat, time: &TimeLeft) -> u32 {
        let deadline = Deadline::start(self.settings.now, time);
        let unlimited = self.settings.nodes.is_none() && !deadline.exists();
        self.search
            .begin(seat, self.settings.nodes.unwrap_or(u64::MAX), Some(deadline));
        self.settings
            .depth
            .unwrap_or(if unlimited { DEPTH_DEFAULT } else { DEPTH_MAX })
    }
}

/// What a search found: the move, its worth to the bot, and the depth looked to.
#[derive(Clone, Copy, Debug)]
struct Best<M> {
    mv: M,
    value: i32,
    depth: u32,
}

/// The value of a position to the side to move.
#[derive(Clone, Copy, Debug)]
struct Found {
    value: i32,
    /// Whether no line that it rests on was cut off by the depth.
    settled: bool,
}

/// A move and what it leads to.
#[derive(Debug)]
struct Child<P> {
    index: u8,
    position: P,
    next: Option<Seat>,
    /// The worth of the position as it stands to the side that moves.
    worth: i32,
    /// The higher, the earlier it is looked at.
    order: i32,
}

struct Search<R: Ruleset> {
    ruleset: R,
    table: Rc<RefCell<Table>>,
    seat: Seat,
    nodes: u64,
    nodes_max: u64,
    next_look: u64,
    deadline: Option<Deadline>,
    stopped: bool,
    /// Memory for the moves of a node, by the depth that is left.
    spare: Vec<Vec<Child<R::Position>>>,
}

impl<R: Ruleset> Search<R> {
    fn new(ruleset: R, table: Rc<RefCell<Table>>) -> Search<R> {
        Search {
            ruleset,
            table,
            seat: Seat::new(0),
            nodes: 0,
            nodes_max: u64::MAX,
            next_look: 0,
            deadline: None,
            stopped: false,
            spare: (0..=DEPTH_MAX).map(|_| Vec::new()).collect(),
        }
    }

    /// Begins a search for `seat`; nothing of earlier ones remains.
    fn begin(&mut self, seat: Seat, nodes_max: u64, deadline: Option<Deadline>) {
        self.table.borrow_mut().forget();
        self.seat = seat;
        self.nodes = 0;
        self.nodes_max = nodes_max;
        self.next_look = NODES_PER_LOOK.min(nodes_max);
        self.deadline = deadline;
        self.stopped = false;
    }

    /// Looks deeper and deeper until a limit is reached or more depth cannot change the choice.
    ///
    /// A depth that is broken off counts as far as it came: its first move is the best of the depth before, and another
    /// replaces it only when it has been found better.
    fn deepen(&mut self, position: &R::Position, depth_max: u32) -> Best<R::Move> {
        let legal = self.ruleset.legal_moves(position);
        let mut moves: Vec<R::Move> = legal.iter().collect();
        let mut best = Best {
            mv: moves[0],
            value: worth(&self.ruleset, position, self.seat),
            depth: 0,
        };
        if moves.len() == 1 {
            return best;
        }
        for depth in 1..=depth_max {
            let mut found = Found {
                value: -INFINITE,
                settled: true,
            };
            let mut best_at = 0;
            for (at, mv) in moves.iter().enumerate() {
                let child = self.after(position, *mv, depth, found.value);
                if self.stopped {
                    break;
                }
                found.settled &= child.settled;
                if child.value > found.value {
                    found.value = child.value;
                    best_at = at;
                    best = Best {
                        mv: *mv,
                        value: child.value,
                        depth,
                    };
                }
            }
            moves[..=best_at].rotate_right(1);
            if self.stopped || found.settled || self.decided(found.value) {
                break;
            }
        }
        best
    }

    /// The value to the bot, which is to move, of playing `mv`; exact only above `alpha`.
    fn after(&mut self, position: &R::Position, mv: R::Move, depth: u32, alpha: i32) -> Found {
        let mut next = position.clone();
        self.ruleset.play(&mut next, mv);
        self.count(1);
        match self.ruleset.to_move(&next) {
            Some(mover) if depth > 1 => self.look(&next, mover, self.seat, depth - 1, alpha, INFINITE),
            mover => Found {
                value: worth(&self.ruleset, &next, self.seat),
                settled: mover.is_none(),
            },
        }
    }

    /// Whether more depth cannot change places: the bot is placed before all the others, or behind them all.
    fn decided(&self, value: i32) -> bool {
        value.abs() > WIN * (self.ruleset.seats() as i32 - 1) - WIN / 2
    }

    /// [`Search::value`] as seen from the side of `seat`.
    fn look(&mut self, position: &R::Position, mover: Seat, seat: Seat, depth: u32, alpha: i32, beta: i32) -> Found {
        if (mover == self.seat) == (seat == self.seat) {
            return self.value(position, mover, depth, alpha, beta);
        }
        let found = self.value(position, mover, depth, -beta, -alpha);
        Found {
            value: -found.value,
            ..found
        }
    }

    /// The value of `position` to the side of `mover`, `depth` plies on, at least 1. It is exact between `alpha` and `beta`, and a
    /// bound outside; once `stopped`, it is nothing.
    fn value(&mut self, position: &R::Position, mover: Seat, depth: u32, alpha: i32, beta: i32) -> Found {
        if depth == 1 {
            return self.value_of_leaves(position, mover, beta);
        }
        let key = table::key(position, mover == self.seat);
        let entry = self.table.borrow().get(key);
        if let Some(entry) = entry
            && entry.holds(depth, alpha, beta)
        {
            return Found {
                value: entry.value,
                settled: entry.settled,
            };
        }

        let mut children = std::mem::take(&mut self.spare[depth as usize]);
        self.expand(position, mover, entry.map(|entry| entry.best), &mut children);
        let mut best = Found {
            value: -INFINITE,
            settled: true,
        };
        let mut best_index = 0;
        for child in &children {
            let found = match child.next {
                None => Found {
                    value: child.worth,
                    settled: true,
                },
                Some(next) => self.look(&child.position, next, mover, depth - 1, alpha.max(best.value), beta),
            };
            best.settled &= found.settled;
            if found.value > best.value {
                best.value = found.value;
                best_index = child.index;
            }
            if best.value >= beta || self.stopped {
                break;
            }
        }
        self.spare[depth as usize] = children;

        if !self.stopped {
            let bound = Bound::of(best.value, alpha, beta);
            self.table.borrow_mut().put(
                key,
                Entry {
                    value: best.value,
                    bound,
                    depth,
                    settled: best.settled,
                    best: best_index,
                },
            );
        }
        best
    }

    /// [`Search::value`] one ply on: no order, no table.
    fn value_of_leaves(&mut self, position: &R::Position, mover: Seat, beta: i32) -> Found {
        let sign = self.sign(mover);
        let mut best = Found {
            value: -INFINITE,
            settled: true,
        };
        let mut next = position.clone();
        for (at, mv) in self.ruleset.legal_moves(position).iter().enumerate() {
            if at > 0 {
                next.clone_from(position);
            }
            self.ruleset.play(&mut next, mv);
            self.count(1);
            best.settled &= self.ruleset.to_move(&next).is_none();
            best.value = best.value.max(sign * worth(&self.ruleset, &next, self.seat));
            if best.value >= beta {
                break;
            }
        }
        best
    }

    /// The children of a node, the most promising first: the table's move, then by worth, an extra turn before all else.
    fn expand(
        &mut self,
        position: &R::Position,
        mover: Seat,
        first: Option<u8>,
        children: &mut Vec<Child<R::Position>>,
    ) {
        let sign = self.sign(mover);
        children.clear();
        for (index, mv) in self.ruleset.legal_moves(position).iter().enumerate() {
            let mut next = position.clone();
            self.ruleset.play(&mut next, mv);
            let to_move = self.ruleset.to_move(&next);
            let worth = sign * worth(&self.ruleset, &next, self.seat);
            let order = match first {
                Some(first) if usize::from(first) == index => i32::MAX,
                _ => worth + if to_move == Some(mover) { WIN / 2 } else { 0 },
            };
            children.push(Child {
                index: index as u8,
                position: next,
                next: to_move,
                worth,
                order,
            });
        }
        self.count(children.len() as u64);
        children.sort_unstable_by_key(|child| (-child.order, child.index));
    }

    /// 1 where `mover` is the bot, -1 where it is one of the others.
    fn sign(&self, mover: Seat) -> i32 {
        if mover == self.seat { 1 } else { -1 }
    }

    /// Counts positions that were looked at, and stops the search at its limits.
    fn count(&mut self, nodes: u64) {
        self.nodes += nodes;
        if self.nodes >= self.next_look {
            let late = self.deadline.is_some_and(|deadline| deadline.passed());
            self.stopped |= late || self.nodes >= self.nodes_max;
            self.next_look = (self.nodes + NODES_PER_LOOK).min(self.nodes_max);
        }
    }

    /// The moves that the search expects, `mv` first, as far as the table remembers them.
    fn expected(&self, position: &R::Position, mv: R::Move, depth: u32) -> Vec<R::Move> {
        let mut position = position.clone();
        let mut moves = vec![mv];
        self.ruleset.play(&mut position, mv);
        while moves.len() < depth as usize {
            let Some(mover) = self.ruleset.to_move(&position) else {
                break;
            };
            let entry = self.table.borrow().get(table::key(&position, mover == self.seat));
            let next = entry.and_then(|entry| self.ruleset.legal_moves(&position).get(entry.best.into()));
            let Some(next) = next else {
                break;
            };
            moves.push(next);
            self.ruleset.play(&mut position, next);
        }
        moves
    }
}
