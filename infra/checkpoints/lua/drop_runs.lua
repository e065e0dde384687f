-- ARGV: ttl, token, ids of the runs whose checkpoints go.
local refused = refusal()
if refused then return refused end
local runs = {}
for i = 3, #ARGV do runs[ARGV[i]] = true end
for _, ns in ipairs(namespaces()) do
  local dropped = {}
  for _, member in ipairs(members(ns)) do
    local head = head_at(member)
    if head and runs[head[RUN]] then dropped[#dropped + 1] = member end
  end
  drop(ns, dropped)
end
tidy()
return {'OK'}
