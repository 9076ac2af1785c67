#!/bin/sh
# Your bot: make `choose_move` better.
# shellcheck disable=SC2154 # arena.sh sets variables

set -eu
. "$(dirname "$0")/arena.sh"

# Sets `chosen` to one of the legal moves, which are the arguments: the first of those
# that look best.
#
# The messages of the arena are in variables, as JSON: a turn's `position`, `legal`,
# `seat`, `ply`, `last_ms` and the clock, a start's `game`, `options`, `seats`, `seed`.
choose_move() {
    # Where to go on: play each move on a copy of the position, and look at what the
    # opponent can do next. `log ...` prints to standard error.
    json_members "$position" pits stores
    json_element "$pits" "$seat"
    json_elements "$item"
    row=$elements
    json_element "$pits" "$((1 - seat))"
    json_elements "$item"
    facing_row=$elements
    best_rate=-1
    for move; do
        rate "$move"
        if [ "$rate" -gt "$best_rate" ]; then
            chosen=$move best_rate=$rate
        fi
    done
}

# Sets `rate` to how good a move looks, by what is common to the games.
#
# Seeds are sown one a pit, to the right. More than one round is not looked at.
rate() {
    move=$1 rate=0
    # No pit of the own row: a game that is not known here.
    case $move in *[!0-9]*) return ;; esac
    # shellcheck disable=SC2086 # a row is words
    set -- $row
    [ "$move" -lt $# ] || return 0

    word "$move" "$@"
    rate=$item
    last=$((move + item))
    # The last seed falls into the own store: another move. Nearest pit first.
    if [ "$last" -eq $# ] && [ -n "$stores" ]; then
        rate=$((2000 + move))
        return
    fi
    # It falls into an empty own pit: it captures the seeds in the facing pit.
    word "$last" "$@"
    if [ "$item" = 0 ] && [ "$game" != '"mancala-basic"' ]; then
        # shellcheck disable=SC2086
        word "$(($# - 1 - last))" $facing_row
        [ "${item:-0}" -eq 0 ] || rate=$((1000 + item))
    fi
    # Else, the more seeds move on, the fewer can be captured.
}

run
