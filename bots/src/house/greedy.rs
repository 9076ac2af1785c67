//! `greedy`: the move after which it stands best, extra turns included, without a thought of what the others do.

use mancala_arena_protocol::{BotHello, Start};
use mancala_arena_rules::{Moves, Ruleset, Seat};

use super::dice::Dice;
use super::params::{self, ParamInfo, ParamKind, Params};
use super::worth::worth;
use super::{House, HouseBot, hello, serve};
use crate::client::{Answer, GameBot, GameTurn, Player};

/// The most extra turns in a row that it looks at.
const EXTRA_TURNS_MAX: u32 = 4;

pub(super) const BOT: HouseBot = HouseBot {
    name: "greedy",
    help: "plays the move after which it stands best, extra turns included",
    params: &[
        ParamInfo {
            key: "ties",
            kind: ParamKind::Words(&["first", "random"]),
            default: "first",
            help: "which of several equal moves: the first of the list, or any",
        },
        params::SEED,
    ],
    serve: serve::<Greedy>,
};

pub(super) struct Greedy {
    random_ties: bool,
    seed: u64,
}

impl House for Greedy {
    fn new(params: &Params) -> Greedy {
        Greedy {
            random_ties: params.word("ties") == Some("random"),
            seed: params.whole("seed").unwrap_or(0),
        }
    }
}

impl GameBot for Greedy {
    fn hello(&self) -> BotHello {
        hello(&BOT)
    }
    fn start<R: Ruleset>(&mut self, ruleset: R, start: &Start) -> Box<dyn Player<R>> {
        Box::new(GreedyPlayer {
            ruleset,
            ties: self.random_ties.then(|| Dice::new(start.seed, self.seed)),
        })
    }
}

struct GreedyPlayer<R> {
    ruleset: R,
    ties: Option<Dice>,
}

impl<R: Ruleset> Player<R> for GreedyPlayer<R> {
    fn turn(&mut self, turn: &GameTurn<R::Position>) -> Answer<R::Move> {
        let mut best: Option<(i32, R::Move)> = None;
        let mut equals = 0;
        if let Some(dice) = &mut self.ties {
            dice.turn_to(turn.ply);
        }
        for mv in self.ruleset.legal_moves(&turn.position).iter() {
            let worth = after(&self.ruleset, &turn.position, mv, turn.seat, EXTRA_TURNS_MAX);
            match best {
                Some((most, _)) if worth < most => continue,
                Some((most, _)) if worth == most => {
                    equals += 1;
                    // The n-th of equals takes over once in n: each is as likely as the others in the end.
                    if self.ties.as_mut().is_none_or(|dice| dice.below(equals) > 0) {
                        continue;
                    }
                }
                _ => equals = 1,
            }
            best = Some((worth, mv));
        }
        best.expect("a turn has a legal move").1.into()
    }
}

/// What `mv` is worth to `seat`, with the best of at most `extra_turns` of its own moves after it.
fn after<R: Ruleset>(ruleset: &R, position: &R::Position, mv: R::Move, seat: Seat, extra_turns: u32) -> i32 {
    let mut next = position.clone();
    ruleset.play(&mut next, mv);
    if extra_turns == 0 || ruleset.to_move(&next) != Some(seat) {
        return worth(ruleset, &next, seat);
    }
    let moves = ruleset.legal_moves(&next);
    let each = moves.iter().map(|mv| after(ruleset, &next, mv, seat, extra_turns - 1));
    each.max().expect("a seat to move has a legal move")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::tests::{kalah, positions};
    use super::*;
    use crate::client::TimeLeft;

    #[test]
    fn ties_are_broken_as_asked() {
        let ruleset = kalah(6, 4);
        let [mut first, mut random] = [false, true].map(|random| GreedyPlayer {
            ruleset: ruleset.clone(),
            ties: random.then(|| Dice::new(1, 2)),
        });
        let mut ties = 0;
        for position in positions(&ruleset, 4, 100) {
            let seat = ruleset.to_move(&position).unwrap();
            let worth = |mv| after(&ruleset, &position, mv, seat, EXTRA_TURNS_MAX);
            let moves = ruleset.legal_moves(&position);
            let most = moves.iter().map(worth).max().unwrap();
            let best: BTreeSet<_> = moves.iter().filter(|mv| worth(*mv) == most).collect();

            let turns = (0..60).map(|ply| GameTurn {
                ply,
                seat,
                position: position.clone(),
                time: TimeLeft::default(),
            });
            for turn in turns.clone() {
                assert_eq!(Some(&first.turn(&turn).mv), best.first());
            }
            let chosen: BTreeSet<_> = turns.map(|turn| random.turn(&turn).mv).collect();
            assert_eq!(chosen, best, "at {position:?}");
            ties += u32::from(best.len() > 1);
        }
        assert!(ties > 10, "only {ties} of the positions had equal moves");
    }
}
