-- ARGV: ttl, what `session_backup.py` read, as JSON. Writes a session's keys as they were, all or none; one that is
-- there stays as it is. Entries of streams keep their ids, and so their times.
if redis.call('EXISTS', RECORD) == 1 then return {'THERE'} end
local was = cjson.decode(ARGV[2])
local hashes = {record = RECORD, heads = HEADS, utterances = UTTERANCES,
  phases = PHASES, versions = VERSIONS}
for name, key in pairs(hashes) do
  redis.call('DEL', key)
  for field, value in pairs(was[name]) do redis.call('HSET', key, field, value) end
end
redis.call('DEL', UPDATES, COMMANDS, ORDER, SEEN, EVENTS, OUTBOX, REPORT, INBOX)
for name, key in pairs({updates = UPDATES, commands = COMMANDS}) do
  for _, entry in ipairs(was[name]) do redis.call('XADD', key, entry[1], unpack(entry[2])) end
end
for _, id in ipairs(was.order) do redis.call('RPUSH', ORDER, id) end
for _, id in ipairs(was.seen) do redis.call('SADD', SEEN, id) end
for kind, token in pairs(was.fences) do redis.call('SET', FENCE[kind], epoch_of(token) .. ':') end
if was.paper then redis.call('SET', PAPER, was.paper) end
keep_alive()
return {'OK'}
