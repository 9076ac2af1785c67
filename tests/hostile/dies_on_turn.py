"""Dies instead of a move. Arguments: at its how manieth turn (2), and how: exit, segv, abort or kill (exit)."""

import os
import signal

from bot import answer, argument, line, play, write

SIGNALS = {"segv": signal.SIGSEGV, "abort": signal.SIGABRT, "kill": signal.SIGKILL}
turns = 0


def turn(message):
    global turns
    turns += 1
    if turns < argument(1, 2):
        return write(line(answer(message)))
    how = argument(2, "exit")
    if how == "exit":
        os._exit(3)
    os.kill(os.getpid(), SIGNALS[how])


play(turn=turn)
