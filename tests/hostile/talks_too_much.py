"""Plays well, with a mebibyte of stray prints before each move, and another one on standard error."""

import os

from bot import answer, line, play, write

PRINT = b"thinking about this and that, and about which pit it is\n"


def turn(message):
    prints = PRINT * 20_000
    write(prints)
    while prints:
        prints = prints[os.write(2, prints):]
    write(line(answer(message)))


play(turn=turn)
