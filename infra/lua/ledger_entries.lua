-- Gives {utterance json, phase json or '', ...} in order of creation, all of one moment. A missing
-- utterance is '': the session is torn.
local reply = {}
for _, id in ipairs(redis.call('LRANGE', ORDER, 0, -1)) do
  reply[#reply + 1] = redis.call('HGET', UTTERANCES, id) or ''
  reply[#reply + 1] = redis.call('HGET', PHASES, id) or ''
end
return reply
