"""What the store costs: a checkpoint of 20 KB, and a batch of the reasoning's events.

Events come as at 400 tokens a second, which is far more than a team streams, in the batches in which the
reasoner hands them over. The floor is in the same run: of a checkpoint, the same bytes by one plain command
and nothing else; of the log, two empty round trips. Blocks on cores as they are and on cores that are kept
awake take turns: the difference is the machine's waking up.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Final, TypeVar
from uuid import uuid4

from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType
from infra.checkpoints import timing
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.settings import Settings
from infra.store import connect
from infra.streams import SessionStreams
from lab.bench.awake import awake
from lab.bench.figures import Figure, figure, spread

BATCH: Final = 8  # tokens of 20 ms at 400 a second
BLOCKS: Final = 5
US: Final = 1e6

_Answer = TypeVar("_Answer")


async def measure(settings: Settings, n: int) -> list[Figure]:
    """Return the figures over `n` rounds. Raises: StoreUnavailable."""
    client = connect(settings.redis_url)
    as_it_is, kept_awake = Times(), Times()
    try:
        for _ in range(BLOCKS):
            await _block(client, as_it_is, n // BLOCKS)
            with awake():
                await _block(client, kept_awake, n // BLOCKS)
    finally:
        await client.aclose()
    return [*as_it_is.figures(aims=True), *kept_awake.figures(", cores kept awake", aims=False)]


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

    def figures(self, under: str = "", *, aims: bool) -> list[Figure]:
        """Return one figure for each kind, the floor beside it; `under` says in which conditions."""
        ping, hset, hmget = (spread(self._us[each]).p50 for each in ("ping", "hset", "hmget"))
        log = [a + b for a, b in zip(self._us["append"], self._us["read"], strict=True)]
        kinds = (
            ("checkpoint of 20 KB: put", self._us["put"], 300.0, hset),
            ("checkpoint of 20 KB: get", self._us["get"], 300.0, hmget),
            (f"event log: append and read {BATCH}", log, 1000.0, 2 * ping),
        )
        return [
            figure(
                name + under,
                "µs",
                values,
                most=most if aims else None,
                aim=f"p50 ≤ {most:g} µs" if aims else "",
                floor=least,
            )
            for name, values, most, least in kinds
        ]


async def _block(client: Redis, times: Times, n: int) -> None:
    await _bare(client, times, n)
    await timing.steps(client, n, times.take)
    await _events(client, times, n)


async def _bare(client: Redis, times: Times, n: int) -> None:
    """Time the round trip itself, and the bytes of a checkpoint as they are."""
    key, channels = f"exaim:bench:{uuid4().hex}", [f"c{k}" for k in range(timing.CHANNELS)]
    pairs = [part for channel in channels for part in (channel, timing.VALUE)]
    try:
        await client.hset(key, items=pairs)
        for _ in range(n):
            await times.take("ping", client.ping())
            await times.take("hset", client.hset(key, items=pairs[: 2 * timing.CHANGING]))
            await times.take("hmget", client.hmget(key, channels))
    finally:
        await client.delete(key)


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
