-- ARGV: the packed rows or the text, their life in ms, their size in bytes, the payer, the body's member in the set of all bodies;
-- the limits of bytes and bodies in total, and of one payer; `rows` or `text`.
if redis.call('EXISTS', KEYS[1]) == 1 then return 'kept' end

-- Without bodies no space is used. This also resets counts that an earlier version left behind.
if redis.call('EXISTS', all) == 0 then redis.call('DEL', taken) end
-- At most 1,000 expired bodies for each call, so that the script does not block Redis for long.
for _, name in ipairs(redis.call('ZRANGEBYSCORE', all, '-inf', now, 'LIMIT', 0, 1000)) do release(name) end

local life, bytes, payer = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local function refusal(freed, bodies)
  if used('bytes') - freed + bytes > tonumber(ARGV[6]) then return 'full' end
  if redis.call('ZCARD', all) - bodies + 1 > tonumber(ARGV[7]) then return 'full' end
  if used(payer .. ':bytes') - freed + bytes > tonumber(ARGV[8]) then return 'own' end
  if used(payer .. ':bodies') - bodies + 1 > tonumber(ARGV[9]) then return 'own' end
end

-- A text takes the place of its payer's oldest texts, if that makes room for it.
local refused, replaced, freed = refusal(0, 0), {}, 0
if refused and ARGV[10] == 'text' then
  redis.call('ZREMRANGEBYSCORE', texts_of(ARGV[5]), '-inf', now)
  for _, name in ipairs(redis.call('ZRANGE', texts_of(ARGV[5]), 0, 999)) do
    if redis.call('ZSCORE', all, name) then
      table.insert(replaced, name)
      freed = freed + tonumber(string.match(name, '^%x+ (%d+) '))
      refused = refusal(freed, #replaced)
      if not refused then break end
    end
  end
end
if refused then return refused end
for _, name in ipairs(replaced) do
  redis.call('DEL', (string.gsub(KEYS[1], '%x+$', string.match(name, '^%x+'))))
  redis.call('ZREM', texts_of(name), name)
  release(name)
end

redis.call('HSET', KEYS[1], ARGV[10], ARGV[1], 'until', now + life, 'name', ARGV[5])
redis.call('PEXPIRE', KEYS[1], life)
redis.call('ZADD', all, now + life, ARGV[5])
if ARGV[10] == 'text' then set_age(ARGV[5], now + life) end
add(payer, bytes)
extend(now + life)
return 'kept'
