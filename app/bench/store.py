"""What the store costs: a checkpoint of 20 KB, and a batch of the reasoning's events.

A state of ten channels of 2 KB, of which three change in each step; the thread keeps its last 20 checkpoints.
Events come as at 400 tokens a second, which is far more than a team streams, in the batches in which the
reasoner hands them over. An empty round trip is the floor: on a busy machine all of them grow together.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Final, TypeVar, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from redis.asyncio import Redis

from agents.stream import EventType, StreamEvent, TokenType
from app.bench.figures import Figure, figure, spread
from infra.checkpoints import RedisSaver
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.settings import Settings
from infra.store import connect
from infra.streams import SessionStreams

CHANNELS: Final = 10
CHANGING: Final = 3
VALUE: Final = "x" * 2000
BATCH: Final = 8  # tokens of 20 ms at 400 a second
US: Final = 1e6

_Answer = TypeVar("_Answer")


async def measure(settings: Settings, n: int) -> list[Figure]:
    """Return the figures over `n` rounds. Raises: StoreUnavailable."""
    client = connect(settings.redis_url)
    try:
        times = Times()
        await _checkpoints(client, times, n)
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


async def _checkpoints(client: Redis, times: Times, n: int) -> None:
    saver, thread = RedisSaver(client, keep=20), f"bench-{uuid4().hex}"
    latest: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    where, state = latest, empty_checkpoint()
    try:
        for step in range(-1, n):  # the first writes all channels, and is not counted
            changes = {f"c{(step + k) % CHANNELS}": f"{step}{VALUE}" for k in range(CHANGING)}
            if step < 0:
                changes = {f"c{k}": VALUE for k in range(CHANNELS)}
            versions: dict[str, str | int | float] = {
                name: saver.get_next_version(cast("str | None", state["channel_versions"].get(name)))
                for name in changes
            }
            state = _after(state, changes, versions)
            put = saver.aput(
                where, state, cast("CheckpointMetadata", {"source": "loop", "step": step}), versions
            )
            where = await (put if step < 0 else times.take("put", put))
            if step >= 0:
                await times.take("ping", client.ping())
                await times.take("get", saver.aget_tuple(latest))
    finally:
        await saver.adelete_thread(thread)


def _after(state: Checkpoint, changes: dict[str, str], versions: dict[str, str | int | float]) -> Checkpoint:
    return {
        **state,
        "id": str(uuid6()),
        "channel_values": {**state["channel_values"], **changes},
        "channel_versions": {**state["channel_versions"], **versions},
    }


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
