"""Puts a text of the caller's choice, JSON or not, where a value belongs. Arguments: the text, in which LEGAL stands for the
first legal move; the field (move)."""

from bot import argument, play, with_token, write


def turn(message):
    text = argument(1, "").replace("LEGAL", str(message["legal"][0]))
    write(with_token(message, argument(2, "move"), text))


play(turn=turn)
