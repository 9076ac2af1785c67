"""Says hello, then writes moves for ever, none of them legal, and reads nothing any more."""

import sys

from bot import HELLO, line, write

sys.stdin.buffer.readline()
write(line(HELLO))
moves = line({"move": 99}) * 200
while True:
    write(moves)
