-- ARGV: ttl, kind, owner, lease ms, random. Gives {'OK', token} or {'HELD'}.
-- The owner itself may acquire again (a retry whose first try arrived): it gets a new epoch.
local kind, owner = ARGV[2], ARGV[3]
local holder = redis.call('GET', LEASE[kind])
if holder and holder ~= owner then return {'HELD'} end
local epoch = tonumber(epoch_of(redis.call('GET', FENCE[kind]) or '')) + 1
local token = text(epoch) .. ':' .. ARGV[5]
redis.call('SET', LEASE[kind], owner, 'PX', ARGV[4])
redis.call('SET', FENCE[kind], token)
keep_alive()
return {'OK', token}
