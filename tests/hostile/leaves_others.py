"""Leaves processes behind that want to live on: a child, one of another session, one whose parent has gone, and one that is
both. All of them, and the bot itself when its argument is `spin`, use the processor without pause; with `hang` they sleep.
The bot answers nothing from its third turn on.
"""

import os
import time

from bot import answer, argument, line, play, write

turns = 0


def live_on():
    while True:
        if argument(1, "hang") == "hang":
            time.sleep(1000)


def leave():
    if os.fork() == 0:
        live_on()
    if os.fork() == 0:
        os.setsid()
        live_on()
    for new_session in (False, True):
        if os.fork() == 0:
            if new_session:
                os.setsid()
            if os.fork() == 0:
                live_on()
            os._exit(0)
        os.wait()


def turn(message):
    global turns
    turns += 1
    if turns == 1:
        leave()
    if turns == 3:
        live_on()
    write(line(answer(message)))


play(turn=turn)
