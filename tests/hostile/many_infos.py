"""Plays well, with many an `info` before each move. Arguments: how many (1,000); at how many turns of a match (all)."""

from bot import answer, argument, line, play, write

turns = 0


def turn(message):
    global turns
    turns += 1
    if turns <= argument(2, 1_000_000):
        write(b"".join(b'{"type":"info","depth":%d}\n' % depth for depth in range(argument(1, 1_000))))
    write(line(answer(message)))


play(turn=turn)
