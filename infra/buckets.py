"""Token buckets: how much somebody may ask for in a while. Pure; the clock is given."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

MOST_NAMES: Final = 4_096
"""Who has been away longest is forgotten beyond that, and has a full bucket again."""


@dataclass(frozen=True, slots=True)
class Pace:
    """`burst` at once, and `per_s` a second from then on."""

    burst: float
    per_s: float

    def times(self, number: int) -> Pace:
        """Return the pace of `number` clients together."""
        return Pace(self.burst * number, self.per_s * number)


class Buckets:
    """One bucket for each name, full at first."""

    def __init__(
        self, pace: Pace, *, now_s: Callable[[], float] = time.monotonic, most_names: int = MOST_NAMES
    ) -> None:
        self._pace, self._now_s, self._most_names = pace, now_s, most_names
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()  # name: (what is in it, at)

    def short_s(self, name: str, cost: float) -> float:
        """Return in how many seconds `cost` could be taken; 0: now. Takes nothing.

        More than a whole bucket holds is looked at as a whole bucket: else it could never be taken.
        """
        missing = min(cost, self._pace.burst) - self._level(name)
        return max(0.0, missing) / self._pace.per_s

    def take(self, name: str, cost: float) -> None:
        """Take `cost`; a bucket that holds less is empty then."""
        self._filled[name] = (max(0.0, self._level(name) - cost), self._now_s())
        self._filled.move_to_end(name)
        while len(self._filled) > self._most_names:
            self._filled.popitem(last=False)

    def _level(self, name: str) -> float:
        level, at_s = self._filled.get(name, (self._pace.burst, 0.0))
        passed_s = max(0.0, self._now_s() - at_s)
        return min(self._pace.burst, level + passed_s * self._pace.per_s)
