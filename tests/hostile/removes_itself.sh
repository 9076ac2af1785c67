#!/bin/sh
# Starts once: it removes its own file and is then another bot. Arguments: the command of that.
rm "$0"
exec "$@"
