-- ARGV: ttl, token. Damage is no obstacle: this is its mend.
if FENCE and redis.call('GET', FENCE) ~= ARGV[2] then return {'FENCED'} end
redis.call('DEL', ROWS, BLOBS, WRITES, IDS, PENDING)
return {'OK'}
