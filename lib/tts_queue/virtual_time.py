"""An event loop whose clock jumps to the next timer instead of waiting.

For code with no thread, process or socket in flight: their work takes no virtual time, so a
deadline around it would pass at once. A scene of minutes runs in milliseconds, and a wait for
something that can never come ends in an error instead of a hang.
"""

from __future__ import annotations

import asyncio
import selectors


class Deadlock(RuntimeError):
    """Every task waits, and no timer is set that could wake one."""


class _JumpingSelector(selectors.DefaultSelector):
    """Adds each time-out to its clock instead of waiting, and looks for ready files before it does."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; else pass `timeout`, in seconds, at once. Raises: Deadlock."""
        if timeout == 0:
            return []  # callbacks are ready: they go first
        ready = super().select(0)
        if ready:
            return ready
        if timeout is None:
            raise Deadlock("nothing is ready and no timer is set")
        self.now_s += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on virtual time; `time()` starts at 0.0 s."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the virtual time, in seconds."""
        return self._jumping.now_s


def runner() -> asyncio.Runner:
    """Return a runner on virtual time, to be used as a context manager."""
    return asyncio.Runner(loop_factory=VirtualLoop)
