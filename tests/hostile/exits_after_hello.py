"""Says hello and exits with status 0: what the arena writes next finds a closed pipe."""

import os

from bot import HELLO, line, play, write


def hello(message):
    write(line(HELLO))
    os._exit(0)


play(hello=hello)
