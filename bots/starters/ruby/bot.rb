# frozen_string_literal: true

# Your bot: make `choose_move` better.

require_relative "arena"

# Returns one of `turn["legal"]`: the first of those that look best.
#
# Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
# `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
def choose_move(turn, start)
  # Where to go on: play each move on a copy of the position, and look at what the
  # opponent can do next. `Arena.log(...)` prints to standard error.
  turn["legal"].max_by.with_index { |move, index| [rate(move, turn, start), -index] }
end

# Says how good a move looks, by what is common to the games.
#
# Seeds are sown one a pit, to the right. More than one round is not looked at.
def rate(move, turn, start)
  pits = turn["position"].fetch("pits", [])
  row = pits.fetch(turn["seat"], [])
  # No pit of the own row: a game that is not known here.
  return 0 unless move.is_a?(Integer) && move.between?(0, row.size - 1)

  last = move + row[move]
  # The last seed falls into the own store: another move. Nearest pit first.
  return 2000 + move if last == row.size && turn["position"].key?("stores")

  # It falls into an empty own pit: it captures the seeds in the facing pit.
  captures = pits.size == 2 && start["game"] != "mancala-basic"
  if captures && last < row.size && row[last].zero?
    facing = pits[1 - turn["seat"]][row.size - 1 - last]
    return 1000 + facing if facing.positive?
  end
  # Else, the more seeds move on, the fewer can be captured.
  row[move]
end

Arena.run { |turn, start| choose_move(turn, start) } if $PROGRAM_NAME == __FILE__
