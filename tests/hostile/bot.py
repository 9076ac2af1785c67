"""What the hostile bots share: a bot that behaves well, of which each of them replaces a part.

Not a bot itself. Output goes to the pipe at once, past Python's buffer.
"""

import json
import os
import sys


def argument(place, default):
    """The argument at this place, from 1, as the type of the default."""
    return type(default)(sys.argv[place]) if len(sys.argv) > place else default


def write(data):
    """Writes bytes, all of them."""
    while data:
        data = data[os.write(1, data):]


def line(message):
    """A message as it travels."""
    return json.dumps(message).encode() + b"\n"


def answer(message, move=None):
    """The answer to a turn: the first legal move, or another one."""
    return {"move": message["legal"][0] if move is None else move, "ply": message["ply"]}


def with_token(message, field, token):
    """The answer to a turn, with a field whose value is this text, JSON or not."""
    text = json.dumps(answer(message) | {field: "@"})
    return text.replace('"@"', token).encode() + b"\n"


HELLO = {"type": "hello", "protocol": 1}


def play(hello=lambda message: write(line(HELLO)),
         turn=lambda message: write(line(answer(message))),
         other=lambda message: None,
         heeds_quit=True):
    """Reads until `quit` or the end of the input."""
    for text in sys.stdin.buffer:
        message = json.loads(text)
        kind = message["type"]
        if kind == "hello":
            hello(message)
        elif kind == "turn":
            turn(message)
        else:
            other(message)
            if kind == "quit" and heeds_quit:
                return
