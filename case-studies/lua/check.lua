-- Goes through tables, texts, closures, coroutines, errors and the collector; what it prints has to stay the same.
local function shown(value)
  if type(value) ~= "table" then return tostring(value) end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  local parts = {}
  for _, key in ipairs(keys) do
    parts[#parts + 1] = key .. "=" .. shown(value[key] == nil and value[tonumber(key)] or value[key])
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

local objects = {}
for n = 1, 2000 do
  objects[n] = { n = n, square = n * n, name = "object " .. n, list = { n, n + 1 } }
  if n % 3 == 0 then objects[n - 1] = false end
  if n % 500 == 0 then collectgarbage() print(n, shown(objects[n])) end
end
table.sort(objects, function(a, b) return (a and a.square or 0) > (b and b.square or 0) end)
print(shown(objects[1]), #objects)

for word in ("the quick brown fox"):gmatch("%a+") do print(word:upper(), word:rep(3, "-"), word:byte(1, -1)) end
print(("%5.2f|%-8s|%q"):format(3.14159, "left", "a\nb"), ("x"):rep(200):len())
print(string.pack("<i4", 77):byte(1, -1))

local function count(to)
  return coroutine.wrap(function() for n = 1, to do coroutine.yield(n) end end)
end
local sum = 0
for n in count(1000) do sum = sum + n end
print(sum)

for _, mode in ipairs { "k", "v", "kv" } do
  local weak = setmetatable({}, { __mode = mode })
  for n = 1, 100 do weak[n] = { n } weak[{}] = n end
  collectgarbage()
  local left = 0
  for _ in pairs(weak) do left = left + 1 end
  print(mode, left)
end

local point = {}
point.__index = point
point.__add = function(a, b) return setmetatable({ x = a.x + b.x }, point) end
point.__gc = function() sum = sum + 1 end
local at = setmetatable({ x = 0 }, point)
for n = 1, 500 do at = at + setmetatable({ x = n }, point) end
at = at.x
collectgarbage() collectgarbage()
print(at, sum)

print(pcall(error, { code = 7 }) and "never" or "caught", select("#", pcall(error)))
print(pcall(function() local t = nil; return t.x end))
print(load("return ...", "chunk")(1, 2, 3))
for _, mode in ipairs { "generational", "incremental" } do
  collectgarbage(mode)
  local trees = {}
  for n = 1, 300 do trees[n % 20 + 1] = { { { n } }, [n] = { tostring(n) } } end
  collectgarbage()
  print(mode, shown(trees[1]), #trees)
end
