"""A third process of tests, which computes while the two others wait for speech, and takes nothing from them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from infra.embedded.forking import tie

LAST_OF: Final = 3
"""From so many processes on, the last one steps back."""
SESSION_NICENESS: Final = 10
"""A tenth of what others get of a core that they want: who is left alone with it at last still ends in time."""
NICENESS: Final = 5
"""Where the kernel shares cores by control groups or by processes."""


def steps_back(worker: str, processes: int) -> bool:
    """Say whether the process of that name (gw0, gw1 …) is the one that computes in the background."""
    return processes >= LAST_OF and worker == f"gw{processes - 1}"


def step_back(workerinput: Mapping[str, Any]) -> None:
    """Compute from now on in time that others hardly want, if this is the process for it.

    Linux shares a core between sessions first (sched(7), autogroup), so it becomes a session of its own that is
    nice as a whole. What it starts belongs to it. It ends with its parent, whose group it has left.
    """
    if steps_back(workerinput["workerid"], workerinput["workercount"]):
        tie(os.getppid())
        os.setsid()
        with suppress(OSError):  # a kernel without it
            Path("/proc/self/autogroup").write_text(str(SESSION_NICENESS), encoding="ascii")
        os.nice(NICENESS)
