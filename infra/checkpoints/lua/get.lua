-- ARGV: ttl, token, namespace, id ('': the newest). No lease guards reading.
-- Gives {'OK', name, head, body, {blob or false, ...} in the head's order, {name of a write, ...},
-- {write or false, ...}} | {'NONE'}.
local refused = damage()
if refused then return refused end
local ns, id = ARGV[3], ARGV[4]
local member
if id == '' then
  member = newest_of(ns)
elseif redis.call('ZSCORE', IDS, ns .. '\0' .. id) then
  member = ns .. '\0' .. id
end
if not member then return {'NONE'} end
local head, body = redis.call('HGET', HEADS, member), redis.call('HGET', BODIES, member)
if not head or not body then return {'TORN', 'a checkpoint is gone'} end
local fields = fields_of(head)
if not fields then return {'OK', member, head, body, {}, {}, {}} end -- the reader says what is wrong with it
local written = redis.call('ZRANGEBYLEX', PENDING, '[' .. member .. '\0', '(' .. member .. '\1')
return {'OK', member, head, body, values(BLOBS, fields[REFS]), written, values(WRITES, written)}
