-- Reads messages, asks the bot for its moves, answers. Leave this file alone.

local arena = {}

-- `null` in an array. A member of an object that is `null` is absent.
arena.null = setmetatable({}, {
  __tostring = function()
    return "null"
  end,
})

local DEPTH_MAX = 64
local LITERALS = { ["true"] = true, ["false"] = false, ["null"] = arena.null }
local ESCAPES = {
  ['"'] = '"',
  ["\\"] = "\\",
  ["/"] = "/",
  b = "\b",
  f = "\f",
  n = "\n",
  r = "\r",
  t = "\t",
}

local function fail(text, at, expected)
  local found = text:sub(at, at + 20)
  error(("expected %s at byte %d of the line, found `%s`"):format(expected, at, found))
end

local function skip_blanks(text, at)
  return text:find("[^ \t\r\n]", at) or #text + 1
end

-- Each `read_` function takes the text and where the value begins, and returns the
-- value and where the text goes on.
local read_value

local function read_escape(text, at)
  local escape = text:sub(at + 1, at + 1)
  if escape ~= "u" then
    return ESCAPES[escape] or fail(text, at, "an escape"), at + 2
  end
  local hex = text:match("^%x%x%x%x", at + 2) or fail(text, at, "an escape")
  local code = tonumber(hex, 16)
  at = at + 6
  -- Two surrogates are one character.
  local low = text:match("^\\u([dD][c-fC-F]%x%x)", at)
  if low and code >= 0xD800 and code < 0xDC00 then
    code = 0x10000 + (code - 0xD800) * 0x400 + tonumber(low, 16) - 0xDC00
    at = at + 6
  end
  return utf8.char(code), at
end

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local stop = text:find('["\\]', at) or fail(text, #text + 1, '`"`')
    parts[#parts + 1] = text:sub(at, stop - 1)
    if text:sub(stop, stop) == '"' then
      return table.concat(parts), stop + 1
    end
    parts[#parts + 1], at = read_escape(text, stop)
  end
end

-- Reads what stands between brackets: `read_item` is called for each item.
local function read_items(text, at, close, depth, read_item)
  if depth > DEPTH_MAX then
    fail(text, at, "less depth")
  end
  at = skip_blanks(text, at + 1)
  if text:sub(at, at) == close then
    return at + 1
  end
  while true do
    at = skip_blanks(text, read_item(at))
    local mark = text:sub(at, at)
    if mark == close then
      return at + 1
    elseif mark ~= "," then
      fail(text, at, "`,` or `" .. close .. "`")
    end
    at = skip_blanks(text, at + 1)
  end
end

local function read_array(text, at, depth)
  local array = {}
  at = read_items(text, at, "]", depth, function(item)
    array[#array + 1], item = read_value(text, item, depth)
    return item
  end)
  return array, at
end

-- Moves keep their text, so that they are sent back as they came.
local function read_moves(text, at, depth)
  local moves = {}
  at = read_items(text, at, "]", depth, function(item)
    local value, behind = read_value(text, item, depth)
    local pit = math.type(value) == "integer" and value or nil
    moves[#moves + 1] = { text = text:sub(item, behind - 1), pit = pit }
    return behind
  end)
  return moves, at
end

local function read_object(text, at, depth)
  local object = {}
  at = read_items(text, at, "}", depth, function(item)
    local key, value
    key, item = read_string(text, item)
    item = skip_blanks(text, item)
    if text:sub(item, item) ~= ":" then
      fail(text, item, "`:`")
    end
    item = skip_blanks(text, item + 1)
    local is_legal = key == "legal" and text:sub(item, item) == "["
    if is_legal then
      value, item = read_moves(text, item, depth + 1)
    else
      value, item = read_value(text, item, depth)
    end
    if value ~= arena.null then
      object[key] = value
    end
    return item
  end)
  return object, at
end

function read_value(text, at, depth)
  local first = text:sub(at, at)
  if first == "{" then
    return read_object(text, at, depth + 1)
  elseif first == "[" then
    return read_array(text, at, depth + 1)
  elseif first == '"' then
    return read_string(text, at)
  end
  local word = text:match("^[%w.+-]+", at) or fail(text, at, "a value")
  local value = LITERALS[word]
  if value == nil then
    value = tonumber(word) or fail(text, at, "a value")
  end
  return value, at + #word
end

-- Prints to standard error; standard output belongs to the arena.
function arena.log(...)
  local values = table.pack(...)
  for i = 1, values.n do
    values[i] = tostring(values[i])
  end
  io.stderr:write(table.concat(values, "\t"), "\n")
end

-- Plays match after match, until the arena says `quit` or closes the input.
function arena.run(choose_move)
  local start = {}
  for line in io.lines() do
    local message = read_value(line, skip_blanks(line, 1), 0)
    if message.type == "hello" then
      io.write('{"type":"hello","protocol":1}\n')
    elseif message.type == "start" then
      start = message
    elseif message.type == "turn" then
      local move = choose_move(message, start)
      local answer = '{"type":"move","move":%s,"ply":%d}\n'
      io.write(answer:format(move.text, message.ply))
    elseif message.type == "quit" then
      return
    end
    -- `end`, `error`, or of a later release: needs no answer
    io.flush()
  end
end

return arena
