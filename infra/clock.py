"""Read the wall clock, for records and messages only. The store has its own (`store.clock_ms`)."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def wall_ms() -> int:
    """Return the wall clock, in ms since the epoch."""
    return time.time_ns() // 1_000_000


def utc(at_ms: int) -> datetime:
    """Return a moment, in ms since the epoch, as answers tell it."""
    return datetime.fromtimestamp(at_ms / 1000, UTC)
