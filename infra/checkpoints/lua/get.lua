-- ARGV: ttl, token, namespace, id ('': the newest). No lease guards reading.
-- Gives {'OK', name, row, {blob or false, ...} in the row's order, {name, write or false, ...}} | {'NONE'}.
local refused = damage()
if refused then return refused end
local ns, id = ARGV[3], ARGV[4]
local member = ns .. '\0' .. id
if id == '' then
  member = redis.call('ZREVRANGEBYLEX', IDS, '(' .. ns .. '\1', '[' .. ns .. '\0', 'LIMIT', 0, 1)[1]
elseif not redis.call('ZSCORE', IDS, member) then
  member = nil
end
if not member then return {'NONE'} end
local row = redis.call('HGET', ROWS, member)
if not row then return {'TORN', 'a checkpoint is gone'} end
local head = head_of(row)
if not head then return {'CORRUPT', 'a checkpoint is no record of ours'} end
local blobs, writes = {}, {}
for i, name in ipairs(head[REFS]) do blobs[i] = redis.call('HGET', BLOBS, name) end
for _, name in ipairs(redis.call('ZRANGEBYLEX', PENDING, '[' .. member .. '\0', '(' .. member .. '\1')) do
  writes[#writes + 1] = name
  writes[#writes + 1] = redis.call('HGET', WRITES, name)
end
return {'OK', member, row, blobs, writes}
