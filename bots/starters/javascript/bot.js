// Your bot: make `chooseMove` better.
"use strict";

const arena = require("./arena.js");

// Returns one of `turn.legal`: the first of those that look best.
//
// Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
// `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
function chooseMove(turn, start) {
  // Where to go on: play each move on a copy of the position, and look at what the
  // opponent can do next. `arena.log(...)` prints to standard error.
  const rates = turn.legal.map((move) => rate(move, turn, start));
  return turn.legal[rates.indexOf(Math.max(...rates))];
}

// Says how good a move looks, by what is common to the games.
//
// Seeds are sown one a pit, to the right. More than one round is not looked at.
function rate(move, turn, start) {
  const { pits = [], stores } = turn.position;
  const row = pits[turn.seat] ?? [];
  // No pit of the own row: a game that is not known here.
  if (!Number.isInteger(move) || move < 0 || move >= row.length) {
    return 0;
  }

  const last = move + row[move];
  // The last seed falls into the own store: another move. Nearest pit first.
  if (last === row.length && stores !== undefined) {
    return 2000 + move;
  }
  // It falls into an empty own pit: it captures the seeds in the facing pit.
  const captures = pits.length === 2 && start.game !== "mancala-basic";
  if (captures && last < row.length && row[last] === 0) {
    const facing = pits[1 - turn.seat][row.length - 1 - last];
    if (facing > 0) {
      return 1000 + facing;
    }
  }
  // Else, the more seeds move on, the fewer can be captured.
  return row[move];
}

module.exports = { chooseMove };

if (require.main === module) {
  arena.run(chooseMove);
}
