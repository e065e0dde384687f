-- ARGV: ttl, job, ms. The job is on its way to its room for so long; {'HELD'}: another one is, {'OVER'}: this one
-- was, and has told its end. A claim that ran out and went to nobody is taken up again.
local job = ARGV[2]
local holder = redis.call('GET', ARRIVING)
if holder == '-' .. job then return {'OVER'} end
if holder and holder ~= job and string.sub(holder, 1, 1) ~= '-' then return {'HELD'} end
redis.call('SET', ARRIVING, job, 'PX', ARGV[3])
return {'OK'}
