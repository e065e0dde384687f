-- Shared head of every script of this folder. KEYS are ThreadKeys.declared, in its order, and after them
-- the key of the fence, if the caller has one. ARGV[1] is the time to live of the thread's keys in ms,
-- ARGV[2] the fence's token. Replies are {word, ...}: 'OK' or the name of what was refused.
local ROWS, BLOBS, WRITES, IDS, PENDING, FENCE = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local SCHEMA = '1'
local RUN, REFS = 4, 5 -- places in a row's head

-- Every key holds a marker, named '', from the first write on, so that one which the store dropped, or
-- dropped and got again from somebody else, shows. In a hash it is the schema.
local function damage()
  local found = {
    redis.call('HGET', ROWS, ''), redis.call('HGET', BLOBS, ''), redis.call('HGET', WRITES, ''),
    redis.call('ZSCORE', IDS, ''), redis.call('ZSCORE', PENDING, '')}
  local marked = 0
  for i = 1, 5 do if found[i] then marked = marked + 1 end end
  if marked == 0 and redis.call('EXISTS', ROWS, BLOBS, WRITES, IDS, PENDING) == 0 then return nil end
  if marked < 5 then return {'TORN', 'a key is gone'} end
  if found[1] ~= SCHEMA then return {'SCHEMA', found[1]} end
end

local function refusal()
  if FENCE and redis.call('GET', FENCE) ~= ARGV[2] then return {'FENCED'} end
  return damage()
end

local function mark()
  for i = 1, 3 do redis.call('HSET', KEYS[i], '', SCHEMA) end
  for i = 4, 5 do redis.call('ZADD', KEYS[i], 0, '') end
end

local function keep_alive()
  for i = 1, 5 do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end

local function namespace_of(member) return string.match(member, '^([^%z]*)%z') end

-- The fields of a row's head (infra/checkpoints/records.py), or nil of one that is gone or is no row.
local function head_of(row)
  if not row or #row < 4 then return nil end
  local fine, head = pcall(cmsgpack.unpack, string.sub(row, 5, 4 + struct.unpack('>I4', row)))
  if fine and type(head) == 'table' and type(head[REFS]) == 'table' then return head end
end

local function head_at(member) return head_of(redis.call('HGET', ROWS, member)) end

-- Names of a namespace's checkpoints, newest first.
local function members(ns)
  return redis.call('ZREVRANGEBYLEX', IDS, '(' .. ns .. '\1', '[' .. ns .. '\0')
end

local function drop_writes(from, to)
  for _, name in ipairs(redis.call('ZRANGEBYLEX', PENDING, from, to)) do
    redis.call('HDEL', WRITES, name)
    redis.call('ZREM', PENDING, name)
  end
end

-- Removes those of the blobs `unused` (a set) that no row of the namespace needs. A row that can't be
-- read may need any of them.
local function sweep(ns, unused)
  if not next(unused) then return end
  for _, member in ipairs(members(ns)) do
    local head = head_at(member)
    if not head then return end
    for _, name in ipairs(head[REFS]) do unused[name] = nil end
  end
  for name in pairs(unused) do redis.call('HDEL', BLOBS, name) end
end

-- Removes checkpoints of one namespace with all that only they needed.
local function drop(ns, dropped)
  local unused = {}
  for _, member in ipairs(dropped) do
    local head = head_at(member)
    for _, name in ipairs(head and head[REFS] or {}) do unused[name] = true end
    redis.call('HDEL', ROWS, member)
    redis.call('ZREM', IDS, member)
    drop_writes('[' .. member .. '\0', '(' .. member .. '\1')
  end
  sweep(ns, unused)
end

-- Keeps the newest `keep` checkpoints of a namespace, and no task write that is older than they are.
local function trim(ns, keep)
  local all, dropped = members(ns), {}
  if #all <= keep then return end
  for i = keep + 1, #all do dropped[#dropped + 1] = all[i] end
  drop(ns, dropped)
  drop_writes('[' .. ns .. '\0', '(' .. all[keep])
end

local function namespaces()
  local found, seen = {}, {}
  for _, member in ipairs(redis.call('ZRANGE', IDS, 0, -1)) do
    local ns = namespace_of(member)
    if ns and not seen[ns] then
      seen[ns] = true
      found[#found + 1] = ns
    end
  end
  return found
end

-- A thread without a checkpoint is no thread.
local function tidy()
  if redis.call('ZCARD', IDS) <= 1 then redis.call('DEL', ROWS, BLOBS, WRITES, IDS, PENDING) else keep_alive() end
end
