"""Time a put and a get of a 20 KB checkpoint, called as a graph calls them.

A state of ten channels of 2 KB, of which three change in each step; the thread keeps its last 20 checkpoints.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, cast
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, empty_checkpoint
from langgraph.checkpoint.base.id import uuid6
from redis.asyncio import Redis

from infra.checkpoints.saver import RedisSaver

CHANNELS: Final = 10
CHANGING: Final = 3
KEPT: Final = 20
VALUE: Final = "x" * 2000

Take = Callable[[str, Awaitable[Any]], Awaitable[Any]]


async def steps(client: Redis, n: int, take: Take) -> None:
    """Put and get `n` checkpoints, each call through `take` as "put" or "get". Raises: StoreUnavailable."""
    saver, thread = RedisSaver(client, keep=KEPT), f"bench-{uuid4().hex}"
    latest: RunnableConfig = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    where, state = latest, empty_checkpoint()
    try:
        for step in range(-1, n):  # the first writes all channels, and is not counted
            changing = CHANNELS if step < 0 else CHANGING
            changes = {f"c{(step + k) % CHANNELS}": f"{step}{VALUE}" for k in range(changing)}
            versions: dict[str, str | int | float] = {
                name: saver.get_next_version(cast("str | None", state["channel_versions"].get(name)))
                for name in changes
            }
            state = _after(state, changes, versions)
            told = cast("CheckpointMetadata", {"source": "loop", "step": step})
            put = saver.aput(where, state, told, versions)
            where = await (put if step < 0 else take("put", put))
            if step >= 0:
                await take("get", saver.aget_tuple(latest))
    finally:
        await saver.adelete_thread(thread)


def _after(state: Checkpoint, changes: dict[str, str], versions: dict[str, str | int | float]) -> Checkpoint:
    return {
        **state,
        "id": str(uuid6()),
        "channel_values": {**state["channel_values"], **changes},
        "channel_versions": {**state["channel_versions"], **versions},
    }
