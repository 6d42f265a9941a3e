-- The accounting of stored bodies. Each script begins with this file.
-- KEYS: the body; the sorted set of all bodies by their expiry; the hash of the space that they use.
-- A member of the set is `KEY BYTES PAYER`. The fields of the hash are `bytes`, `PAYER:bytes` and `PAYER:bodies`.
local all, taken = KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function used(field) return tonumber(redis.call('HGET', taken, field) or '0') or 0 end

-- Redis may have lost a count, for example in a crash. A count never becomes negative.
local function count(field, change)
  local after = math.max(0, used(field) + change)
  if after == 0 then redis.call('HDEL', taken, field) else redis.call('HSET', taken, field, after) end
end

local function add(payer, bytes)
  count('bytes', bytes)
  count(payer .. ':bytes', bytes)
  count(payer .. ':bodies', 1)
end

-- Returns the space of a body. A member that another program wrote uses no space.
local function release(name)
  if redis.call('ZREM', all, name) == 0 then return end
  local bytes, payer = string.match(name, '^%x+ (%d+) (%x+)$')
  if not bytes then return end
  count('bytes', -bytes)
  count(payer .. ':bytes', -bytes)
  count(payer .. ':bodies', -1)
end

-- Both keys expire at the same time. If only one expired, bodies would count forever, or not at all.
local function extend(till)
  till = math.max(till, now + redis.call('PTTL', all), now + redis.call('PTTL', taken))
  redis.call('PEXPIREAT', all, till)
  redis.call('PEXPIREAT', taken, till)
end

-- Sets the expiry of the body, and counts the body until then.
local function set_expiry(name, till)
  redis.call('PEXPIREAT', KEYS[1], till)
  redis.call('ZADD', all, 'XX', till, name)
  extend(till)
end


-- The texts of a payer by their expiry, so that the one that was read longest ago comes first. It is on the node of the
-- other keys, because it has their hash tag.
local function texts_of(name)
  return (string.gsub(all, 'all$', 'texts:' .. string.match(name, '%x+$')))
end

local function set_age(name, till)
  local texts = texts_of(name)
  redis.call('ZADD', texts, till, name)
  redis.call('PEXPIREAT', texts, math.max(till, now + redis.call('PTTL', texts)))
end
