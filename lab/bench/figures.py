"""A measured figure: how it is kept, judged and shown. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

PEER: Final = "AgentSession"
HEADER: Final = (
    f"| figure | n | p50 | p95 | floor | {PEER}: n, p50, p95 | aim | met |\n|---|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Spread:
    """n events with their p50 and p95; of a count (p95 None) p50 is how many of the n."""

    n: int
    p50: float
    p95: float | None

    def cells(self, unit: str) -> tuple[str, str]:
        """Return p50 and p95 as they are shown."""
        if self.p95 is None:
            return f"{self.p50:g} {unit}", ""
        return f"{self.p50:g} {unit}", f"{self.p95:g} {unit}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure over `n` events. `aim` is in words, `met` is whether this run reached it.

    `p95` is None for a count, such as words lost in all. `floor` is the least that the same run allows (the
    same room without our parts), `peer` the same figure of the peer in the same run; None: there is none.
    """

    name: str
    unit: str
    n: int
    p50: float
    p95: float | None
    floor: float | None
    aim: str
    met: bool | None  # None: measured for others to stand beside, with no aim of its own
    peer: Spread | None = None

    def row(self) -> str:
        """Return the figure as a row of the table."""
        floor = "" if self.floor is None else f"{self.floor:g}"
        met = "" if self.met is None else "yes" if self.met else "**no**"
        p50, p95 = Spread(self.n, self.p50, self.p95).cells(self.unit)
        peer = ""
        if self.peer is not None:
            peer = f"{self.peer.n}: " + ", ".join(filter(None, self.peer.cells(self.unit)))
        return f"| {self.name} | {self.n} | {p50} | {p95} | {floor} | {peer} | {self.aim} | {met} |"


_RANK: Final = {"p50": 50, "p95": 95, "max": 100}


def spread(values: Sequence[float]) -> Spread:
    """Return n, p50 and p95 of `values`. Raises: ValueError: there are none."""
    if not values:
        raise ValueError("nothing was measured")
    p50, p95 = (round(float(np.percentile(values, q)), 1) for q in (50, 95))
    return Spread(len(values), p50, p95)


def figure(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    aim: str = "",
    most: float | None = None,
    at: str = "p50",
    most_p95: float | None = None,
    floor: float | None = None,
    peer: Sequence[float] = (),
) -> Figure:
    """Return the figure of `values`; met if its `at` (p50, p95 or max) is at most `most`, and p95 `most_p95`.

    Raises: ValueError: there are no values.
    """
    if not values:
        raise ValueError(f"nothing was measured for {name!r}")
    found = spread(values)
    bounds = [(at, most), ("p95", most_p95)]
    judged = [np.percentile(values, _RANK[of]) <= bound for of, bound in bounds if bound is not None]
    met = all(judged) if judged else None
    return Figure(
        name=name,
        unit=unit,
        n=found.n,
        p50=found.p50,
        p95=found.p95,
        floor=None if floor is None else round(floor, 1),
        aim=aim,
        met=met,
        peer=spread(peer) if peer else None,
    )


def count(
    name: str, unit: str, number: float, n: int, *, most: float | None = None, peer: Spread | None = None
) -> Figure:
    """Return how many there were in `n` events; met if at most `most`."""
    aim, met = ("", None) if most is None else (f"at most {most:g}", number <= most)
    return Figure(name, unit, n, number, None, None, aim, met, peer)


def write(folder: Path, topic: str, figures: Sequence[Figure]) -> None:
    """Write the figures of one topic to `folder/<topic>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(each) for each in figures], indent=1)
    (folder / f"{topic}.json").write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> list[Figure]:
    """Return all figures of `folder`, by topic and in their order."""
    files = sorted(folder.glob("*.json"))
    rows = [each for file in files for each in json.loads(file.read_text(encoding="utf-8"))]
    return [Figure(**{**row, "peer": Spread(**row["peer"]) if row.get("peer") else None}) for row in rows]


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table."""
    return "\n".join([HEADER, *(each.row() for each in figures)])
