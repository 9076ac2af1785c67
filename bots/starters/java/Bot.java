/** Your bot: make {@code chooseMove} better. */
final class Bot {
    /**
     * Returns one of {@code turn.legal()}: the first of those that look best.
     *
     * <p>Both arguments are messages of the arena: {@code turn} has position, legal, seat, ply,
     * lastMs and the clock, {@code start} has game, options, seats and seed.
     */
    static Arena.Move chooseMove(Arena.Turn turn, Arena.Start start) {
        // Where to go on: play each move on a copy of the position, and look at what the
        // opponent can do next. `Arena.log(...)` prints to standard error.
        Arena.Move best = turn.legal().get(0);
        for (Arena.Move move : turn.legal()) {
            if (rate(move, turn, start) > rate(best, turn, start)) {
                best = move;
            }
        }
        return best;
    }

    /**
     * Says how good a move looks, by what is common to the games.
     *
     * <p>Seeds are sown one a pit, to the right. More than one round is not looked at.
     */
    private static int rate(Arena.Move move, Arena.Turn turn, Arena.Start start) {
        int[][] pits = turn.position().pits();
        int seat = turn.seat();
        int[] row = seat < pits.length ? pits[seat] : new int[0];
        int pit = move.pit();
        // No pit of the own row: a game that is not known here.
        if (pit < 0 || pit >= row.length) {
            return 0;
        }

        int last = pit + row[pit];
        // The last seed falls into the own store: another move. Nearest pit first.
        if (last == row.length && turn.position().stores().length > 0) {
            return 2000 + pit;
        }
        // It falls into an empty own pit: it captures the seeds in the facing pit.
        boolean captures = pits.length == 2 && !start.game().equals("mancala-basic");
        if (captures && last < row.length && row[last] == 0) {
            int facing = pits[1 - seat][row.length - 1 - last];
            if (facing > 0) {
                return 1000 + facing;
            }
        }
        // Else, the more seeds move on, the fewer can be captured.
        return row[pit];
    }

    private Bot() {}
}
