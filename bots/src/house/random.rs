//! `random`: any legal move, each as likely as the others.

use mancala_arena_protocol::{BotHello, Start};
use mancala_arena_rules::{Moves, Ruleset};

use super::dice::Dice;
use super::params::{self, Params};
use super::{House, HouseBot, hello, serve};
use crate::client::{Answer, GameBot, GameTurn, Player};

pub(super) const BOT: HouseBot = HouseBot {
    name: "random",
    help: "plays any legal move",
    params: &[params::SEED],
    serve: serve::<Random>,
};

pub(super) struct Random {
    seed: u64,
}

impl House for Random {
    fn new(params: &Params) -> Random {
        Random {
            seed: params.whole("seed").unwrap_or(0),
        }
    }
}

impl GameBot for Random {
    fn hello(&self) -> BotHello {
        hello(&BOT)
    }
    fn start<R: Ruleset>(&mut self, ruleset: R, start: &Start) -> Box<dyn Player<R>> {
        Box::new(RandomPlayer {
            ruleset,
            dice: Dice::new(start.seed, self.seed),
        })
    }
}

struct RandomPlayer<R> {
    ruleset: R,
    dice: Dice,
}

impl<R: Ruleset> Player<R> for RandomPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        self.dice.turn_to(turn.ply);
        let legal = self.ruleset.legal_moves(&turn.position);
        let mv = legal.get(self.dice.below(legal.len()));
        mv.expect("a number below the count of a turn's moves").into()
    }
}
