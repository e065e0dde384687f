-- ARGV: ttl, kind, owner, lease ms, random. Gives {'OK', '<token> <ms without a holder>'} or {'HELD'}; the
-- number is '' if there never was one. The owner itself may acquire again (a retry whose first try
-- arrived): it gets a new epoch.
local kind, owner = ARGV[2], ARGV[3]
local holder = redis.call('GET', LEASE[kind])
if holder and holder ~= owner then return {'HELD'} end
local epoch = tonumber(epoch_of(redis.call('GET', FENCE[kind]) or '')) + 1
local token = text(epoch) .. ':' .. ARGV[5]
local held = redis.call('HGET', HEADS, 'held:' .. kind)
if holder ~= owner then
  redis.call('HSET', HEADS, 'vacant:' .. kind, held and text(tonumber(now_ms()) - tonumber(held)) or '')
end
redis.call('SET', LEASE[kind], owner, 'PX', ARGV[4])
redis.call('SET', FENCE[kind], token)
redis.call('HSET', HEADS, 'held:' .. kind, now_ms())
keep_alive()
return {'OK', token .. ' ' .. (redis.call('HGET', HEADS, 'vacant:' .. kind) or '')}
