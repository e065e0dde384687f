"""What a stack costs: the memory of an idle one, and the CPU of one session, by process.

A shipped case is played to a clinician's client whose microphone is open and gives the noise of a quiet room.
Nobody speaks. How much of the time the voice sounded is measured too, since most of the cost hangs on it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from lab.bench import figures
from lab.bench.figures import Figure
from lab.bench.processes import Used, memory_mb, roles, snapshot, used
from lab.demo.listener import (
    FRAME_SAMPLES,
    RATE_HZ,
    SOUND_RMS,
    Heard,
    Listener,
    ListenerError,
    end_session,
    listen,
    open_session,
)
from lab.demo.microphone import Microphone
from lab.demo.stackproc import RunningStack, stack

CASE: Final = "case-sudden-chest-pain"
SETTLED_S: Final = 20.0  # a session's greeting, and the engine's first reading
READY_TRIES: Final = 4
SETTLES_S: Final = 10.0  # after a start: the first texts are said to nobody, what was read is given back
NOISE_RMS: Final = 32768 * 10 ** (-60 / 20)  # a quiet room, after a browser's gain
CPU_PERCENT: Final = 18.0
IDLE_MB: Final = 900.0
SFU: Final = "livekit-server"  # the one that every LiveKit application has


@dataclass(frozen=True, slots=True)
class Cost:
    """What was measured. CPU in percent of one core, by role; memory in MB, by role, of the idle stack."""

    seconds: float
    speaking_share: float
    cpu: tuple[Used, ...]
    memory_mb: Mapping[str, float]

    @property
    def cpu_percent(self) -> float:
        """Of all processes but the SFU."""
        return sum(each.cpu_percent for each in self.cpu if each.role != SFU)


async def measure(folder: Path, seconds: float, *, start_method: str = "forkserver") -> Cost:
    """Measure on a stack of its own. Raises: StackFailed, ListenerError."""
    async with stack(folder, {"EXAIM_START_METHOD": start_method}) as running:
        await asyncio.sleep(SETTLES_S)
        idle = memory_mb(_roles(running))
        share, cpu = await _session(running, seconds)
    return Cost(seconds, share, tuple(cpu), idle)


def rows(cost: Cost) -> list[Figure]:
    """Return the two figures that have an aim, and the share of the time in which the voice sounded."""
    total, memory = cost.cpu_percent, sum(cost.memory_mb.values())
    return [
        figures.figure(
            *("CPU of one session, all but the SFU", "% of a core", [total]),
            most=CPU_PERCENT,
            aim=f"≤ {CPU_PERCENT:g} %",
        ),
        figures.figure("  its voice sounded for", "% of the time", [100 * cost.speaking_share]),
        figures.figure(
            *("memory of the idle stack", "MB", [memory]),
            most=IDLE_MB,
            aim=f"≤ {IDLE_MB:g} MB",
        ),
    ]


def told(cost: Cost) -> str:
    """Return all of it, for people: each process, and the threads that were busy."""
    lines = [f"CPU over {cost.seconds:g} s, of which the voice sounded {cost.speaking_share:.0%}:"]
    for each in cost.cpu:
        lines.append(f"{each.cpu_percent:6.1f} %  {each.role}  ({each.wakes_per_s:g} wakes/s)")
        lines += [f"          {spent:5.1f} %  {name}" for name, spent in list(each.threads.items())[:10]]
    lines.append(f"{cost.cpu_percent:6.1f} %  all but the SFU")
    lines.append("Memory of the idle stack, proportional share:")
    lines += [f"{mb:7.0f} MB  {role}" for role, mb in cost.memory_mb.items()]
    lines.append(f"{sum(cost.memory_mb.values()):7.0f} MB  in all")
    return "\n".join(lines)


def speaking_share(heard: Heard, since: int) -> float:
    """Return in how much of the time from sample `since` on the voice sounded, 0 to 1."""
    pcm = heard.pcm()[since:]
    whole = pcm[: len(pcm) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    if not len(whole):
        return 0.0
    return float((np.sqrt((whole.astype(np.float32) ** 2).mean(axis=1)) > SOUND_RMS).mean())


def _roles(running: RunningStack) -> dict[int, str]:
    noted: Mapping[str, Any] = running.noted
    return roles(int(noted["pid"]), noted["pids"])


async def _session(running: RunningStack, seconds: float) -> tuple[float, list[Used]]:
    grant = await open_session(running.api_url, CASE)
    async with listen(grant) as listener, _open(listener.microphone(), SETTLED_S + seconds):
        await _ready(listener)
        await asyncio.sleep(SETTLED_S)
        names, since = _roles(running), listener.heard.samples
        before, began_s = snapshot(list(names)), time.monotonic()
        await asyncio.sleep(seconds)
        after, took_s = snapshot(list(names)), time.monotonic() - began_s
        share = speaking_share(listener.heard, since)
    await end_session(running.api_url, grant)
    return share, used(before, after, took_s, names)


async def _ready(listener: Listener) -> None:
    """Say that sound is heard; on busy cores the voice may take a while to answer. Raises: ListenerError."""
    for left in reversed(range(READY_TRIES)):
        try:
            await listener.ready()
        except ListenerError:
            if not left:
                raise
        else:
            return


@asynccontextmanager
async def _open(microphone: Microphone, seconds: float) -> AsyncIterator[None]:
    """Keep the microphone open, with the noise of a quiet room in it."""
    noise = np.random.default_rng(1).normal(0.0, NOISE_RMS, round((seconds + 5.0) * RATE_HZ))
    async with microphone:
        saying = asyncio.create_task(microphone.say(noise.astype(np.int16)), name="room-noise")
        try:
            yield
        finally:
            saying.cancel()
            await asyncio.wait({saying})


def main() -> None:
    """Measure once and print all of it: `python -m lab.bench.cost [seconds] [spawn]`."""
    import sys
    import tempfile

    seconds = next((float(each) for each in sys.argv[1:] if each.isdigit()), 60.0)
    with tempfile.TemporaryDirectory(prefix="exaim-cost-") as folder:
        method = "spawn" if "spawn" in sys.argv else "forkserver"
        cost = asyncio.run(measure(Path(folder), seconds, start_method=method))
    print(told(cost))  # noqa: T201 - a tool for people


if __name__ == "__main__":
    main()
