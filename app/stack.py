"""Starts parts in the order of their needs, waits until each is ready, ends all of them together.

start ──▶ needs ready ──▶ spawn ──▶ probe until ready ──▶ runs ──▶ ends by itself: the stack ends
                                      │ deadline, or it died: the stack ends
at the end: SIGTERM to what nobody needs, then to what that needed, and so on; SIGKILL after a grace
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.exits import CantStart, Exit
from app.probes import Probe
from infra.embedded.child import Child, spawn

POLL_S: Final = 0.05  # how late a death, or readiness, is noticed


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One process of the stack."""

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    ready: Probe
    died: Exit
    needs: tuple[str, ...] = ()
    within_s: float = 60.0  # imports take 1-4 s on two idle cores, far longer beside other work
    grace_s: float = 3.0


class StopAsked(Exception):
    """The user, or the system, asked the stack to stop."""


class Stack:
    """The running parts. One run each: `run` starts them, and has ended them when it returns."""

    def __init__(self, parts: Sequence[Part], *, logs: Path, say: Callable[[str], None]) -> None:
        self._parts = tuple(parts)
        self._logs = logs
        self._say = say
        self._ready = {part.name: asyncio.Event() for part in parts}
        self._children: dict[str, Child] = {}

    async def run(
        self, *, stop: asyncio.Event, hurry: asyncio.Event, on_ready: Callable[[Mapping[str, int]], None]
    ) -> None:
        """Start every part and keep them until `stop`; call `on_ready` with their pids once all are ready.

        `hurry` cuts the grace short that parts get to end in. All are ended when this returns or raises.
        Raises: CantStart (a part died or was not ready in time; the first one's), StopAsked.
        """
        try:
            await self._keep_all(stop, on_ready)
        finally:
            await self._end_all(hurry)

    async def _keep_all(self, stop: asyncio.Event, on_ready: Callable[[Mapping[str, int]], None]) -> None:
        failures: list[CantStart] = []
        try:
            async with asyncio.TaskGroup() as group:
                for part in self._parts:
                    group.create_task(self._keep(part), name=f"keep-{part.name}")
                group.create_task(self._announce(on_ready), name="announce")
                group.create_task(_until(stop), name="until-stop")
        except* CantStart as several:
            failures = [error for error in several.exceptions if isinstance(error, CantStart)]
        except* StopAsked:
            pass
        if failures:
            raise failures[0]
        raise StopAsked

    async def _keep(self, part: Part) -> None:
        for need in part.needs:
            await self._ready[need].wait()
        began_s = time.monotonic()
        child = spawn(part.name, part.argv, environ=part.environ, log=self._logs / f"{part.name}.log")
        self._children[part.name] = child
        await self._wait_ready(part, child)
        self._say(f"{part.name}: ready in {time.monotonic() - began_s:.1f} s (pid {child.pid})")
        self._ready[part.name].set()
        while child.exit_status() is None:
            await asyncio.sleep(POLL_S)
        raise _death(part, child)

    async def _wait_ready(self, part: Part, child: Child) -> None:
        try:
            async with asyncio.timeout(part.within_s):
                while not await part.ready():
                    if child.exit_status() is not None:
                        raise _death(part, child)
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            late = f"{part.name} was not ready within {part.within_s:g} s.{_tail(child)}"
            raise CantStart(Exit.NOT_READY, late) from None

    async def _announce(self, on_ready: Callable[[Mapping[str, int]], None]) -> None:
        for ready in self._ready.values():
            await ready.wait()
        on_ready({name: child.pid for name, child in self._children.items()})

    async def _end_all(self, hurry: asyncio.Event) -> None:
        left = [part for part in self._parts if part.name in self._children]
        while left:
            needed = {need for part in left for need in part.needs}
            wave = [part for part in left if part.name not in needed] or left
            await self._end(wave, hurry)
            left = [part for part in left if part not in wave]

    async def _end(self, wave: Sequence[Part], hurry: asyncio.Event) -> None:
        children = [self._children[part.name] for part in wave]
        for child in children:
            child.ask_to_stop()
        until_s = time.monotonic() + max(part.grace_s for part in wave)
        while any(child.exit_status() is None for child in children):
            if hurry.is_set() or time.monotonic() > until_s:
                break
            await asyncio.sleep(POLL_S)
        for child in children:
            child.kill_group()


async def _until(stop: asyncio.Event) -> None:
    await stop.wait()
    raise StopAsked


def _death(part: Part, child: Child) -> CantStart:
    return CantStart(part.died, f"{part.name} ended by itself ({_how(child.exit_status())}).{_tail(child)}")


def _how(status: int | None) -> str:
    if status is None or status >= 0:
        return f"exit code {status}"
    return f"signal {-status}"


def _tail(child: Child) -> str:
    words = child.last_words()
    shown = "".join(f"\n    {line}" for line in words.splitlines())
    return f" Its log, {child.log}, ends:{shown}" if words else f" Its log is {child.log}."
