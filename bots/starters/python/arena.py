"""Reads messages, asks the bot for its moves, answers. Leave this file alone."""

import json
import sys


def log(*values):
    """Prints to standard error; standard output belongs to the arena."""
    print(*values, file=sys.stderr, flush=True)


def run(choose_move):
    """Plays match after match, until the arena says `quit` or closes the input."""
    start = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        match message["type"]:
            case "hello":
                say({"type": "hello", "protocol": 1})
            case "start":
                start = message
            case "turn":
                move = choose_move(message, start)
                say({"type": "move", "move": move, "ply": message["ply"]})
            case "quit":
                return
            case _:
                pass  # `end`, `error`, or of a later release: needs no answer


def say(message):
    print(json.dumps(message), flush=True)
