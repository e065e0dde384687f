-- ARGV: ttl, then of each call of a model that a live team tells of, in order: seq, the call's name or '', tokens in,
-- tokens out, each '' if unknown. Gives {'OK', tokens of all its calls}. An event that comes again is counted once, and
-- of several events of one named call the last number of each kind counts.
local counted = tonumber(redis.call('HGET', HEADS, 'tokens_seq') or '-1')
local spent = tonumber(redis.call('HGET', HEADS, 'tokens') or '0')

local function count(kind, call, tokens)
  if tokens == '' then return end
  local before = '0'
  if call ~= '' then
    local field = kind .. ':' .. call
    before = redis.call('HGET', HEADS, field) or '0'
    redis.call('HSET', HEADS, field, tokens)
  end
  spent = spent + tonumber(tokens) - tonumber(before)
end

for i = 2, #ARGV, 4 do
  local seq = tonumber(ARGV[i])
  if seq > counted then
    counted = seq
    count('tokens_in', ARGV[i + 1], ARGV[i + 2])
    count('tokens_out', ARGV[i + 1], ARGV[i + 3])
  end
end
redis.call('HSET', HEADS, 'tokens', text(spent), 'tokens_seq', text(counted))
keep_alive()
return {'OK', text(spent)}
