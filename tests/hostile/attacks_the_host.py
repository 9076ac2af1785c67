"""Takes all it can get at its first turn, of what its argument names: memory, processes, or the disk. Says on standard
error how far it came. With `threads` it makes forty of them, which is no attack, and plays on.
"""

import os
import sys
import time

from bot import HELLO, answer, argument, play, write, line


def memory():
    held = []
    while True:
        held.append(bytearray(1 << 22))


def processes():
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(1000)
            made += 1
    except OSError as error:
        print(f"made {made} processes", file=sys.stderr, flush=True)
        raise error


def disk():
    written = 0
    try:
        for number in range(1000):
            with open(os.path.join(os.environ["TMPDIR"], str(number)), "wb", buffering=0) as file:
                for _ in range(8):
                    written += file.write(bytes(1 << 20))
    except OSError as error:
        print(f"wrote {written >> 20} MiB", file=sys.stderr, flush=True)
        raise error


def threads():
    import threading

    while threading.active_count() <= 40:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()


def turn(message):
    globals()[argument(1, "memory")]()
    write(line(answer(message)))


play(turn=turn)
