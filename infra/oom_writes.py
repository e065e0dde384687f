"""Small writes that succeed even when the store is out of memory: a session has to be ended or renewed then too.

At its `maxmemory` a store refuses each command that may take memory, were it to change one number. In a
script it refuses the first such command, unless the script has written before: then it lets it come to its
end. So these scripts, and those of `infra/lua` that call `allow_oom`, begin with a write that takes none.
Redis 5, 6 and 7 do it so, and Valkey; the flag `allow-oom`, which says the same, needs Redis 7.
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
    """Put a session on a list at a time; one that is there moves. `if_there`: one that is not stays off."""
    await client.register_script(_LISTED)([name], [at_ms, session_id, int(if_there)])


async def claim(client: Redis, name: str, for_ms: int) -> bool:
    """Set the key `name` for `for_ms`; False if it is there."""
    return bool(await client.register_script(_CLAIMED)([name], [for_ms]))


async def hold_less(client: Redis, name: str, session_id: str, held: int) -> None:
    """Note in the hash `name` that a session holds so much; one that is not there stays off it."""
    await client.register_script(_HELD)([name], [session_id, held])
