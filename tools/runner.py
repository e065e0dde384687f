"""Run set-up steps in parallel, each after what it needs, with a line as each starts and ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tools.facts import SetupError, SetupExit, is_stale, looks_offline

_STILL_S: Final = 15.0  # a step that runs for longer says so this often
_STOP_S: Final = 5.0  # what a tool gets to end after SIGTERM
_TAIL: Final = 12  # lines of a failed tool's log that are shown


class Stopped(Exception):
    """Another step failed, or the user stopped the set-up."""


@dataclass
class Shell:
    """Runs tools for one step, output to the step's log; `stop` ends them from another thread."""

    log: Path
    environ: Mapping[str, str]
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _stopped: threading.Event = field(default_factory=threading.Event)

    def run(
        self,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        code: SetupExit = SetupExit.STEP_FAILED,
        extra: Mapping[str, str] | None = None,
    ) -> None:
        """Run a tool to its end, with `extra` in its environment.

        Raises: SetupError (with `code`, or NO_NETWORK if the tool's output says so), Stopped.
        """
        if self._stopped.is_set():
            raise Stopped
        with self.log.open("ab") as output:
            output.write(f"$ {' '.join(map(str, argv))}\n".encode())
            output.flush()
            begun = output.tell()
            try:
                process = subprocess.Popen(
                    list(map(str, argv)),
                    cwd=cwd,
                    env={**self.environ, **(extra or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            except OSError as error:
                raise SetupError(code, f"{argv[0]} can't be run: {error.strerror}") from None
        self._running.append(process)
        if self._stopped.is_set():
            self.stop()
        status = process.wait()
        self._running.remove(process)
        if self._stopped.is_set():
            raise Stopped
        if status != 0:
            raise self._failure(str(argv[0]), status, begun, code)

    def _failure(self, tool: str, status: int, begun: int, code: SetupExit) -> SetupError:
        said = self.log.read_bytes()[begun:].decode("utf-8", errors="replace")
        tail = "\n".join(f"    {line}" for line in said.splitlines()[-_TAIL:])
        name = Path(tool).name
        found = SetupExit.NO_NETWORK if looks_offline(said) else code
        return SetupError(found, f"{name} ended with {status} (whole log: {_short(self.log)})\n{tail}")

    def stop(self) -> None:
        """End what runs, and refuse what would run later."""
        self._stopped.set()
        for process in list(self._running):
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(timeout=_STOP_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


@dataclass(frozen=True)
class Step:
    """One thing the set-up makes; done again only when its key changes or a product is gone."""

    name: str
    title: str
    key: str
    stamp: Path
    products: tuple[Path, ...]
    make: Callable[[Shell], None]
    needs: tuple[str, ...] = ()


class Progress:
    """Plain lines with the seconds since the start."""

    def __init__(self) -> None:
        self.began_s = time.monotonic()

    def say(self, line: str) -> None:
        """Write one line."""
        sys.stdout.write(f"[{time.monotonic() - self.began_s:6.1f} s] {line}\n")
        sys.stdout.flush()


def run_steps(steps: Sequence[Step], *, logs: Path, environ: Mapping[str, str], progress: Progress) -> None:
    """Bring every step up to date; the seconds each took go to `logs`/times.json.

    A step that fails ends the others. Raises: SetupError of the first that failed, KeyboardInterrupt.
    """
    stale = {step.name for step in steps if is_stale(step.stamp, step.key, step.products)}
    for step in steps:
        if step.name not in stale:
            progress.say(f"{step.name}: up to date")
    waiting = [step for step in steps if step.name in stale]
    if waiting:
        logs.mkdir(parents=True, exist_ok=True)
        times = _run_stale(waiting, logs, environ, progress)
        (logs / "times.json").write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")


def _run_stale(
    waiting: list[Step], logs: Path, environ: Mapping[str, str], progress: Progress
) -> dict[str, float]:
    done: dict[str, float] = {}
    open_names = {step.name for step in waiting}
    shells: dict[str, Shell] = {}
    running: dict[Future[float], str] = {}
    with ThreadPoolExecutor(max_workers=len(waiting)) as pool:
        try:
            while waiting or running:
                for step in [one for one in waiting if not open_names & set(one.needs)]:
                    waiting.remove(step)
                    shells[step.name] = _shell(step, logs, environ)
                    running[pool.submit(_make, step, shells[step.name], progress)] = step.name
                finished, _ = wait(running, timeout=_STILL_S, return_when=FIRST_COMPLETED)
                if not finished:
                    progress.say(f"still at it: {', '.join(sorted(running.values()))}")
                for future in finished:
                    name = running.pop(future)
                    done[name] = future.result()
                    open_names.discard(name)
        except BaseException:
            for shell in shells.values():
                shell.stop()
            raise
    done["all"] = round(time.monotonic() - progress.began_s, 1)
    return done


def _shell(step: Step, logs: Path, environ: Mapping[str, str]) -> Shell:
    log = logs / f"{step.name}.log"
    log.unlink(missing_ok=True)
    return Shell(log, environ)


def _make(step: Step, shell: Shell, progress: Progress) -> float:
    began_s = time.monotonic()
    progress.say(f"{step.name}: {step.title}")
    step.stamp.unlink(missing_ok=True)
    try:
        step.make(shell)
    except SetupError as error:
        raise SetupError(error.code, f"{step.name}: {error.message}") from None
    step.stamp.parent.mkdir(parents=True, exist_ok=True)
    step.stamp.write_text(step.key + "\n", encoding="utf-8")
    took_s = round(time.monotonic() - began_s, 1)
    progress.say(f"{step.name}: done in {took_s} s")
    return took_s


def replace_folder(new: Path, old: Path) -> None:
    """Put folder `new` where `old` is; `old` is never half there."""
    aside = old.with_name(f"{old.name}.old")
    shutil.rmtree(aside, ignore_errors=True)
    old.parent.mkdir(parents=True, exist_ok=True)
    if old.exists():
        old.rename(aside)
    new.rename(old)
    shutil.rmtree(aside, ignore_errors=True)


def _short(path: Path) -> str:
    return os.path.relpath(path)
