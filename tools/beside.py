"""Runs a tool in a process group of its own, and a row of checks beside another tool."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

CHECK_WITHIN_S: Final = 900.0  # types without a cache take 82 s of CPU, at the lowest priority
_STEPS_BACK: Final = 10
"""Niceness of what runs beside: what the tests start is soon ready, also while a type check computes.

Where the kernel shares cores between sessions (sched(7), autogroup), a process's own counts within its session only,
and each part of a stack is one: so each check is one, too, and that one is nice.
"""


@dataclass(frozen=True)
class Check:
    """A tool that looks at the source; what it says is shown if it fails."""

    name: str
    argv: tuple[str | Path, ...]
    cwd: Path
    extra: Mapping[str, str] = field(default_factory=dict)


def run(
    argv: Sequence[str | Path],
    cwd: Path,
    environ: Mapping[str, str],
    *,
    within_s: float,
    handed: Sequence[int] = (),
) -> int:
    """Run a tool whose group ends with it; 124 if it took too long. `handed`: file descriptors it gets."""
    process = subprocess.Popen(
        list(map(str, argv)),
        cwd=cwd,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        process_group=0,
        pass_fds=tuple(handed),
    )
    try:
        return process.wait(timeout=within_s)
    except subprocess.TimeoutExpired:
        say(f"{Path(argv[0]).name} took longer than {within_s:.0f} s and was ended")
        return 124
    finally:
        _kill(process)
        process.wait()


@dataclass
class Beside:
    """Checks that run one after the other. `over` is a pipe's end that reads as ended once they have."""

    found: Sequence[Check]
    environ: Mapping[str, str]
    failed: list[str] = field(default_factory=list)
    over: int = field(init=False)
    _not_over: int = field(init=False)
    _running: subprocess.Popen[str] | None = None
    _stopped: bool = False

    def __post_init__(self) -> None:
        self.over, self._not_over = os.pipe()

    def run(self) -> None:
        """Run all; say of each how it went, and in the end which failed."""
        try:
            for check in self.found:
                if not self._stopped and not self._passes(check):
                    self.failed.append(check.name)
            if self.failed and not self._stopped:
                say(f"FAILED beside pytest: {', '.join(self.failed)}")
        finally:
            os.close(self._not_over)

    def stop(self) -> None:
        """End the check that runs, from another thread, and begin no other."""
        self._stopped = True
        if self._running is not None:
            _kill(self._running)

    def _passes(self, check: Check) -> bool:
        began_s = time.monotonic()
        process = self._running = subprocess.Popen(
            list(map(str, check.argv)),
            cwd=check.cwd,
            env={**self.environ, **check.extra},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
        _step_back(process.pid)
        if self._stopped:
            _kill(process)
        said = _last_words(process)
        status = process.wait()
        went = "ok" if status == 0 else f"FAILED ({status})"
        say(f"{check.name}: {went} in {time.monotonic() - began_s:.1f} s", said if status else "")
        return status == 0


@contextmanager
def beside(found: Sequence[Check], environ: Mapping[str, str]) -> Iterator[Beside]:
    """Run checks in a thread while the block lasts, and after it to their end; an error in it ends them."""
    row = Beside(found, environ)
    thread = threading.Thread(target=row.run, name="checks")
    thread.start()
    try:
        yield row
    except BaseException:
        row.stop()
        raise
    finally:
        thread.join()
        os.close(row.over)


def say(line: str, more: str = "") -> None:
    """Write one line and, under it, what a tool said."""
    sys.stdout.write(f"== {line}\n{more}")
    sys.stdout.flush()


def _step_back(session: int) -> None:
    with suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PGRP, session, _STEPS_BACK)
    with suppress(OSError):  # no such kernel, or it has ended
        Path(f"/proc/{session}/autogroup").write_text(str(_STEPS_BACK), encoding="ascii")


def _last_words(process: subprocess.Popen[str]) -> str:
    """Return all that a check said; one that takes too long is ended."""
    try:
        return process.communicate(timeout=CHECK_WITHIN_S)[0]
    except subprocess.TimeoutExpired:
        _kill(process)
        return f"{process.communicate()[0]}ended after {CHECK_WITHIN_S:.0f} s\n"


def _kill(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
