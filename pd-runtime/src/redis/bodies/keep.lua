-- KEYS: the body, all bodies by their ends, what they take up. ARGV: its packed rows, life in ms, bytes, payer, its name among
-- all; at most so many bytes and bodies, at most so many of one payer.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('EXISTS', KEYS[1]) == 1 then return 'kept' end

local function used(field) return tonumber(redis.call('HGET', KEYS[3], field) or '0') end

for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 1000)) do
  local bytes, payer = string.match(name, '^%x+ (%d+) (%x+)$')
  redis.call('ZREM', KEYS[2], name)
  redis.call('HINCRBY', KEYS[3], 'bytes', -bytes)
  redis.call('HINCRBY', KEYS[3], payer .. ':bytes', -bytes)
  if redis.call('HINCRBY', KEYS[3], payer .. ':bodies', -1) <= 0 then
    redis.call('HDEL', KEYS[3], payer .. ':bytes', payer .. ':bodies')
  end
end

local life, bytes, payer = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if used('bytes') + bytes > tonumber(ARGV[6]) then return 'full' end
if redis.call('ZCARD', KEYS[2]) + 1 > tonumber(ARGV[7]) then return 'full' end
if used(payer .. ':bytes') + bytes > tonumber(ARGV[8]) then return 'own' end
if used(payer .. ':bodies') + 1 > tonumber(ARGV[9]) then return 'own' end

redis.call('HSET', KEYS[1], 'rows', ARGV[1], 'until', now + life, 'name', ARGV[5])
redis.call('PEXPIRE', KEYS[1], life)
redis.call('ZADD', KEYS[2], now + life, ARGV[5])
redis.call('HINCRBY', KEYS[3], 'bytes', bytes)
redis.call('HINCRBY', KEYS[3], payer .. ':bytes', bytes)
redis.call('HINCRBY', KEYS[3], payer .. ':bodies', 1)
-- What they take up is known for as long as any of them waits.
for _, key in ipairs({ KEYS[2], KEYS[3] }) do
  redis.call('PEXPIRE', key, math.max(life, redis.call('PTTL', key)))
end
return 'kept'
