"""Writes markup and scripts wherever it may write: as its name, as info, to standard error, and then as a broken message."""

import sys

from bot import HELLO, answer, line, play, write

MARKUP = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>"

turns = 0


def turn(message):
    global turns
    turns += 1
    print(MARKUP, file=sys.stderr, flush=True)
    write(line({"type": "info", "text": MARKUP, MARKUP: MARKUP}))
    write(('{"' + MARKUP + "\n").encode() if turns == 2 else line(answer(message)))


play(hello=lambda message: write(line(HELLO | {"name": MARKUP, "author": MARKUP})), turn=turn)
