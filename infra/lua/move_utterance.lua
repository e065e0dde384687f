-- ARGV: ttl, token, utterance id, number of the move, phase from, phase to, json. Guarded by the voice
-- lease, compared and set by the number of the last move. The same move again is accepted.
local token, id, number = ARGV[2], ARGV[3], tonumber(ARGV[4])
if not holds('voice', token) then return {'FENCED'} end
local found = redis.call('HGET', VERSIONS, id)
if not found then return {'UNKNOWN'} end
local version, phase = string.match(found, '^(%d+):(.*)$')
local tail = ',"move":' .. ARGV[7] .. '}'
if tonumber(version) == number and string.sub(redis.call('HGET', PHASES, id), -#tail) == tail then
  keep_alive()
  return {'OK'}
end
if tonumber(version) ~= number - 1 then return {'STALE', version} end
if phase ~= ARGV[5] then return {'PHASE', phase} end
redis.call('HSET', PHASES, id, '{"v":1,"seq":' .. ARGV[4] .. ',"epoch":' .. epoch_of(token)
  .. ',"at_ms":' .. now_ms() .. tail)
redis.call('HSET', VERSIONS, id, ARGV[4] .. ':' .. ARGV[6])
keep_alive()
return {'OK'}
