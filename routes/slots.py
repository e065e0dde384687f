"""The slots that `max_sessions` counts: who holds one, and how a session that slept gets one again."""

from __future__ import annotations

import time
from typing import Final

from infra.errors import CorruptSession, NewerSchema, UnknownSession
from infra.presence import LATELY_S, signs_of
from infra.sessions import OVER, SessionRecord, Status
from infra.sfu_port import RoomGone, SfuError, room_metadata, voice_dispatch
from routes.errors import ApiError
from routes.parts import Parts

SLOT_RETRY_S: Final = 30
"""Sessions last for minutes, and one that nobody comes back to holds its slot for the grace."""


async def taken(parts: Parts, *, but: str = "") -> int:
    """Return how many hold a slot: all live sessions but `but`, and those that sleep and have no room."""
    live = [session_id for session_id in await parts.sessions.live() if session_id != but]
    return sum([await _holds_slot(parts, session_id) for session_id in live])


async def thread_must_be_free(parts: Parts, thread_id: str, *, but: str = "") -> None:
    """Raise ApiError 409 if a session other than `but` speaks in a thread: two would write one dialogue."""
    for session_id in await parts.sessions.live():
        try:
            record = await parts.sessions.get(session_id)
        except (UnknownSession, NewerSchema, CorruptSession):
            continue  # over, or somebody else's, and no reason to refuse this one
        if session_id != but and record.thread_id == thread_id and record.status not in OVER:
            raise ApiError(409, "thread_busy", "a session is under way in this thread; end it first")


async def _holds_slot(parts: Parts, session_id: str) -> bool:
    try:
        record = await parts.sessions.get(session_id)
        signs = await signs_of(parts.client, parts.sessions, record)
    except UnknownSession:
        return False
    except (NewerSchema, CorruptSession):
        return True  # nobody here can tell
    if not signs.asleep:
        return True
    try:
        await parts.sfu.participants(record.room)  # a room may have somebody in it who waits for a worker
    except RoomGone:
        return False
    except SfuError:
        pass
    return True


async def wake(parts: Parts, record: SessionRecord) -> None:
    """Record that a live session's client is there; make the room anew if it is gone with its voice.

    Raises: ApiError 410 (it has ended since `record` was read), 429 (it slept, and others have all slots);
    StoreError, SfuError.
    """
    async with parts.opening:
        record = await _still_live(parts, record.session_id)  # the lock may have been waited for
        signs = await signs_of(parts.client, parts.sessions, record)
        most = parts.settings.max_sessions
        if signs.asleep and await taken(parts, but=record.session_id) >= most:
            raise too_many(most)
        await parts.sessions.heartbeat(record.session_id)
    new = time.time() - record.created_at_ms / 1000 < LATELY_S  # its room has only just been made
    if signs.asleep or not (signs.held or new):  # a room that is there stays as it is
        await make_room(parts, record)
        try:
            await _still_live(parts, record.session_id)
        except ApiError:  # whoever ended it may have deleted the room before it was made
            await parts.sfu.delete_room(record.room)
            raise


async def make_room(parts: Parts, record: SessionRecord) -> None:
    """Make a session's room, to which its voice is called. Raises: SfuError."""
    asked_for = voice_dispatch(record.session_id, record.thread_id)
    await parts.sfu.create_room(record.room, room_metadata(record.session_id), asked_for)


async def _still_live(parts: Parts, session_id: str) -> SessionRecord:
    record = await parts.sessions.get(session_id)
    must_be_live(record)
    return record


def must_be_live(record: SessionRecord) -> None:
    """Raise ApiError 410 if a session is over; it says how to go on."""
    if record.status is Status.ABANDONED:
        mend = f"POST /sessions/{record.session_id}/reopen goes on with it"
        raise ApiError(410, "session_ended", f"nobody came back to this session in time; {mend}")
    if record.status in OVER:
        raise ApiError(410, "session_ended", "this session has ended; open another with POST /sessions")


def too_many(most: int) -> ApiError:
    """Return the refusal of one more session."""
    message = (
        f"{most} sessions are open and that is the limit. A clinician ends one on its page; one that nobody is in ends "
        "by itself after EXAIM_GRACE_S. Try again then, or start the server with a larger EXAIM_MAX_SESSIONS"
    )
    return ApiError(429, "too_many_sessions", message, headers={"Retry-After": str(SLOT_RETRY_S)})
