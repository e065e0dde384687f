-- ARGV: ttl, expected version (0: create), json, status, write id. Guarded by compare-and-set, not by a
-- lease: the API ends a session that no worker holds. COMPLETED is never overwritten. A record that is
-- over lands together with its outbox, which asks for a report and a place in the database.
local at, id = tonumber(ARGV[2]), ARGV[5]
local found = redis.call('HMGET', RECORD, 'version', 'status', 'write_id')
local version = tonumber(found[1] or '0')
if version > 0 and found[3] == id then return {'OK'} end -- a retry whose first try arrived
if at == 0 and version > 0 then return {'THERE'} end
if found[2] == 'COMPLETED' then return {'COMPLETED'} end
if version == 0 and at > 0 then return {'GONE'} end
if version ~= at then return {'STALE', text(version)} end
local over = ARGV[4] == 'COMPLETED' or ARGV[4] == 'ABANDONED'
if over then allow_oom() end
redis.call('HSET', RECORD, 'v', '1', 'version', text(at + 1), 'json', ARGV[3], 'status', ARGV[4], 'write_id', id)
redis.call('DEL', OUTBOX, REPORT)
if over then
  redis.call('HSET', OUTBOX, 'v', '1', 'version', text(at + 1), 'since_ms', now_ms(), 'report', 'due',
    'attempts', '0', 'problem', '', 'sql', 'due', 'sql_attempts', '0')
end
keep_alive()
return {'OK'}
