"""The jobs of this worker that are on their way to their rooms: each claims that, so that no other is taken."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Collection
from typing import Final

from redis.asyncio import Redis

from infra.arrivals import TTL_S, Arrival
from infra.errors import StoreError
from infra.keys import SessionKeys

log = logging.getLogger("exaim.worker")

RENEWED_EVERY_S: Final = TTL_S / 4
LONGEST_S: Final = 90.0  # as long as a start may take on a machine that is full; then another is let try


class Arrivals:
    """Keeps the claims of the jobs that were taken. Use within `running`; for one event loop."""

    def __init__(self, client: Redis, active: Callable[[], Collection[str]]) -> None:
        """`active` returns the ids of the jobs that have a process now."""
        self._client, self._active = client, active
        self._group: asyncio.TaskGroup | None = None
        self._renewing: set[asyncio.Task[None]] = set()
        self._started: set[str] = set()  # jobs on their way that were given a process

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Renew claims while the block lasts; those that are left then run out."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = None
                for task in self._renewing:
                    task.cancel()

    async def take(self, keys: SessionKeys, job_id: str) -> Arrival | None:
        """Return the job's claim, which is renewed from now on, or None: another job is on its way there.

        A store that gives no answer lets the job go on, which then asks for its lease.
        """
        arrival = Arrival(self._client, keys, job_id)
        try:
            if not await arrival.claim():
                return None
        except StoreError as error:
            log.warning("whether another job is on its way can't be asked: %s", error)
        if self._group is not None:
            task = self._group.create_task(self._renew(arrival, job_id), name=f"arrival-{job_id}")
            self._renewing.add(task)
            task.add_done_callback(self._renewing.discard)
        return arrival

    def started(self, job_id: str) -> None:
        """Note that the job was given a process: if that ends, so does its way."""
        self._started.add(job_id)

    async def _renew(self, arrival: Arrival, job_id: str) -> None:
        """Renew a claim until the job tells its end, has no process any more, or takes too long."""
        try:
            async with asyncio.timeout(LONGEST_S):
                while await _claimed(arrival) and (job_id not in self._started or job_id in self._active()):
                    await asyncio.sleep(RENEWED_EVERY_S)
        except TimeoutError:
            log.warning("job %s was not in its room within %.0f s; another may come", job_id, LONGEST_S)
        finally:
            self._started.discard(job_id)
        await told(arrival)


async def told(arrival: Arrival) -> None:
    """Tell that the job is not on its way any more; in a store that gives no answer the claim runs out."""
    with contextlib.suppress(StoreError):
        await arrival.over()


async def _claimed(arrival: Arrival) -> bool:
    """Renew a claim; a store that gives no answer has lost nothing yet."""
    try:
        return await arrival.claim()
    except StoreError:
        return True
