-- ARGV: ttl, kind, owner, token. The fence keeps its epoch and loses its random part, so that the
-- one who let go is refused like one who lost it.
local kind, token = ARGV[2], ARGV[4]
if not holds(kind, token) then return {'LOST'} end
redis.call('DEL', LEASE[kind]) -- first, as it takes no memory: the rest is done though the store is full
redis.call('SET', FENCE[kind], epoch_of(token) .. ':')
redis.call('HSET', HEADS, 'held:' .. kind, now_ms())
keep_alive()
return {'OK'}
