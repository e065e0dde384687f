-- Shared head of every script. KEYS are SessionKeys.declared, in its order; ARGV[1] is the time to
-- live of a session's keys in ms. Replies are {word, ...}: 'OK' or the name of what was refused.
local RECORD, EVENTS, UPDATES, COMMANDS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local HEADS, SEEN = KEYS[5], KEYS[6]
local UTTERANCES, PHASES, VERSIONS, ORDER = KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local FENCE = {voice = KEYS[11], reason = KEYS[12], team = KEYS[17]}
local OUTBOX, REPORT, PAPER, INBOX = KEYS[13], KEYS[14], KEYS[15], KEYS[16]
local LEASE = {voice = KEYS[18], reason = KEYS[19], team = KEYS[20]}
local ARRIVING = KEYS[21]
local LASTING = 17

local function keep_alive()
  for i = 1, LASTING do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
end

-- To be called before a script's first write, if it ends or renews: a store that is full goes on then
-- (`infra/oom_writes.py`).
local function allow_oom() redis.call('PEXPIRE', RECORD, ARGV[1]) end

local function text(number) return string.format('%.0f', number) end

local function now_ms()
  local time = redis.call('TIME')
  return text(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
end

local function holds(kind, token) return redis.call('GET', FENCE[kind]) == token end

local function epoch_of(token) return string.match(token or '', '^%d+') or '0' end
