"""Kalah: sow into the own store, move again on a last seed there, capture from an own empty pit.

The one thing a reader would get wrong: a sowing of exactly one round ends in the pit that it
began with, which was emptied, and so captures.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .game import Game, OptionValue


class KalahPosition(NamedTuple):
    """A Kalah board."""

    ring: tuple[int, ...]
    """Row 0, store 0, row 1, store 1, in sowing order."""

    to_move: int | None

    def to_wire(self) -> dict[str, Any]:
        """The position as it stands in the arena's messages."""
        ring, half = self.ring, len(self.ring) // 2
        return {
            "pits": [list(ring[: half - 1]), list(ring[half:-1])],
            "stores": [ring[half - 1], ring[-1]],
            "to_move": self.to_move,
        }


class Kalah(Game[KalahPosition]):
    """The rules of Kalah."""

    name = "kalah"
    option_values = {
        "pits": (6, range(1, 13)),
        "seeds": (4, range(1, 13)),
        "empty_capture": (False, (False, True)),
        "end": ("either", ("either", "mover")),
    }
    plies_max = 10_000

    def __init__(self, options: Mapping[str, OptionValue]) -> None:
        super().__init__(options)
        self.pits = int(self.options["pits"])
        places = 2 * (self.pits + 1)
        self._rows = (slice(0, self.pits), slice(self.pits + 1, places - 1))
        self._stores = (self.pits, places - 1)
        # By seat and place, the place that is sown next: the other's store is skipped.
        self._next = tuple(
            tuple((at + (2 if at + 1 == skipped else 1)) % places for at in range(places))
            for skipped in reversed(self._stores)
        )

    def start(self) -> KalahPosition:
        row = (int(self.options["seeds"]),) * self.pits
        return KalahPosition((*row, 0, *row, 0), 0)

    def position(self, wire: Mapping[str, Any]) -> KalahPosition:
        (row0, row1), (store0, store1) = wire["pits"], wire["stores"]
        return KalahPosition((*row0, store0, *row1, store1), wire["to_move"])

    def legal_moves(self, position: KalahPosition) -> list[int]:
        if position.to_move is None:
            return []
        row = position.ring[self._rows[position.to_move]]
        return [pit for pit, seeds in enumerate(row) if seeds]

    def play(self, position: KalahPosition, move: int) -> KalahPosition:
        me = position.to_move
        assert me is not None, "a move is played before the end"
        ring = list(position.ring)
        row, store, following = self._rows[me], self._stores[me], self._next[me]
        at = row.start + move
        hand, ring[at] = ring[at], 0
        for _ in range(hand):
            at = following[at]
            ring[at] += 1

        to_move = me
        if at != store:
            to_move = 1 - me
            if row.start <= at < row.stop and ring[at] == 1:
                facing = 2 * self.pits - at
                if ring[facing] or self.options["empty_capture"]:
                    ring[store] += ring[facing] + 1
                    ring[at] = ring[facing] = 0

        after = KalahPosition(tuple(ring), to_move)
        if self.options["end"] == "either":
            over = not all(any(ring[row]) for row in self._rows)
        else:
            over = not any(ring[self._rows[to_move]])
        return self.finish(after) if over else after

    def finish(self, position: KalahPosition) -> KalahPosition:
        empty = (0,) * self.pits
        points = self.points(position)
        return KalahPosition((*empty, points[0], *empty, points[1]), None)

    def points(self, position: KalahPosition) -> tuple[int, ...]:
        ring = position.ring
        seats = zip(self._stores, self._rows)
        return tuple(ring[store] + sum(ring[row]) for store, row in seats)

    def standing(self, position: KalahPosition) -> tuple[int, ...]:
        """The seeds in the stores."""
        return tuple(position.ring[store] for store in self._stores)
