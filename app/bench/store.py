"""What the store costs: a checkpoint of 20 KB, and a batch of the reasoning's events.

Events come as at 400 tokens a second, which is far more than a team streams, in the batches in which the
reasoner hands them over. An empty round trip is the floor: on a busy machine all of them grow together.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Final, TypeVar
from uuid import uuid4

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType
from app.bench.figures import Figure, figure, spread
from infra.checkpoints import timing
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.settings import Settings
from infra.store import connect
from infra.streams import SessionStreams

BATCH: Final = 8  # tokens of 20 ms at 400 a second
US: Final = 1e6

_Answer = TypeVar("_Answer")


async def measure(settings: Settings, n: int) -> list[Figure]:
    """Return the figures over `n` rounds. Raises: StoreUnavailable."""
    client = connect(settings.redis_url)
    try:
        times = Times()
        for _ in range(n):
            await times.take("ping", client.ping())
        await timing.steps(client, n, times.take)
        await _events(client, times, n)
    finally:
        await client.aclose()
    return times.figures()


class Times:
    """How long the calls of each kind took, in microseconds."""

    def __init__(self) -> None:
        self._us: dict[str, list[float]] = {}

    async def take(self, what: str, call: Awaitable[_Answer]) -> _Answer:
        """Return the answer, and note how long it took."""
        began_s = time.perf_counter()
        answer = await call
        self._us.setdefault(what, []).append((time.perf_counter() - began_s) * US)
        return answer

    def figures(self) -> list[Figure]:
        """Return one figure for each kind, the floor beside it."""
        floor = spread(self._us["ping"]).p50
        both = [a + b for a, b in zip(self._us["append"], self._us["read"], strict=True)]
        aim, most = "p50 ≤ 300 µs", 300.0
        return [
            figure("checkpoint of 20 KB: put", "µs", self._us["put"], most=most, aim=aim, floor=floor),
            figure("checkpoint of 20 KB: get", "µs", self._us["get"], most=most, aim=aim, floor=floor),
            figure(
                f"event log: append and read {BATCH}",
                "µs",
                both,
                most=1000.0,
                aim="p50 ≤ 1000 µs",
                floor=2 * floor,
            ),
        ]


async def _events(client: Redis, times: Times, n: int) -> None:
    keys = SessionKeys(f"bench-{uuid4().hex}", "bench")
    streams, lease = SessionStreams(client, keys), Lease(client, keys, "reason")
    after = "0-0"
    fence = await lease.acquire()
    assert fence is not None, "a session of our own has nobody else's lease"
    try:
        for number in range(n):
            if number % 50 == 0:
                await lease.renew()
            batch = [_token(number * BATCH + k) for k in range(BATCH)]
            await times.take("append", streams.append_events(batch, fence))
            after = (await times.take("read", streams.read_events(after)))[-1].id
    finally:
        await client.delete(*keys.declared)


def _token(seq: int) -> StreamEvent:
    return StreamEvent(
        type=EventType.TOKEN,
        token_type=TokenType.LLM_RESPONSE,
        data="potassium ",
        thread_id="bench",
        trace_id="bench",
        session_id="bench",
        agent_id="doctor0",
        seq=seq,
    )
