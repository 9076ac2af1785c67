"""Names its move twice in one message, one of the two legal. Arguments: which is not, the `first` or the `last` (last)."""

from bot import argument, play, write


def turn(message):
    moves = [message["legal"][0], 99]
    if argument(1, "last") == "first":
        moves.reverse()
    write(b'{"type":"move","move":%d,"move":%d}\n' % tuple(moves))


play(turn=turn)
