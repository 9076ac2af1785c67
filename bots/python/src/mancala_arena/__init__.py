"""Bots for the mancala arena: the client loop, and the games' rules for bots that look ahead.

The whole of a bot that plays its first legal move::

    from mancala_arena import run

    run(lambda turn, start: turn["legal"][0])

A bot that looks ahead builds the game that `start` names and plays on positions of its own::

    from mancala_arena import Game, run

    def choose_move(turn, start):
        game = Game.from_start(start)
        position = game.position(turn["position"])
        seat = turn["seat"]
        return max(
            game.legal_moves(position),
            key=lambda move: game.standing(game.play(position, move))[seat],
        )

    run(choose_move)

Seats, pits and plies are numbered from 0; a row's pits in sowing order, the last one next to
its store.
"""

from .client import RESIGN, info, log, run
from .game import Game, Match, OptionValue, Outcome, Position
from .kalah import Kalah, KalahPosition
from .layli_goobalay import LayliGoobalay, LayliGoobalayPosition
from .mancala_basic import MancalaBasic, MancalaBasicPosition
from .messages import End, Fault, Ply, Start, Time, Turn

__all__ = [
    "RESIGN",
    "End",
    "Fault",
    "Game",
    "Kalah",
    "KalahPosition",
    "LayliGoobalay",
    "LayliGoobalayPosition",
    "MancalaBasic",
    "MancalaBasicPosition",
    "Match",
    "OptionValue",
    "Outcome",
    "Ply",
    "Position",
    "Start",
    "Time",
    "Turn",
    "info",
    "log",
    "run",
]

Game.known.update(
    {
        LayliGoobalay.name: LayliGoobalay,
        MancalaBasic.name: MancalaBasic,
        Kalah.name: Kalah,
    }
)
