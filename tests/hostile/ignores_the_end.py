"""Plays well, then stays: it heeds neither `quit` nor the end of its input nor a polite signal."""

import signal

from bot import play

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
play(heeds_quit=False)
while True:
    signal.pause()
