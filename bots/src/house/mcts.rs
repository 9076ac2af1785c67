//! `mcts`: upper confidence trees (Kocsis and Szepesvari 2006), for two to four seats.
//!
//! Each playout goes down the tree, where every seat takes what its own results and their uncertainty recommend, adds one
//! node's children, and plays on at random to the end. A seat's result is the share of the other seats that it is placed
//! before, a shared place counting half. A playout of [`PLIES_MAX`] plies is counted as it stands then. A repetition is
//! not seen: a position holds no history. The tree is new at each turn.

use mancala_arena_protocol::{BotHello, Start};
use mancala_arena_rules::{Moves, PerSeat, Ruleset, Seat};

use super::deadline::{Deadline, Now};
use super::dice::Dice;
use super::params::{self, ParamInfo, ParamKind, Params};
use super::worth::places;
use super::{House, HouseBot, hello, serve};
use crate::client::{Answer, GameBot, GameTurn, Info, Player};

/// The longest line from the position to the end of a playout.
const PLIES_MAX: usize = 500;

/// Nodes after which the tree grows no more; some 25 MB.
const TREE_MAX: usize = 1 << 20;

/// Playouts without a limit and without a clock.
const PLAYOUTS_DEFAULT: u64 = 10_000;

/// Won 67 and lost 45 of 120 matches of Kalah(6,4) against 1.0, 1,000 playouts a move; 0.3 and 2.0 lost to 1.0.
const C_DEFAULT: f64 = 0.7;

/// How many playouts pass between two looks at the clock.
const PLAYOUTS_PER_LOOK: u64 = 32;

pub(super) const BOT: HouseBot = HouseBot {
    name: "mcts",
    help: "plays matches out at random, as many as nodes and the clock allow, and takes the move tried most (UCT)",
    params: &[
        ParamInfo {
            key: "nodes",
            kind: ParamKind::Whole(1, u32::MAX as u64),
            default: "no limit; 10000 where there is no clock",
            help: "playouts for a move",
        },
        ParamInfo {
            key: "c",
            kind: ParamKind::Decimal(0.0, 100.0),
            default: "0.7",
            help: "how much it tries what it knows little of",
        },
        params::SEED,
        params::INFO,
    ],
    serve: serve::<Mcts>,
};

#[derive(Clone)]
pub(super) struct Mcts {
    playouts: Option<u64>,
    c: f64,
    seed: u64,
    info: bool,
    pub(super) now: Now,
}

impl House for Mcts {
    fn new(params: &Params) -> Mcts {
        Mcts {
            playouts: params.whole("nodes"),
            c: params.decimal("c").unwrap_or(C_DEFAULT),
            seed: params.whole("seed").unwrap_or(0),
            info: params.word("info") == Some("on"),
            now: std::time::Instant::now,
        }
    }
}

impl GameBot for Mcts {
    fn hello(&self) -> BotHello {
        hello(&BOT)
    }
    fn start<R: Ruleset>(&mut self, ruleset: R, start: &Start) -> Box<dyn Player<R>> {
        Box::new(MctsPlayer {
            ruleset,
            dice: Dice::new(start.seed, self.seed),
            settings: self.clone(),
            tree: Vec::new(),
            path: Vec::new(),
        })
    }
}

struct MctsPlayer<R: Ruleset> {
    ruleset: R,
    dice: Dice,
    settings: Mcts,
    /// The first is the position itself.
    tree: Vec<Node<R::Move>>,
    /// The nodes of the playout in progress, each with the seat that moved there.
    path: Vec<(usize, Seat)>,
}

#[derive(Clone, Copy, Debug)]
struct Node<M> {
    mv: M,
    playouts: u32,
    /// The results, added up, of the seat that moved here.
    results: f64,
    /// The children's place in the tree; 0 to 0 while there are none.
    children: (u32, u32),
}

impl<R: Ruleset> Player<R> for MctsPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        let deadline = Deadline::start(self.settings.now, &turn.time);
        let legal = self.ruleset.legal_moves(&turn.position);
        let first = legal.get(0).expect("a turn has a legal move");
        if legal.len() == 1 {
            return first.into();
        }
        self.dice.turn_to(turn.ply);
        self.tree.clear();
        self.tree.push(Node::new(first));
        self.grow(0, &turn.position);

        let no_limit = if deadline.exists() { u64::MAX } else { PLAYOUTS_DEFAULT };
        let limit = self.settings.playouts.unwrap_or(no_limit);
        let mut playouts = 0;
        let mut position = turn.position.clone();
        while playouts < limit && (playouts % PLAYOUTS_PER_LOOK != 0 || !deadline.passed()) {
            position.clone_from(&turn.position);
            self.playout(&mut position);
            playouts += 1;
        }

        let pv = self.most_tried();
        let info = self.settings.info.then(|| Info {
            score: Some(self.tree[pv[0]].mean()),
            depth: Some(pv.len() as u32),
            nodes: Some(playouts),
            pv: pv.iter().map(|node| self.tree[*node].mv).collect(),
            text: None,
        });
        Answer {
            mv: self.tree[pv[0]].mv,
            info,
        }
    }
}

impl<R: Ruleset> MctsPlayer<R> {
    fn playout(&mut self, position: &mut R::Position) {
        self.path.clear();
        self.descend(position);
        self.play_out(position);
        let results = self.results(position);
        self.tree[0].playouts += 1;
        for (node, seat) in &self.path {
            let node = &mut self.tree[*node];
            node.playouts += 1;
            node.results += results[seat.index()];
        }
    }

    /// Goes down the tree to a node that has not been played out yet, or cannot grow.
    fn descend(&mut self, position: &mut R::Position) {
        let mut node = 0;
        while let Some(seat) = self.ruleset.to_move(position) {
            if self.tree[node].is_leaf() {
                if self.tree[node].playouts == 0 || self.tree.len() >= TREE_MAX || self.path.len() >= PLIES_MAX {
                    return;
                }
                self.grow(node, position);
            }
            node = self.choose(node);
            self.path.push((node, seat));
            self.ruleset.play(position, self.tree[node].mv);
        }
    }

    fn grow(&mut self, node: usize, position: &R::Position) {
        let first = self.tree.len() as u32;
        self.tree
            .extend(self.ruleset.legal_moves(position).iter().map(Node::new));
        self.tree[node].children = (first, self.tree.len() as u32);
    }

    /// The child to try: one never tried, the first of the list, or else that of the highest upper bound.
    fn choose(&self, node: usize) -> usize {
        let parent = &self.tree[node];
        let spread = self.settings.c * ln(parent.playouts.max(1)).sqrt();
        let mut best = (f64::NEG_INFINITY, 0);
        for child in parent.children() {
            let node = &self.tree[child];
            if node.playouts == 0 {
                return child;
            }
            let bound = node.mean() + spread / f64::from(node.playouts).sqrt();
            if bound > best.0 {
                best = (bound, child);
            }
        }
        best.1
    }

    fn play_out(&mut self, position: &mut R::Position) {
        for _ in self.path.len()..PLIES_MAX {
            let legal = self.ruleset.legal_moves(position);
            let Some(mv) = legal.get(self.dice.below(legal.len())) else {
                return;
            };
            self.ruleset.play(position, mv);
        }
        if self.ruleset.to_move(position).is_some() {
            self.ruleset.finish(position);
        }
    }

    /// Each seat's result, from 0.0 to 1.0, of a match that is over.
    fn results(&self, position: &R::Position) -> PerSeat<f64> {
        let outcome = self.ruleset.outcome(position).expect("a playout ends");
        let others = self.ruleset.seats() as f64 - 1.0;
        PerSeat::from_fn(self.ruleset.seats(), |seat| {
            0.5 + f64::from(places(&outcome, seat)) / (2.0 * others)
        })
    }

    /// From the position down, the child tried most; of equals the first. At least one.
    fn most_tried(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut node = 0;
        loop {
            let tried = |child: &usize| self.tree[*child].playouts;
            let children = self.tree[node].children().rev();
            match children
                .max_by_key(tried)
                .filter(|child| path.is_empty() || tried(child) > 0)
            {
                Some(child) => node = child,
                None => return path,
            }
            path.push(node);
        }
    }
}

impl<M: Copy> Node<M> {
    fn new(mv: M) -> Node<M> {
        Node {
            mv,
            playouts: 0,
            results: 0.0,
            children: (0, 0),
        }
    }

    fn is_leaf(&self) -> bool {
        self.children.1 == 0
    }

    fn children(&self) -> std::ops::Range<usize> {
        self.children.0 as usize..self.children.1 as usize
    }

    fn mean(&self) -> f64 {
        self.results / f64::from(self.playouts.max(1))
    }
}

/// The natural logarithm, correct to 9 digits, by operations that give the same bits on every machine: the library's own
/// function does not promise that.
fn ln(number: u32) -> f64 {
    let exponent = number.ilog2();
    let mantissa = f64::from(number) / f64::from(1_u32 << exponent);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let mut series = 0.0;
    for odd in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * s * s + 1.0 / odd;
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for number in (1..5000).chain([1 << 31, u32::MAX]) {
            let error = ln(number) - f64::from(number).ln();
            assert!(error.abs() < 1e-9, "ln {number} is off by {error}");
        }
    }
}
