"""The watcher's view of the store."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from redis.asyncio import Redis

from infra.errors import CorruptSession, NewerSchema, UnknownSession
from infra.keys import SessionKeys
from infra.scripts import answering
from infra.sessions import OVER, SessionStore, Status
from infra.watcher import LiveSession

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StoredSessions:
    """`LiveSessions` over the session records. Every call may raise StoreError."""

    client: Redis
    sessions: SessionStore

    async def live(self) -> list[LiveSession]:
        """Return the sessions that are not over; ids whose record is over or expired leave the list.

        One that a later version of this program has written is left to that; one that nobody can read leaves
        the list, and the log says which.
        """
        found = []
        for session_id in await self.sessions.live():
            try:
                record = await self.sessions.get(session_id)
            except UnknownSession:
                await self.sessions.unlist(session_id)
                continue
            except NewerSchema:
                continue
            except CorruptSession as error:
                log.warning("session %s is watched no more: %s", session_id, error)
                await self.sessions.unlist(session_id)
                continue
            if record.status in OVER:
                await self.sessions.retire(session_id)
                continue
            found.append(LiveSession(session_id=session_id, thread_id=record.thread_id, room=record.room))
        return found

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        """Take the right to make the next attempt, for `for_s` seconds; False if another process has it."""
        key = SessionKeys(session.thread_id, session.session_id).name("dispatching")
        async with answering("claim of a dispatch"):
            return bool(await self.client.set(key, "1", nx=True, px=round(for_s * 1000)))

    async def abandon(self, session: LiveSession) -> None:
        """Mark the session as over. One that is over already, or is unknown, is no error."""
        try:
            await self.sessions.end(session.session_id, Status.ABANDONED)
        except UnknownSession:
            await self.sessions.unlist(session.session_id)
