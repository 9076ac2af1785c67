"""Plays well, after a nap before each move. Arguments: its length in milliseconds (80)."""

import time

from bot import answer, argument, line, play, write


def turn(message):
    time.sleep(argument(1, 80.0) / 1000)
    write(line(answer(message)))


play(turn=turn)
