-- ARGV: ttl, kind, owner, lease ms, token. A lease that ran out and went to nobody is taken up again:
-- the fence is unchanged, so nobody has written in between.
local kind, owner = ARGV[2], ARGV[3]
if not holds(kind, ARGV[5]) then return {'LOST'} end
allow_oom()
redis.call('SET', LEASE[kind], owner, 'PX', ARGV[4])
redis.call('HSET', HEADS, 'held:' .. kind, now_ms())
keep_alive()
return {'OK'}
