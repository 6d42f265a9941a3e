-- ARGV: the lease, its life in ms.
local ends, lease, held, closed, name = unpack(redis.call('HMGET', KEYS[1], 'until', 'lease', 'held', 'closed', 'name'))
if not ends or closed then return { 'gone' } end
-- The holder of the lease may ask again, because the first answer may have been lost.
if lease ~= ARGV[1] then
  if lease and tonumber(held) > now then return { 'busy' } end
  if tonumber(ends) <= now then return { 'gone' } end
end

local held = now + tonumber(ARGV[2])
redis.call('HSET', KEYS[1], 'lease', ARGV[1], 'held', held)
set_expiry(name, math.max(held, tonumber(ends)))
return { 'yes', redis.call('HGET', KEYS[1], 'rows') }
