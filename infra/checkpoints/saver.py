"""A LangGraph checkpoint saver on plain Redis commands and Lua; asynchronous only."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_serializable_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from infra.checkpoints import codec
from infra.checkpoints import keys as names
from infra.checkpoints.async_only import AsyncOnlySaver
from infra.checkpoints.errors import CheckpointFromTheFuture, CorruptRecord
from infra.checkpoints.ids import later
from infra.checkpoints.in_flight import InFlight
from infra.checkpoints.keys import ThreadKeys
from infra.checkpoints.records import Head
from infra.checkpoints.scripts import CheckpointScripts, Client
from infra.errors import NewerSchema, StoreError, TornSession
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.scripts import answering

TTL_S: Final = 4 * 3600
"""As for a session's other keys (`infra.scripts.SESSION_TTL_MS`)."""

KEEP: Final = 20
"""Checkpoints of a namespace that stay: 0.24 MiB at 20 KB of state; resuming needs one."""

CLOCK_TOLERANCE_S: Final = 2.0
"""How far the newest checkpoint may be ahead of one that comes: two runs of one thread at once, and the
few ms between machines; a takeover comes 4 s after the last write at the earliest."""

_DELTA_COUNTERS: Final = "counters_since_delta_snapshot"
"""In the metadata of a checkpoint whose state is only whole with its ancestors' writes."""


class RedisSaver(AsyncOnlySaver):
    """Checkpoints of LangGraph threads, each thread's in one hash slot, one script an operation.

    Compile graphs with it and run them with `durability="sync"`: a step has begun only when the
    step before is stored. The synchronous methods raise NotImplementedError.

    Args:
        client: of a server or of a cluster; it is not closed here, and may decode replies or not.
        fence: of the lease under which the graph runs; every write compares it and raises Fenced
            once a successor has come. None: nothing is compared.
        session: whose lease that is. A saver with a fence serves this session's thread only.
        ttl_s: how long a thread outlives its last write, to a hundredth; its keys expire together.
        keep: how many checkpoints of a namespace stay, with the values and task writes that they
            need; those before go a quarter of that at a time. 0 keeps all, which a graph with a
            DeltaChannel needs.
        types: the graph state's own classes. Others, but for LangChain's and common ones of Python's
            library, come back as plain data, so that foreign bytes make no object of a class of
            their choice.
        serde: another serializer, such as LangGraph's EncryptedSerializer; `types` is then its affair.

    Raises, from every method: StoreUnavailable, StoreMisconfigured, TornSession (a part of the
    thread is gone), CorruptRecord, NewerSchema; from every write: Fenced. None of them leaves half
    of an operation behind.
    """

    def __init__(
        self,
        client: Client,
        *,
        fence: Fence | None = None,
        session: SessionKeys | None = None,
        ttl_s: float = TTL_S,
        keep: int = KEEP,
        types: Iterable[type] = (),
        serde: SerializerProtocol | None = None,
    ) -> None:
        if (fence is None) != (session is None):
            raise ValueError("a fence and the session whose lease it is come together")
        if ttl_s <= 0 or keep < 0:
            raise ValueError("ttl_s must be above 0, and keep 0 or more")
        super().__init__(serde=serde or JsonPlusSerializer(allowed_msgpack_modules=tuple(types)))
        self._client, self._keep, self._session = client, keep, session
        self._epoch = fence.epoch if fence else 0
        self._scripts = CheckpointScripts(client, round(ttl_s * 1000), fence, session)
        self._in_flight = InFlight()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, after the task writes of its parent that are under way.

        Raises: CheckpointFromTheFuture, ValueError (a DeltaChannel's under `keep` above 0).
        """
        thread, ns = self._thread(config), _namespace(config)
        parent = get_checkpoint_id(config) or ""
        if self._keep and metadata.get(_DELTA_COUNTERS):
            raise ValueError("this graph has a DeltaChannel, whose history must not be trimmed: use keep=0")
        values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
        where = names.blobs(ns, {each: versions[each] for each in values if each in versions})
        fresh = {name for name, channel in where.items() if channel in new_versions}
        described = get_serializable_checkpoint_metadata(config, metadata)
        head = Head(self._epoch, parent, str(described.get("run_id") or ""), tuple(where))
        record = (head.packed(), codec.body(self.serde, checkpoint, described))
        latest = later(checkpoint["id"], by_s=CLOCK_TOLERANCE_S)
        horizon = names.member(ns, latest) if latest else ""
        named = (names.member(ns, checkpoint["id"]), names.member(ns, parent), horizon, self._keep)
        await self._in_flight.settled((thread.thread_id, ns, parent))
        while True:
            blobs = codec.blob_args(self.serde, {name: values[where[name]] for name in fresh})
            word, rest = await self._scripts.run("put", thread, *named, *record, *blobs)
            if word != "NEED":
                break
            fresh |= {name.decode() for name in rest}  # trimmed since, or never stored here
        if word == "PAST":
            _, newest = names.checkpoint_of(rest[0].decode())
            raise CheckpointFromTheFuture(checkpoint["id"], newest)
        return codec.place(thread.thread_id, ns, checkpoint["id"])

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store what a task wrote; the checkpoint it belongs to may come later.

        A write that is there stays, but for LangGraph's special ones, of which the last counts.
        """
        thread, ns = self._thread(config), _namespace(config)
        checkpoint_id: str = config["configurable"]["checkpoint_id"]
        args = codec.write_args(self.serde, ns, checkpoint_id, (task_id, task_path), writes)
        with self._in_flight.under_way((thread.thread_id, ns, checkpoint_id)):
            await self._scripts.run("put_writes", thread, *args)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or the newest of its namespace; None: there is none."""
        thread, ns = self._thread(config), _namespace(config)
        return await self._get(thread, ns, get_checkpoint_id(config) or "")

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: Mapping[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first; of all namespaces if `config` names none.

        One that is trimmed meanwhile is passed over. `filter`: metadata that must be equal.
        """
        left = limit
        async for thread in self._threads(config):
            for ns, checkpoint_id in await self._wanted(thread, config, before):
                if left is not None and left <= 0:
                    return
                found = await self._get(thread, ns, checkpoint_id)
                if found is None or not _matches(found.metadata, filter):
                    continue
                left = left - 1 if left is not None else None
                yield found

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all of a thread, damaged or not."""
        await self._scripts.run("delete", self._keys(thread_id))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the runs' checkpoints in every thread (with a fence: its session's), and their writes.

        A thread that is damaged does not keep the others from it; its error is raised at the end.
        """
        damage: StoreError | None = None
        if run_ids:
            async for thread in self._threads(None):
                try:
                    await self._scripts.run("drop_runs", thread, *run_ids)
                except (TornSession, CorruptRecord, NewerSchema) as error:
                    damage = error
        if damage:
            raise damage

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all of a thread into another, whose own checkpoints stay; two steps, safe to repeat."""
        target = self._keys(target_thread_id)
        _, parts = await self._scripts.read("dump", ThreadKeys(source_thread_id))
        if any(parts):
            counts = (len(part) // 2 for part in parts)
            everything = (each for part in parts for each in part)
            await self._scripts.run("restore", target, *counts, *everything)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Thin threads out: "keep_latest" keeps the newest of each namespace, "delete" nothing.

        Raises: ValueError: another strategy, or "keep_latest" on a thread with a DeltaChannel.
        """
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(f"there is no strategy {strategy!r}: use 'keep_latest' or 'delete'")
        for thread_id in thread_ids:
            if strategy == "delete":
                await self.adelete_thread(thread_id)
            else:
                await self._keep_latest(self._keys(thread_id))

    def get_next_version(self, current: str | int | None, channel: None = None) -> str:
        """Return a version above `current`; two branches of a thread never come to the same."""
        number = int(str(current).partition(".")[0]) + 1 if current is not None else 1
        return f"{number:010d}.{secrets.token_hex(6)}"

    def _keys(self, thread_id: str) -> ThreadKeys:
        if self._session and thread_id != self._session.thread_id:
            raise ValueError(f"the fence guards thread {self._session.thread_id}, not {thread_id}")
        return ThreadKeys(thread_id)

    def _thread(self, config: RunnableConfig) -> ThreadKeys:
        return self._keys(str(config["configurable"]["thread_id"]))

    async def _threads(self, config: RunnableConfig | None) -> AsyncIterator[ThreadKeys]:
        if config is not None:
            yield self._thread(config)
        elif self._session:
            yield ThreadKeys(self._session.thread_id)
        else:
            async with answering("checkpoints: scan"):
                found = {key async for key in self._client.scan_iter(match=names.THREADS, count=1000)}
            for key in sorted(each.decode() if isinstance(each, bytes) else str(each) for each in found):
                yield ThreadKeys(names.thread_of(key))

    async def _wanted(
        self, thread: ThreadKeys, config: RunnableConfig | None, before: RunnableConfig | None
    ) -> list[tuple[str, str]]:
        """Return namespace and id of what `alist` asks for in one thread."""
        only_ns = config["configurable"].get("checkpoint_ns") if config else None
        only_id = get_checkpoint_id(config) if config else None
        before_id = get_checkpoint_id(before) if before else None
        _, found = await self._scripts.read("ids", thread)
        pairs = [names.checkpoint_of(name.decode()) for name in found]
        wanted = [
            (ns, each)
            for ns, each in pairs
            if only_ns in (None, ns) and only_id in (None, each) and (before_id is None or each < before_id)
        ]
        return sorted(wanted, key=lambda pair: (pair[1], pair[0]), reverse=True)

    async def _get(self, thread: ThreadKeys, ns: str, checkpoint_id: str) -> CheckpointTuple | None:
        word, reply = await self._scripts.read("get", thread, ns, checkpoint_id)
        return None if word == "NONE" else codec.read_tuple(self.serde, thread.thread_id, ns, reply)

    async def _keep_latest(self, thread: ThreadKeys) -> None:
        newest: dict[str, str] = {}
        for ns, checkpoint_id in await self._wanted(thread, None, None):
            newest.setdefault(ns, checkpoint_id)
        for ns, checkpoint_id in newest.items():
            found = await self._get(thread, ns, checkpoint_id)
            if found and found.metadata.get(_DELTA_COUNTERS):
                raise ValueError("this thread's graph has a DeltaChannel: only 'delete' is safe")
        await self._scripts.run("prune", thread)


def _namespace(config: RunnableConfig) -> str:
    return str(config["configurable"].get("checkpoint_ns", ""))


def _matches(metadata: CheckpointMetadata, wanted: Mapping[str, Any] | None) -> bool:
    return all(metadata.get(key) == value for key, value in (wanted or {}).items())
