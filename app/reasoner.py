"""The reasoner process: takes sessions by lease and reasons about them (`python -m app.reasoner`).

Any number may run side by side; the sessions of one share its loop by what each costs (`fair_share.py`). A
session that was left by a dead one is taken when its lease has run out, at most the lease's time to live later.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import Callable, Collection
from typing import Final

from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import StreamError
from app.fair_share import Shares
from app.heartbeat import beating
from app.lease_worker import LeaseWorker
from app.process import run_until_signalled, settings_or_exit
from app.reasoning import Cases, SessionReasoning
from app.writing import Writer, writer_of
from exaim_core.text.patterns import compile_all
from infra import store
from infra.errors import CorruptSession, NewerSchema, StoreUnavailable, UnknownSession
from infra.leases import Lease
from infra.presence import signs_of
from infra.sessions import OVER, SessionRecord, SessionStore
from infra.settings import Settings

log = logging.getLogger("exaim.reasoner")

REASONED: Final = frozenset({"finished", "failed"})


class Reasoner:
    """Reasons about sessions whose `reason` lease nobody holds, up to `most` at once.

    One whose record can't be read is left alone for a while, which grows: it would be taken at each look.
    """

    name = "reasoning about"
    own_errors: tuple[type[Exception], ...] = (StreamError,)

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
        self._writer = writer
        self._sessions = SessionStore(client)
        self._shares = Shares()
        self._worker = LeaseWorker(self, most=most, now_s=now_s)

    async def run(self) -> None:
        """Look and reason until cancelled; a failing session is left to its successor, the rest go on."""
        await self._worker.run()

    async def there(self) -> Collection[str]:
        """Return the sessions that live. Raises: StoreError."""
        return await self._sessions.live()

    async def take(self, session_id: str) -> tuple[SessionRecord, Lease] | None:
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

    async def make(self, taken: SessionRecord, lease: Lease) -> None:
        """Reason about a session to its end. Raises: StoreError, StreamError."""
        log.info("reasoning about %s begins, epoch %d", taken.session_id, lease.fence.epoch)
        await SessionReasoning(self._client, taken, self._cases, lease, self._writer, self._shares).run()
        log.info("reasoning about %s is over", taken.session_id)


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


def run() -> None:
    """Be the process until a signal."""
    settings = settings_or_exit()
    compile_all()  # a fork of the template has it done
    run_until_signalled(main(settings))


if __name__ == "__main__":
    run()
