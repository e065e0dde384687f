"""Between LangGraph's values and the records: what a serializer makes, and what is made of a reply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from infra.checkpoints import keys as names
from infra.checkpoints import records
from infra.checkpoints.errors import CorruptRecord
from infra.checkpoints.records import Body, Typed, Write
from infra.errors import TornSession

Args = list[str | bytes]


def place(thread_id: str, ns: str, checkpoint_id: str) -> RunnableConfig:
    """Return LangGraph's address of a checkpoint."""
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}


def body(serde: SerializerProtocol, checkpoint: Checkpoint, described: CheckpointMetadata) -> bytes:
    """Return the record of a checkpoint without its channels' values, and of its metadata."""
    bare = {key: value for key, value in checkpoint.items() if key != "channel_values"}
    return Body(serde.dumps_typed(bare), serde.dumps_typed(described)).packed()


def blob_args(serde: SerializerProtocol, values: Mapping[str, Any]) -> Args:
    """Return name and record of each value."""
    return [
        part for name, value in values.items() for part in (name, records.pack_blob(serde.dumps_typed(value)))
    ]


def write_args(
    serde: SerializerProtocol,
    ns: str,
    checkpoint_id: str,
    task: tuple[str, str],
    writes: Sequence[tuple[str, Any]],
) -> Args:
    """Return name, record and "1" or "0" of each write of a task (id, path): whether it may replace one."""
    task_id, path = task
    args: Args = []
    for position, (channel, value) in enumerate(writes):
        idx = WRITES_IDX_MAP.get(channel, position)
        record = Write(path, channel, serde.dumps_typed(value)).packed()
        args += [names.write(ns, checkpoint_id, task_id, idx), record, "1" if idx < 0 else "0"]
    return args


def read_tuple(serde: SerializerProtocol, thread_id: str, ns: str, reply: list[Any]) -> CheckpointTuple:
    """Make a checkpoint of what `get.lua` found. Raises: TornSession, CorruptRecord, NewerSchema."""
    name, raw_head, raw_body, blobs, written, writes = reply
    _, checkpoint_id = names.checkpoint_of(name.decode())
    head, body = records.unpack_head(raw_head), records.unpack_body(raw_body)
    checkpoint = _loaded_mapping(serde, body.checkpoint)
    checkpoint["channel_values"] = {
        names.channel_of(blob): _loaded(serde, records.VALUE, records.unpack_blob(_there(raw)))
        for blob, raw in zip(head.blobs, blobs, strict=True)
    }
    return CheckpointTuple(
        config=place(thread_id, ns, checkpoint_id),
        checkpoint=cast("Checkpoint", checkpoint),
        metadata=cast("CheckpointMetadata", _loaded_mapping(serde, body.metadata)),
        parent_config=place(thread_id, ns, head.parent) if head.parent else None,
        pending_writes=_pending(serde, written, writes),
    )


def _pending(
    serde: SerializerProtocol, written: list[bytes], writes: list[bytes | None]
) -> list[PendingWrite]:
    """Return writes in the order in which a live run applies them."""
    found = []
    for name, raw in zip(written, writes, strict=True):
        task_id, idx = names.write_of(name.decode())
        found.append((task_id, idx, records.unpack_write(_there(raw))))
    found.sort(key=lambda each: writes_sort_key(each[2].path, each[0], each[1]))
    return [(task_id, each.channel, _loaded(serde, records.WRITE, each.value)) for task_id, _, each in found]


def _loaded_mapping(serde: SerializerProtocol, typed: Typed) -> dict[str, Any]:
    found = _loaded(serde, records.CHECKPOINT, typed)
    if not isinstance(found, dict):
        raise CorruptRecord(records.CHECKPOINT, "it is no mapping")
    return found


def _loaded(serde: SerializerProtocol, what: str, typed: Typed) -> Any:
    try:
        return serde.loads_typed(typed)
    except Exception as error:  # a serializer and its cipher raise what they like; ours has one meaning
        raise CorruptRecord(what, f"the serializer says {type(error).__name__}") from error


def _there(raw: bytes | None) -> bytes:
    if raw is None:
        raise TornSession("a value that a checkpoint needs is gone; the store has dropped part of the thread")
    return raw
