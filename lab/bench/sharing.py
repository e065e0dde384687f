"""How late is one patient's alarm while other patients' models loop? In the real reasoner, over a real store.

A model that repeats itself fills its session's log as fast as a team may; another session's team raises an alarm
every second. Timed is from its last word in the log to the update with the alarm: first alone, then beside one
such session, then beside three. The voice is not in it: each session's is held by this process, and says nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType, TurnMark
from infra.clock import wall_ms
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from infra.sfu_port import room_of
from infra.store import connect
from infra.streams import SessionStreams
from infra.team_log import TeamLog
from lab.bench.figures import Figure, count, figure

LOOPS: Final = ("HR 9 ", "BP 120/80 ", "K 6.9 ")  # what the three repeat
EVENT_CHARS: Final = 8_000  # the most that one event of a live team may hold
POSTS: Final = 40  # of eight events each: 2.5 MB, minutes of reading
EVERY_S: Final = 1.0
TOLD_WITHIN_S: Final = 20.0
LATER_MS: Final = 500.0
MOST_ALARMS: Final = 30  # one potassium each, from 6.6 on


@dataclass(frozen=True, slots=True)
class Alarm:
    """One alarm: beside how many sessions that loop, and after how many ms its update was there."""

    beside: int
    took_ms: float


async def measure(settings: Settings, n: int, say: Callable[[str], None]) -> list[Alarm]:
    """Return `n` alarms alone, beside one and beside three sessions that loop. Raises: StoreUnavailable."""
    n, found = min(n, MOST_ALARMS), list[Alarm]()
    client = connect(settings.redis_url)
    try:
        async with AsyncExitStack() as sessions:
            for beside in range(len(LOOPS) + 1):
                if beside:
                    looping = await sessions.enter_async_context(_team(client))
                    await looping.repeat(LOOPS[beside - 1])
                if beside == 2:
                    continue
                say(f"bench: {n} alarms beside {beside} sessions that loop")
                async with _team(client) as team:
                    found += [Alarm(beside, took_ms) for took_ms in await team.alarms(n)]
    finally:
        await client.aclose()
    return found


def rows(found: list[Alarm]) -> list[Figure]:
    """Return the figures: what it takes alone, and how much longer beside others."""
    by_beside = {beside: [each.took_ms for each in found if each.beside == beside] for beside in (0, 1, 3)}
    alone = sorted(by_beside[0])
    median_ms = alone[len(alone) // 2]
    made = [figure("an alarm in the log → its update, alone", "ms", alone)]
    for beside, name in ((1, "one model that loops"), (3, "three")):
        later = [max(0.0, took_ms - median_ms) for took_ms in by_beside[beside]]
        aim = f"max ≤ {LATER_MS:g} ms"
        made.append(figure(f"… later beside {name}", "ms", later, aim=aim, most=LATER_MS, at="max"))
    lost = sum(took_ms >= TOLD_WITHIN_S * 1000 for each in by_beside.values() for took_ms in each)
    return [*made, count("alarms that never came", "events", lost, len(found), most=0)]


class _Team:
    """One session's team: writes into its log as the API would, and looks at its updates."""

    def __init__(self, client: Redis, record: SessionRecord) -> None:
        self._log, self._streams = TeamLog(client, record.keys), SessionStreams(client, record.keys)
        self._ids = {"thread_id": record.thread_id, "trace_id": "live", "session_id": record.session_id}
        self._seq = 0

    def _token(self, text: str) -> StreamEvent:
        self._seq += 1
        return StreamEvent(
            type=EventType.TOKEN,
            token_type=TokenType.LLM_RESPONSE,
            agent_id="doctor0",
            data=text,
            seq=self._seq - 1,
            **self._ids,
        )

    def _turn_end(self) -> StreamEvent:
        self._seq += 1
        mark = TurnMark.TURN_END
        return StreamEvent(
            type=EventType.METADATA, mark=mark, agent_id="doctor0", seq=self._seq - 1, **self._ids
        )

    async def repeat(self, words: str) -> None:
        """Write what a model writes that loops, minutes of it at once."""
        for _ in range(POSTS):
            await self._log.take([self._token(words * (EVENT_CHARS // len(words))) for _ in range(8)])

    async def alarms(self, n: int) -> list[float]:
        """Raise `n` alarms, one after the other; return after how many ms each was there.

        One more goes before them: with it the reasoner takes the session.
        """
        took_ms = list[float]()
        for k in range(n + 1):
            value = f"{6.5 + k / 10:.1f}"
            words = f"The potassium is {value} mmol/L and must be treated now.\n".split(" ")
            events = [*(self._token(f"{word} ") for word in words), self._turn_end()]
            began_s = time.monotonic()
            await self._log.take(events)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TOLD_WITHIN_S):
                    await self._told(value)
            took_ms.append((time.monotonic() - began_s) * 1000)
            await asyncio.sleep(EVERY_S)
        return took_ms[1:]

    async def _told(self, value: str) -> None:
        after = "0-0"
        while True:
            for logged in await self._streams.read_updates(after, block_ms=1_000):
                after = logged.id
                if any(value in item["text"] for item in logged.update["items"]):
                    return


@asynccontextmanager
async def _team(client: Redis) -> AsyncIterator[_Team]:
    """Make a live session whose voice this process holds; end it after the block."""
    session_id = f"s-bench{secrets.token_hex(6)}"
    record = await SessionStore(client).create(
        SessionRecord(
            session_id=session_id,
            thread_id=session_id,
            case_id="live",
            title="Bench",
            agents=("doctor0",),
            room=room_of(session_id),
            secret_sha256="0" * 64,
            team_sha256="1" * 64,
            created_at_ms=wall_ms(),
        )
    )
    lease = Lease(client, record.keys, "voice")
    await lease.acquire()
    holding = asyncio.create_task(lease.hold(), name="bench-voice")
    try:
        yield _Team(client, record)
    finally:
        holding.cancel()
        await asyncio.wait({holding})
        await SessionStore(client).end(session_id)
