"""Back up what a session needs to go on after its keys expired: all but the agents' words.

Read in one transaction, kept as text, and written back by one script. The reader of the copy knows its shape;
the values in it are the store's own and are checked by whoever reads them from the store again.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from redis.asyncio import Redis

from infra.errors import CorruptSession, SessionCompleted
from infra.keys import SessionKeys
from infra.scripts import Scripts, answering
from infra.sessions import SessionRecord, SessionStore
from infra.store import readable

_HASHES: Final = ("record", "heads", "utterances", "phases", "versions")
_STREAMS: Final = ("updates", "commands")

StreamEntry = tuple[str, tuple[str, ...]]


class SessionBackup(BaseModel):
    """A copy of a session's keys. Streams are (id, fields and values in turn)."""

    model_config = ConfigDict(frozen=True)

    v: Literal[1] = 1
    record: dict[str, str]
    heads: dict[str, str]
    utterances: dict[str, str]
    phases: dict[str, str]
    versions: dict[str, str]
    order: tuple[str, ...]
    seen: tuple[str, ...]
    updates: tuple[StreamEntry, ...]
    commands: tuple[StreamEntry, ...]
    fences: dict[Literal["voice", "reason"], str]
    paper: str | None = None


async def read_backup(client: Redis, keys: SessionKeys) -> str:
    """Return the session's backup, of one moment, as JSON. Raises: StoreError."""
    async with answering("the backup of a session"):
        pipe = client.pipeline(transaction=True)
        for name in _HASHES:
            pipe.hgetall(keys.name(name))
        for name in _STREAMS:
            pipe.xrange(keys.name(name))
        pipe.lrange(keys.name("order"), 0, -1)
        pipe.smembers(keys.name("seen"))
        pipe.mget(keys.name("fence:voice"), keys.name("fence:reason"))
        pipe.get(keys.name("paper"))
        replies: list[Any] = await pipe.execute()
    hashes, streams, (order, seen, fences, paper) = replies[:5], replies[5:7], replies[7:]
    found: dict[str, Any] = dict(zip(_HASHES, hashes, strict=True))
    for name, entries in zip(_STREAMS, streams, strict=True):
        found[name] = [(entry_id, [part for pair in at.items() for part in pair]) for entry_id, at in entries]
    for count in ("event_seq", "event_bytes"):
        found["heads"].pop(count, None)  # the events are not kept, so their count begins anew
    found["heads"]["sealed"] = "0"  # and a live team's, which nobody can read again, are over
    held = zip(("voice", "reason"), fences, strict=True)
    found |= {"order": order, "seen": sorted(seen), "fences": {kind: token for kind, token in held if token}}
    return SessionBackup.model_validate(found | {"paper": paper}).model_dump_json()


async def restore(client: Redis, keys: SessionKeys, text: str) -> SessionRecord:
    """Write a session's backup back to the store, where it is gone, and return its record.

    Nobody counts it as live yet. One that is there stays as it is.

    Raises: NewerSchema, CorruptSession: it can't be used; SessionCompleted: the store has it as that.
    """
    backup, sessions = checked(text, keys.session_id), SessionStore(client)
    await sessions.note_thread(keys)
    await Scripts(client, keys).run("restore_session", backup.model_dump_json(exclude_none=True))
    record = await sessions.get(keys.session_id)
    if record.status == "COMPLETED":
        raise SessionCompleted(keys.session_id)
    return record


def checked(text: str, session_id: str) -> SessionBackup:
    """Return a backup that was stored as JSON. Raises: NewerSchema, CorruptSession."""
    what = f"the backup of session {session_id}"
    try:
        readable(what, json.loads(text)["v"], 1)
        backup = SessionBackup.model_validate_json(text)
    except (ValidationError, ValueError, KeyError, TypeError) as error:
        raise CorruptSession(what, type(error).__name__) from None
    return backup
