"""The slots that `max_sessions` counts: who holds one, and how a session that slept gets one again."""

from __future__ import annotations

from infra.errors import CorruptSession, NewerSchema, UnknownSession
from infra.sessions import SessionRecord
from infra.sfu_port import RoomGone, SfuError, room_metadata, voice_dispatch
from infra.slots import signs_of
from routes.errors import ApiError
from routes.parts import Parts


async def taken(parts: Parts) -> int:
    """Return how many sessions hold a slot: all live ones but those that sleep and have no room."""
    return sum([await _holds_slot(parts, session_id) for session_id in await parts.sessions.live()])


async def _holds_slot(parts: Parts, session_id: str) -> bool:
    try:
        record = await parts.sessions.get(session_id)
    except UnknownSession:
        return False
    except (NewerSchema, CorruptSession):
        return True  # nobody here can tell
    if not (await signs_of(parts.client, parts.sessions, record)).asleep:
        return True
    try:
        await parts.sfu.jobs(record.room)  # a room may have somebody in it who waits for a worker
    except RoomGone:
        return False
    except SfuError:
        pass
    return True


async def wake(parts: Parts, record: SessionRecord) -> None:
    """Take note that a live session's client is there; one that slept gets its room and its voice again.

    Raises: ApiError 429 (it slept, and others have all slots), StoreError, SfuError.
    """
    async with parts.opening:
        slept = (await signs_of(parts.client, parts.sessions, record)).asleep
        most = parts.settings.max_sessions
        if slept and await taken(parts) >= most:
            raise too_many(most)
        await parts.sessions.heartbeat(record.session_id)
    if slept:
        asked_for = voice_dispatch(record.session_id, record.thread_id)
        await parts.sfu.create_room(record.room, room_metadata(record.session_id), asked_for)


def too_many(most: int) -> ApiError:
    """Return the refusal of one more session."""
    message = f"{most} sessions are open and that is the limit; end one, or raise EXAIM_MAX_SESSIONS"
    return ApiError(429, "too_many_sessions", message)
