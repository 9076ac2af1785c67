"""Your bot: make `choose_move` better."""

import arena


def choose_move(turn, start):
    """Returns one of `turn["legal"]`: the first of those that look best.

    Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
    `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
    """
    # Where to go on: play each move on a copy of the position, and look at what the
    # opponent can do next. `arena.log(...)` prints to standard error.
    return max(turn["legal"], key=lambda move: rate(move, turn, start))


def rate(move, turn, start):
    """Says how good a move looks, by what is common to the games.

    Seeds are sown one a pit, to the right. More than one round is not looked at.
    """
    pits, seat = turn["position"].get("pits", []), turn["seat"]
    row = pits[seat] if seat < len(pits) else []
    # No pit of the own row: a game that is not known here.
    if type(move) is not int or not 0 <= move < len(row):
        return 0

    last = move + row[move]
    # The last seed falls into the own store: another move. Nearest pit first.
    if last == len(row) and "stores" in turn["position"]:
        return 2000 + move
    # It falls into an empty own pit: it captures the seeds in the facing pit.
    captures = len(pits) == 2 and start["game"] != "mancala-basic"
    if captures and last < len(row) and row[last] == 0:
        facing = pits[1 - seat][len(row) - 1 - last]
        if facing > 0:
            return 1000 + facing
    # Else, the more seeds move on, the fewer can be captured.
    return row[move]


if __name__ == "__main__":
    arena.run(choose_move)
