"""Writes something wrong and exits at once, so that two causes race. Arguments: `illegal` or `not-json` (illegal)."""

import os

from bot import answer, argument, line, play, write


def turn(message):
    write(line(answer(message, 99)) if argument(1, "illegal") == "illegal" else b'{"move" 3}\n')
    os._exit(1)


play(turn=turn)
