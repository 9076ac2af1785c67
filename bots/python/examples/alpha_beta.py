"""A bot for the games of two seats: iterative deepening, alpha-beta, and the clock.

`bots/README.md` explains it block by block.
"""

import math
import sys
import time
from pathlib import Path
from typing import Any

# Where the package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from mancala_arena import Game, Start, Turn, info, run

WIN = 1_000_000
DEPTH_MAX = 60
MARGIN_MS = 60
MOVES_TO_COME = 30


class OutOfTime(Exception):
    """The search is broken off."""


class Search:
    """Looks ahead from one position, for the seat that is to move there."""

    def __init__(self, game: Game[Any], seat: int, deadline: float) -> None:
        self.game = game
        self.seat = seat
        self.deadline = deadline
        self.nodes = 0

    def best_move(self, position: Any) -> int:
        """Looks one ply further each time, until time is up or the match is seen to its end."""
        moves = self.game.legal_moves(position)
        if len(moves) == 1:
            return moves[0]
        try:
            for depth in range(1, DEPTH_MAX + 1):
                value, best = self.best_at(position, moves, depth)
                # The best so far comes first: what is left then is cut sooner.
                moves.sort(key=lambda move: move != best)
                info(score=value, depth=depth, nodes=self.nodes)
                if abs(value) > WIN / 2:
                    break
        except OutOfTime:
            pass
        return moves[0]

    def best_at(self, position: Any, moves: list[int], depth: int) -> tuple[float, int]:
        """The best move so many plies deep, and what it is worth."""
        alpha, best = -math.inf, moves[0]
        for move in moves:
            value = self.value(self.game.play(position, move), depth - 1, alpha, math.inf)
            if value > alpha:
                alpha, best = value, move
        return alpha, best

    def value(self, position: Any, depth: int, alpha: float, beta: float) -> float:
        """What a position is worth to the own seat, exact only between `alpha` and `beta`."""
        self.nodes += 1
        if self.nodes % 64 == 0 and time.monotonic() > self.deadline:
            raise OutOfTime
        if depth == 0 or position.to_move is None:
            return self.worth(position)

        own = position.to_move == self.seat
        after = [self.game.play(position, move) for move in self.game.legal_moves(position)]
        if depth > 1:
            after.sort(key=self.worth, reverse=own)
        best = -math.inf if own else math.inf
        for next_position in after:
            value = self.value(next_position, depth - 1, alpha, beta)
            if own:
                best = max(best, value)
                alpha = max(alpha, value)
            else:
                best = min(best, value)
                beta = min(beta, value)
            if alpha >= beta:
                break
        return best

    def worth(self, position: Any) -> float:
        """The lead as it stands; when the match is over, a place decides before all else."""
        standing = self.game.standing(position)
        lead = standing[self.seat] - standing[1 - self.seat]
        outcome = self.game.outcome(position)
        if outcome is None:
            return lead
        return lead + WIN * (outcome.places[1 - self.seat] - outcome.places[self.seat])


def seconds_for(turn: Turn) -> float:
    """What this move may take: all of a limit for one move, a share of a bank."""
    limits = []
    if "move_ms_max" in turn:
        limits.append(turn["move_ms_max"])
    if "bank_ms" in turn:
        bank = turn["bank_ms"][turn["seat"]]
        limits.append(min(bank, bank / MOVES_TO_COME + 0.75 * turn["increment_ms"]))
    limit = min(limits, default=1000)
    # A tenth stays for the way to the arena, or more: a host may be busy.
    return (limit - max(MARGIN_MS, limit / 10)) / 1000


def choose_move(turn: Turn, start: Start) -> int:
    deadline = time.monotonic() + seconds_for(turn)
    game = Game.from_start(start)
    position = game.position(turn["position"])
    return Search(game, turn["seat"], deadline).best_move(position)


if __name__ == "__main__":
    run(choose_move, name="alpha-beta", games=[name for name in Game.known])
