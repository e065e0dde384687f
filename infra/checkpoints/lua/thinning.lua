-- What thins a thread out, between the prelude and those scripts that call it. A put does so once in a while only,
-- and to make these functions is a sixth of what it costs otherwise.
local function thinning()
  local thin = {}

  -- Names of a namespace's checkpoints, newest first.
  function thin.members(ns)
    return redis.call('ZREVRANGEBYLEX', IDS, '(' .. ns .. '\1', '[' .. ns .. '\0')
  end

  function thin.namespaces()
    local found, from = {}, '(' -- past the marker
    while true do
      local member = redis.call('ZRANGEBYLEX', IDS, from, '+', 'LIMIT', 0, 1)[1]
      if not member then return found end
      local ns = namespace_of(member)
      if ns then found[#found + 1] = ns end
      from = ns and '[' .. ns .. '\1' or '(' .. member
    end
  end

  function thin.drop_writes(from, to)
    local names = redis.call('ZRANGEBYLEX', PENDING, from, to)
    call('HDEL', WRITES, names)
    call('ZREM', PENDING, names)
  end

  -- Removes those of the blobs `unused` (a set) that no checkpoint of `kept` names. The heads are searched as one
  -- text, which takes less time than reading each; what is found by chance just stays.
  function thin.sweep(kept, unused)
    if not next(unused) then return end
    local heads, going = {}, {}
    for _, head in ipairs(values(HEADS, kept)) do heads[#heads + 1] = head or nil end
    local text = table.concat(heads)
    for name in pairs(unused) do
      if not string.find(text, name, 1, true) then going[#going + 1] = name end
    end
    call('HDEL', BLOBS, going)
  end

  -- Removes checkpoints of a namespace, of which `kept` stay. Their task writes stay.
  function thin.drop(dropped, kept)
    local unused = {}
    for _, head in ipairs(values(HEADS, dropped)) do add_blobs(head, unused) end
    call('HDEL', HEADS, dropped)
    call('HDEL', BODIES, dropped)
    call('ZREM', IDS, dropped)
    thin.sweep(kept, unused)
  end

  -- Once a namespace has more than `keep` and `spare` checkpoints, keeps the newest `keep` of them, and no task
  -- write that is older than they are. Gives the name of the oldest that stays if it removed any, else nil.
  function thin.trim(ns, keep, spare)
    if redis.call('ZLEXCOUNT', IDS, '[' .. ns .. '\0', '(' .. ns .. '\1') <= keep + spare then return nil end
    local all, kept, dropped = thin.members(ns), {}, {}
    for i, member in ipairs(all) do
      if i <= keep then kept[i] = member else dropped[i - keep] = member end
    end
    thin.drop(dropped, kept)
    thin.drop_writes('[' .. ns .. '\0', '(' .. all[keep])
    return all[keep]
  end

  -- Each call of a subgraph has a namespace of its own, with the task's id after a colon. Once all of it is
  -- older than the oldest checkpoint of the graph itself, nothing leads there any more.
  function thin.drop_calls_before(oldest)
    for _, ns in ipairs(thin.namespaces()) do
      local a_calls = string.find(ns, ':', 1, true)
      if a_calls and redis.call('ZLEXCOUNT', IDS, '[' .. ns .. oldest, '(' .. ns .. '\1') == 0 then
        thin.drop(thin.members(ns), {})
        thin.drop_writes('[' .. ns .. '\0', '(' .. ns .. '\1')
      end
    end
  end

  -- A thread that holds markers only is no thread.
  function thin.tidy()
    if redis.call('ZCARD', IDS) + redis.call('ZCARD', PENDING) > 2 then keep_alive() else redis.call('DEL', unpack(KEYS, 1, 6)) end
  end

  return thin
end
