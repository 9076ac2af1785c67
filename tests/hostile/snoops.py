"""Tries what a sandbox should refuse, and says on standard error what was allowed. Arguments: a port on which somebody
listens, then a list of files that are none of its business. Plays no legal move, so that its words are kept.
"""

import os
import socket
import sys

from bot import line, play, write


def tried(what, attempt):
    try:
        attempt()
        said = "allowed"
    except OSError as error:
        said = f"refused ({type(error).__name__})"
    print(f"{what}: {said}", file=sys.stderr)


def turn(message):
    here = os.path.dirname(os.path.abspath(__file__))
    tried("write beside the program", lambda: open(os.path.join(here, "mark"), "w"))
    tried("write to the working directory", lambda: open("mark", "w"))
    tried("write to the scratch directory", lambda: open(os.path.join(os.environ["TMPDIR"], "mark"), "w"))
    tried("connect", lambda: socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1))
    tried("bind", lambda: socket.socket().bind(("127.0.0.1", 0)))
    tried("make a datagram socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    others = [name for name in os.listdir("/proc") if name.isdigit() and int(name) not in (1, os.getpid())]
    print(f"sees {len(others)} other processes", file=sys.stderr)
    for path in sys.argv[2].split(","):
        tried(f"read {os.path.basename(path)}", lambda: open(path, "rb").read())
    sys.stderr.flush()
    write(line({"move": 99}))


play(turn=turn)
