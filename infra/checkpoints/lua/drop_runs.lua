-- ARGV: ttl, token, ids of the runs whose checkpoints go, with their task writes.
local refused, new = refusal()
if refused then return refused end
local thin, runs = thinning(), {}
for i = 3, #ARGV do runs[ARGV[i]] = true end
for _, ns in ipairs(thin.namespaces()) do
  local all, kept, dropped = thin.members(ns), {}, {}
  for i, head in ipairs(values(HEADS, all)) do
    local fields = fields_of(head)
    local going = fields and runs[fields[RUN]]
    table.insert(going and dropped or kept, all[i])
    if going then thin.drop_writes('[' .. all[i] .. '\0', '(' .. all[i] .. '\1') end
  end
  thin.drop(dropped, kept)
end
if not new then thin.tidy() end
return {'OK'}
