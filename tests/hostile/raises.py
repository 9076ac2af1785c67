"""Fails as programs under work do: an exception at its second turn, a traceback, exit status 1."""

from bot import answer, line, play, write

turns = 0


def turn(message):
    global turns
    turns += 1
    if turns == 2:
        raise RuntimeError("pit 7 is not on my board")
    write(line(answer(message)))


play(turn=turn)
