-- ARGV: ttl, token. Gives {'OK', heads, bodies, blobs, writes}, each {name, record, ...}, without markers.
local refused = damage()
if refused then return refused end
local reply = {'OK'}
for i = 1, 4 do
  local all, kept = redis.call('HGETALL', KEYS[i]), {}
  for j = 1, #all, 2 do
    if all[j] ~= '' then
      kept[#kept + 1] = all[j]
      kept[#kept + 1] = all[j + 1]
    end
  end
  reply[i + 1] = kept
end
return reply
