"""Cores that do not fall asleep between two calls, as on a machine that has more to do.

A virtual core that idles for 100 µs is taken away by its host and comes back with cold caches: the same
instructions then take up to twice as long. Work at the kernel's idle priority keeps it, and yields at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

# Ends with whoever started it, however that ends.
_IDLE_WORK: Final = """
import os
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == {parent}:
    for _ in range(1_000_000):
        pass
"""
_END_S: Final = 5.0


@contextmanager
def awake() -> Iterator[None]:
    """Keep every core of this process awake until the block ends; on systems but Linux this does nothing.

    Raises: RuntimeError: a core was not kept awake to the end.
    """
    working = []
    with ExitStack() as ending:
        if sys.platform == "linux":
            for _ in os.sched_getaffinity(0):
                work = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _IDLE_WORK.format(parent=os.getpid())]
                )
                ending.callback(_end, work)
                working.append(work)
        yield
        if any(work.poll() is not None for work in working):
            raise RuntimeError("idle work ended early")


def _end(work: subprocess.Popen[bytes]) -> None:
    work.kill()
    work.wait(_END_S)
