"""The session's record: what it is, how far it has come, and the list of those that live."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final, Literal
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field
from redis.asyncio import Redis

from infra.clock import wall_ms
from infra.errors import CorruptSession, SessionCompleted, StaleVersion, StoreError, UnknownSession
from infra.keys import ENDED, LIVE, LOGS, SessionKeys
from infra.oom_writes import hold_less, put_on_list
from infra.scripts import SESSION_TTL_MS, Scripts, answering
from infra.store import readable


class Status(StrEnum):
    """How far a session has come."""

    SCHEDULED = "SCHEDULED"  # made, no worker yet
    IN_PROGRESS = "IN_PROGRESS"  # a worker has joined
    COMPLETED = "COMPLETED"  # over for good
    ABANDONED = "ABANDONED"  # the grace ran out; it can be opened again


STATUS_NEXT: Final[Mapping[Status, frozenset[Status]]] = {
    Status.SCHEDULED: frozenset({Status.IN_PROGRESS, Status.COMPLETED, Status.ABANDONED}),
    Status.IN_PROGRESS: frozenset({Status.COMPLETED, Status.ABANDONED}),
    Status.ABANDONED: frozenset({Status.IN_PROGRESS, Status.COMPLETED}),
    Status.COMPLETED: frozenset(),
}

OVER: Final = frozenset({Status.COMPLETED, Status.ABANDONED})
"""Nobody speaks in these sessions; an abandoned one can be opened again."""

SETTLE_MS: Final = 3_000
"""How long after its end a session is looked at: its voice has 2 s to close the ledger and leave."""

TEAM_SILENCE_S: Final = 300.0
"""As long as a clinician is waited for: a model that takes five minutes for a word has failed."""

FOREVER_MS: Final = 253_402_300_799_000
"""The end of a right in a record that was written before rights had one: that of the year 9999."""

Reasoning = Literal["waiting", "thinking", "finished", "failed"]


class IllegalStatus(StoreError):
    """The table of statuses has no such move; nothing was written."""

    def __init__(self, before: Status, after: Status) -> None:
        super().__init__(f"a session can't go from {before} to {after}")
        self.before, self.after = before, after


class SessionExists(StoreError):
    """A session with this id is there already; nothing was written."""

    def __init__(self, session_id: str) -> None:
        super().__init__(f"session {session_id} is there already; open another, ids are given once")
        self.session_id = session_id


class SessionRecord(BaseModel):
    """What is stored of a session. Times are ms since the epoch. `version` counts its writes, from 1."""

    model_config = ConfigDict(frozen=True)

    v: Literal[1] = 1
    session_id: str
    thread_id: str
    case_id: str
    title: str = ""
    agents: tuple[str, ...] = ()
    room: str
    tenant: str = "local"  # the session's owner; `opened_by` is the name in the key of its opener
    opened_by: str = "local"
    status: Status = Status.SCHEDULED
    reasoning: Reasoning = "waiting"
    secret_sha256: str  # digest of the clinician's secret; "": there is none (yet, or any more)
    secret_until_ms: int = FOREVER_MS  # until then it lets its holder enter, steer and end
    report_until_ms: int = FOREVER_MS  # until then it lets its holder read the report
    invitation_sha256: str | None = None  # digest of the invitation for a live team's clinician
    invitation_until_ms: int = 0
    created_at_ms: int
    ended_at_ms: int | None = None
    speed: float = Field(default=1.0, gt=0)
    reopened: int = 0  # how often it went on after it was abandoned
    team_sha256: str | None = None  # of a live team's token; None: the case is a recording
    team_silence_s: float = TEAM_SILENCE_S  # after so long without an event the team is told as silent
    team_tokens: int | None = None  # budget, counted by what the team reports of its calls; None: none
    reader: str = ""  # name of the model that reads the agents' words; "": the default, if there is one
    version: int = 0

    @property
    def keys(self) -> SessionKeys:
        """The session's keys."""
        return SessionKeys(self.thread_id, self.session_id)

    @property
    def live(self) -> bool:
        """Whether the reasoning comes from a team that runs elsewhere."""
        return self.team_sha256 is not None


_NOBODY: Final = {"secret_sha256": "", "invitation_sha256": None}
"""What is left of a session's rights once they are revoked."""

Change = Callable[[SessionRecord], SessionRecord]


class SessionStore:
    """Creates, reads and changes session records; every write is a compare-and-set.

    Args:
        now_ms: wall clock, for two lists: live sessions with their last sign, ended ones with when to record them.
    """

    def __init__(self, client: Redis, *, now_ms: Callable[[], int] = wall_ms) -> None:
        self._client, self._now_ms = client, now_ms

    async def create(self, record: SessionRecord) -> SessionRecord:
        """Store a new record and list it as live. Raises SessionExists, StoreUnavailable."""
        if await self._find(record.session_id) is not None:  # under whichever thread: it would hide the other
            raise SessionExists(record.session_id)
        stored = await self._write(record, at=0)
        await self.heartbeat(record.session_id)
        return stored

    async def get(self, session_id: str) -> SessionRecord:
        """Return the record. Raises UnknownSession, NewerSchema, CorruptSession, StoreUnavailable."""
        record = await self._find(session_id)
        if record is None:
            raise UnknownSession(session_id)
        return record

    async def update(self, record: SessionRecord) -> SessionRecord:
        """Store a record that was read at `record.version`; return it at the next version.

        The status must be the stored one or one that STATUS_NEXT allows after it; `change` looks.

        Raises: StaleVersion, SessionCompleted, UnknownSession.
        """
        return await self._write(record, at=record.version)

    async def change(self, session_id: str, change: Change, attempts: int = 10) -> SessionRecord:
        """Read, apply `change`, store; again if somebody else was faster. No change writes nothing.

        Raises: IllegalStatus, SessionCompleted, UnknownSession; StaleVersion after `attempts`.
        """
        for attempt in range(1, attempts + 1):
            record = await self.get(session_id)
            wanted = change(record)
            if wanted == record:
                return record
            _check_move(record, wanted)
            try:
                return await self.update(wanted)
            except StaleVersion:
                if attempt == attempts:
                    raise
        raise AssertionError("attempts must be 1 or more")

    async def end(self, session_id: str, status: Status = Status.COMPLETED) -> SessionRecord:
        """End the session; ending it again, in whatever way, gives the record as it is.

        Raises: UnknownSession, StoreUnavailable.
        """

        def ended(record: SessionRecord) -> SessionRecord:
            if record.status in {Status.COMPLETED, status}:
                return record
            return record.model_copy(update={"status": status, "ended_at_ms": self._now_ms()})

        try:
            record = await self.change(session_id, ended)
        except SessionCompleted:
            record = await self.get(session_id)
        if record.status in OVER:
            await self.retire(session_id)
        return record

    async def revoke(self, keys: SessionKeys) -> None:
        """Take the clinician's secret, and any invitation, from a session for good.

        It is noted beside the record, for a completed one is never written again. Raises: StoreUnavailable.
        """
        await Scripts(self._client, keys).run("revoke")

    async def retire(self, session_id: str) -> None:
        """Move a session that is over from the list of live ones to that of those to be recorded.

        It is added first and removed second: nothing looks at a session that is on neither list.
        """
        async with answering("ended"):
            await put_on_list(self._client, ENDED, session_id, self._now_ms() + SETTLE_MS)
        await self.unlist(session_id)

    async def note_thread(self, keys: SessionKeys) -> None:
        """Note which thread a session belongs to, where that is not its own: it is looked up by its id.

        The note is in another slot, where no script of the session's reaches it. So whoever keeps the
        session's keys alive calls this too: the watcher while it has a voice, the recorder as it notes.
        """
        if keys.thread_id != keys.session_id:
            name = _thread_key(keys.session_id)
            async with answering("thread of session"):
                if not await self._client.pexpire(name, SESSION_TTL_MS):
                    await self._client.set(name, keys.thread_id, px=SESSION_TTL_MS)

    async def unlist(self, session_id: str) -> None:
        """Take a session from the list of live ones."""
        async with answering("live"):
            await self._client.zrem(LIVE, session_id)

    async def heartbeat(self, session_id: str) -> None:
        """List the session as live now."""
        async with answering("live"):
            await put_on_list(self._client, LIVE, session_id, self._now_ms())

    async def silent_s(self, session_id: str) -> float:
        """Return how long ago a session was listed as live; 0 for one that is leaving the list just now."""
        async with answering("live"):
            at_ms = await self._client.zscore(LIVE, session_id)
        return 0.0 if at_ms is None else max(0.0, self._now_ms() - float(at_ms)) / 1000

    async def live(self) -> list[str]:
        """Return the ids of live sessions, the one that was silent longest first.

        Advisory: one may have ended or be without a worker. Those whose keys have expired are dropped.
        """
        async with answering("live"):
            await self._client.zremrangebyscore(LIVE, "-inf", f"({self._now_ms() - SESSION_TTL_MS}")
            found = await self._client.zrange(LIVE, 0, -1)
        return [str(each) for each in found]

    async def _find(self, session_id: str) -> SessionRecord | None:
        record = await self._read(_keys(session_id, session_id))
        if record is None:
            async with answering("thread of session"):
                thread_id = await self._client.get(_thread_key(session_id))
            record = await self._read(_keys(str(thread_id), session_id)) if thread_id else None
        return record

    async def _read(self, keys: SessionKeys) -> SessionRecord | None:
        async with answering("session"):
            found = await self._client.hmget(keys.name("record"), ["v", "version", "json", "revoked"])
        v, version, text, revoked = found
        if text is None:
            return None
        readable("a session", v, 1)
        record = _record(str(text), str(version or 0), keys.session_id)
        return record.model_copy(update=_NOBODY) if revoked else record

    async def _write(self, record: SessionRecord, at: int) -> SessionRecord:
        after = record.model_copy(update={"version": at + 1})
        await self.note_thread(record.keys)  # another slot: before the record, so that it is found
        scripts = Scripts(self._client, record.keys)
        word, detail = await scripts.run(
            "write_record", at, after.model_dump_json(), after.status, uuid4().hex
        )
        match word:
            case "THERE":
                raise SessionExists(record.session_id)
            case "COMPLETED":
                raise SessionCompleted(record.session_id)
            case "GONE":
                raise UnknownSession(record.session_id)
            case "STALE":
                raise StaleVersion(f"session {record.session_id}", at, int(detail))
        if after.status in OVER:
            await self.retire(record.session_id)
            with contextlib.suppress(StoreError):  # what is set aside too long is found when it is needed
                await self._hold_less(after)
        return after

    async def _hold_less(self, record: SessionRecord) -> None:
        """Reduce the bytes set aside for a session that is over to what it really has.

        A team may go on while its session is abandoned, so such a one keeps its share.
        """
        if record.status is Status.ABANDONED and record.live:
            return
        async with answering("bytes of a log"):
            held = await self._client.hget(record.keys.name("heads"), "event_bytes")
            await hold_less(self._client, LOGS, record.session_id, int(held or 0))


def stored_record(text: str, session_id: str, secret_sha256: str) -> SessionRecord:
    """Return the record of a database's row, with the row's secret. Raises: CorruptSession."""
    record = _record(text, "0", session_id)
    return record.model_copy(update={"secret_sha256": secret_sha256})


def _record(text: str, version: str, session_id: str) -> SessionRecord:
    try:
        record = SessionRecord.model_validate_json(text).model_copy(update={"version": int(version)})
    except ValueError as error:  # a validation error is one; its text may quote the record
        raise CorruptSession(f"the record of session {session_id}", type(error).__name__) from None
    if record.session_id != session_id:
        raise CorruptSession(f"the record of session {session_id}", "it is another session's")
    return record


def _keys(thread_id: str, session_id: str) -> SessionKeys:
    """Return the keys of ids that the store gave. Raises: CorruptSession: no key can have such a name."""
    try:
        return SessionKeys(thread_id, session_id)
    except ValueError:
        raise CorruptSession(f"the thread of session {session_id}", "no key has such a name") from None


def _thread_key(session_id: str) -> str:
    return f"exaim:thread-of:{{{session_id}}}"


def _check_move(before: SessionRecord, after: SessionRecord) -> None:
    if before.status is Status.COMPLETED:
        raise SessionCompleted(before.session_id)
    if after.status is not before.status and after.status not in STATUS_NEXT[before.status]:
        raise IllegalStatus(before.status, after.status)
