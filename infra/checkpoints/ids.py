"""The time in a checkpoint's id. LangGraph's ids are UUIDs of version 6: their text sorts by time."""

from __future__ import annotations

from uuid import UUID

_TICKS_A_SECOND = 10_000_000  # RFC 9562, 5.1: 100 ns each


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
    try:
        found = UUID(checkpoint_id)
    except ValueError:
        return None
    if found.version != 6:
        return None
    return (found.time_low << 28) | (found.time_mid << 12) | (found.time_hi_version & 0x0FFF)
