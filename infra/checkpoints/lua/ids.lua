-- ARGV: ttl, token. Gives {'OK', name of each checkpoint of the thread, ...}.
local refused = damage()
if refused then return refused end
local reply = {'OK'}
for _, member in ipairs(redis.call('ZRANGE', IDS, 0, -1)) do
  if member ~= '' then reply[#reply + 1] = member end
end
return reply
