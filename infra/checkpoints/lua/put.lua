-- ARGV: ttl, token, the checkpoint's name, its parent's or '', latest name that may be there ('': any), keep
-- (0: all), head, body, then name and record of each new blob.
-- Gives {'OK'} | {'NEED', names of blobs that the head names and the store has not} | {'PAST', newest name}.
local member, horizon, keep, head = ARGV[3], ARGV[5], tonumber(ARGV[6]), ARGV[7]
local refused, new, replaced, parent = refusal(member, ARGV[4])
if refused then return refused end
local first = 9
local ns = namespace_of(member)
if horizon ~= '' and redis.call('ZLEXCOUNT', IDS, '(' .. horizon, '(' .. ns .. '\1') > 0 then
  return {'PAST', newest_of(ns)}
end
local known, needed = {}, {'NEED'}
for i = first, #ARGV, 2 do known[ARGV[i]] = true end
add_blobs(parent, known) -- what a checkpoint names is there
for _, name in ipairs(fields_of(head)[REFS]) do
  if not known[name] and redis.call('HEXISTS', BLOBS, name) == 0 then needed[#needed + 1] = name end
end
if #needed > 1 then return needed end
if new then mark() end
call('HSET', BLOBS, ARGV, first)
redis.call('HSET', HEADS, member, head)
redis.call('HSET', BODIES, member, ARGV[8])
redis.call('ZADD', IDS, 0, member)
if replaced and replaced ~= head then
  local thin, unused = thinning(), {}
  add_blobs(replaced, unused)
  thin.sweep(thin.members(ns), unused)
end
local spare = math.floor(keep / 4) -- several go at a time: half of a put's cost
if keep > 0 and redis.call('ZCARD', IDS) > keep + spare + 1 then -- 1: the marker; else no namespace has as many
  local thin = thinning()
  local oldest = thin.trim(ns, keep, spare)
  if oldest and ns == '' then thin.drop_calls_before(oldest) end
end
keep_alive()
return {'OK'}
