-- ARGV: ttl, message id, id of the command that ends the session, most that the team has not taken, most of a
-- session, json. Guarded by no lease: the API and the voice may both put one.
-- Gives {'OK', its number} | {'THERE', that} | {'OVER'}: the session or its reasoning is | {'FULL'}.
local known = redis.call('HGET', HEADS, 'inbox:' .. ARGV[2])
if known then return {'THERE', known} end
if redis.call('HEXISTS', HEADS, 'sealed') == 1 then return {'OVER'} end
if redis.call('SISMEMBER', SEEN, 'command:' .. ARGV[3]) == 1 then return {'OVER'} end
local newest = tonumber(redis.call('HGET', HEADS, 'inbox') or '0')
local taken = tonumber(redis.call('HGET', HEADS, 'inbox_taken') or '0')
if newest - taken >= tonumber(ARGV[4]) or newest >= tonumber(ARGV[5]) then return {'FULL'} end
local number = text(newest + 1)
redis.call('XADD', INBOX, number .. '-0', 'v', '1', 'message', ARGV[6])
redis.call('HSET', HEADS, 'inbox', number, 'inbox:' .. ARGV[2], number)
keep_alive()
return {'OK', number}
