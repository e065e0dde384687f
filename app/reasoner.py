"""The reasoner process: takes sessions by lease and reasons about them (`python -m app.reasoner`).

Any number may run side by side; the sessions of one share its loop by what each costs (`sharing.py`). A
session that was left by a dead one is taken when its lease has run out, at most the lease's time to live later.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable
from typing import Final

from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import StreamError
from app.heartbeat import beating
from app.process import run_until_signalled, settings_or_exit
from app.reasoning import Cases, SessionReasoning
from app.retries import PASSING, Retries
from app.sharing import Shares
from app.writing import Writer, writer_of
from infra import store
from infra.errors import (
    CorruptSession,
    NewerSchema,
    StoreError,
    StoreUnavailable,
    UnknownSession,
)
from infra.leases import Lease
from infra.sessions import OVER, SessionRecord, SessionStore
from infra.settings import Settings
from infra.slots import signs_of
from infra.unforeseen import Unforeseen, contained

log = logging.getLogger("exaim.reasoner")

POLL_S: Final = 0.25  # how late a new session is noticed
REASONED: Final = frozenset({"finished", "failed"})


class Reasoner:
    """Looks for sessions without a holder of the `reason` lease, and reasons about up to `most` at once.

    One whose record can't be read is left alone for a while, which grows: it would be taken at each look.
    """

    def __init__(
        self,
        client: Redis,
        cases: Cases,
        *,
        most: int,
        writer: Writer | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._cases = cases
        self._most = most
        self._writer = writer
        self._sessions = SessionStore(client)
        self._held: set[str] = set()
        self._shares = Shares()
        self._retries, self._now_s = Retries(), now_s

    async def run(self) -> None:
        """Look and reason until cancelled; a failing session is left to its successor, the rest go on."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    live = await self._sessions.live()
                    self._retries.keep(live)
                    for session_id in live:
                        await self._consider(session_id, group)
                except StoreError as error:  # one session's own is met where it is considered
                    log.warning("no session can be looked for: %s", error)
                await asyncio.sleep(POLL_S)

    async def _consider(self, session_id: str, group: asyncio.TaskGroup) -> None:
        if session_id in self._held or len(self._held) >= self._most:
            return
        if not self._retries.due(session_id, self._now_s()):
            return
        try:
            with contained(StoreError):
                taken = await self._take(session_id)
        except StoreUnavailable:
            raise
        except (StoreError, Unforeseen) as error:
            self._failed(session_id, error)
            return
        if taken is not None:
            self._held.add(session_id)
            group.create_task(self._reason(*taken), name=f"reason-{session_id}")

    async def _take(self, session_id: str) -> tuple[SessionRecord, Lease] | None:
        """Return a session with its lease, or None if there is nothing to do or another does it."""
        try:
            record = await self._sessions.get(session_id)
        except (UnknownSession, NewerSchema, CorruptSession):
            return None  # not ours to mend; the other sessions go on
        if record.reasoning in REASONED or record.status in OVER:
            return None
        if not (await signs_of(self._client, self._sessions, record)).held:
            return None  # nobody could be told; what a stopped stack left open goes on at a return
        lease = Lease(self._client, record.keys, "reason")
        return None if await lease.acquire() is None else (record, lease)

    async def _reason(self, record: SessionRecord, lease: Lease) -> None:
        log.info("reasoning about %s begins, epoch %d", record.session_id, lease.fence.epoch)
        try:
            with contained(StoreError, StreamError):
                reasoning = SessionReasoning(
                    self._client, record, self._cases, lease, self._writer, self._shares
                )
                await reasoning.run()
        except* (StoreError, StreamError, Unforeseen) as errors:
            self._failed(record.session_id, errors)
        else:
            self._retries.went_well(record.session_id)
            log.info("reasoning about %s is over", record.session_id)
        finally:
            await self._let_go(record.session_id, lease)

    def _failed(self, session_id: str, error: Exception) -> None:
        """Tell of it, and wait before the next try if it is the session's own fault."""
        lasting = error.split(PASSING)[1] if isinstance(error, ExceptionGroup) else error
        why = error.exceptions if isinstance(error, ExceptionGroup) else error
        wait_s = 0.0 if lasting is None else self._retries.failed(session_id, self._now_s())
        log.warning("reasoning about %s stopped, next try in %.0f s: %s", session_id, wait_s, why)

    async def _let_go(self, session_id: str, lease: Lease) -> None:
        self._held.discard(session_id)
        try:
            await lease.release()
        except StoreError as error:
            log.warning("the lease of %s runs out by itself: %s", session_id, error)


async def main(settings: Settings) -> None:
    """Run one reasoner until cancelled; a store that is away is waited for.

    Raises: SettingsError, StoreMisconfigured.
    """
    writer = writer_of(settings)
    client = store.connect(settings.redis_url)
    try:
        try:
            await store.check(client)
        except StoreUnavailable as error:
            log.warning("begins without its store: %s", error)
        catalogue = await asyncio.to_thread(Catalogue.open, settings.cases)
        gc.collect()
        gc.freeze()  # a collection stops every session: it need not look at what was loaded
        settings.announce_ready()
        log.info("ready; up to %d sessions", settings.max_sessions)
        async with beating(settings):
            cases = Cases(catalogue)
            await Reasoner(client, cases, most=settings.max_sessions, writer=writer).run()
    finally:
        await writer.aclose()
        await client.aclose()


if __name__ == "__main__":
    run_until_signalled(main(settings_or_exit()))
