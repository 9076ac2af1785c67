#!/bin/sh
# Starts another bot without `exec`: whoever ends only this shell leaves the bot behind. Arguments: the bot's command.
echo "the wrapper starts it" >&2
"$@"
exit $?
