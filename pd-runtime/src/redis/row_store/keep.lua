-- ARGV: the packed rows, their life in ms, their size in bytes, the payer, the body's member in the set of all bodies;
-- the limits of bytes and bodies in total, and of one payer.
if redis.call('EXISTS', KEYS[1]) == 1 then return 'kept' end

-- Without bodies no space is used. This also resets counts that an earlier version left behind.
if redis.call('EXISTS', all) == 0 then redis.call('DEL', taken) end
-- At most 1,000 expired bodies for each call, so that the script does not block Redis for long.
for _, name in ipairs(redis.call('ZRANGEBYSCORE', all, '-inf', now, 'LIMIT', 0, 1000)) do release(name) end

local life, bytes, payer = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if used('bytes') + bytes > tonumber(ARGV[6]) then return 'full' end
if redis.call('ZCARD', all) + 1 > tonumber(ARGV[7]) then return 'full' end
if used(payer .. ':bytes') + bytes > tonumber(ARGV[8]) then return 'own' end
if used(payer .. ':bodies') + 1 > tonumber(ARGV[9]) then return 'own' end

redis.call('HSET', KEYS[1], 'rows', ARGV[1], 'until', now + life, 'name', ARGV[5])
redis.call('PEXPIRE', KEYS[1], life)
redis.call('ZADD', all, now + life, ARGV[5])
add(payer, bytes)
extend(now + life)
return 'kept'
