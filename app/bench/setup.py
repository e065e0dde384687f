"""How long until the page can be opened, on a machine that was set up before?"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from app.bench.figures import Figure, figure
from app.demo.stackproc import stack

WARM_S: Final = 10.0
COLD_S: Final = 300.0


async def warm(folder: Path, n: int) -> Figure:
    """Return the time from `exaim up` to its address, over `n` starts. Raises: StackFailed."""
    took = []
    for number in range(n):
        async with stack(folder / f"warm-{number}", {}) as running:
            took.append(float(running.noted["ready_after_s"]))
    return figure("exaim up to the address, warm", "s", took, most=WARM_S, aim=f"p50 ≤ {WARM_S:g} s")
