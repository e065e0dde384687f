"""The engine's clock, for callers that pass no times of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """Return the time now, aware, in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time now, aware, in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`."""
        self._now += timedelta(seconds=seconds)
