-- ARGV: ttl, token, utterance id, number of its last move, clause. Guarded by the voice lease. One for the
-- session: the clause that began to sound last.
if not holds('voice', ARGV[2]) then return {'FENCED'} end
redis.call('HSET', HEADS, 'clause', ARGV[4] .. ':' .. ARGV[5] .. ':' .. ARGV[3])
keep_alive()
return {'OK'}
