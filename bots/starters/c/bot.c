// Your bot: make `choose_move` better.

#include "arena.h"

#include <string.h>

// Says how good a move looks, by what is common to the games.
//
// Seeds are sown one a pit, to the right. More than one round is not looked at.
static long rate(const Json *move, const Json *turn, const Json *start) {
  const Json *position = json_get(turn, "position");
  const Json *pits = json_get(position, "pits");
  const long seat = json_long(json_get(turn, "seat"), 0);
  const Json *row = json_at(pits, seat);
  const long length = json_length(row);
  const long pit = json_long(move, -1);
  // No pit of the own row: a game that is not known here.
  if (pit < 0 || pit >= length) {
    return 0;
  }

  const long seeds = json_long(json_at(row, pit), 0);
  const long last = pit + seeds;
  // The last seed falls into the own store: another move. Nearest pit first.
  if (last == length && json_get(position, "stores") != NULL) {
    return 2000 + pit;
  }
  // It falls into an empty own pit: it captures the seeds in the facing pit.
  const int captures =
      json_length(pits) == 2 &&
      strcmp(json_string(json_get(start, "game")), "mancala-basic") != 0;
  if (captures && last < length && json_long(json_at(row, last), 0) == 0) {
    const long facing =
        json_long(json_at(json_at(pits, 1 - seat), length - 1 - last), 0);
    if (facing > 0) {
      return 1000 + facing;
    }
  }
  // Else, the more seeds move on, the fewer can be captured.
  return seeds;
}

// Returns one of the turn's `legal`: the first of those that look best.
//
// Both arguments are messages of the arena: `turn` has `position`, `legal`,
// `seat`, `ply`, `last_ms` and the clock, `start` has `game`, `options`,
// `seats` and `seed`.
const Json *choose_move(const Json *turn, const Json *start) {
  // Where to go on: play each move on a copy of the position, and look at what
  // the opponent can do next. `arena_log(...)` prints to standard error.
  const Json *legal = json_get(turn, "legal");
  const Json *best = NULL;
  long best_rate = -1;
  for (long i = 0; i < json_length(legal); i++) {
    const Json *move = json_at(legal, i);
    const long rated = rate(move, turn, start);
    if (rated > best_rate) {
      best = move;
      best_rate = rated;
    }
  }
  return best;
}
