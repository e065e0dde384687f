"""A measured figure: how it is kept, judged and shown. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

HEADER: Final = "| figure | n | p50 | p95 | floor | aim | met |\n|---|---|---|---|---|---|---|"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure over `n` events. `aim` is in words, `met` is whether this run reached it.

    `floor` is the least that the same run allows (the same room without our parts), or None.
    """

    name: str
    unit: str
    n: int
    p50: float
    p95: float
    floor: float | None
    aim: str
    met: bool | None  # None: measured for others to stand beside, with no aim of its own

    def row(self) -> str:
        """Return the figure as a row of the table."""
        floor = "" if self.floor is None else f"{self.floor:g}"
        met = "" if self.met is None else "yes" if self.met else "**no**"
        values = f"{self.p50:g} {self.unit} | {self.p95:g} {self.unit}"
        return f"| {self.name} | {self.n} | {values} | {floor} | {self.aim} | {met} |"


def figure(
    name: str,
    unit: str,
    values: Sequence[float],
    *,
    aim: str = "",
    most: float | None = None,
    at: str = "p50",
    floor: float | None = None,
) -> Figure:
    """Return the figure of `values`; met if its `at` (p50, p95 or max) is at most `most`.

    Raises: ValueError: there are no values.
    """
    if not values:
        raise ValueError(f"nothing was measured for {name!r}")
    p50, p95, largest = (float(np.percentile(values, q)) for q in (50, 95, 100))
    judged = {"p50": p50, "p95": p95, "max": largest}[at]
    met = None if most is None else judged <= most
    return Figure(
        name=name,
        unit=unit,
        n=len(values),
        p50=round(p50, 1),
        p95=round(p95, 1),
        floor=None if floor is None else round(floor, 1),
        aim=aim,
        met=met,
    )


def write(folder: Path, topic: str, figures: Sequence[Figure]) -> None:
    """Write the figures of one topic to `folder/<topic>.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(each) for each in figures], indent=1)
    (folder / f"{topic}.json").write_text(text + "\n", encoding="utf-8")


def read(folder: Path) -> list[Figure]:
    """Return all figures of `folder`, by topic and in their order."""
    files = sorted(folder.glob("*.json"))
    return [Figure(**each) for file in files for each in json.loads(file.read_text(encoding="utf-8"))]


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table."""
    return "\n".join([HEADER, *(each.row() for each in figures)])
