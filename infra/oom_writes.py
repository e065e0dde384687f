"""Make small writes that succeed when the store is out of memory, to end or renew a session.

At its `maxmemory` a store refuses every command that may take memory. In a script it refuses the first such command,
unless the script has written before: then the script runs to its end. So these scripts, and those of `infra/lua` that
call `allow_oom`, begin with a write that takes no memory. This holds for Redis 5, 6 and 7, and Valkey; the flag
`allow-oom`, which means the same, needs Redis 7.
"""

from __future__ import annotations

from typing import Final

from redis.asyncio import Redis

_LISTED: Final = """
redis.call('PERSIST', KEYS[1])
if ARGV[3] == '1' then return redis.call('ZADD', KEYS[1], 'XX', ARGV[1], ARGV[2]) end
return redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
"""

_HELD: Final = """
if redis.call('HDEL', KEYS[1], ARGV[1]) == 1 and tonumber(ARGV[2]) > 0 then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
end
return 1
"""

_CLAIMED: Final = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 1
"""


async def put_on_list(
    client: Redis, name: str, session_id: str, at_ms: int, *, if_there: bool = False
) -> None:
    """List a session at a time, or move it there; with `if_there` only if it is listed."""
    await client.register_script(_LISTED)([name], [at_ms, session_id, int(if_there)])


async def claim(client: Redis, name: str, for_ms: int) -> bool:
    """Set the key `name` for `for_ms`; False if it is there."""
    return bool(await client.register_script(_CLAIMED)([name], [for_ms]))


async def hold_less(client: Redis, name: str, session_id: str, held: int) -> None:
    """Set in the hash `name` how much a session holds, if it is there; 0 removes it."""
    await client.register_script(_HELD)([name], [session_id, held])
