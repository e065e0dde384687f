"""Bound the logs of the parts: what has grown too long is put aside, and the newest few put aside are kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from pathlib import Path
from typing import Final

LOG_BYTES: Final = 16 * 2**20  # of one log, and as much of each that was put aside
KEPT: Final = 3  # put aside, of one log
LOOK_S: Final = 20.0  # between two looks: a log may be longer by what is written meanwhile


def aside(log: Path) -> Path:
    """Return where the words before those of `log` are to be put.

    What is there moves on to `NAME.log.before.2`, and so on up to the first free place; where none is free, the oldest
    of `KEPT` is overwritten. A place that can't be freed is overwritten too. Raises nothing.
    """
    newest = log.with_suffix(".log.before")
    places = [newest, *(newest.with_suffix(f".before.{number}") for number in range(2, KEPT + 1))]
    free = next((number for number, each in enumerate(places) if not os.path.lexists(each)), KEPT - 1)
    for number in range(free, 0, -1):
        with contextlib.suppress(OSError):
            places[number - 1].replace(places[number])
    return newest


def bound(log: Path, most_bytes: int = LOG_BYTES) -> bool:
    """Put a log aside and empty it if it is longer than `most_bytes`; return whether it was.

    Whoever writes it keeps it open, and goes on at its new beginning. What is written in the moment between the
    copy and the emptying is lost. Where there is no room for the copy, the log is emptied all the same.
    """
    try:
        if log.stat().st_size <= most_bytes:
            return False
        to = aside(log)
        try:
            _copy(log, to)
        except OSError:
            with contextlib.suppress(OSError):
                to.unlink(missing_ok=True)
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
