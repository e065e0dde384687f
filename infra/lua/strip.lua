-- ARGV: ttl. Takes from a session that is over for good all but its record, its rights and its report.
-- Gives {'OK'} | {'LIVE'} | {'DUE'}: its report is still to be made.
if redis.call('HGET', RECORD, 'status') ~= 'COMPLETED' then return {'LIVE'} end
if (redis.call('HGET', OUTBOX, 'report') or 'due') == 'due' then return {'DUE'} end
allow_oom()
redis.call('DEL', EVENTS, UPDATES, COMMANDS, SEEN, UTTERANCES, PHASES, VERSIONS, ORDER, PAPER, INBOX)
redis.call('HSET', HEADS, 'stripped', '1')
return {'OK'}
