"""Start parts in the order of their needs, keep each running, and end all together.

start ──▶ needs ready ──▶ spawn ──▶ probe until ready ──▶ runs ──▶ died, or is stuck and ended ──┐
                            ▲        │ deadline, or it died: the stack ends at start-up          │
                            └────────┴── later: at once, then with a back-off ◀──────────────────┘
                                         too many deaths in a while: the stack ends
at the end: SIGTERM to what nobody needs, then to what that needed, and so on; SIGKILL after a grace
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.exits import CantStart, Exit
from app.log_bound import aside, keep_bounded
from app.probes import Probe
from app.restarts import Death, RestartLimits, wait_s
from infra.embedded.child import Child, spawn
from infra.embedded.ended import until_ended
from infra.embedded.template import CantFork, Forked, Template

POLL_S: Final = 0.05  # how late readiness is noticed,
DEATH_S: Final = 0.1  # and how late a death, where the kernel does not tell of it
REAPED_S: Final = 0.005  # from a death to its exit code: the template tells those of forks
TEMPLATE_S: Final = 120.0  # for a fork, which waits for all that is loaded: some 8 s of CPU, in a row
NO_LIMITS_GIVEN: Final = RestartLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class StackProcess:
    """One process of the stack.

    Args:
        alive: whether one that was ready still answers; None: it is not asked.
        fork: a module and its options: the part is a fork of the stack's template, if it has one, that runs the
            module's `run()`; else it is the program `argv`.
    """

    name: str
    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    ready: Probe
    died: Exit
    alive: Probe | None = None
    fork: tuple[str, ...] = ()
    before: Callable[[], None] = lambda: None  # takes away what an earlier process left, before each start
    needs: tuple[str, ...] = ()
    within_s: float = 60.0  # imports take 1-4 s on two idle cores, far longer beside other work
    grace_s: float = 3.0


class StopAsked(Exception):
    """The user, or the system, asked the stack to stop."""


class _Failed(Exception):
    """A part has failed, and why. Never leaves this module."""

    def __init__(self, exit_code: Exit, why: str, *, lost_s: float | None = None) -> None:
        super().__init__(why)
        self.exit, self.why = exit_code, why
        self.ran_s = 0.0  # how long it had been ready, if it ended by itself
        self.lost_s = lost_s  # how long it gave no sign before it was ended; None: it ended by itself


class Stack:
    """The running parts. One run each: `run` starts them, and has ended them when it returns.

    Args:
        say: takes one line for the user at each change of a part.
        clock: seconds, for the times of deaths; it may stand still while the machine sleeps.
        template: what parts are forked of; None: each is a program of its own.
    """

    def __init__(
        self,
        parts: Sequence[StackProcess],
        *,
        logs: Path,
        say: Callable[[str], None],
        limits: RestartLimits = NO_LIMITS_GIVEN,
        clock: Callable[[], float] = time.monotonic,
        template: Template | None = None,
    ) -> None:
        self._parts = tuple(parts)
        self._template = template
        self._logs = logs
        self._say = say
        self._limits = limits
        self._clock = clock
        self._ready = {part.name: asyncio.Event() for part in parts}
        self._all_ready = asyncio.Event()
        self._children: dict[str, Child | Forked] = {}
        self._on_pids: Callable[[Mapping[str, int]], None] = lambda _: None

    async def run(
        self, *, stop: asyncio.Event, hurry: asyncio.Event, on_pids: Callable[[Mapping[str, int]], None]
    ) -> None:
        """Start every part and keep them until `stop`.

        `on_pids` is called with their pids once all are ready, and again after each restart. `hurry` cuts the
        grace short that parts get to end in. All are ended when this returns or raises.

        Raises: CantStart (a part died or was not ready in time at start-up, or died too often later; the
        first one's), StopAsked.
        """
        self._on_pids = on_pids
        try:
            self._load_template()
            await self._keep_all(stop)
        finally:
            await self._end_all(hurry)

    def _load_template(self) -> None:
        """Begin to load the template while the first parts start; a failure is reported by its forks."""
        if self._template is not None:
            with contextlib.suppress(OSError):
                self._template.begin()

    async def _keep_all(self, stop: asyncio.Event) -> None:
        failures: list[CantStart] = []
        try:
            async with asyncio.TaskGroup() as group:
                for part in self._parts:
                    group.create_task(self._keep(part), name=f"keep-{part.name}")
                group.create_task(self._announce(), name="announce")
                group.create_task(keep_bounded(self._logs), name="bound-logs")
                group.create_task(_until(stop), name="until-stop")
        except* CantStart as several:
            failures = [error for error in several.exceptions if isinstance(error, CantStart)]
        except* StopAsked:
            pass
        if failures:
            raise failures[0]
        raise StopAsked

    async def _announce(self) -> None:
        for ready in self._ready.values():
            await ready.wait()
        self._all_ready.set()
        self._tell_pids()

    def _tell_pids(self) -> None:
        self._on_pids({name: child.pid for name, child in self._children.items()})

    async def _keep(self, part: StackProcess) -> None:
        for need in part.needs:
            await self._ready[need].wait()
        deaths: list[Death] = []
        while True:
            try:
                await self._live(part, again=bool(deaths))
            except _Failed as failed:
                deaths.append(Death(self._clock(), failed.ran_s, failed.lost_s or 0.0))
                await self._wait_after(part, failed, deaths)

    async def _live(self, part: StackProcess, *, again: bool) -> None:
        """Start the part once and see it through to its end. Raises: _Failed, and it runs no more."""
        began_s = time.monotonic()
        child = await self._start(part)
        await self._wait_ready(part, child)
        took_s = time.monotonic() - began_s
        self._say(f"{part.name}: {'back' if again else 'ready'} in {took_s:.1f} s (pid {child.pid})")
        self._ready[part.name].set()
        if self._all_ready.is_set():
            self._tell_pids()
        await self._until_it_fails(part, child)

    async def _start(self, part: StackProcess) -> Child | Forked:
        """Start the part. Raises: _Failed: its files, or a process, can't be made now."""
        try:
            async with asyncio.timeout(TEMPLATE_S):
                child = await self._begun(part)
        except TimeoutError:
            late = f"had no template within {TEMPLATE_S:g} s."
            raise _Failed(Exit.NOT_READY, late, lost_s=TEMPLATE_S) from None
        except CantFork as error:
            raise _Failed(part.died, f"can't be started: {error}") from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _Failed(part.died, f"can't be started ({where}{_reason(error)}).") from None
        self._children[part.name] = child
        return child

    async def _begun(self, part: StackProcess) -> Child | Forked:
        log = self._logs / f"{part.name}.log"
        self._logs.mkdir(exist_ok=True)  # somebody may have tidied it away
        if part.name in self._children:  # what the dead one said last is kept beside the new log
            with contextlib.suppress(FileNotFoundError):
                log.replace(aside(log))
        part.before()
        if self._template is None or not part.fork:
            return spawn(part.name, part.argv, environ=part.environ, log=log)
        module, *options = part.fork
        return await self._template.start(part.name, module, options, environ=part.environ, log=log)

    async def _wait_ready(self, part: StackProcess, child: Child | Forked) -> None:
        try:
            async with asyncio.timeout(part.within_s):
                while not await part.ready():
                    _check_runs(part, child)
                    await asyncio.sleep(POLL_S)
        except TimeoutError:
            child.kill_group()
            late = f"was not ready within {part.within_s:g} s.{_tail(child)}"
            raise _Failed(Exit.NOT_READY, late, lost_s=part.within_s) from None

    async def _until_it_fails(self, part: StackProcess, child: Child | Forked) -> None:
        """Watch a part that was ready. Raises: _Failed: it died, or gave no answer and was ended."""
        failures: list[_Failed] = []
        ready_s = self._clock()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_until_dead(part, child), name=f"died-{part.name}")
                if part.alive is not None:
                    group.create_task(self._until_stuck(part, child, part.alive), name=f"stuck-{part.name}")
        except* _Failed as several:
            failures = [error for error in several.exceptions if isinstance(error, _Failed)]
        child.kill_group()  # a dead worker's jobs, or all of one that is stuck
        failed = failures[0]
        if failed.lost_s is None:
            failed.ran_s = self._clock() - ready_s
        raise failed

    async def _until_stuck(self, part: StackProcess, child: Child | Forked, alive: Probe) -> None:
        """Ask the part over and over. Raises: _Failed: it gave no answer for too long."""
        missed, answered_s = 0, self._clock()
        while missed < self._limits.missed_looks:
            await asyncio.sleep(self._limits.look_every_s)
            if await alive():
                missed, answered_s = 0, self._clock()
            else:
                missed += 1
        why = f"gave no answer at {missed} looks in a row and was ended.{_tail(child)}"
        raise _Failed(part.died, why, lost_s=self._clock() - answered_s)

    async def _wait_after(self, part: StackProcess, failed: _Failed, deaths: Sequence[Death]) -> None:
        """Log a part's failure, and wait before its restart. Raises: CantStart."""
        if not self._all_ready.is_set():
            raise CantStart(failed.exit, f"{part.name} {failed.why}")
        limits = self._limits
        wait = wait_s(deaths, self._clock(), limits)
        if wait is None:
            stuck = "" if failed.lost_s is None else " without the time that it was stuck"
            often = f"It failed more than {limits.most} times in {limits.within_s:g} s{stuck}, so everything ends."
            raise CantStart(part.died, f"{part.name} {failed.why}\n{often}")
        self._say(f"{part.name}: {failed.why.splitlines()[0]}")
        self._say(f"{part.name}: starting again {f'in {wait:g} s' if wait else 'at once'}")
        await asyncio.sleep(wait)

    async def _end_all(self, hurry: asyncio.Event) -> None:
        left = [part for part in self._parts if part.name in self._children]
        while left:
            needed = {need for part in left for need in part.needs}
            wave = [part for part in left if part.name not in needed] or left
            await self._end(wave, hurry)
            left = [part for part in left if part not in wave]
        if self._template is not None:
            self._template.end()

    async def _end(self, wave: Sequence[StackProcess], hurry: asyncio.Event) -> None:
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


async def _until_dead(part: StackProcess, child: Child | Forked) -> None:
    while True:
        _check_runs(part, child)
        await until_ended(child.pid, DEATH_S)
        await asyncio.sleep(REAPED_S)


def _check_runs(part: StackProcess, child: Child | Forked) -> None:
    """Raise _Failed if the process has ended."""
    status = child.exit_status()
    if status is not None:
        raise _Failed(part.died, f"ended by itself ({_how(status)}).{_tail(child)}")


def _how(status: int) -> str:
    return f"exit code {status}" if status >= 0 else f"signal {-status}"


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _tail(child: Child | Forked) -> str:
    words = child.last_words()
    shown = "".join(f"\n    {line}" for line in words.splitlines())
    return f" Its log, {child.log}, ends:{shown}" if words else f" Its log is {child.log}."
