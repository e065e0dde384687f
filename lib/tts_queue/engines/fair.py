"""A bounded lane of jobs in which each client has its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class LaneFull(Exception):
    """As many jobs of this client wait as may."""


class FairLane(Generic[T]):
    """Jobs by client. `take` goes round them: a long list of one delays another by a job at most."""

    def __init__(self, bound_each: int) -> None:
        self._bound = bound_each
        self._jobs: OrderedDict[Hashable, deque[T]] = OrderedDict()
        self._some = asyncio.Event()

    def offer(self, client: Hashable, job: T) -> None:
        """Add a job without waiting. Raises: LaneFull."""
        mine = self._jobs.setdefault(client, deque())
        if len(mine) >= self._bound:
            raise LaneFull(f"{len(mine)} jobs of this client wait")
        mine.append(job)
        self._some.set()

    async def take(self) -> T:
        """Wait for the next job; the client goes to the end of the round."""
        while not self._jobs:
            self._some.clear()
            await self._some.wait()
        client, mine = self._jobs.popitem(last=False)
        job = mine.popleft()
        if mine:
            self._jobs[client] = mine
        return job

    def forget(self, client: Hashable) -> None:
        """Drop the waiting jobs of a client that is gone."""
        self._jobs.pop(client, None)
