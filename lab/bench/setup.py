"""How long until the page can be opened: on a machine that was set up before, and on a bare one?"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from infra.settings import ROOT
from lab.bench.figures import Figure, figure
from lab.demo.stackproc import StackFailed, stack

WARM_S: Final = 10.0
COLD_S: Final = 300.0


async def warm(folder: Path, n: int) -> Figure:
    """Return the time from `exaim up` to its address, over `n` starts. Raises: StackFailed."""
    took = []
    for number in range(n):
        async with stack(folder / f"warm-{number}", {}) as running:
            took.append(float(running.noted["ready_after_s"]))
    return figure("exaim up to the address, warm", "s", took, most=WARM_S, aim=f"p50 ≤ {WARM_S:g} s")


async def cold() -> Figure:
    """Return how long the set-up takes in a fresh clone with empty caches; one run. Raises: StackFailed."""
    with tempfile.TemporaryDirectory(prefix="exaim-cold-") as folder:
        clone, home = Path(folder) / "clone", Path(folder) / "home"
        home.mkdir()
        await _run("git", "clone", "--quiet", str(ROOT), str(clone), environ={})
        elsewhere = {
            "HOME": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "GOMODCACHE": str(home / "mod"),
        }
        began_s = time.monotonic()
        await _run(
            *(sys.executable, str(clone / "tools" / "bootstrap.py"), "setup"),
            environ={**elsewhere, "GOFLAGS": "-modcacherw", "EXAIM_LIVEKIT_SERVER": ""},
        )
        took_s = time.monotonic() - began_s
    return figure("make setup, cold", "s", [took_s], most=COLD_S, aim=f"≤ {COLD_S:g} s")


async def _run(*argv: str, environ: dict[str, str]) -> None:
    process = await asyncio.create_subprocess_exec(*argv, env={**os.environ, **environ})
    if await asyncio.wait_for(process.wait(), 3 * COLD_S):
        raise StackFailed(f"{argv[0]} failed; see above")
