-- ARGV: ttl, token, the checkpoint's name, row, keep (0: all), latest name that may be there ('': any),
-- then name and record of each new blob.
-- Gives {'OK'} | {'NEED', names of blobs that the row needs and the store has not} | {'PAST', newest name}.
local refused = refusal()
if refused then return refused end
local member, row, keep, horizon = ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local ns = namespace_of(member)
local newest = redis.call('ZREVRANGEBYLEX', IDS, '(' .. ns .. '\1', '[' .. ns .. '\0', 'LIMIT', 0, 1)[1]
if horizon ~= '' and newest and newest > horizon then return {'PAST', newest} end
local sent = {}
for i = 7, #ARGV, 2 do sent[ARGV[i]] = true end
local needed = {'NEED'}
for _, name in ipairs(head_of(row)[REFS]) do
  if not sent[name] and redis.call('HEXISTS', BLOBS, name) == 0 then needed[#needed + 1] = name end
end
if #needed > 1 then return needed end
mark()
local replaced, unused = head_at(member), {}
for _, name in ipairs(replaced and replaced[REFS] or {}) do unused[name] = true end
for i = 7, #ARGV, 2 do redis.call('HSET', BLOBS, ARGV[i], ARGV[i + 1]) end
redis.call('HSET', ROWS, member, row)
redis.call('ZADD', IDS, 0, member)
sweep(ns, unused)
if keep > 0 then trim(ns, keep) end
keep_alive()
return {'OK'}
