"""Says hello, says on standard error that it hangs, reads everything and never answers a turn."""

import os

from bot import play

os.write(2, b"the wrapped program hangs\n")
play(turn=lambda message: None)
