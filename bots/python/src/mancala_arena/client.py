"""The client loop: reads the arena's messages, asks the bot for its moves, answers.

It does not check moves: the arena does. The one thing a reader would get wrong: standard output
belongs to the arena, so a bot prints nothing; `log` writes to standard error.
"""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .messages import End, Ply, Start, Turn

PROTOCOL = 1

RESIGN = object()
"""What `choose_move` returns to leave the match."""


def run(
    choose_move: Callable[[Turn, Start], Any],
    *,
    name: str | None = None,
    version: str | None = None,
    author: str | None = None,
    games: Iterable[str] | None = None,
    features: Iterable[str] = (),
    on_start: Callable[[Start], None] | None = None,
    on_ply: Callable[[Ply], None] | None = None,
    on_end: Callable[[End], None] | None = None,
) -> None:
    """Plays match after match, until the arena says `quit` or closes the input.

    `choose_move` gets the messages `turn` and `start` and returns one of `turn["legal"]`, or
    `RESIGN`. What it raises ends the program, which is a fault of the bot.

    `name`, `version`, `author`, `games` (those that it plays; none: any) and `features` are
    what the bot says of itself. With the feature `ready`, `on_start` has time off the clock;
    with `observe`, `on_ply` is told of the others' moves.
    """
    about = {"name": name, "version": version, "author": author}
    hello: dict[str, Any] = {key: text for key, text in about.items() if text is not None}
    if games is not None:
        hello["games"] = list(games)
    hello["features"] = list(features)

    start: Start | None = None
    for line in sys.stdin.buffer:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                if PROTOCOL not in message["protocols"]:
                    offered = message["protocols"]
                    raise RuntimeError(f"the arena speaks protocol {offered}, this bot speaks [{PROTOCOL}]")
                say({"type": "hello", "protocol": PROTOCOL, **hello})
            case "start":
                start = message
                if on_start is not None:
                    on_start(message)
                if "ready" in hello["features"]:
                    say({"type": "ready"})
            case "turn":
                if start is None:
                    raise RuntimeError("a `turn` came before any `start`")
                move = choose_move(message, start)
                if move is RESIGN:
                    say({"type": "resign"})
                else:
                    say({"type": "move", "move": move, "ply": message["ply"]})
            case "ply" if on_ply is not None:
                on_ply(message)
            case "end" if on_end is not None:
                on_end(message)
            case "error":
                log(f"the arena reports {message['code']}: {message['message']}")
            case "quit":
                return
            case _:
                pass  # of a later release: needs no answer


def info(**fields: Any) -> None:
    """Has `fields` kept with the record of the match.

    Customary are `score` (more is better), `depth`, `nodes`, `pv` (the moves expected, the
    bot's own first) and `text`.
    """
    say({"type": "info", **fields})


def log(*values: object) -> None:
    """Prints to standard error, whose end the arena shows with a fault."""
    print(*values, file=sys.stderr, flush=True)


def say(message: dict[str, Any]) -> None:
    """Sends a message."""
    print(json.dumps(message, separators=(",", ":")), flush=True)
