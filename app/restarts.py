"""Decide when a part that died is restarted, and when the stack gives up. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Death:
    """When a part died, and for how long it had been ready. Seconds, on any one clock.

    Of one that was stuck, `ran_s` is 0, however long that took to be seen, and `lost_s` is how long it took.
    """

    at_s: float
    ran_s: float = 0.0
    lost_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartLimits:
    """How often a part may die, and how it is found to be stuck. Times in seconds.

    A death after a life of `settled_s` is answered at once, however often that was before: what has run well
    will do so again, and who listens hears each second. Deaths that follow it sooner are a row: the next ones
    are answered after `first_wait_s`, doubled each time, and more than `most` in `within_s` are no chance.
    A part that gave no answer, or was not ready in time, has not run well: its death goes on with the row,
    and the time that it took to be seen is not counted, else no such part would ever die often enough.
    """

    most: int = 5
    within_s: float = 60.0
    settled_s: float = 3.0  # ready for so long: what dies of its own start is gone by then
    first_wait_s: float = 0.5
    longest_wait_s: float = 8.0
    look_every_s: float = 1.0  # a look costs the part, and us, under a millisecond
    missed_looks: int = 6  # without an answer, each within a second: 6 to 12 s; two busy cores cost 2 s


def wait_s(deaths: Sequence[Death], now_s: float, limits: RestartLimits) -> float | None:
    """Return how long to wait before the next start, or None: it died too often.

    `deaths` are a part's so far in their order, the one of `now_s` included.
    """
    row = _row(deaths, now_s, limits)
    if row > limits.most:
        return None
    if row <= 1:
        return 0.0
    doubled: float = limits.first_wait_s * 2.0 ** (row - 2)
    return min(limits.longest_wait_s, doubled)


def _row(deaths: Sequence[Death], now_s: float, limits: RestartLimits) -> int:
    """Return how many of the last deaths form a row: recent, and each but the first after a short life."""
    row, lost_s = 0, 0.0
    for death in reversed(deaths):
        if now_s - lost_s - death.at_s >= limits.within_s:
            break
        row += 1
        lost_s += death.lost_s
        if death.ran_s >= limits.settled_s:
            break
    return row
