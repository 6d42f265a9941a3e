-- KEYS: the body, all bodies by their ends, what they take up. ARGV: the lease, its life in ms, the step, how long after the
-- body's own time it is renewed, in ms.
local lease, closed, ends, name = unpack(redis.call('HMGET', KEYS[1], 'lease', 'closed', 'until', 'name'))
if lease ~= ARGV[1] then return 0 end
local step = ARGV[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- It stands until then, and counts for as long.
local function stand(till)
  redis.call('PEXPIREAT', KEYS[1], till)
  redis.call('ZADD', KEYS[2], 'XX', till, name)
  for _, key in ipairs({ KEYS[2], KEYS[3] }) do
    if redis.call('PTTL', key) < till - now then redis.call('PEXPIREAT', key, till) end
  end
end

if step == 'renew' then
  if closed or now >= ends + ARGV[4] then return 0 end
  local held = now + tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'held', held)
  stand(math.max(held, tonumber(ends)))
elseif step == 'close' then
  redis.call('HSET', KEYS[1], 'closed', 1)
elseif step == 'give_back' then
  redis.call('HDEL', KEYS[1], 'lease', 'held', 'closed')
  stand(tonumber(ends))
else
  redis.call('DEL', KEYS[1])
  if redis.call('ZREM', KEYS[2], name) == 1 then
    local bytes, payer = string.match(name, '^%x+ (%d+) (%x+)$')
    redis.call('HINCRBY', KEYS[3], 'bytes', -bytes)
    redis.call('HINCRBY', KEYS[3], payer .. ':bytes', -bytes)
    if redis.call('HINCRBY', KEYS[3], payer .. ':bodies', -1) <= 0 then
      redis.call('HDEL', KEYS[3], payer .. ':bytes', payer .. ':bodies')
    end
  end
end
return 1
