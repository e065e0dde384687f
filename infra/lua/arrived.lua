-- ARGV: ttl, job, ms. The job is on its way no more; for so long its own claim is refused, which may still be sent.
local job = ARGV[2]
local holder = redis.call('GET', ARRIVING)
if holder and holder ~= job then return {'OK'} end
redis.call('SET', ARRIVING, '-' .. job, 'PX', ARGV[3])
return {'OK'}
