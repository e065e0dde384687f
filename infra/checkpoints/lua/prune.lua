-- ARGV: ttl, token. Keeps the newest checkpoint of each namespace.
local refused = refusal()
if refused then return refused end
for _, ns in ipairs(namespaces()) do trim(ns, 1) end
tidy()
return {'OK'}
