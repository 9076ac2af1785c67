"""Mancala basic: sow through every store, never capture, and be the first whose row is empty.

Two to four seats in a ring. The one thing a reader would get wrong: a last seed in any store,
not only the own one, is an extra turn, but for a seat that has just emptied its row.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .game import Game, OptionValue, Outcome


class MancalaBasicPosition(NamedTuple):
    """A board of mancala basic."""

    ring: tuple[int, ...]
    """Row 0, store 0, row 1, store 1 and so on, in sowing order."""

    active: tuple[int, ...]
    """The seats on the board, ascending."""

    finished: tuple[int, ...]
    """The seats that have finished, in that order."""

    left: tuple[int, ...]
    """The seats that have resigned or made a fault, in that order."""

    to_move: int | None

    def to_wire(self) -> dict[str, Any]:
        """The position as it stands in the arena's messages."""
        seats = len(self.active) + len(self.finished) + len(self.left)
        width = len(self.ring) // seats
        rows = [list(self.ring[seat * width : (seat + 1) * width]) for seat in range(seats)]
        wire: dict[str, Any] = {
            "pits": [row[:-1] for row in rows],
            "stores": [row[-1] for row in rows],
            "active": list(self.active),
            "finished": list(self.finished),
        }
        if self.left:
            wire["left"] = list(self.left)
        wire["to_move"] = self.to_move
        return wire


class MancalaBasic(Game[MancalaBasicPosition]):
    """The rules of mancala basic."""

    name = "mancala-basic"
    option_values = {
        "seats": (2, (2, 3, 4)),
        "pits": (6, (4, 6, 7)),
        "seeds": (4, (3, 4)),
        "all_places": (True, (False, True)),
        "alternate_starter": (True, (False, True)),
    }
    plies_max = 50_000

    def __init__(self, options: Mapping[str, OptionValue]) -> None:
        super().__init__(options)
        self.seats = int(self.options["seats"])
        # The source lets a number of pits that does not fit the seats fall back to six.
        if self.options["pits"] not in ((6, 7) if self.seats == 2 else (6, 4)):
            self.options["pits"] = 6
        self.pits = int(self.options["pits"])
        self._width = self.pits + 1

    def start(self) -> MancalaBasicPosition:
        row = (int(self.options["seeds"]),) * self.pits
        return MancalaBasicPosition((*row, 0) * self.seats, tuple(range(self.seats)), (), (), 0)

    def position(self, wire: Mapping[str, Any]) -> MancalaBasicPosition:
        rows = zip(wire["pits"], wire["stores"])
        return MancalaBasicPosition(
            tuple(seeds for row, store in rows for seeds in (*row, store)),
            tuple(wire["active"]),
            tuple(wire["finished"]),
            tuple(wire.get("left", ())),
            wire["to_move"],
        )

    def legal_moves(self, position: MancalaBasicPosition) -> list[int]:
        if position.to_move is None:
            return []
        row = self._row(position.ring, position.to_move)
        return [pit for pit, seeds in enumerate(row) if seeds]

    def play(self, position: MancalaBasicPosition, move: int) -> MancalaBasicPosition:
        me = position.to_move
        assert me is not None, "a move is played before the end"
        active, pits, width = position.active, self.pits, self._width
        ring = list(position.ring)
        at = me * width + move
        hand, ring[at] = ring[at], 0
        for _ in range(hand):
            if at % width == pits:
                at = following(active, at // width) * width
            else:
                at += 1
            ring[at] += 1

        after = position._replace(ring=tuple(ring))
        if not any(self._row(after.ring, me)):
            still_active = tuple(seat for seat in active if seat != me)
            over = not self.options["all_places"] or len(still_active) == 1
            return after._replace(
                active=still_active,
                finished=(*position.finished, me),
                to_move=None if over else following(active, me),
            )
        return after if at % width == pits else after._replace(to_move=following(active, me))

    def leave(self, position: MancalaBasicPosition, seat: int) -> MancalaBasicPosition:
        """The seat takes the worst place that is free; its row and store leave the ring as they are."""
        if seat not in position.active:
            return position
        active = tuple(other for other in position.active if other != seat)
        to_move = position.to_move
        if len(active) == 1:
            to_move = None
        elif to_move == seat:
            to_move = following(position.active, seat)
        return position._replace(active=active, left=(*position.left, seat), to_move=to_move)

    def finish(self, position: MancalaBasicPosition) -> MancalaBasicPosition:
        return position._replace(to_move=None)

    def outcome(self, position: MancalaBasicPosition) -> Outcome | None:
        """Seats that finished come first, in that order; then those still on the board, the fewer
        seeds in the row the better; then those that left, the first to leave last."""
        if position.to_move is not None:
            return None
        points = self.points(position)
        places = [0] * self.seats
        for at, seat in enumerate(position.finished):
            places[seat] = at + 1
        for seat in position.active:
            better = sum(points[other] < points[seat] for other in position.active)
            places[seat] = len(position.finished) + better + 1
        for at, seat in enumerate(position.left):
            places[seat] = self.seats - at
        return Outcome(tuple(places), points)

    def points(self, position: MancalaBasicPosition) -> tuple[int, ...]:
        return tuple(sum(self._row(position.ring, seat)) for seat in range(self.seats))

    def standing(self, position: MancalaBasicPosition) -> tuple[int, ...]:
        """The seeds in the row: turns in hand, which keep the choice of extra turns. A place
        already taken is worth a whole board for each seat behind it, and leaving costs one."""
        board = self.seats * self.pits * int(self.options["seeds"])
        standing = list(self.points(position))
        for at, seat in enumerate(position.finished):
            standing[seat] = board * (self.seats - 1 - at)
        for seat in position.left:
            standing[seat] = -board
        return tuple(standing)

    def _row(self, ring: tuple[int, ...], seat: int) -> tuple[int, ...]:
        return ring[seat * self._width : seat * self._width + self.pits]


def following(active: tuple[int, ...], seat: int) -> int:
    """The next of the `active` seats after `seat`, in sowing order."""
    return next((other for other in active if other > seat), active[0])
