"""Going on with a session that was abandoned, from the store, or from what the database kept of it.

Order: record, then room, as when opening: the room's dispatch starts a worker that reads the record. What is
left of the former room goes first, for a room that is there would take no dispatch.
"""

from __future__ import annotations

import logging

from infra.access import longer
from infra.clock import wall_ms
from infra.database import StoredSession
from infra.errors import SessionCompleted, StoreError
from infra.keys import SessionKeys
from infra.session_backup import restore
from infra.sessions import SessionRecord, Status
from infra.sfu_port import JoinToken, SfuError
from routes.errors import ApiError
from routes.lifecycle import token_for
from routes.parts import Parts
from routes.slots import make_room, taken, thread_must_be_free, too_many

log = logging.getLogger(__name__)


async def reopen(parts: Parts, found: SessionRecord | StoredSession) -> tuple[SessionRecord, JoinToken]:
    """Have an abandoned session go on; one that goes on already only gets a fresh token.

    Raises: ApiError 409 (it is completed), 410 (nothing of it is left), 429; StoreError; SfuError: it is
    abandoned as before, and the same call may do later.
    """
    if found.status == Status.COMPLETED:
        raise _completed()
    if isinstance(found, SessionRecord) and found.status is not Status.ABANDONED:
        await parts.sessions.heartbeat(found.session_id)  # a call that broke off may not have come to that
        return found, token_for(parts, found)
    async with parts.opening:
        record, ours = await _going_on(parts, found)
    if not ours:
        return record, token_for(parts, record)
    try:
        await parts.sfu.delete_room(record.room)
        await make_room(parts, record)
    except SfuError:
        await _abandon_again(parts, record)
        raise
    return record, token_for(parts, record)


async def _going_on(parts: Parts, found: SessionRecord | StoredSession) -> tuple[SessionRecord, bool]:
    """Mark the session as under way; return it, and whether it was this call that did so."""
    most = parts.settings.max_sessions
    if await taken(parts) >= most:
        raise too_many(most)
    await thread_must_be_free(parts, found.thread_id, but=found.session_id)
    await parts.quotas.room_for(found.session_id)
    if isinstance(found, StoredSession):
        found = await _restored(parts, found)
    ours = False

    def goes_on(now: SessionRecord) -> SessionRecord:
        nonlocal ours
        ours = now.status is Status.ABANDONED
        changed = {"status": Status.IN_PROGRESS, "ended_at_ms": None, "reopened": now.reopened + 1}
        return longer(now, wall_ms()).model_copy(update=changed) if ours else now

    try:
        record = await parts.sessions.change(found.session_id, goes_on)
    except SessionCompleted:
        raise _completed() from None
    if record.status is Status.COMPLETED:
        raise _completed()
    if ours:  # another process may have opened one in this thread meanwhile
        try:
            await thread_must_be_free(parts, record.thread_id, but=record.session_id)
        except ApiError:
            await _abandon_again(parts, record)
            raise
    await parts.sessions.heartbeat(record.session_id)
    return record, ours


async def _restored(parts: Parts, stored: StoredSession) -> SessionRecord:
    """Write back what the database kept. Raises: ApiError, StoreError (NewerSchema, CorruptSession)."""
    if stored.remains is None:
        raise ApiError(410, "session_ended", "nothing is left of this session; open another")
    log.info("session %s goes on from the database", stored.session_id)
    try:
        return await restore(parts.client, SessionKeys(stored.thread_id, stored.session_id), stored.remains)
    except SessionCompleted:
        raise _completed() from None


async def _abandon_again(parts: Parts, record: SessionRecord) -> None:
    try:
        await parts.sessions.end(record.session_id, Status.ABANDONED)
    except StoreError as error:
        log.warning("session %s: could not be marked abandoned: %s", record.session_id, error)


def _completed() -> ApiError:
    message = "this session was ended for good; its report is at GET /sessions/{id}/report"
    return ApiError(409, "session_completed", message)
