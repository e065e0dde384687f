-- ARGV: ttl, token, bound, then seq and json of each event in order. Guarded by the reason lease.
-- Gives {'OK', appended} | {'FENCED'} | {'GAP', expected} | {'FULL'}; all or none.
local token, bound = ARGV[2], tonumber(ARGV[3])
if not holds('reason', token) then return {'FENCED'} end
local last = tonumber(redis.call('HGET', HEADS, 'event_seq') or '-1')
local first = 4
while ARGV[first] and tonumber(ARGV[first]) <= last do first = first + 2 end
local fresh = (#ARGV - first + 1) / 2
if fresh > 0 then
  for i = first, #ARGV, 2 do
    local expected = last + 1 + (i - first) / 2
    if tonumber(ARGV[i]) ~= expected then return {'GAP', text(expected)} end
  end
  if redis.call('XLEN', EVENTS) + fresh > bound then return {'FULL'} end
  local epoch = epoch_of(token)
  local bytes = tonumber(redis.call('HGET', HEADS, 'event_bytes') or '0')
  for i = first, #ARGV, 2 do
    bytes = bytes + #ARGV[i + 1]
    redis.call('XADD', EVENTS, '*', 'v', '1', 'seq', ARGV[i], 'epoch', epoch, 'event', ARGV[i + 1])
  end
  redis.call('HSET', HEADS, 'event_seq', ARGV[#ARGV - 1], 'event_bytes', text(bytes))
end
keep_alive()
return {'OK', fresh}
