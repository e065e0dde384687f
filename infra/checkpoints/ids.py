"""The time in a checkpoint's id. LangGraph's ids are UUIDs of version 6: their text sorts by time."""

from __future__ import annotations

import re
from typing import Final

_TICKS_A_SECOND: Final = 10_000_000  # RFC 9562, 5.1: 100 ns each
_TIMED: Final = re.compile("([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
"""RFC 9562, 5.6: the digits of the time, most significant first; those sort as their text does."""


def later(checkpoint_id: str, by_s: float) -> str | None:
    """Return a text that sorts after every id made up to `by_s` later, and before those made after.

    None: the id has no time in it.
    """
    ticks = _ticks(checkpoint_id)
    if ticks is None:
        return None
    digits = f"{ticks + round(by_s * _TICKS_A_SECOND):015x}"
    return f"{digits[:8]}-{digits[8:12]}-6{digits[12:]}"


def _ticks(checkpoint_id: str) -> int | None:
    found = _TIMED.fullmatch(checkpoint_id)
    return int("".join(found.groups()), 16) if found else None
