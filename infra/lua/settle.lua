-- ARGV: ttl, version of the record that was worked on, report json or '', then fields and values of the
-- outbox. Guarded by that version: what was made of an older record is not taken.
if redis.call('HGET', OUTBOX, 'version') ~= ARGV[2] then return {'STALE'} end
allow_oom()
if ARGV[3] ~= '' then redis.call('SET', REPORT, ARGV[3]) end
for i = 4, #ARGV, 2 do redis.call('HSET', OUTBOX, ARGV[i], ARGV[i + 1]) end
keep_alive()
return {'OK'}
