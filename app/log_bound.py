"""Bound the logs of the parts: what has grown too long is put aside, in the place of what was put aside before."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from pathlib import Path
from typing import Final

LOG_BYTES: Final = 16 * 2**20  # of one log, and as much of what was put aside
LOOK_S: Final = 20.0  # between two looks: a log may be longer by what is written meanwhile


def aside(log: Path) -> Path:
    """Return where the words before those of `log` are."""
    return log.with_suffix(".log.before")


def bound(log: Path, most_bytes: int = LOG_BYTES) -> bool:
    """Put a log aside and empty it if it is longer than `most_bytes`; return whether it was.

    Whoever writes it keeps it open, and goes on at its new beginning. What is written in the moment between the
    copy and the emptying is lost. Where there is no room for the copy, the log is emptied all the same.
    """
    try:
        if log.stat().st_size <= most_bytes:
            return False
        try:
            _copy(log, aside(log))
        except OSError:
            with contextlib.suppress(OSError):
                aside(log).unlink(missing_ok=True)
        os.truncate(log, 0)
    except OSError:  # somebody took it away
        return False
    return True


async def keep_bounded(logs: Path) -> None:
    """Look at all logs of a folder again and again, until cancelled."""
    while True:
        await asyncio.sleep(LOOK_S)
        await asyncio.to_thread(_bound_all, logs)


def _bound_all(logs: Path) -> None:
    with contextlib.suppress(OSError):
        for log in sorted(logs.glob("*.log")):
            bound(log)


def _copy(log: Path, to: Path) -> None:
    """Copy a log to a file that only its owner may read."""
    to.unlink(missing_ok=True)
    made = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(made, "wb") as target, log.open("rb") as source:
        shutil.copyfileobj(source, target)
