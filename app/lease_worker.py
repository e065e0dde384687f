"""Take sessions by lease and work at each: the loop of the reasoner and of the teams' process.

Each look goes over what there is; what nobody holds is taken, a task each. A session that fails is tried again by
itself, later and later (`retries.py`), and the others go on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection
from typing import Final, Generic, Protocol, TypeVar

from app.retries import PASSING, Retries
from infra.errors import StoreError, StoreUnavailable
from infra.leases import Lease
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger("exaim.lease_worker")

POLL_S: Final = 0.25  # how late something new is noticed

Taken = TypeVar("Taken")


class LeasedWork(Protocol[Taken]):
    """Work on leased sessions. `name`: prefix in the log; `own_errors`: expected besides the store's."""

    name: str
    own_errors: tuple[type[Exception], ...]

    async def there(self) -> Collection[str]:
        """Return the sessions that may have work, in order. Raises: StoreError."""
        ...

    async def take(self, session_id: str) -> tuple[Taken, Lease] | None:
        """Return a session's work with its lease, or None: none, or another has it. Raises: StoreError."""
        ...

    async def make(self, taken: Taken, lease: Lease) -> None:
        """Do the work while the lease is held; it is released afterwards. Raises: `own_errors`, StoreError."""
        ...


class LeaseWorker(Generic[Taken]):
    """Looks for sessions that nobody holds, and works at up to `most` at once."""

    def __init__(
        self, work: LeasedWork[Taken], *, most: int, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._work, self._most, self._now_s = work, most, now_s
        self._held: set[str] = set()
        self._retries = Retries()

    async def run(self) -> None:
        """Look and work until cancelled; what fails is left to a later try, the rest goes on."""
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    there = await self._work.there()
                    self._retries.keep(there)
                    for session_id in there:
                        await self._consider(session_id, group)
                except StoreError as error:  # one session's own is met where it is considered
                    log.warning("no session can be looked for (%s): %s", self._work.name, error)
                await asyncio.sleep(POLL_S)

    async def _consider(self, session_id: str, group: asyncio.TaskGroup) -> None:
        if session_id in self._held or len(self._held) >= self._most:
            return
        if not self._retries.due(session_id, self._now_s()):
            return
        try:
            with contained(StoreError):
                taken = await self._work.take(session_id)
        except StoreUnavailable:
            raise
        except (StoreError, UnexpectedError) as error:
            self._failed(session_id, error)
            return
        if taken is not None:
            self._held.add(session_id)
            name = f"{taken[1].kind}-{session_id}"
            group.create_task(self._make(session_id, *taken), name=name)

    async def _make(self, session_id: str, taken: Taken, lease: Lease) -> None:
        expected: tuple[type[Exception], ...] = (StoreError, *self._work.own_errors)
        failures: tuple[type[Exception], ...] = (UnexpectedError, *expected)
        try:
            with contained(*expected):
                await self._work.make(taken, lease)
        except* failures as errors:
            self._failed(session_id, errors)
        else:
            self._retries.went_well(session_id)
        finally:
            self._held.discard(session_id)
            try:
                await lease.release()
            except StoreError as error:
                log.warning("the %s lease of %s runs out by itself: %s", lease.kind, session_id, error)

    def _failed(self, session_id: str, error: Exception) -> None:
        """Log a failure, and delay the next try if it is the session's own."""
        lasting = error.split(PASSING)[1] if isinstance(error, ExceptionGroup) else error
        why = error.exceptions if isinstance(error, ExceptionGroup) else error
        wait_s = 0.0 if lasting is None else self._retries.failed(session_id, self._now_s())
        log.warning("%s %s stopped, next try in %.0f s: %s", self._work.name, session_id, wait_s, why)
