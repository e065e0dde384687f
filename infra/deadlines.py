"""Deadlines for waits that nearly always end in time, at a fraction of the price of a timer each.

`asyncio.timeout` puts a timer on the loop's heap for every wait and takes it off again. A command to the
store has two waits, of the operation and of its reply: a tenth of what it costs its client. Here all waits
that run out in the same eighth of a second share one timer.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final
from weakref import WeakKeyDictionary

STEP_S: Final = 0.125
"""How much later than asked a wait may end, at most."""


class Deadline:
    """A block that raises TimeoutError if it takes `after_s`, or up to STEP_S more. Entered once.

    A cancellation that comes from outside stays one, as in `asyncio.timeout`.
    """

    __slots__ = ("_after_s", "_asked_before", "_expired", "_others", "_task")

    def __init__(self, after_s: float) -> None:
        self._after_s, self._expired = after_s, False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a task that it can end")
        self._task, self._asked_before = task, task.cancelling()
        self._others = _running_out_with(self._after_s)
        self._others.add(self)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._others.discard(self)
        if not self._expired:
            return
        ours = self._task.uncancel() <= self._asked_before
        if ours and kind is not None and issubclass(kind, asyncio.CancelledError):
            raise TimeoutError from error

    @property
    def cancelled(self) -> bool:
        """Whether somebody else has asked the task to end since the block began."""
        return self._task.cancelling() > self._asked_before

    def expire(self) -> None:
        """End the wait."""
        self._expired = True
        self._task.cancel()


_Waits = set[Deadline]
_OF_LOOPS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, dict[int, _Waits]]] = WeakKeyDictionary()
"""By loop, and by the multiple of STEP_S at which they run out."""


def _running_out_with(after_s: float) -> _Waits:
    """Return the waits of this loop that run out with one that begins now."""
    loop = asyncio.get_running_loop()
    steps = _OF_LOOPS.get(loop)
    if steps is None:
        steps = _OF_LOOPS[loop] = {}
    step = int((loop.time() + after_s) / STEP_S) + 1
    waits = steps.get(step)
    if waits is None:
        waits = steps[step] = set()
        loop.call_at(step * STEP_S, _run_out, steps, step)
    return waits


def _run_out(steps: dict[int, _Waits], step: int) -> None:
    for wait in steps.pop(step):
        wait.expire()
