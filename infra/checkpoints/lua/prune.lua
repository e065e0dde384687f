-- ARGV: ttl, token. Keeps the newest checkpoint of each namespace.
local refused, new = refusal()
if refused then return refused end
local thin = thinning()
for _, ns in ipairs(thin.namespaces()) do thin.trim(ns, 1, 0) end
if not new then thin.tidy() end
return {'OK'}
