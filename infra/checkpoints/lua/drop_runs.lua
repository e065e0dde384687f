-- ARGV: ttl, token, ids of the runs whose checkpoints go, with their task writes.
local refused, new = refusal()
if refused then return refused end
local runs = {}
for i = 3, #ARGV do runs[ARGV[i]] = true end
for _, ns in ipairs(namespaces()) do
  local all, kept, dropped = members(ns), {}, {}
  for i, head in ipairs(values(HEADS, all)) do
    local fields = fields_of(head)
    local going = fields and runs[fields[RUN]]
    table.insert(going and dropped or kept, all[i])
    if going then drop_writes('[' .. all[i] .. '\0', '(' .. all[i] .. '\1') end
  end
  drop(dropped, kept)
end
if not new then tidy() end
return {'OK'}
