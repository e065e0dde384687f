-- ARGV: ttl, token. Damage is no obstacle: this is its mend.
if FENCE and redis.call('GET', FENCE) ~= ARGV[2] then return {'FENCED'} end
redis.call('DEL', unpack(KEYS, 1, 6))
return {'OK'}
