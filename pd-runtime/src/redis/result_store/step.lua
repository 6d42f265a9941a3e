-- ARGV: the lease, its life in ms, the step, the longest time in ms that renewals may extend the body beyond its own expiry.
local lease, closed, ends, name = unpack(redis.call('HMGET', KEYS[1], 'lease', 'closed', 'until', 'name'))
if lease ~= ARGV[1] then return 0 end
local step = ARGV[3]

if step == 'renew' then
  if closed or now >= ends + ARGV[4] then return 0 end
  local held = now + tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'held', held)
  set_expiry(name, math.max(held, tonumber(ends)))
elseif step == 'close' then
  redis.call('HSET', KEYS[1], 'closed', 1)
elseif step == 'give_back' then
  redis.call('HDEL', KEYS[1], 'lease', 'held', 'closed')
  set_expiry(name, tonumber(ends))
else
  redis.call('DEL', KEYS[1])
  release(name)
end
return 1
