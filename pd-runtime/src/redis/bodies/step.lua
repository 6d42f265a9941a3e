-- KEYS: the body, all bodies by their ends, what they take up. ARGV: the lease, its life in ms, the step.
local lease, closed, ends, name = unpack(redis.call('HMGET', KEYS[1], 'lease', 'closed', 'until', 'name'))
if lease ~= ARGV[1] then return 0 end
local step = ARGV[3]

if step == 'renew' then
  if closed then return 0 end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local life = tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'held', now + life)
  redis.call('PEXPIRE', KEYS[1], math.max(life, redis.call('PTTL', KEYS[1])))
elseif step == 'close' then
  redis.call('HSET', KEYS[1], 'closed', 1)
elseif step == 'give_back' then
  redis.call('HDEL', KEYS[1], 'lease', 'held', 'closed')
  redis.call('PEXPIREAT', KEYS[1], ends)
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
