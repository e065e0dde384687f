"""Checkpoints for the tests: a state of some channels, of which a few change in each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    empty_checkpoint,
)
from langgraph.checkpoint.base.id import uuid6

from infra.checkpoints import RedisSaver

THREAD = "t-1"


def config(thread_id: str = THREAD, ns: str = "", checkpoint_id: str | None = None) -> RunnableConfig:
    """Return where a checkpoint is, or where its child goes."""
    found: dict[str, Any] = {"thread_id": thread_id, "checkpoint_ns": ns}
    return {"configurable": found | ({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}


def id_of(where: RunnableConfig) -> str:
    """Return the checkpoint id in a config."""
    return str(where["configurable"]["checkpoint_id"])


Put = tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]


def following(
    saver: RedisSaver,
    changes: Mapping[str, Any],
    *,
    after: CheckpointTuple | None = None,
    at: RunnableConfig | None = None,
    checkpoint_id: str | None = None,
    **metadata: Any,
) -> Put:
    """Return what to put when `changes` are written to the state of `after` (None: to an empty one)."""
    before: Checkpoint = after.checkpoint if after else empty_checkpoint()
    versions = dict(before["channel_versions"])
    new: ChannelVersions = {
        channel: saver.get_next_version(str(versions[channel]) if channel in versions else None)
        for channel in changes
    }
    made: Checkpoint = {
        **before,
        "id": checkpoint_id or str(uuid6()),
        "channel_values": {**before["channel_values"], **changes},
        "channel_versions": {**versions, **new},
    }
    described: dict[str, Any] = {"source": "loop", "step": 1, **metadata}
    return (after.config if after else at or config()), made, cast("CheckpointMetadata", described), new


async def put(saver: RedisSaver, changes: Mapping[str, Any], **kind: Any) -> CheckpointTuple:
    """Put what is `following`, and return it as it is read back."""
    return await there(saver, await saver.aput(*following(saver, changes, **kind)))


async def chain(
    saver: RedisSaver, steps: int, *, at: RunnableConfig | None = None, **fixed: Any
) -> CheckpointTuple:
    """Put `steps` checkpoints, one after the other, in which `step` counts from 1; return the last."""
    last = await put(saver, {"step": 1, **fixed}, at=at)
    for step in range(2, steps + 1):
        last = await put(saver, {"step": step}, after=last)
    return last


async def there(saver: RedisSaver, where: RunnableConfig) -> CheckpointTuple:
    """Return the checkpoint at `where`, which must be there."""
    found = await saver.aget_tuple(where)
    assert found is not None
    return found


async def steps(saver: RedisSaver, where: RunnableConfig | None = None) -> list[int]:
    """Return `step` of each checkpoint, newest first."""
    return [each.checkpoint["channel_values"]["step"] async for each in saver.alist(where or config())]
