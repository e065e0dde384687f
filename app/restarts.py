"""When a part that died is started again, and when the stack gives up. Pure: times are arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

GO_FILE: Final = "EXAIM_GO_FILE"
"""Variable that makes a process a spare: it loads what it needs, and begins once the file is there."""

GO_LOOK_S: Final = 0.02
"""How late a spare sees the file: part of the silence that it is there to shorten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartLimits:
    """How often a part may die, and how it is found to hang. Times in seconds.

    The first death in `within_s` is answered at once, since a single one is most often chance; the next ones
    after `first_wait_s`, doubled each time. More than `most` deaths in `within_s` are no chance.
    """

    most: int = 5
    within_s: float = 60.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 8.0
    look_every_s: float = 1.0  # a look costs the part, and us, under a millisecond
    spare_after_s: float = 5.0  # before a spare is loaded: what has just begun needs the cores more
    hung_looks: int = 6  # without an answer, each within a second: 6 to 12 s; two busy cores cost 2 s


def wait_s(deaths_at_s: Sequence[float], now_s: float, limits: RestartLimits) -> float | None:
    """Return how long to wait before the next start, or None: it died too often.

    `deaths_at_s` are a part's deaths so far, the one of `now_s` included, on any one clock.
    """
    recent = sum(now_s - at_s < limits.within_s for at_s in deaths_at_s)
    if recent > limits.most:
        return None
    if recent <= 1:
        return 0.0
    doubled: float = limits.first_wait_s * 2.0 ** (recent - 2)
    return min(limits.longest_wait_s, doubled)
