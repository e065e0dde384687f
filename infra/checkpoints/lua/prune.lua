-- ARGV: ttl, token. Keeps the newest checkpoint of each namespace.
local refused, new = refusal()
if refused then return refused end
for _, ns in ipairs(namespaces()) do trim(ns, 1, 0) end
if not new then tidy() end
return {'OK'}
