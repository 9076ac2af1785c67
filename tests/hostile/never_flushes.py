"""Leaves its output in a buffer that nobody flushes. Arguments: what of it, `move` or `all` (move); whose buffer, its `own`
or that of the interpreter as it `comes`, which PYTHONUNBUFFERED switches off (own)."""

import json
import sys

from bot import HELLO, answer, argument, line, play, write

out = sys.stdout if argument(2, "own") == "comes" else open(1, "w", buffering=8192, closefd=False)


def keep(message):
    out.write(json.dumps(message) + "\n")


def hello(message):
    if argument(1, "move") == "all":
        keep(HELLO)
    else:
        write(line(HELLO))


play(hello=hello, turn=lambda message: keep(answer(message)))
