-- ARGV: ttl. Whoever reads the record finds no clinician's secret in it from now on. Again: the same.
if redis.call('EXISTS', RECORD) == 0 then return {'GONE'} end
allow_oom()
redis.call('HSET', RECORD, 'revoked', '1')
return {'OK'}
