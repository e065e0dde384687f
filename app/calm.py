"""Whether this machine has room for work that can wait."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from app.probes import Probe

STAT: Final = Path("/proc/stat")
IDLE_SHARE: Final = 0.25
"""Of all cores, between two looks: half a core of two, which is what a spare takes while it loads."""


def is_calm(stat: Path = STAT) -> Probe:
    """Return a probe that says whether the cores were idle for a quarter of the time since it was asked last.

    The first time it says no. Where the system does not tell, it always says yes.
    """
    before: tuple[int, int] | None = None

    async def ask() -> bool:
        nonlocal before
        try:
            cpu = stat.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
            ticks = [int(each) for each in cpu]
        except (OSError, ValueError):
            return True
        if len(ticks) < 5:
            return True
        now = ticks[3] + ticks[4], sum(ticks)  # idle, and waiting for a disk
        was, before = before, now
        return was is not None and now[0] - was[0] >= IDLE_SHARE * max(1, now[1] - was[1])

    return ask
