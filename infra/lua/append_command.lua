-- ARGV: ttl, command id, bound, json. Guarded by no lease: the API and any worker may append.
local id = ARGV[2]
if redis.call('SISMEMBER', SEEN, 'command:' .. id) == 1 then return {'THERE'} end
if redis.call('XLEN', COMMANDS) >= tonumber(ARGV[3]) then return {'FULL'} end
local seq = text(redis.call('HINCRBY', HEADS, 'commands', 1))
local epoch = epoch_of(redis.call('GET', FENCE.reason) or '')
redis.call('XADD', COMMANDS, '*', 'v', '1', 'seq', seq, 'epoch', epoch, 'id', id, 'command', ARGV[4])
redis.call('SADD', SEEN, 'command:' .. id)
keep_alive()
return {'OK'}
