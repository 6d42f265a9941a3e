-- KEYS: the body. ARGV: the lease, its life in ms.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends, lease, held, closed = unpack(redis.call('HMGET', KEYS[1], 'until', 'lease', 'held', 'closed'))
if not ends or closed then return { 'gone' } end
-- Asked again by the one that has it, where the first answer was lost.
if lease ~= ARGV[1] then
  if lease and tonumber(held) > now then return { 'busy' } end
  if tonumber(ends) <= now then return { 'gone' } end
end
local life = tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'lease', ARGV[1], 'held', now + life)
redis.call('PEXPIRE', KEYS[1], math.max(life, redis.call('PTTL', KEYS[1])))
return { 'yes', redis.call('HGET', KEYS[1], 'rows') }
