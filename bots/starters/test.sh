#!/bin/sh
# Run with `sh test.sh`: plays a turn of each game.

cd "$(dirname "$0")" || exit
run=$(sed -n 's/^run = "\(.*\)"$/\1/p' bot.toml)
failed=0

# check NAME GAME POSITION SEAT LEGAL MOVE...: the bot chooses one of the moves.
check() {
    name=$1
    start="{\"type\":\"start\",\"match\":\"test\",\"game\":\"$2\"}"
    turn="{\"type\":\"turn\",\"match\":\"test\",\"ply\":7,\"seat\":$4,\"position\":$3,\"legal\":$5}"
    shift 5
    answer=$(printf '%s\n' "$start" "$turn" | $run)
    for move; do
        if [ "$answer" = "{\"type\":\"move\",\"move\":$move,\"ply\":7}" ]; then
            echo "ok - $name"
            return
        fi
    done
    echo "not ok - $name: $answer"
    failed=1
}

check "kalah: a last seed in the own store is best" kalah \
    '{"pits":[[4,4,4,4,4,4],[4,4,4,4,4,4]],"stores":[0,0],"to_move":0}' \
    0 '[0,1,2,3,4,5]' 2
check "layli goobalay: the move is legal" layli-goobalay \
    '{"pits":[[2,3,1,4],[5,7,1,2]],"uur_owner":[[1,null,null,null],[null,null,null,1]],"captured":[9,5],"to_move":0}' \
    0 '[1,2,3]' 1 2 3
check "mancala basic: the move is legal" mancala-basic \
    '{"pits":[[0,0,0,1],[0,0,0,4],[1,9,7,1]],"stores":[6,5,2],"active":[0,1,2],"finished":[],"to_move":2}' \
    2 '[0,1,3]' 0 1 3
check "moves that are no pits can be chosen too" unknown \
    '{"to_move":0}' 0 '[{"from":3}]' '{"from":3}'

exit "$failed"
