"""Claim that a job is on its way to be a session's voice, until it is in its room.

While a claim holds, no worker takes another job for the session, and the watcher asks for none. The worker renews the
claim as long as the job's process lives and has not arrived. So a slow start keeps its claim, and that of a job that
dies runs out within `TTL_S`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Collection
from typing import Final

from redis.asyncio import Redis

from infra.errors import StoreError
from infra.keys import SessionKeys
from infra.scripts import Scripts
from infra.store import connect

log = logging.getLogger(__name__)

NAME: Final = "arriving"
OVER_MARK: Final = "-"
TTL_S: Final = 4.0  # as a lease: a worker killed with a job on its way costs no more time than a killed voice
RENEWED_EVERY_S: Final = TTL_S / 4
LONGEST_S: Final = 90.0  # the longest start on a full machine; then another job may come


class Arrival:
    """One job's claim on one session. Each call raises: StoreUnavailable, StoreFull."""

    def __init__(self, client: Redis, keys: SessionKeys, job_id: str, ttl_s: float = TTL_S) -> None:
        self._scripts = Scripts(client, keys)
        self._job_id, self._ttl_ms = job_id, round(1000 * ttl_s)

    async def claim(self) -> bool:
        """Take or renew the claim; return False if another job has it."""
        word, _ = await self._scripts.run("arrive", self._job_id, self._ttl_ms)
        return word == "OK"

    async def over(self) -> None:
        """End the claim: the job is in its room, or will not come. May be called again, by others too."""
        await self._scripts.run("arrived", self._job_id, self._ttl_ms)


def is_arriving(holder: str | None) -> bool:
    """Return whether the value of the key `NAME` says that a job is on its way."""
    return holder is not None and not holder.startswith(OVER_MARK)


class Arrivals:
    """Keeps the claims of the jobs that one worker took. Use within `running`; for one event loop."""

    def __init__(self, redis_url: str, active: Callable[[], Collection[str]]) -> None:
        """`active` returns the ids of the jobs that have a process now. Raises: StoreMisconfigured."""
        self._client, self._active = connect(redis_url), active
        self._group: asyncio.TaskGroup | None = None
        self._renewing: set[asyncio.Task[None]] = set()
        self._started: set[str] = set()  # jobs on their way that were given a process

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Renew claims while the block lasts; what is left of them then runs out."""
        async with contextlib.aclosing(self._client), asyncio.TaskGroup() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = None
                for task in self._renewing:
                    task.cancel()

    async def take(self, keys: SessionKeys, job_id: str) -> Arrival | None:
        """Return the job's claim, renewed from now on, or None: another job is on its way.

        Without an answer of the store the job goes on; it needs the voice lease later anyway.
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
        """Record that the job has a process, with whose end the claim ends."""
        self._started.add(job_id)

    async def _renew(self, arrival: Arrival, job_id: str) -> None:
        """Renew a claim until the job arrives, its process ends, or `LONGEST_S` is over."""
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
    """End a claim; without an answer of the store it runs out by itself."""
    with contextlib.suppress(StoreError):
        await arrival.over()


async def _claimed(arrival: Arrival) -> bool:
    """Renew a claim; without an answer of the store it counts as held."""
    try:
        return await arrival.claim()
    except StoreError:
        return True
