"""What the games share: how a game is asked, how a match came out, and a match with its history.

A game is its rules with option values, and changes nothing: `play` gives a new position. The
one thing a reader would get wrong: a position knows no history. That the same position too
often or too many plies end a match is known to `Match` alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from .messages import Start

OptionValue = bool | int | str

Option = tuple[OptionValue, Sequence[OptionValue]]
"""The default of an option, and its values."""


class Position(Protocol):
    """All that is on the board, and who is to move. Immutable, hashable, equal by content."""

    @property
    def to_move(self) -> int | None:
        """The seat to move; `None` when the match is over."""

    def to_wire(self) -> dict[str, Any]:
        """The position as it stands in the arena's messages."""

    def __hash__(self) -> int: ...


P = TypeVar("P", bound=Position)


class Outcome(NamedTuple):
    """How a match came out, by seat."""

    places: tuple[int, ...]
    """1 is best, equal seats share the better place (1, 2, 2, 4). Places decide."""

    points: tuple[int, ...]
    """As the game counts; in mancala-basic fewer are better."""


class Game(ABC, Generic[P]):
    """A game with its options."""

    known: ClassVar[dict[str, "type[Game[Any]]"]] = {}
    """Every game, by name."""

    name: ClassVar[str]
    """Its name in messages and commands."""

    option_values: ClassVar[Mapping[str, Option]]
    """Every option with its default and its values."""

    repetitions_max: ClassVar[int | None] = None
    """The occurrence of one position that ends a match."""

    plies_max: ClassVar[int]
    """The plies after which a match ends."""

    seats: int = 2
    """How many seats there are."""

    options: dict[str, OptionValue]
    """The options in force, all of them."""

    @staticmethod
    def from_start(start: Start) -> "Game[Any]":
        """The game that the message `start` names, with its options."""
        return Game.named(start["game"], start["options"])

    @staticmethod
    def named(name: str, options: Mapping[str, OptionValue] | None = None) -> "Game[Any]":
        """The game called `name`; an option that is not given has its default."""
        if name not in Game.known:
            raise ValueError(f"unknown game `{name}`; known games: {', '.join(Game.known)}")
        return Game.known[name](options or {})

    def __init__(self, options: Mapping[str, OptionValue]) -> None:
        self.options = {key: default for key, (default, _) in self.option_values.items()}
        for key, value in options.items():
            if key not in self.options:
                known = ", ".join(self.options)
                raise ValueError(f"{self.name} has no option `{key}`; its options: {known}")
            default, values = self.option_values[key]
            # By type too: to Python, True is a 1.
            if type(value) is not type(default) or value not in values:
                expected = ", ".join(map(repr, values))
                raise ValueError(f"{self.name}: `{key}` is {value!r}, expected one of {expected}")
            self.options[key] = value

    @abstractmethod
    def start(self) -> P:
        """The normal position before the first ply."""

    @abstractmethod
    def position(self, wire: Mapping[str, Any]) -> P:
        """The position of a message, such as `turn["position"]`. It is not checked."""

    @abstractmethod
    def legal_moves(self, position: P) -> list[int]:
        """The legal moves of the seat to move, ascending; empty exactly when the match is over."""

    @abstractmethod
    def play(self, position: P, move: int) -> P:
        """The position after a legal move. What comes of any other is not specified."""

    @abstractmethod
    def finish(self, position: P) -> P:
        """The position when the match is ended now and counted as at a normal end."""

    @abstractmethod
    def points(self, position: P) -> tuple[int, ...]:
        """The points of each seat if the match were counted as it stands."""

    @abstractmethod
    def standing(self, position: P) -> tuple[int, ...]:
        """A rough measure of how well each seat stands, more is better. No part of the rules."""

    def leave(self, position: P, seat: int) -> P | None:
        """The position when `seat` has resigned; `None`: the match is over, and `seat` is last."""
        return None

    def outcome(self, position: P) -> Outcome | None:
        """Places and points, once the match is over."""
        if position.to_move is not None:
            return None
        points = self.points(position)
        return Outcome(places_by(points), points)


def places_by(values: Sequence[int]) -> tuple[int, ...]:
    """Ranks seats by a value of which more is better."""
    return tuple(1 + sum(other > value for other in values) for value in values)


class Match(Generic[P]):
    """A match being played: a position with what needs its history."""

    def __init__(self, game: Game[P], position: P | None = None) -> None:
        """A match from `position`, which becomes ply 0, or from the normal start."""
        self.game = game
        self.position: P = game.start() if position is None else position
        self.ply: int = 0
        self.ended: str | None = None
        """Why it is over: `rules`, `repetition`, `ply_cap`, `resignation`; `None` while it is not."""
        self._leaver: int | None = None
        self._seen: dict[P, int] = {}
        if self.position.to_move is None:
            self.ended = "rules"
        else:
            self._is_repeated()

    @property
    def to_move(self) -> int | None:
        """The seat to move; `None` when the match is over."""
        return self.position.to_move if self.ended is None else None

    def legal_moves(self) -> list[int]:
        """The legal moves of the seat to move."""
        return self.game.legal_moves(self.position) if self.ended is None else []

    def play(self, move: int) -> None:
        """Plays a move for the seat to move; `ValueError` when it is illegal."""
        legal = self.legal_moves()
        if move not in legal:
            raise ValueError(f"illegal move {move!r}; legal: {legal}")
        self.position = self.game.play(self.position, move)
        self.ply += 1
        if self.position.to_move is None:
            self.ended = "rules"
        elif self._is_repeated():
            self._finish("repetition")
        elif self.ply >= self.game.plies_max:
            self._finish("ply_cap")

    def leave(self, seat: int) -> None:
        """Takes `seat` out of the match, as when it resigns or makes a fault."""
        if self.ended is not None:
            return
        position = self.game.leave(self.position, seat)
        if position is None:
            self._leaver = seat
            self.ended = "resignation"
            return
        self.position = position
        if position.to_move is None:
            self.ended = "resignation"

    def outcome(self) -> Outcome | None:
        """Places and points, once the match is over."""
        if self.ended is None:
            return None
        if self._leaver is None:
            return self.game.outcome(self.position)
        stayed = [int(seat != self._leaver) for seat in range(self.game.seats)]
        return Outcome(places_by(stayed), self.game.points(self.position))

    def _finish(self, reason: str) -> None:
        self.position = self.game.finish(self.position)
        self.ended = reason

    def _is_repeated(self) -> bool:
        """Counts the position, and says whether it has occurred too often."""
        if self.game.repetitions_max is None:
            return False
        times = self._seen.get(self.position, 0) + 1
        self._seen[self.position] = times
        return times >= self.game.repetitions_max
