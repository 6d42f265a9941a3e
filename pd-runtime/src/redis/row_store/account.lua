-- What bodies take up. Each script begins with this. KEYS: the body, all bodies by their ends, what they take up.
-- A name among all bodies is `KEY BYTES PAYER`. What is taken up is counted under `bytes`, `PAYER:bytes` and `PAYER:bodies`.
local all, taken = KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function used(field) return tonumber(redis.call('HGET', taken, field) or '0') or 0 end

-- A count that would be negative was lost before; it ends at zero.
local function count(field, change)
  local after = math.max(0, used(field) + change)
  if after == 0 then redis.call('HDEL', taken, field) else redis.call('HSET', taken, field, after) end
end

local function add(payer, bytes)
  count('bytes', bytes)
  count(payer .. ':bytes', bytes)
  count(payer .. ':bodies', 1)
end

-- Gives the room of a body back. A name that another program wrote takes up nothing.
local function release(name)
  if redis.call('ZREM', all, name) == 0 then return end
  local bytes, payer = string.match(name, '^%x+ (%d+) (%x+)$')
  if not bytes then return end
  count('bytes', -bytes)
  count(payer .. ':bytes', -bytes)
  count(payer .. ':bodies', -1)
end

-- Both keys live until the same moment: with one of them gone, bodies would count for ever, or not at all.
local function live(till)
  till = math.max(till, now + redis.call('PTTL', all), now + redis.call('PTTL', taken))
  redis.call('PEXPIREAT', all, till)
  redis.call('PEXPIREAT', taken, till)
end

-- The body is there until then, and counts for as long.
local function stand(name, till)
  redis.call('PEXPIREAT', KEYS[1], till)
  redis.call('ZADD', all, 'XX', till, name)
  live(till)
end

