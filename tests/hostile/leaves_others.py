"""Leaves processes behind that want to live on: a child, one of another session, one whose parent has gone, and one that is
both. With `spin` all of them, and the bot itself, use the processor without pause; with `hang` they sleep; either way the bot
answers nothing from its third turn on. With `plays` they sleep, and the bot plays on, not too fast.
"""

import os
import time

from bot import answer, argument, line, play, write

turns = 0


def live_on():
    while True:
        if argument(1, "hang") != "spin":
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
    if turns == 3 and argument(1, "hang") != "plays":
        live_on()
    if argument(1, "hang") == "plays":
        time.sleep(0.01)
    write(line(answer(message)))


play(turn=turn)
