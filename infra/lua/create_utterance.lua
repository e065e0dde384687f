-- ARGV: ttl, token, utterance id, json. Guarded by the voice lease. One that is there stays as it is.
local token, id = ARGV[2], ARGV[3]
if not holds('voice', token) then return {'FENCED'} end
if redis.call('HEXISTS', UTTERANCES, id) == 1 then
  keep_alive()
  return {'THERE'}
end
local seq = text(redis.call('RPUSH', ORDER, id))
redis.call('HSET', UTTERANCES, id, '{"v":1,"seq":' .. seq .. ',"epoch":' .. epoch_of(token)
  .. ',"at_ms":' .. now_ms() .. ',"utterance":' .. ARGV[4] .. '}')
redis.call('HSET', VERSIONS, id, '0:queued')
keep_alive()
return {'OK'}
