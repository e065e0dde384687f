"""Perform the bootstrap's commands: which steps each takes, and what follows them."""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tools import checks
from tools.facts import SetupError, SetupExit
from tools.recipes import (
    CHROMIUM_VARIABLE,
    Place,
    chromium_steps,
    find_chromium,
    livekit_steps,
    packages_step,
    page_steps,
    uv_step,
)
from tools.runner import Progress, Shell, Step, run_steps

AFTER: Final = {"run": "up", "demo": "demo", "bench": "bench", "chaos": "chaos", "evaluate": "evaluate"}
"""Commands that go on as `exaim …`, the set-up done."""
DEVELOPING: Final = ("test", "check", "live-check")
"""Commands that need what is locked for the tests."""
LOCKS: Final = ("run", "llm", "cloud", "dev", "uv", "go", "node")


def perform(arguments: Sequence[str], root: str) -> int:
    """Do what the command line says. Returns an exit code, or never: `run` becomes `exaim up`."""
    parser = argparse.ArgumentParser(
        prog="bootstrap.py", description="Set up EXAIM Voice, and start or test it."
    )
    parser.add_argument(
        "command",
        choices=["setup", "run", "demo", "bench", "chaos", "evaluate", "test", "check", "live-check", "lock"],
    )
    asked, rest = parser.parse_known_args(arguments)
    place = Place(Path(root), os.environ)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that what runs is ended on it too
    try:
        with _alone(place):
            _set_up(place, asked.command)
        return _go_on(place, asked.command, rest)
    except SetupError as error:
        sys.stderr.write(f"\n{error}\n  exit code: {int(error.code)} ({error.code.name})\n")
        return int(error.code)
    except KeyboardInterrupt:
        sys.stderr.write("\nstopped; what is done is kept\n")
        return int(SetupExit.STOPPED)


@contextmanager
def _alone(place: Place) -> Iterator[None]:
    """Wait until no other set-up works in this checkout."""
    place.work.mkdir(parents=True, exist_ok=True)
    with (place.work / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stdout.write("another set-up works in this checkout; waiting for it\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _set_up(place: Place, command: str) -> None:
    progress = Progress()
    steps = _steps(place, command)
    run_steps(steps, logs=place.work, environ=place.environ, progress=progress)
    progress.say("set up")


def _steps(place: Place, command: str) -> list[Step]:
    if command == "lock":
        return [uv_step(place)]
    steps = [uv_step(place), packages_step(place, "dev" if command in DEVELOPING else "run")]
    if command in ("live-check", "evaluate"):  # neither needs a server or the page
        return steps
    if command in ("test", "check", "demo", "bench", "chaos") or place.needs_server():
        steps += livekit_steps(place)
    steps += page_steps(place)
    if command == "test":
        steps += _browser(place)
    return steps


def _browser(place: Place) -> list[Step]:
    named = place.environ.get(CHROMIUM_VARIABLE)
    if named and find_chromium(place.environ) is None:
        raise SetupError(
            SetupExit.NO_BROWSER, f"{CHROMIUM_VARIABLE} names {named}, and there is no such file"
        )
    return chromium_steps(place)


def _go_on(place: Place, command: str, rest: Sequence[str]) -> int:
    if command in AFTER:
        program = str(place.venv / "bin" / "exaim")
        sys.stdout.flush()
        os.execv(program, [program, AFTER[command], *rest])
    if command == "test":
        return checks.run_all(place, rest)
    if command == "check":
        return checks.run_quick(place, rest)
    if command == "live-check":
        return checks.run_live(place, rest)
    if command == "lock":
        _lock(place)
    return 0


def _lock(place: Place) -> None:
    """Resolve requirements/*.in anew into hash-pinned locks that name no index and no local path."""
    log = place.work / "lock.log"
    log.unlink(missing_ok=True)
    shell = Shell(log, place.environ)
    for name in LOCKS:
        source, target = Path("requirements", f"{name}.in"), Path("requirements", f"{name}.lock")
        new = place.work / f"{name}.lock"
        shutil.copy(place.root / target, new)  # so that pins move only where they must
        options = ("--universal", "--python-version", "3.11", "--generate-hashes", "--only-binary", ":all:")
        silent = ("--no-header", "--no-emit-index-url", "--no-emit-find-links", "--quiet")
        uv = place.venv / "bin" / "uv"
        shell.run((uv, "pip", "compile", source, "-o", new, *options, *silent), cwd=place.root)
        shutil.copy(new, place.root / target)
        sys.stdout.write(f"{target}: {sum('==' in line for line in new.read_text().splitlines())} pins\n")
