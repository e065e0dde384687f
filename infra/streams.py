"""Read and write the three streams of a session: events in, updates out, commands back.

Append times are the store's, as the id of the entry gives them, so that every reader, a successor
too, sees the same ones. Readers go on after the id that they saw last.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field
from redis.asyncio import Redis

from agents.stream import EventSink, StreamEvent, StreamFenced, StreamFull, StreamUnavailable
from infra.errors import CorruptSession, Fenced, SequenceGap, StoreUnavailable
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.scripts import Scripts, answering
from infra.store import clock_ms, readable

EVENT_BOUND: Final = 200_000  # the largest recorded case has 7,297 records
UPDATE_BOUND: Final = 10_000
COMMAND_BOUND: Final = 10_000
BLOCK_SLICE_MS: Final = 500  # one blocking read, for which a cancellation may wait; the socket's limit is 2 s


@dataclass(frozen=True, slots=True)
class Logged:
    """An event in the log; `at_ms` is when the store appended it, in ms since the epoch."""

    id: str
    at_ms: int
    event: StreamEvent
    epoch: int


@dataclass(frozen=True, slots=True)
class LoggedUpdate:
    """An update in the stream; `update` is its JSON object, which `exaim_core.Update` validates."""

    id: str
    at_ms: int
    update_id: str
    update: dict[str, Any]
    seq: int
    epoch: int


class Command(BaseModel):
    """Something asked of the session, by the clinician or by another process.

    `at_ms` is when it was asked, in ms since the epoch. A `command_id` that came before is passed
    over, so a command sent twice is done once.
    """

    model_config = ConfigDict(frozen=True)

    kind: str
    by: str
    at_ms: int
    args: dict[str, Any] = Field(default_factory=dict)
    command_id: str = Field(default_factory=lambda: uuid4().hex)


@dataclass(frozen=True, slots=True)
class LoggedCommand:
    """A command in the stream; `at_ms` is when the store appended it, in ms since the epoch."""

    id: str
    at_ms: int
    command: Command
    seq: int


Entry = tuple[str, Mapping[str, str]]


class SessionStreams:
    """Reads and writes the streams of one session. Each call has its deadline (StoreUnavailable)."""

    def __init__(self, client: Redis, keys: SessionKeys, *, event_bound: int = EVENT_BOUND) -> None:
        self._client, self._keys, self._event_bound = client, keys, event_bound
        self._scripts = Scripts(client, keys)

    async def append_events(self, events: Sequence[StreamEvent], fence: Fence) -> None:
        """Append `events`, ascending by `seq`, all or none; those already in the log are skipped.

        Raises: StreamFull, SequenceGap, Fenced (the reason lease guards the log).
        """
        if not events:
            return
        pairs = [part for event in events for part in (event.seq, event.to_wire())]
        word, detail = await self._scripts.run("append_events", fence.token, self._event_bound, *pairs)
        match word:
            case "FENCED":
                raise Fenced("reason")
            case "FULL":
                raise StreamFull(self._event_bound)
            case "GAP":
                found = (each.seq for each in events if each.seq > int(detail))
                raise SequenceGap(int(detail), next(found, events[-1].seq))

    async def read_events(self, after_id: str = "0-0", block_ms: int = 0, count: int = 500) -> list[Logged]:
        """Return up to `count` events after `after_id`, waiting up to `block_ms` for the first.

        Raises: NewerSchema, CorruptSession.
        """
        return _all("an event", _event, await self._read(self._keys.events, after_id, block_ms, count))

    async def last_event_seq(self) -> int:
        """Return the newest event's `seq`, or -1. Raises: CorruptSession."""
        async with answering("last event"):
            last = await self._client.hget(self._keys.name("heads"), "event_seq")
            return int(last) if last is not None else -1

    async def team_silent_s(self) -> float | None:
        """Return how long ago a live team's program last gave a sign: a batch, or a look into its inbox.

        None: it never did. Raises: CorruptSession.
        """
        async with answering("a team's sign"):
            found = await self._client.hget(self._keys.name("heads"), "team_ms")
            at_ms = None if found is None else int(found)
        return None if at_ms is None else max(0.0, await clock_ms(self._client) - at_ms) / 1000

    async def commit_update(
        self, update: Mapping[str, Any] | BaseModel, update_id: str, fence: Fence
    ) -> bool:
        """Append `update`. Returns False, and changes nothing, if an update with this id is there.

        Raises: StreamFull, Fenced (the reason lease guards updates).
        """
        body = update.model_dump(mode="json") if isinstance(update, BaseModel) else dict(update)
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        word, _ = await self._scripts.run("commit_update", fence.token, update_id, UPDATE_BOUND, text)
        if word == "FENCED":
            raise Fenced("reason")
        if word == "FULL":
            raise StreamFull(UPDATE_BOUND)
        return word == "OK"

    async def read_updates(
        self, after_id: str = "0-0", block_ms: int = 0, count: int = 100
    ) -> list[LoggedUpdate]:
        """Return up to `count` updates after `after_id`; as `read_events`."""
        return _all("an update", _update, await self._read(self._keys.updates, after_id, block_ms, count))

    async def append_command(self, command: Command) -> bool:
        """Append `command`; False if one with its id is there. No lease guards it. Raises StreamFull."""
        word, _ = await self._scripts.run(
            "append_command", command.command_id, COMMAND_BOUND, command.model_dump_json()
        )
        if word == "FULL":
            raise StreamFull(COMMAND_BOUND)
        return word == "OK"

    async def read_commands(
        self, after_id: str = "0-0", block_ms: int = 0, count: int = 100
    ) -> list[LoggedCommand]:
        """Return up to `count` commands after `after_id`; as `read_events`."""
        return _all("a command", _command, await self._read(self._keys.commands, after_id, block_ms, count))

    async def _read(self, stream: str, after_id: str, block_ms: int, count: int) -> list[Entry]:
        """Read in slices: one long blocking read would run into the client's socket timeout."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + block_ms / 1000
        while True:
            left_ms = round((until_s - loop.time()) * 1000)
            block = min(BLOCK_SLICE_MS, left_ms) if left_ms > 0 else None
            async with answering("a stream"):
                reply: Any = await self._client.xread({stream: after_id}, count=count, block=block)
            if reply or block is None:
                return [entry for _, entries in reply or () for entry in entries]


class SessionSink(EventSink):
    """The port of a reasoning system, bound to one session's log and one holder's fence."""

    def __init__(self, streams: SessionStreams, fence: Fence) -> None:
        self._streams, self._fence = streams, fence

    async def append(self, events: Sequence[StreamEvent]) -> None:
        """Append `events`. Raises: StreamFull, StreamFenced, StreamUnavailable; SequenceGap."""
        try:
            await self._streams.append_events(events, self._fence)
        except Fenced as error:
            raise StreamFenced(str(error)) from error
        except StoreUnavailable as error:
            raise StreamUnavailable(str(error)) from error


_Read = TypeVar("_Read")


def _all(what: str, read: Callable[[Entry], _Read], entries: Sequence[Entry]) -> list[_Read]:
    try:
        return [read(entry) for entry in entries]
    except (KeyError, ValueError) as error:  # a validation error is a ValueError; its text may quote the case
        raise CorruptSession(what, type(error).__name__) from None


def _at_ms(entry_id: str) -> int:
    return int(entry_id.split("-")[0])


def _event(entry: Entry) -> Logged:
    entry_id, fields = entry
    readable("an event", fields["v"], 1)
    event = StreamEvent.from_wire(fields["event"])
    return Logged(entry_id, _at_ms(entry_id), event, int(fields["epoch"]))


def _update(entry: Entry) -> LoggedUpdate:
    entry_id, fields = entry
    readable("an update", fields["v"], 1)
    body = json.loads(fields["update"])
    if not isinstance(body, dict):
        raise ValueError("an update is an object")  # noqa: TRY004  # told as the rest of what can't be read
    readable("an update", body.get("v", 1), 1)
    return LoggedUpdate(
        entry_id, _at_ms(entry_id), fields["id"], body, int(fields["seq"]), int(fields["epoch"])
    )


def _command(entry: Entry) -> LoggedCommand:
    entry_id, fields = entry
    readable("a command", fields["v"], 1)
    command = Command.model_validate_json(fields["command"])
    return LoggedCommand(entry_id, _at_ms(entry_id), command, int(fields["seq"]))
