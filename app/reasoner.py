"""The reasoner process: takes sessions by lease and reasons about them (`python -m app.reasoner`).

Any number may run side by side. A session that was left by a dead one is taken when its lease has
run out, at most the lease's time to live later.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import Final

from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import StreamError
from app.heartbeat import beating
from app.process import EXIT_SETTINGS, run_until_signalled, settings_or_exit
from app.reasoning import Cases, SessionReasoning
from app.writing import Writer, writer_of
from infra import store
from infra.errors import (
    CorruptSession,
    LeaseLost,
    NewerSchema,
    StoreError,
    StoreUnavailable,
    UnknownSession,
)
from infra.leases import Lease
from infra.sessions import OVER, SessionRecord, SessionStore
from infra.settings import Settings, SettingsError
from infra.slots import signs_of

log = logging.getLogger("exaim.reasoner")

POLL_S: Final = 0.25  # how late a new session is noticed
REASONED: Final = frozenset({"finished", "failed"})


class Reasoner:
    """Looks for sessions without a holder of the `reason` lease, and reasons about up to `most` at once."""

    def __init__(self, client: Redis, cases: Cases, *, most: int, writer: Writer | None = None) -> None:
        self._client = client
        self._cases = cases
        self._most = most
        self._writer = writer
        self._sessions = SessionStore(client)
        self._held: set[str] = set()

    async def run(self) -> None:
        """Look and reason until cancelled; a failing session is left to its successor, the rest go on."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    for session_id in await self._sessions.live():
                        await self._consider(session_id, group)
                except StoreUnavailable as error:
                    log.warning("the store is away: %s", error)
                await asyncio.sleep(POLL_S)

    async def _consider(self, session_id: str, group: asyncio.TaskGroup) -> None:
        if session_id in self._held or len(self._held) >= self._most:
            return
        try:
            record = await self._sessions.get(session_id)
        except (UnknownSession, NewerSchema, CorruptSession):
            return  # not ours to mend; the other sessions go on
        if record.reasoning in REASONED or record.status in OVER:
            return
        if not (await signs_of(self._client, self._sessions, record)).held:
            return  # nobody could be told; what a stopped stack left open goes on when somebody comes back
        lease = Lease(self._client, record.keys, "reason")
        if await lease.acquire() is None:
            return
        self._held.add(session_id)
        group.create_task(self._reason(record, lease), name=f"reason-{session_id}")

    async def _reason(self, record: SessionRecord, lease: Lease) -> None:
        log.info("reasoning about %s begins, epoch %d", record.session_id, lease.fence.epoch)
        try:
            await SessionReasoning(self._client, record, self._cases, lease, self._writer).run()
        except* (StoreError, StreamError) as errors:
            log.warning("reasoning about %s stopped: %s", record.session_id, errors.exceptions)
        finally:
            await self._let_go(record.session_id, lease)
        log.info("reasoning about %s is over", record.session_id)

    async def _let_go(self, session_id: str, lease: Lease) -> None:
        self._held.discard(session_id)
        try:
            await lease.release()
        except (StoreUnavailable, LeaseLost) as error:
            log.warning("the lease of %s runs out by itself: %s", session_id, error)


def writer_or_exit(settings: Settings) -> Writer:
    """Return who writes and judges; a model that can't be had ends the process, with the mend on stderr."""
    try:
        return writer_of(settings)
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(EXIT_SETTINGS) from None


async def main(settings: Settings) -> None:
    """Run one reasoner until cancelled."""
    writer = writer_or_exit(settings)
    client = store.connect(settings.redis_url)
    try:
        await store.check(client)
        catalogue = await asyncio.to_thread(Catalogue.open, settings.cases)
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
