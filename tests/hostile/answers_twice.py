"""Writes two answers to each turn at once. Arguments: what the second is, the `same`, `other` or `resign` (same)."""

from bot import answer, argument, line, play, write


def turn(message):
    first = {"move": message["legal"][0]}
    second = {"same": first, "other": {"move": message["legal"][-1]}, "resign": {"type": "resign"}}
    write(line(first) + line(second[argument(1, "same")]))


play(turn=turn)
