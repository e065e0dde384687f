"""The watcher's view of the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from infra.errors import NewerSchema, UnknownSession
from infra.keys import LIVE, SessionKeys
from infra.scripts import answering
from infra.sessions import SessionStore, Status
from infra.watcher import LiveSession

OVER: Final = frozenset({Status.COMPLETED, Status.ABANDONED})


@dataclass(frozen=True, slots=True)
class StoredSessions:
    """`LiveSessions` over the session records. Every call may raise StoreError."""

    client: Redis
    sessions: SessionStore

    async def live(self) -> list[LiveSession]:
        """Return the sessions that are not over; ids whose record is over or expired leave the list.

        One that a later version of this program has written is left to that.
        """
        found = []
        for session_id in await self.sessions.live():
            try:
                record = await self.sessions.get(session_id)
            except UnknownSession:
                await self._unlist(session_id)
                continue
            except NewerSchema:
                continue
            if record.status in OVER:
                await self._unlist(session_id)
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
            await self._unlist(session.session_id)

    async def _unlist(self, session_id: str) -> None:
        async with answering("live"):
            await self.client.zrem(LIVE, session_id)
