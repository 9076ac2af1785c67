// Your bot: make `choose_move` better.

#include "arena.hpp"

#include <algorithm>

namespace {

// Says how good a move looks, by what is common to the games.
//
// Seeds are sown one a pit, to the right. More than one round is not looked at.
int rate(const arena::Move &move, const arena::Turn &turn,
         const arena::Start &start) {
  const auto &pits = turn.position.pits;
  const int seat = turn.seat;
  // No pit of the own row: a game that is not known here.
  if (!move.pit || seat >= std::ssize(pits) || *move.pit < 0 ||
      *move.pit >= std::ssize(pits[seat])) {
    return 0;
  }

  const auto &row = pits[seat];
  const int length = std::ssize(row);
  const int pit = *move.pit;
  const int last = pit + row[pit];
  // The last seed falls into the own store: another move. Nearest pit first.
  if (last == length && !turn.position.stores.empty()) {
    return 2000 + pit;
  }
  // It falls into an empty own pit: it captures the seeds in the facing pit.
  const bool captures = pits.size() == 2 && start.game != "mancala-basic";
  if (captures && last < length && row[last] == 0) {
    const int facing = pits[1 - seat][length - 1 - last];
    if (facing > 0) {
      return 1000 + facing;
    }
  }
  // Else, the more seeds move on, the fewer can be captured.
  return row[pit];
}

} // namespace

// Returns one of `turn.legal`: the first of those that look best.
//
// Both arguments are messages of the arena: `turn` has `position`, `legal`,
// `seat`, `ply`, `last_ms` and the clock, `start` has `game`, `options`,
// `seats` and `seed`.
arena::Move choose_move(const arena::Turn &turn, const arena::Start &start) {
  // Where to go on: play each move on a copy of the position, and look at what
  // the opponent can do next. `arena::log(...)` prints to standard error.
  return *std::max_element(turn.legal.begin(), turn.legal.end(),
                           [&](const arena::Move &a, const arena::Move &b) {
                             return rate(a, turn, start) < rate(b, turn, start);
                           });
}
