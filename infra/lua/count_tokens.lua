-- ARGV: ttl, then seq and tokens of each call of a model that a live team tells of, in order.
-- Gives {'OK', tokens of all its calls}. One that comes again is counted once.
local counted = tonumber(redis.call('HGET', HEADS, 'tokens_seq') or '-1')
local spent = tonumber(redis.call('HGET', HEADS, 'tokens') or '0')
for i = 2, #ARGV, 2 do
  local seq = tonumber(ARGV[i])
  if seq > counted then
    spent, counted = spent + tonumber(ARGV[i + 1]), seq
  end
end
redis.call('HSET', HEADS, 'tokens', text(spent), 'tokens_seq', text(counted))
keep_alive()
return {'OK', text(spent)}
