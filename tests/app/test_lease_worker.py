"""The one loop of whoever takes sessions by lease: its bound, its tries, and that one failure stops no other."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection

import pytest
from redis.asyncio import Redis

from app.lease_worker import LeaseWorker
from infra.errors import StoreUnavailable
from infra.keys import SessionKeys
from infra.leases import Lease

pytestmark = pytest.mark.real
SOON_S = 30.0


class Expected(Exception):
    """What a piece of work may raise by its name."""


class Jobs:
    """Work of which each piece waits until it is let go, or raises what it is given first."""

    name = "the job of"
    own_errors: tuple[type[Exception], ...] = (Expected,)

    def __init__(self, store: Redis, *sessions: str) -> None:
        self.store, self.sessions = store, list(sessions)
        self.raises: dict[str, list[Exception]] = {}
        self.looks_fail: list[Exception] = []
        self.begun: Counter[str] = Counter()
        self.going: set[str] = set()
        self.go = asyncio.Event()
        self.looked = 0

    async def there(self) -> Collection[str]:
        self.looked += 1
        if self.looks_fail:
            raise self.looks_fail.pop(0)
        return list(self.sessions)

    async def take(self, session_id: str) -> tuple[str, Lease] | None:
        lease = Lease(self.store, SessionKeys(session_id, session_id), "team")
        return None if await lease.acquire() is None else (session_id, lease)

    async def make(self, taken: str, lease: Lease) -> None:
        self.begun[taken] += 1
        if self.raises.get(taken):
            raise self.raises[taken].pop(0)
        self.going.add(taken)
        try:
            await self.go.wait()
            self.sessions.remove(taken)
        finally:
            self.going.discard(taken)


async def looked_again(jobs: Jobs) -> None:
    """Wait for two more looks: one that was under way may have begun before."""
    until = jobs.looked + 2
    async with asyncio.timeout(SOON_S):
        while jobs.looked < until:
            await asyncio.sleep(0.01)


async def test_no_more_are_taken_than_may_be_and_the_rest_when_there_is_room(store: Redis) -> None:
    jobs = Jobs(store, "s-1", "s-2", "s-3")
    task = asyncio.create_task(LeaseWorker(jobs, most=2).run())
    await looked_again(jobs)
    await looked_again(jobs)
    assert jobs.going == {"s-1", "s-2"}
    jobs.go.set()
    async with asyncio.timeout(SOON_S):
        while jobs.sessions:
            await asyncio.sleep(0.01)
    assert jobs.begun == {"s-1": 1, "s-2": 1, "s-3": 1}
    task.cancel()
    await asyncio.wait({task})


async def test_one_that_fails_waits_for_its_next_try_and_the_others_go_on(store: Redis) -> None:
    jobs, clock = Jobs(store, "s-1", "s-2"), [0.0]
    jobs.raises["s-1"] = [Expected("away"), KeyError("a mistake of this program")]
    task = asyncio.create_task(LeaseWorker(jobs, most=8, now_s=lambda: clock[0]).run())
    await looked_again(jobs)
    await looked_again(jobs)
    assert jobs.begun["s-1"] == 1, "its wait is not over"
    clock[0] = 1.0
    await looked_again(jobs)
    await looked_again(jobs)
    assert jobs.begun["s-1"] == 2
    clock[0] = 2.9
    await looked_again(jobs)
    assert jobs.begun["s-1"] == 2, "the second wait is twice as long"
    clock[0] = 3.0
    await looked_again(jobs)
    await looked_again(jobs)
    assert jobs.going == {"s-1", "s-2"}
    assert jobs.begun == {"s-1": 3, "s-2": 1}
    task.cancel()
    await asyncio.wait({task})
    assert not jobs.going, "nothing outlives the loop"


async def test_a_look_that_fails_is_made_again_and_a_lease_is_free_after_the_work(store: Redis) -> None:
    jobs = Jobs(store, "s-1")
    jobs.looks_fail = [StoreUnavailable("a test")]
    jobs.go.set()
    task = asyncio.create_task(LeaseWorker(jobs, most=1).run())
    async with asyncio.timeout(SOON_S):
        while jobs.sessions:
            await asyncio.sleep(0.01)
    await looked_again(jobs)
    assert not await store.exists(SessionKeys("s-1", "s-1").name("lease:team"))
    task.cancel()
    await asyncio.wait({task})
