"""A breaker: after failures in a row nothing is sent for a while, then one call tries again.

closed ──failures in a row──▶ open ──open_s over──▶ one trial ──succeeded──▶ closed
▲                        │
└────────failed──────────┘
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerLimits:
    """When it opens, and for how long."""

    failures: int = 3  # in a row: one or two are bad luck, and each costs a whole deadline
    open_s: float = 30.0  # a rate limit's window is a minute; half of it keeps the page's news coming

    def __post_init__(self) -> None:
        if self.failures < 1 or self.open_s <= 0:
            raise ValueError("a breaker wants at least one failure and a time above 0")


class Breaker:
    """Counts failures in a row; takes the time in seconds of any clock that never goes back."""

    def __init__(self, limits: BreakerLimits | None = None) -> None:
        self.limits = limits or BreakerLimits()
        self._failures = 0
        self._open_until_s: float | None = None
        self._trying = False

    def allows(self, now_s: float) -> bool:
        """Say whether a call may be sent; saying yes while half open is the one trial."""
        if self._open_until_s is None:
            return True
        if now_s < self._open_until_s or self._trying:
            return False
        self._trying = True
        return True

    def succeeded(self) -> None:
        """Close: a call brought an answer."""
        self._failures, self._open_until_s, self._trying = 0, None, False

    def failed(self, now_s: float) -> None:
        """Count a failed call; opens at the limit, or again if it was the trial."""
        self._failures += 1
        if self._trying or self._failures >= self.limits.failures:
            self._open_until_s = now_s + self.limits.open_s
        self._trying = False

    def abandoned(self) -> None:
        """Give the trial back: the call was cancelled by its caller, which says nothing of the service."""
        self._trying = False

    def is_open(self, now_s: float) -> bool:
        """Say whether calls are being held back now."""
        return self._open_until_s is not None and now_s < self._open_until_s
