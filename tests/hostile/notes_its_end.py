"""Not hostile: plays well, takes its time to exit, and notes what it was told at the end. Arguments: the file for that."""

import time

from bot import argument, play

notes = open(argument(1, "notes"), "a", buffering=1)


def other(message):
    if message["type"] == "end":
        print("end", message["places"], message["reason"], [fault["code"] for fault in message["faults"]], file=notes)
    elif message["type"] == "quit":
        print("quit", file=notes)


play(other=other)
time.sleep(0.3)
print("done", file=notes)
