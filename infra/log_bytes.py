"""The agents' words of all sessions together, bounded below what fills the store.

A session that opens has the whole of its share set aside, so that nobody's words are ever refused because of
somebody else's: there is room, or the session is not opened. One that is over holds what it has in fact; one
that is over for good gives that back as soon as its report is made, one that was abandoned when the room is
needed. What a session is made of besides (ledger, summaries, checkpoints) has the rest of the store, which
`StoreRoom` looks after; of sessions that are over for good that too goes when it is needed, and the report
stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.errors import CorruptSession, NewerSchema, StoreMisconfigured, UnknownSession
from infra.keys import LOGS, REPORTED
from infra.oom_writes import put_on_list
from infra.scripts import SESSION_TTL_MS, Scripts, answering
from infra.sessions import OVER, SessionRecord, SessionStore, Status
from infra.team_log import BYTE_BOUND

MIB: Final = 2**20
LEAST_SHARE: Final = 4 * MIB  # above the log of the largest recorded case: 3.2 MB
LOOKED_AT_S: Final = 1.0  # for which the store's memory is believed to be as it was
STRIPPED_AT_ONCE: Final = 64
LEAST_RESERVE: Final = 32 * MIB
FREED_WITHIN_S: Final = 1.0  # a store may free deleted memory in the background, as Valkey 8 does
LOOK_EVERY_S: Final = 0.05

_SET_ASIDE: Final = """
local sum = 0
for _, bytes in ipairs(redis.call('HVALS', KEYS[1])) do sum = sum + tonumber(bytes) end
local own = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0')
local more = sum - own + tonumber(ARGV[2]) - tonumber(ARGV[3])
if more > 0 then return math.ceil(more) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 0
"""


def share_of(total: int, sessions: int) -> int:
    """Return how many bytes each of `sessions` may have: half of all is for those that are over."""
    return max(LEAST_SHARE, min(BYTE_BOUND, total // 2 // sessions))


class LogBytes:
    """Sets bytes aside for sessions, and takes them back. Every call may raise StoreError.

    Args:
        total: of all sessions together.
        share: of one that is open.
    """

    def __init__(self, client: Redis, sessions: SessionStore, *, total: int, share: int) -> None:
        self._client, self._sessions, self._total, self.share = client, sessions, total, share

    async def set_aside(self, session_id: str) -> bool:
        """Set a session's share aside, if there is room for it or can be made; again is no error."""
        missing = await self._try(session_id)
        if missing and await self._make_room(missing, but=session_id):
            missing = await self._try(session_id)
        return not missing

    async def _try(self, session_id: str) -> int:
        """Return 0 if it is set aside, else how many bytes are missing."""
        script = self._client.register_script(_SET_ASIDE)
        async with answering("bytes of a log"):
            return int(await script([LOGS], [session_id, self.share, self._total]))

    async def _make_room(self, missing: int, *, but: str) -> bool:
        """Drop what nobody is likely to come back for, the longest abandoned first, until it is enough."""
        async with answering("bytes of logs"):
            found: Mapping[Any, Any] = await self._client.hgetall(LOGS)
        over: list[tuple[int, SessionRecord, int]] = []
        for session_id, held in found.items():
            try:
                record = await self._sessions.get(str(session_id))
            except UnknownSession:
                await _forget(self._client, str(session_id))
                missing -= int(held)
                continue
            except (NewerSchema, CorruptSession):
                continue
            if record.status in OVER and record.session_id != but:
                over.append((record.ended_at_ms or 0, record, int(held)))
        for _, record, held in sorted(over, key=lambda each: each[0]):
            if missing <= 0:
                break
            if await give_back(self._client, record):
                missing -= held
        return missing <= 0


async def give_back(client: Redis, record: SessionRecord) -> bool:
    """Take a session's words from the store, if it is over and its report is made. Raises: StoreError."""
    word, _ = await Scripts(client, record.keys).run("give_back")
    if word != "OK":
        return False
    await _forget(client, record.session_id)
    if record.status is Status.COMPLETED:
        async with answering("reported sessions"):
            await client.zremrangebyscore(REPORTED, "-inf", wall_ms() - SESSION_TTL_MS)
            await put_on_list(client, REPORTED, record.session_id, wall_ms())
    return True


async def strip_some(client: Redis, sessions: SessionStore) -> None:
    """Take all but record and report from sessions that are over for good. Raises: StoreError."""
    async with answering("reported sessions"):
        found = await client.zrange(REPORTED, 0, STRIPPED_AT_ONCE - 1)
    for session_id in map(str, found):
        with contextlib.suppress(UnknownSession, NewerSchema, CorruptSession):
            record = await sessions.get(session_id)
            await Scripts(client, record.keys).run("strip")
        async with answering("reported sessions"):
            await client.zrem(REPORTED, session_id)


async def _forget(client: Redis, session_id: str) -> None:
    async with answering("bytes of a log"):
        await client.hdel(LOGS, session_id)


class StoreRoom:
    """Whether the store's memory has its reserve left: for ledger, summaries and checkpoints of sessions.

    A store without a bound always has; one that is full says so itself, with the mend.
    """

    def __init__(
        self, client: Redis, sessions: SessionStore, *, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._client, self._sessions, self._now_s = client, sessions, now_s
        self._low, self._asked_s = False, float("-inf")

    async def low(self) -> bool:
        """Return whether it is used up, as it was within the last second. Raises: StoreError.

        What sessions that are over can do without goes first.
        """
        if self._now_s() - self._asked_s >= LOOKED_AT_S:
            self._low = reserve_is_used(await self._memory())
            if self._low:
                await strip_some(self._client, self._sessions)
                self._low = reserve_is_used(await self._once_freed())
            self._asked_s = self._now_s()
        return self._low

    async def _once_freed(self) -> Mapping[str, Any]:
        """Return the store's memory once what was deleted is freed, or `FREED_WITHIN_S` is over."""
        until_s = self._now_s() + FREED_WITHIN_S
        info = await self._memory()
        while int(info.get("lazyfree_pending_objects", 0)) and self._now_s() < until_s:
            await asyncio.sleep(LOOK_EVERY_S)
            info = await self._memory()
        return info

    async def _memory(self) -> Mapping[str, Any]:
        info: Mapping[str, Any] = {}
        with contextlib.suppress(StoreMisconfigured):  # one that hides it; `/health` says so
            async with answering("INFO"):
                info = await self._client.info("memory")
        return info


def reserve_is_used(info: Mapping[str, Any]) -> bool:
    """Judge a server by its INFO memory."""
    most = int(info.get("maxmemory", 0))
    used = int(info.get("used_memory", 0)) - int(info.get("mem_not_counted_for_evict", 0))
    reserve = max(LEAST_RESERVE, most // 4)
    return 0 < most - reserve < used < most
