"""The watcher's view of the store."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from redis.asyncio import Redis

from infra.arrivals import NAME, is_arriving
from infra.errors import CorruptSession, NewerSchema, UnknownSession
from infra.keys import SessionKeys
from infra.scripts import answering
from infra.sessions import OVER, SessionStore, Status
from infra.watcher import LiveSession

log = logging.getLogger(__name__)

LISTED_AGAIN_S: Final = 600.0
"""A client that stays asks for nothing, and after four hours without a sign a session leaves the list."""


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
                session = await self._live(session_id)
            except UnknownSession:
                await self.sessions.unlist(session_id)
            except NewerSchema:
                continue
            except CorruptSession as error:
                log.warning("session %s is watched no more: %s", session_id, error)
                await self.sessions.unlist(session_id)
            else:
                found += [session] if session is not None else []
        return found

    async def _live(self, session_id: str) -> LiveSession | None:
        """Look at one that is listed; None: it is over, and leaves the list."""
        record = await self.sessions.get(session_id)
        if record.status in OVER:
            await self.sessions.retire(session_id)
            return None
        lease_s, arriving = await self._signs(record.keys)
        if lease_s > 0.0:  # its voice keeps the session's keys, which are found by the list and the note
            await self.sessions.note_thread(record.keys)
            if await self.sessions.silent_s(session_id) > LISTED_AGAIN_S:
                await self.sessions.heartbeat(session_id)
        return LiveSession(
            session_id=session_id,
            thread_id=record.thread_id,
            room=record.room,
            joined=record.status is Status.IN_PROGRESS,
            lease_s=lease_s,
            arriving=arriving,
        )

    async def _signs(self, keys: SessionKeys) -> tuple[float, bool]:
        """Return what is left of the voice lease, in seconds, and whether a job is on its way."""
        async with answering("voice lease"), self.client.pipeline(transaction=False) as asked:
            asked.pttl(keys.name("lease:voice"))
            asked.get(keys.name(NAME))
            left_ms, holder = await asked.execute()
        return max(0.0, int(left_ms) / 1000), is_arriving(holder)

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        """Take the right to make the next attempt, for `for_s` seconds.

        False if another process has it, if the session is over by now, or its lease was renewed since.
        """
        keys = SessionKeys(session.thread_id, session.session_id)
        async with answering("claim of a dispatch"):
            if not await self.client.set(keys.name("dispatching"), "1", nx=True, px=round(for_s * 1000)):
                return False
        lease_s, _ = await self._signs(keys)
        if lease_s > session.lease_s:
            return False
        try:
            return (await self.sessions.get(session.session_id)).status not in OVER
        except UnknownSession:
            return False

    async def abandon(self, session: LiveSession) -> None:
        """Mark the session as over. One that is over already, or is unknown, is no error."""
        try:
            await self.sessions.end(session.session_id, Status.ABANDONED)
        except UnknownSession:
            await self.sessions.unlist(session.session_id)
