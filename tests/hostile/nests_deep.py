"""Hides a legal move among brackets within brackets. Arguments: how many; `array` or `object` (array); the field (note)."""

from bot import argument, play, with_token, write

depth = argument(1, 20_000)
value = "[" * depth + "]" * depth
if argument(2, "array") == "object":
    value = '{"a":' * depth + "1" + "}" * depth
play(turn=lambda message: write(with_token(message, argument(3, "note"), value)))
