"""Layli Goobalay: seeds are captured from the board, and a capture of three makes two uurs.

Two rulesets. `relay` takes a last seed's pit up and sows on until it falls into an empty pit or
an uur; `chain` sows on only after a capture. The one thing a reader would get wrong: an uur lies
in either row and belongs to its maker, so its seeds count for him wherever they lie.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from .game import Game, OptionValue

LAPS_MAX = 10_000
"""Laps after which a relay counts as endless: the board is put back, and the turn passes."""


class LayliGoobalayPosition(NamedTuple):
    """A board of Layli Goobalay."""

    ring: tuple[int, ...]
    """Row 0 and row 1, in sowing order."""

    owners: tuple[int | None, ...]
    """By place of the ring, the seat whose uur lies there; `None` for an ordinary pit."""

    captured: tuple[int, ...]
    """By seat, the seeds taken off the board."""

    to_move: int | None

    def to_wire(self) -> dict[str, Any]:
        """The position as it stands in the arena's messages."""
        pits = len(self.ring) // 2
        return {
            "pits": [list(self.ring[:pits]), list(self.ring[pits:])],
            "uur_owner": [list(self.owners[:pits]), list(self.owners[pits:])],
            "captured": list(self.captured),
            "to_move": self.to_move,
        }


class LayliGoobalay(Game[LayliGoobalayPosition]):
    """The rules of Layli Goobalay."""

    name = "layli-goobalay"
    option_values = {
        "ruleset": ("relay", ("relay", "chain")),
        "pits": (6, (4, 6, 8, 12)),
        "seeds": (4, range(1, 13)),
        "forced_opening": (False, (False, True)),
    }
    repetitions_max = 3
    plies_max = 1_000

    def __init__(self, options: Mapping[str, OptionValue]) -> None:
        super().__init__(options)
        if self.options["forced_opening"] and self.options["ruleset"] == "chain":
            raise ValueError("layli-goobalay: `forced_opening` is a rule of ruleset `relay`, found `chain`")
        self.pits = int(self.options["pits"])
        self._places = 2 * self.pits
        self._rows = (range(self.pits), range(self.pits, self._places))
        self._sow_all = self._sow_chain if self.options["ruleset"] == "chain" else self._sow_relay

    def start(self) -> LayliGoobalayPosition:
        seeds = int(self.options["seeds"])
        return LayliGoobalayPosition((seeds,) * self._places, (None,) * self._places, (0, 0), 0)

    def position(self, wire: Mapping[str, Any]) -> LayliGoobalayPosition:
        ring = tuple(seeds for row in wire["pits"] for seeds in row)
        owners = tuple(owner for row in wire["uur_owner"] for owner in row)
        return LayliGoobalayPosition(ring, owners, tuple(wire["captured"]), wire["to_move"])

    def legal_moves(self, position: LayliGoobalayPosition) -> list[int]:
        if position.to_move is None:
            return []
        if self.options["forced_opening"] and position == self.start():
            return [0]
        ring, owners = position.ring, position.owners
        row = self._rows[position.to_move]
        return [at - row.start for at in row if ring[at] and owners[at] is None]

    def play(self, position: LayliGoobalayPosition, move: int) -> LayliGoobalayPosition:
        me = position.to_move
        assert me is not None, "a move is played before the end"
        ring, owners, captured = list(position.ring), list(position.owners), list(position.captured)
        self._sow_all(ring, owners, captured, me, self._rows[me].start + move)
        after = LayliGoobalayPosition(tuple(ring), tuple(owners), tuple(captured), 1 - me)
        movable = any(ring[at] and owners[at] is None for at in self._rows[1 - me])
        return after if movable else self.finish(after)

    def finish(self, position: LayliGoobalayPosition) -> LayliGoobalayPosition:
        empty = (0,) * self._places
        return LayliGoobalayPosition(empty, position.owners, self.points(position), None)

    def points(self, position: LayliGoobalayPosition) -> tuple[int, ...]:
        points = list(position.captured)
        for at, seeds in enumerate(position.ring):
            owner = position.owners[at]
            points[at // self.pits if owner is None else owner] += seeds
        return tuple(points)

    def standing(self, position: LayliGoobalayPosition) -> tuple[int, ...]:
        """The seeds captured and in own uurs: what nobody can take away."""
        standing = list(position.captured)
        for owner, seeds in zip(position.owners, position.ring):
            if owner is not None:
                standing[owner] += seeds
        return tuple(standing)

    def _sow_relay(
        self, ring: list[int], owners: list[int | None], captured: list[int], me: int, at: int
    ) -> None:
        before = ring[:]
        for _ in range(LAPS_MAX):
            at = self._sow(ring, at)
            if owners[at] is not None:
                return
            if ring[at] == 1:
                if at in self._rows[me]:
                    self._capture(ring, owners, captured, me, at)
                return
        ring[:] = before

    def _sow_chain(
        self, ring: list[int], owners: list[int | None], captured: list[int], me: int, at: int
    ) -> None:
        """Ends, because every capture that sows on has taken seeds off the board."""
        sows_on = True
        while sows_on:
            at = self._sow(ring, at)
            if at not in self._rows[me] or owners[at] is not None:
                return
            sows_on = self._capture(ring, owners, captured, me, at) and ring[at] > 0

    def _sow(self, ring: list[int], at: int) -> int:
        """Sows all seeds of a pit, one a pit, nothing skipped, and says where the last fell."""
        places = self._places
        hand, ring[at] = ring[at], 0
        for _ in range(hand):
            at += 1
            if at == places:
                at = 0
            ring[at] += 1
        return at

    def _capture(
        self, ring: list[int], owners: list[int | None], captured: list[int], me: int, at: int
    ) -> bool:
        """What the last seed, sown into the own ordinary pit at `at`, does to the facing pit.

        Says whether the seed and those facing it have left the board.
        """
        facing = self._places - 1 - at
        if ring[facing] == 0:
            return False
        if ring[facing] == 3:
            ring[facing] -= 1
            ring[at] += 1
            owners[at] = owners[facing] = me
            return False
        captured[me] += ring[facing] + 1
        ring[facing] = 0
        ring[at] -= 1
        return True
