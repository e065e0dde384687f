-- Shared head of every script of this folder. KEYS are ThreadKeys.declared, in its order, and after them
-- the key of the fence, if the caller has one. ARGV[1] is the time to live of the thread's keys in ms,
-- ARGV[2] the fence's token. Replies are {word, ...}: 'OK' or the name of what was refused.
local HEADS, BODIES, BLOBS, WRITES, IDS, PENDING = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local FENCE = KEYS[7]
local SCHEMA = '1'
local RUN, REFS = 4, 5 -- places in a head (infra/checkpoints/records.py)

-- Every key holds a marker, named '', from the first write on, so that all of them are there or none: one
-- that the store dropped shows. In a hash the marker is the schema. Gives a reply; or nil, whether the thread is
-- new, and the head of each checkpoint that is named.
local function damage(...)
  local there = redis.call('EXISTS', HEADS, BODIES, BLOBS, WRITES, IDS, PENDING)
  if there == 0 then return nil, true end
  if there < 6 then return {'TORN', 'a key is gone'} end
  local heads = redis.call('HMGET', HEADS, '', ...)
  if heads[1] ~= SCHEMA then return {'SCHEMA', heads[1] or ''} end
  return nil, false, unpack(heads, 2)
end

-- As `damage`, for what writes.
local function refusal(...)
  if FENCE and redis.call('GET', FENCE) ~= ARGV[2] then return {'FENCED'} end
  return damage(...)
end

local function mark()
  for i = 1, 4 do redis.call('HSET', KEYS[i], '', SCHEMA) end
  for i = 5, 6 do redis.call('ZADD', KEYS[i], 0, '') end
end

-- Renews the time to live, of which all keys have one and the same, once a hundredth of it is over.
local function keep_alive()
  local left, whole = redis.call('PTTL', HEADS), tonumber(ARGV[1])
  if left > 0.99 * whole and left <= whole then return end
  for i = 1, 6 do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end

local function namespace_of(member) return string.match(member, '^([^%z]*)%z') end

-- A head's fields, or nil of one that is gone or is no head.
local function fields_of(head)
  local fine, fields = pcall(cmsgpack.unpack, head)
  if fine and type(fields) == 'table' and type(fields[REFS]) == 'table' then return fields end
end

-- Calls a command on a key with all of a list from a place on, and gives the replies that are lists in one.
-- By hundreds: Lua passes no more than 8000.
local function call(command, key, list, from)
  local found = {}
  for at = from or 1, #list, 100 do
    local some = redis.call(command, key, unpack(list, at, math.min(at + 99, #list)))
    if type(some) == 'table' then
      for i = 1, #some do found[#found + 1] = some[i] end
    end
  end
  return found
end

-- Values of a hash's fields, false for one that is not there.
local function values(key, fields) return call('HMGET', key, fields) end

local function newest_of(ns)
  return redis.call('ZREVRANGEBYLEX', IDS, '(' .. ns .. '\1', '[' .. ns .. '\0', 'LIMIT', 0, 1)[1]
end

-- Adds the blobs that a head names to the set `names`.
local function add_blobs(head, names)
  local fields = fields_of(head)
  for _, name in ipairs(fields and fields[REFS] or {}) do names[name] = true end
end

