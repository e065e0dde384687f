-- ARGV: ttl, token, seq and json of each event that ends a live team's reasoning for it. Guarded by the reason
-- lease. Gives {'OK'} | {'FENCED'} | {'SPOKE'}: the team's own event came first; from here on it adds none.
local token = ARGV[2]
if not holds('reason', token) then return {'FENCED'} end
local first = tonumber(ARGV[3])
if tonumber(redis.call('HGET', HEADS, 'event_seq') or '-1') ~= first - 1 then return {'SPOKE'} end
for i = 3, #ARGV, 2 do
  redis.call('XADD', EVENTS, '*', 'v', '1', 'seq', ARGV[i], 'epoch', epoch_of(token), 'event', ARGV[i + 1])
end
redis.call('HSET', HEADS, 'event_seq', ARGV[#ARGV - 1], 'sealed', text(first))
keep_alive()
return {'OK'}
