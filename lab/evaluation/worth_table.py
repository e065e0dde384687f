"""Makes `exaim_core/data/worth.json`, by which what is told into a silence is chosen, and says how well it ranks.

    python -m lab.evaluation.worth_table                     # each split left out in turn; writes nothing
    python -m lab.evaluation.worth_table --save PATH         # the table of all spent splits
    python -m lab.evaluation.worth_table --without SPLIT --save PATH   # learned without one, to measure on that one

A sentence counts if it holds half of the words that state a key point, or they hold half of it. Learned is on the
splits that were opened (`habits.SPENT`). Precisions are lower bounds: a list of sixteen points does not name all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from agents.shares import Share
from exaim_core.claims.claims import Worth
from exaim_core.claims.quotes import with_title, worth_of
from exaim_core.claims.worth import marks_of
from exaim_core.text.names import person
from exaim_core.text.units import Sentence
from lab.evaluation.discussions import read
from lab.evaluation.habits import SPENT, data_hash, files
from lab.evaluation.logistic import Marks, ranked
from lab.evaluation.worth import Floats, half, learned, left_out, stretch, units

DECIMALS: Final = 3
SHARES: Final = (0.4, 0.45, 0.5, 0.55, 0.6)


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence: its split and discussion, its marks, whether it presses, and whether it holds a key point."""

    split: str
    name: str
    marks: tuple[str, ...]
    worth: Worth
    counts: bool


def rows_of(split: str, path: Path) -> Iterator[Row]:
    """Yield the sentences of a discussion. Raises: OSError, KeyError."""
    discussion = read(path)
    points = json.loads(path.with_suffix(".gold.json").read_text(encoding="utf-8"))["points"]
    stated = [stretch(discussion, each) for each in points]
    heard, before = 0, list[tuple[int, Sentence]]()
    for turn, unit, (first, last) in units(discussion):
        agent = person(unit.source.agent_id)
        worth = worth_of(with_title(unit), unit.heading, unit.section)
        follows = any(
            at == turn and each.heading == unit.heading and not (each.row or unit.row) for at, each in before
        )
        presses = int(worth) if worth.presses else 0
        marks = tuple(marks_of(agent, unit, heard=heard, follows=follows, presses=presses))
        yield Row(
            *(split, path.stem, marks, worth),
            any(at == turn and half(first, last, a, b) for at, a, b in stated),
        )
        heard += len(unit.full.split())
        before = [*(each for each in before if each[0] == turn), (turn, unit)]


def matrix(rows: Sequence[Row]) -> tuple[list[str], Floats]:
    """Return the marks, sorted, and a line of them for each row."""
    names = sorted({mark for row in rows for mark in row.marks})
    places = {mark: at for at, mark in enumerate(names)}
    found = np.zeros((len(rows), len(places)), np.float32)
    for at, row in enumerate(rows):
        found[at, [places[mark] for mark in row.marks]] = 1.0
    return names, found


def table(rows: Sequence[Row], made: str) -> str:
    """Return the table learned on `rows`, as JSON."""
    names, x = matrix(rows)
    weights, bias = learned(x, np.array([row.counts for row in rows], np.float32))
    found = {name: round(float(weight), DECIMALS) for name, weight in zip(names, weights, strict=True)}
    return json.dumps({"made": made, "bias": round(bias, DECIMALS), "weights": found}, indent=1) + "\n"


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield how well the table and the markers rank, each split left out in turn."""
    counts = np.array([row.counts for row in rows])
    rest = np.array([not row.worth.presses for row in rows])
    score = left_out(matrix(rows)[1], counts, [row.split for row in rows])
    worths = np.array([int(row.worth) for row in rows], np.float32)
    names = np.array([row.name for row in rows])
    yield f"{len(rows)} sentences, {int(counts.sum())} hold a key point"
    for name, each in (("the table, each split left out", score), ("the markers", worths)):
        yield f"{name}: a key sentence above another of its discussion in {_within(each, counts, names):.3f}"
    likely = 1 / (1 + np.exp(-score))
    for least in SHARES:
        told = rest & (likely >= least)
        of = Share(int(counts[told].sum()), int(told.sum()))
        yield f"from {least}, of what presses not: {of.part} of {of.whole}, {of.value:.2f} {of.span()}"


def _within(score: Floats, counts: Marks, names: np.typing.NDArray[np.str_]) -> float:
    each = [
        ranked(score[of], counts[of])
        for name in np.unique(names)
        if 0 < counts[of := names == name].sum() < of.sum()
    ]
    return float(np.mean(each))


def main(argv: Sequence[str] | None = None) -> int:
    """Print how well the table ranks, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--without", choices=SPENT, help="a split that the table is not learned on")
    parser.add_argument("--save", type=Path, help="where the table is written")
    args = parser.parse_args(argv)
    splits = [split for split in SPENT if split != args.without]
    paths = [(split, path) for split in splits for path in files(split)]
    rows = [row for split, path in paths for row in rows_of(split, path)]
    if args.save is None:
        sys.stdout.writelines(f"{line}\n" for line in lines(rows))
        return 0
    data = data_hash(path for _, path in paths)
    made = (
        f"python -m lab.evaluation.worth_table, {len(paths)} discussions, {len(rows)} sentences, data {data}"
    )
    args.save.write_text(table(rows, made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
