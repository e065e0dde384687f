-- ARGV: ttl, most entries of the log, most bytes of it, '1' if the last event ends the reasoning, then seq and
-- json of each event in order. Guarded by no lease but by the count of its one sender, a live team.
-- No event is a sign of the team's program, and keeps nothing alive.
-- Gives {'OK', newest seq of the team's} | {'OVER', that} | {'GAP', expected} | {'FULL'}; all or none.
local last = tonumber(redis.call('HGET', HEADS, 'event_seq') or '-1')
local sealed = tonumber(redis.call('HGET', HEADS, 'sealed')) or math.huge
local first = 5
if ARGV[first] and tonumber(ARGV[#ARGV - 1]) >= sealed then return {'OVER', text(sealed - 1)} end
while ARGV[first] and tonumber(ARGV[first]) <= last do first = first + 2 end
local fresh = (#ARGV - first + 1) / 2
if fresh > 0 then
  local bytes = tonumber(redis.call('HGET', HEADS, 'event_bytes') or '0')
  for i = first, #ARGV, 2 do
    if tonumber(ARGV[i]) ~= last + 1 + (i - first) / 2 then return {'GAP', text(last + 1)} end
    bytes = bytes + #ARGV[i + 1]
  end
  if redis.call('XLEN', EVENTS) + fresh > tonumber(ARGV[2]) or bytes > tonumber(ARGV[3]) then return {'FULL'} end
  local epoch = epoch_of(redis.call('GET', FENCE.reason) or '')
  for i = first, #ARGV, 2 do
    redis.call('XADD', EVENTS, '*', 'v', '1', 'seq', ARGV[i], 'epoch', epoch, 'event', ARGV[i + 1])
  end
  last = tonumber(ARGV[#ARGV - 1])
  redis.call('HSET', HEADS, 'event_seq', text(last), 'event_bytes', text(bytes))
  if ARGV[4] == '1' then redis.call('HSET', HEADS, 'sealed', text(last + 1)) end
end
redis.call('HSET', HEADS, 'team_ms', now_ms())
if fresh > 0 then keep_alive() end
if redis.call('PTTL', HEADS) < 0 then redis.call('PEXPIRE', HEADS, ARGV[1]) end
return {'OK', text(math.min(last, sealed - 1))}
