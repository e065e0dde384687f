-- ARGV: ttl, number up to which the team has taken its messages, '1' if it answers questions.
-- Gives {'OK', newest number} | {'GONE'}. Keeps nothing alive: a team that only asks is no sign of a clinician.
if redis.call('EXISTS', RECORD) == 0 then return {'GONE'} end
local newest = tonumber(redis.call('HGET', HEADS, 'inbox') or '0')
local taken = tonumber(redis.call('HGET', HEADS, 'inbox_taken') or '0')
local now = math.min(tonumber(ARGV[2]), newest)
if now > taken then redis.call('HSET', HEADS, 'inbox_taken', text(now)) end
if ARGV[3] == '1' then redis.call('HSET', HEADS, 'inbox_asked_ms', now_ms()) end
redis.call('HSET', HEADS, 'team_ms', now_ms())
if redis.call('PTTL', HEADS) < 0 then redis.call('PEXPIRE', HEADS, ARGV[1]) end
return {'OK', text(newest)}
