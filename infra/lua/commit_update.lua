-- ARGV: ttl, token, update id, bound, json. Guarded by the reason lease.
local token, id = ARGV[2], ARGV[3]
if not holds('reason', token) then return {'FENCED'} end
if redis.call('SISMEMBER', SEEN, 'update:' .. id) == 1 then
  keep_alive()
  return {'THERE'}
end
local length = redis.call('XLEN', UPDATES)
if length >= tonumber(ARGV[4]) then return {'FULL'} end
local seq = text(redis.call('HINCRBY', HEADS, 'updates', 1))
redis.call('XADD', UPDATES, '*', 'v', '1', 'seq', seq, 'epoch', epoch_of(token), 'id', id, 'update', ARGV[5])
redis.call('SADD', SEEN, 'update:' .. id)
keep_alive()
return {'OK'}
