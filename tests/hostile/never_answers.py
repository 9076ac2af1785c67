"""Reads everything and answers no turn; it says on standard error that it hangs."""

import os

from bot import play

play(turn=lambda message: os.write(2, b"the wrapped program hangs\n"))
