-- KEYS: the body, all bodies by their ends, what they take up. ARGV: the lease, its life in ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends, lease, held, closed, name = unpack(redis.call('HMGET', KEYS[1], 'until', 'lease', 'held', 'closed', 'name'))
if not ends or closed then return { 'gone' } end
-- Asked again by the one that has it, where the first answer was lost.
if lease ~= ARGV[1] then
  if lease and tonumber(held) > now then return { 'busy' } end
  if tonumber(ends) <= now then return { 'gone' } end
end
-- It stands until then, and counts for as long.
local function stand(till)
  redis.call('PEXPIREAT', KEYS[1], till)
  redis.call('ZADD', KEYS[2], 'XX', till, name)
  for _, key in ipairs({ KEYS[2], KEYS[3] }) do
    if redis.call('PTTL', key) < till - now then redis.call('PEXPIREAT', key, till) end
  end
end

local held = now + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'lease', ARGV[1], 'held', held)
stand(math.max(held, tonumber(ends)))
return { 'yes', redis.call('HGET', KEYS[1], 'rows') }
