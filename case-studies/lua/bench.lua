-- Points that come and go, closures, and a table of words: what scripts of games do.
local function point(x, y) return { x = x, y = y } end
local sum = 0
for frame = 1, 3000 do
  local points = {}
  for i = 1, 40 do points[i] = point(i, frame) end
  for i = 1, 40 do
    local p = points[i]
    sum = sum + p.x * p.y % 7
  end
  local add = function(n) return n + frame end
  sum = sum + add(1)
  if frame % 10 == 0 then
    local name = "frame " .. frame
    sum = sum + #name
  end
end
print(sum)
