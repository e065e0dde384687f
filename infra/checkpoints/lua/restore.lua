-- ARGV: ttl, token, number of rows, number of blobs, then name and record of each row, blob and write.
-- What the thread has besides stays.
local refused = refusal()
if refused then return refused end
mark()
local rows, blobs = tonumber(ARGV[3]), tonumber(ARGV[4])
for i = 5, #ARGV, 2 do
  local nth = (i - 5) / 2
  if nth < rows then
    redis.call('HSET', ROWS, ARGV[i], ARGV[i + 1])
    redis.call('ZADD', IDS, 0, ARGV[i])
  elseif nth < rows + blobs then
    redis.call('HSET', BLOBS, ARGV[i], ARGV[i + 1])
  else
    redis.call('HSET', WRITES, ARGV[i], ARGV[i + 1])
    redis.call('ZADD', PENDING, 0, ARGV[i])
  end
end
keep_alive()
return {'OK'}
