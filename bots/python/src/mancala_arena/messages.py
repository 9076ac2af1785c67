"""The arena's messages that a bot's own code sees, as `json.loads` gives them.

Types only. Messages may hold more fields than are named here, as the protocol grows. Fields of
a class that ends in `Clock` are absent where the time control has no such limit.
"""

from typing import Any, TypedDict


class Ply(TypedDict):
    """A move that was made: in the `since` of a turn, and told to bots that observe."""

    ply: int
    seat: int
    move: Any


class TimeClock(TypedDict, total=False):
    """Limits of a match."""

    move_ms_max: float
    bank_ms: float
    increment_ms: float
    wall_ms_max: float


class Time(TimeClock):
    """The time control of a match."""

    grace_ms: float


class Start(TypedDict):
    """A match begins."""

    match: str
    game: str
    options: dict[str, Any]
    seat: int
    seats: int
    names: list[str]
    position: dict[str, Any]
    time: Time
    seed: int
    ponder: bool


class TurnClock(TypedDict, total=False):
    """Limits of a move; `bank_ms` has one entry for each seat. `last_ms` is absent at first."""

    move_ms_max: float
    bank_ms: list[float]
    increment_ms: float
    last_ms: float


class Turn(TurnClock):
    """A move is asked for."""

    match: str
    ply: int
    seat: int
    position: dict[str, Any]
    legal: list[Any]
    since: list[Ply]


class Fault(TypedDict):
    """What a bot did wrong."""

    seat: int
    ply: int
    code: str
    message: str


class End(TypedDict):
    """A match is over."""

    match: str
    places: list[int]
    points: list[int]
    reason: str
    faults: list[Fault]
