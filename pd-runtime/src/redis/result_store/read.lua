-- ARGV: the time in ms for which the text is kept from now.
local text, ends, name = unpack(redis.call('HMGET', KEYS[1], 'text', 'until', 'name'))
if not text or tonumber(ends) <= now then return false end

local till = now + tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'until', till)
set_expiry(name, till)
set_age(name, till)
return text
