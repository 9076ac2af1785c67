"""A bot that checks this package's rules against what the arena says.

It plays random moves, seeks what random play hardly meets, and now and then resigns. At every
turn it plays what has happened by its own rules, and compares position, seat and legal moves; at
the end of a match reason, places and points. A difference goes to standard error and ends the
program, which is a fault of the bot: in the next match, when it was found at the end of one. Run
by `bots/check-rules`.
"""

import json
import math
import random
import sys
from pathlib import Path
from typing import Any

# Where the package is not installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from mancala_arena import RESIGN, End, Game, Match, Ply, Start, Turn, log, run

# In one match of so many it resigns, at one of its first so many turns.
RESIGNS_ONCE_IN = 6
RESIGNS_BEFORE = 40


class Checker:
    """One match after another."""

    def start(self, start: Start) -> None:
        self.random = random.Random(f"{start['seed']} {start['seat']}")
        resigns = self.random.randrange(RESIGNS_ONCE_IN) == 0
        self.turns_left = self.random.randrange(RESIGNS_BEFORE) if resigns else math.inf
        self.name = start["match"]
        self.seat = start["seat"]
        game = Game.from_start(start)
        same(f"match {self.name}: options", game.options, start["options"])
        same(f"match {self.name}: seats", game.seats, start["seats"])
        self.match: Match[Any] = Match(game, game.position(start["position"]))
        # After leaving it is not told all that goes on.
        self.has_left = False
        # What was played since the last turn, as far as told: all of it, thanks to `observe`.
        self.since: list[Ply] = []
        self.seen: set[Any] = set()

    def choose_move(self, turn: Turn, start: Start) -> object:
        what = f"match {self.name}, ply {turn['ply']}"
        same(f"{what}: since", self.since, turn["since"])
        self.play(self.since)
        self.those_before_leave(turn["seat"])
        match = self.match
        same(f"{what}: ply", match.ply, turn["ply"])
        same(f"{what}: seat", self.seat, turn["seat"])
        same(f"{what}: position", match.position.to_wire(), turn["position"])
        assert match.position == match.game.position(turn["position"]), f"{what}: not read alike"
        same(f"{what}: legal moves", match.legal_moves(), turn["legal"])
        self.turns_left -= 1
        if self.turns_left < 0:
            match.leave(self.seat)
            self.since = []
            self.has_left = True
            return RESIGN
        self.seen.add(match.position)
        move = self.random.choice(self.rare_moves() or match.legal_moves())
        self.since = [{"ply": turn["ply"], "seat": self.seat, "move": move}]
        return move

    def rare_moves(self) -> list[int]:
        """The moves that leave the board as it is, or lead back to a position seen before."""
        game, position = self.match.game, self.match.position
        after = {move: game.play(position, move) for move in self.match.legal_moves()}
        return [move for move, to in after.items() if to.ring == position.ring or to in self.seen]

    def ply(self, ply: Ply) -> None:
        self.since.append({"ply": ply["ply"], "seat": ply["seat"], "move": ply["move"]})

    def end(self, end: End) -> None:
        if self.has_left and self.match.ended is None:
            return
        self.play(self.since)
        if end["reason"] == "resignation":
            while self.match.to_move is not None:
                self.match.leave(self.match.to_move)
        outcome = self.match.outcome()
        assert outcome is not None, f"match {self.name}: over, but not by the own rules"
        same(f"match {self.name}: reason", self.match.ended, end["reason"])
        same(f"match {self.name}: places", outcome.places, end["places"])
        same(f"match {self.name}: points", outcome.points, end["points"])

    def play(self, plies: list[Ply]) -> None:
        for ply in plies:
            self.those_before_leave(ply["seat"])
            self.match.play(ply["move"])

    def those_before_leave(self, seat: int) -> None:
        """Who was to move and has not moved has left."""
        while self.match.to_move not in (seat, None):
            assert self.match.to_move is not None
            self.match.leave(self.match.to_move)


def same(what: str, own: object, told: object) -> None:
    """Ends the program unless both are the same as JSON."""
    if json.dumps(own, sort_keys=True) != json.dumps(told, sort_keys=True):
        log(f"{what}: by the own rules {json.dumps(own)}, the arena says {json.dumps(told)}")
        sys.exit(1)


if __name__ == "__main__":
    checker = Checker()
    run(
        checker.choose_move,
        name="rules checker",
        features=["ready", "observe"],
        on_start=checker.start,
        on_ply=checker.ply,
        on_end=checker.end,
    )
