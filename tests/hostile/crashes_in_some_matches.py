"""Crashes at its first turn in every third match, by the number of the match."""

import os

from bot import answer, line, play, write

play(turn=lambda message: os._exit(7) if int(message["match"]) % 3 == 0 else write(line(answer(message))))
