"""When there was sound on a track, as stretches of time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

JOIN_S: Final = 0.15  # a shorter silence is inside a word, or a late frame
TELL_EVERY_S: Final = 0.5  # a longer stretch is told in parts, so that a killed page's sound is known


@dataclass(frozen=True, slots=True, order=True)
class Run:
    """Sound from the first loud frame's arrival to the last one's, in seconds of one clock."""

    from_s: float
    to_s: float

    @property
    def lasts_s(self) -> float:
        """How long it is."""
        return self.to_s - self.from_s


@dataclass(slots=True)
class RunTeller:
    """Makes runs of one track's frames."""

    _from_s: float | None = None
    _to_s: float = 0.0

    def frame(self, at_s: float, *, loud: bool) -> Run | None:
        """Take the next frame; return a run once it is over, or has lasted `TELL_EVERY_S`."""
        if self._from_s is None:
            if loud:
                self._from_s = self._to_s = at_s
            return None
        over = at_s - self._to_s > JOIN_S
        if loud and not over:
            self._to_s = at_s
        if not over and self._to_s - self._from_s < TELL_EVERY_S:
            return None
        run = Run(self._from_s, self._to_s)
        self._from_s = at_s if loud else None if over else self._to_s
        self._to_s = at_s if loud else self._to_s
        return run

    def end(self) -> Run | None:
        """Return what was not told yet."""
        run = None if self._from_s is None else Run(self._from_s, self._to_s)
        self._from_s = None
        return run


def merged(runs: Iterable[Run], join_s: float = JOIN_S) -> list[Run]:
    """Return the stretches in order; what is less than `join_s` apart is one."""
    out: list[Run] = []
    for run in sorted(runs):
        if out and run.from_s - out[-1].to_s <= join_s:
            out[-1] = Run(out[-1].from_s, max(out[-1].to_s, run.to_s))
        else:
            out.append(run)
    return out


def overlap_s(one: Sequence[Run], other: Sequence[Run]) -> float:
    """Return for how long there was sound in both; each is merged."""
    total, i, k = 0.0, 0, 0
    while i < len(one) and k < len(other):
        both = min(one[i].to_s, other[k].to_s) - max(one[i].from_s, other[k].from_s)
        total += max(0.0, both)
        if one[i].to_s < other[k].to_s:
            i += 1
        else:
            k += 1
    return total


def without(run: Run, covers: Sequence[Run]) -> list[Run]:
    """Return the parts of `run` that none of `covers` (merged) covers."""
    left, at_s = [], run.from_s
    for cover in covers:
        if cover.to_s <= at_s:
            continue
        if cover.from_s >= run.to_s:
            break
        if cover.from_s > at_s:
            left.append(Run(at_s, cover.from_s))
        at_s = max(at_s, cover.to_s)
    if at_s < run.to_s:
        left.append(Run(at_s, run.to_s))
    return left
