-- ARGV: ttl, token, number of heads, of bodies, of blobs and of writes, then name and record of each, in this
-- order. What the thread has besides stays.
local refused, new = refusal()
if refused then return refused end
if new then mark() end
local at = 7
for i = 1, 4 do
  for _ = 1, tonumber(ARGV[2 + i]) do
    redis.call('HSET', KEYS[i], ARGV[at], ARGV[at + 1])
    if KEYS[i] == HEADS then redis.call('ZADD', IDS, 0, ARGV[at]) end
    if KEYS[i] == WRITES then redis.call('ZADD', PENDING, 0, ARGV[at]) end
    at = at + 2
  end
end
keep_alive()
return {'OK'}
