-- ARGV: ttl, token, then name, record and '1' or '0' of each write: whether it replaces one of its name.
-- The checkpoint that they belong to may come later.
local refused, new = refusal()
if refused then return refused end
if new then mark() end
for i = 3, #ARGV, 3 do
  if ARGV[i + 2] == '1' then
    redis.call('HSET', WRITES, ARGV[i], ARGV[i + 1])
  else
    redis.call('HSETNX', WRITES, ARGV[i], ARGV[i + 1])
  end
  redis.call('ZADD', PENDING, 0, ARGV[i])
end
keep_alive()
return {'OK'}
