"""Share one process's loop among its sessions: one that costs too much waits for the others.

Each session's reasoning is metered: every step that it takes on the loop is timed by the thread's CPU clock. While
several sessions are held, each has an equal part of `SHARE` of the loop's time, and a little in hand. Who has spent
more waits where its engine yields (`EXAIM(pause=…)`) until its part has made up for it. A session alone is not slowed.

Only when something is read changes, never what is made of it: the engine's timers run on the log's times.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, TypeVar

SHARE: Final = 0.5  # of the loop's time, for all engines; leases, store and new sessions have the rest
IN_HAND_S: Final = 0.3  # of CPU for all sessions before any waits: less than an alarm may be late by

DELAYED_S: Final = 5.0  # for which a session was made to wait since it had read all: then its page is told
DELAYED: Final = "read_late"
IN_TIME: Final = "read_in_time"
"""What a session's reasoner tells its voice, as kinds of commands."""

_Result = TypeVar("_Result")


class Shares:
    """The sessions of one process, and what each may spend.

    Args:
        cpu_s: the clock that counts what this thread computes, in seconds.
        now_s: the clock by which it is made up for, in seconds; None: the loop's.
    """

    def __init__(
        self,
        *,
        cpu_s: Callable[[], float] = time.thread_time,
        now_s: Callable[[], float] | None = None,
    ) -> None:
        self.cpu_s = cpu_s
        self.now_s = now_s or (lambda: asyncio.get_running_loop().time())
        self._held = 0

    @contextmanager
    def share(self) -> Iterator[LoopShare]:
        """Count one session in while the block lasts, and yield its share."""
        self._held += 1
        try:
            yield LoopShare(self)
        finally:
            self._held -= 1

    @property
    def rate(self) -> float | None:
        """Return how many seconds of CPU a session may spend a second; None while it is alone."""
        return None if self._held < 2 else SHARE / self._held

    @property
    def in_hand_s(self) -> float:
        """Return how much a session may spend at once, in seconds of CPU."""
        return IN_HAND_S / max(1, self._held)


class LoopShare:
    """One session's part of the loop: `run` meters its CPU, `pause` makes it wait if that is too much."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._left_s = shares.in_hand_s
        self._filled_at_s = shares.now_s()
        self._mark_s: float | None = None  # the CPU clock when the step that is under way began
        self.spent_s = 0.0
        self.waited_s = 0.0

    async def run(self, work: Coroutine[Any, Any, _Result]) -> _Result:
        """Do `work`, and count what it computes."""
        return await _Metered(work, self)

    async def pause(self) -> None:
        """Let other tasks run, and wait while this session has spent more than its share."""
        self._charge()
        wait_s = self._overdrawn_s()
        self.waited_s += wait_s
        await asyncio.sleep(wait_s)

    def begin(self) -> None:
        """Record that a step begins."""
        self._mark_s = self._shares.cpu_s()

    def end(self) -> None:
        """Record that a step is over."""
        self._charge()
        self._mark_s = None

    def _charge(self) -> None:
        if self._mark_s is None:
            return
        now_s = self._shares.cpu_s()
        spent_s, self._mark_s = now_s - self._mark_s, now_s
        self.spent_s += spent_s
        self._left_s -= spent_s

    def _overdrawn_s(self) -> float:
        """Refill by the time that has passed; return how long it takes until nothing is owed."""
        rate, now_s = self._shares.rate, self._shares.now_s()
        passed_s, self._filled_at_s = now_s - self._filled_at_s, now_s
        if rate is None:
            self._left_s = self._shares.in_hand_s  # alone it owes nobody
            return 0.0
        self._left_s = min(self._shares.in_hand_s, self._left_s + passed_s * rate)
        return max(0.0, -self._left_s / rate)


class _Metered(Generic[_Result]):
    """A coroutine whose CPU time on the loop is metered, step by step."""

    def __init__(self, work: Coroutine[Any, Any, _Result], share: LoopShare) -> None:
        self._work, self._share = work, share

    def __await__(self) -> Generator[Any, Any, _Result]:
        resume: Callable[[], Any] = lambda: self._work.send(None)  # noqa: E731
        while True:
            self._share.begin()
            try:
                waits_for = resume()
            except StopIteration as done:
                result: _Result = done.value
                return result
            finally:
                self._share.end()
            try:
                sent = yield waits_for
                resume = lambda: self._work.send(sent)  # noqa: E731, B023
            except GeneratorExit:
                self._work.close()
                raise
            except BaseException as error:  # a cancellation goes on to the work, which may clean up
                thrown = error
                resume = lambda: self._work.throw(thrown)  # noqa: E731, B023


class Delay:
    """Decides when a page is told that its team is read with a delay, or no longer is. Pure."""

    def __init__(self) -> None:
        self._waited_s = self._before_s = 0.0
        self._told = False

    def read(self, waited_s: float) -> str | None:
        """Take how long the session was made to wait so far; return `DELAYED` once that is long."""
        self._waited_s = waited_s
        if self._told or waited_s - self._before_s < DELAYED_S:
            return None
        self._told = True
        return DELAYED

    def caught_up(self) -> str | None:
        """Record that all is read; return `IN_TIME` if a delay was told."""
        self._before_s = self._waited_s
        told, self._told = self._told, False
        return IN_TIME if told else None
