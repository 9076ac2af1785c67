-- Your bot: make `choose_move` better.

package.path = arg[0]:gsub("[^/]*$", "") .. "?.lua;" .. package.path
local arena = require("arena")

local rate

-- Returns one of `turn.legal`: the first of those that look best. A move has `text`,
-- as the arena wrote it, and `pit`, where it is the number of a pit.
--
-- Both arguments are messages of the arena: `turn` has `position`, `legal`, `seat`,
-- `ply`, `last_ms` and the clock, `start` has `game`, `options`, `seats` and `seed`.
local function choose_move(turn, start)
  -- Where to go on: play each move on a copy of the position, and look at what the
  -- opponent can do next. `arena.log(...)` prints to standard error.
  local best, best_rate = nil, -1
  for _, move in ipairs(turn.legal) do
    local rated = rate(move, turn, start)
    if rated > best_rate then
      best, best_rate = move, rated
    end
  end
  return best
end

-- Says how good a move looks, by what is common to the games.
--
-- Seeds are sown one a pit, to the right. More than one round is not looked at.
function rate(move, turn, start)
  local pits = turn.position.pits or {}
  -- Lua counts from 1, the arena from 0.
  local row = pits[turn.seat + 1] or {}
  local pit = move.pit
  -- No pit of the own row: a game that is not known here.
  if not pit or not row[pit + 1] then
    return 0
  end

  local last = pit + row[pit + 1]
  -- The last seed falls into the own store: another move. Nearest pit first.
  if last == #row and turn.position.stores then
    return 2000 + pit
  end
  -- It falls into an empty own pit: it captures the seeds in the facing pit.
  local captures = #pits == 2 and start.game ~= "mancala-basic"
  if captures and last < #row and row[last + 1] == 0 then
    local facing = pits[2 - turn.seat][#row - last]
    if facing > 0 then
      return 1000 + facing
    end
  end
  -- Else, the more seeds move on, the fewer can be captured.
  return row[pit + 1]
end

arena.run(choose_move)
