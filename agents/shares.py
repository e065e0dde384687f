"""Shares with Wilson's 95 % interval: one place for the laboratory and for MDAgents' scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

Z: Final = 1.959963984540054  # of 95 %


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % score interval of a share, 0 to 1; of nothing, everything is possible."""
    if not whole:
        return 0.0, 1.0
    p, n, z2 = part / whole, whole, Z * Z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = Z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    low = 0.0 if not part else max(0.0, middle - half)
    return low, 1.0 if part == whole else min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Share:
    """A share, `part` of `whole`, with Wilson's 95 % interval."""

    part: int
    whole: int

    @property
    def value(self) -> float:
        """The share; 0 of nothing is 0."""
        return self.part / self.whole if self.whole else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval's ends."""
        return wilson(self.part, self.whole)

    def span(self, digits: int = 2) -> str:
        """Return the interval as `[0.40, 0.60]`."""
        low, high = self.interval
        return f"[{low:.{digits}f}, {high:.{digits}f}]"

    def row(self) -> str:
        """Return it in columns of a table: `  50 of  100  0.50 [0.40, 0.60]`."""
        return f"{self.part:4} of {self.whole:4}  {self.value:.2f} {self.span()}"

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.part} of {self.whole} = {self.value:.1%} (95 % {low:.1%} to {high:.1%})"
