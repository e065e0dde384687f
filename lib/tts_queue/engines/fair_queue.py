"""A bounded queue of jobs in which each client has its turn, and what was begun goes on in time."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

T = TypeVar("T")

SOON_S: Final = 0.15  # about what one step of a voice takes, on a machine with other work


class QueueFull(Exception):
    """As many jobs of this client wait as may."""


class FairQueue(Generic[T]):
    """Jobs by client, in steps. `take` gives, in this order,

    what is urgent, but never twice before something else that waits; what was begun and is due within
    `SOON_S`; what was not begun, going round the clients; and what was begun, the earliest due first.
    So a long list of one client delays another by a step or so, and a sound once begun has its next part
    before it runs dry, unless more is asked than the machine can do.
    """

    def __init__(self, bound_each: int) -> None:
        self._bound = bound_each
        self._jobs: OrderedDict[Hashable, deque[T]] = OrderedDict()
        self._urgent: deque[tuple[Hashable, T]] = deque()
        self._begun: list[tuple[float, Hashable, T]] = []
        self._after_urgent = False
        self._some = asyncio.Event()

    @property
    def empty(self) -> bool:
        """Whether no step waits."""
        return not (self._jobs or self._urgent or self._begun)

    def offer(self, client: Hashable, job: T, *, urgent: bool = False) -> None:
        """Add a job without waiting. Raises: QueueFull."""
        hasty = sum(owner == client for owner, _ in self._urgent)
        mine = len(self._jobs.get(client, ())) + hasty
        if mine >= self._bound:
            raise QueueFull(f"{mine} jobs of this client wait")
        if urgent:
            self._urgent.append((client, job))
        else:
            self._jobs.setdefault(client, deque()).append(job)
        self._some.set()

    def go_on(self, client: Hashable, job: T, due_s: float) -> None:
        """Put back a job of which a step was done; `due_s`: when the next is needed, on the loop's clock."""
        self._begun.append((due_s, client, job))
        self._begun.sort(key=lambda begun: begun[0])
        self._some.set()

    async def take(self) -> T:
        """Wait for the next step; the client of a new job goes to the end of the round."""
        while self.empty:
            self._some.clear()
            await self._some.wait()
        due_s = self._begun[0][0] if self._begun else float("inf")
        soon = due_s <= asyncio.get_running_loop().time() + SOON_S
        others = bool(self._jobs or self._begun)
        if self._urgent and not (self._after_urgent and others):
            self._after_urgent = True
            return self._urgent.popleft()[1]
        self._after_urgent = False
        if self._begun and (soon or not self._jobs):
            return self._begun.pop(0)[2]
        client, mine = self._jobs.popitem(last=False)
        job = mine.popleft()
        if mine:
            self._jobs[client] = mine
        return job

    def forget(self, client: Hashable) -> None:
        """Drop the jobs of a client that is gone."""
        self._jobs.pop(client, None)
        self._urgent = deque(each for each in self._urgent if each[0] != client)
        self._begun = [each for each in self._begun if each[1] != client]
