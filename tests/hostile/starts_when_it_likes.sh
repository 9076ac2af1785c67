#!/bin/sh
# Starts only at times. Arguments: a file in which starts are counted; a pattern of their numbers, from 1, at which it exits
# before it has said anything; then the command of the bot that it is otherwise.
count=$(($(cat "$1" 2>/dev/null || echo 0) + 1))
echo "$count" >"$1"
case $count in
$2)
    echo "start $count fails" >&2
    exit 5
    ;;
esac
shift 2
exec "$@"
