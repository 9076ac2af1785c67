"""A legal move, with bytes that are not UTF-8 in a string beside it."""

from bot import answer, line, play, write

play(turn=lambda message: write(line(answer(message))[:-2] + b', "note": "\xff\xfe\x80"}\n'))
