-- ARGV: ttl, token, the checkpoint's name, its parent's or '', latest name that may be there ('': any), keep
-- (0: all), head, body, then name and record of each new blob.
-- Gives {'OK'} | {'NEED', names of blobs that the head names and the store has not} | {'PAST', newest name}.
local refused, new = refusal()
if refused then return refused end
local member, parent, horizon, keep, head = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]), ARGV[7]
local first = 9
local ns = namespace_of(member)
if horizon ~= '' then
  local newest = newest_of(ns)
  if newest and newest > horizon then return {'PAST', newest} end
end
local sent, needed = {}, {'NEED'}
for i = first, #ARGV, 2 do sent[ARGV[i]] = true end
local before = redis.call('HGET', HEADS, parent) or '' -- what it names is there
for _, name in ipairs(fields_of(head)[REFS]) do
  local known = sent[name] or string.find(before, name, 1, true) or redis.call('HEXISTS', BLOBS, name) == 1
  if not known then needed[#needed + 1] = name end
end
if #needed > 1 then return needed end
if new then mark() end
local replaced, unused = redis.call('HGET', HEADS, member), {}
for i = first, #ARGV, 2 do redis.call('HSET', BLOBS, ARGV[i], ARGV[i + 1]) end
redis.call('HSET', HEADS, member, head)
redis.call('HSET', BODIES, member, ARGV[8])
redis.call('ZADD', IDS, 0, member)
if replaced and replaced ~= head then
  add_blobs(replaced, unused)
  sweep(members(ns), unused)
end
local oldest = keep > 0 and trim(ns, keep)
if oldest and ns == '' then drop_calls_before(oldest) end
keep_alive()
return {'OK'}
