-- ARGV: ttl. Takes the agents' words from a session that is over and has its report; from one that is over for
-- good the case paper too. One that was abandoned is then as if it had been restored (`session_backup.py`): a
-- recording begins anew, and a live team's reasoning is over.
-- Gives {'OK'} | {'LIVE'} | {'DUE'}: its report is still to be made | {'HELD'}: somebody reads them.
local status = redis.call('HGET', RECORD, 'status')
if status ~= 'COMPLETED' and status ~= 'ABANDONED' then return {'LIVE'} end
if (redis.call('HGET', OUTBOX, 'report') or 'due') == 'due' then return {'DUE'} end
if status == 'ABANDONED' and redis.call('EXISTS', LEASE.reason) == 1 then return {'HELD'} end
allow_oom()
redis.call('DEL', EVENTS)
redis.call('HDEL', HEADS, 'event_bytes')
if status == 'COMPLETED' then
  redis.call('DEL', PAPER)
  local last = tonumber(redis.call('HGET', HEADS, 'event_seq') or '-1')
  if redis.call('HEXISTS', HEADS, 'sealed') == 0 then redis.call('HSET', HEADS, 'sealed', text(last + 1)) end
else
  redis.call('HDEL', HEADS, 'event_seq')
  redis.call('HSET', HEADS, 'sealed', '0')
end
return {'OK'}
