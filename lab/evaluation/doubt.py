"""Could a small model tell which sentences are not true when they are told alone, with sets left out?

    python -m lab.evaluation.doubt       # by family, and what is caught and lost, each set left out in turn

The rows are the judged sentences in an agent's words (`tests/gold/judged`); a sentence's features are what the engine
knows when it words one (`lab.evaluation.doubt_features`). The engine uses nothing of it (decision 093). Learned is
a logistic regression with a penalty; it has no random part. A share is dropped by the doubt that this share of the
*other* sets goes beyond. Key points are those of the discussion that a judged sentence tells; one is lost where all
sentences that tell it are dropped. The features were chosen with all judged sentences in sight, so what they find in a
set that is left out is too good rather than too bad.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.shares import Share
from exaim_core.lexicon.alone import hangs, is_scrap
from exaim_core.schema import SpokenKind
from exaim_core.words.templates import said_words
from lab.evaluation.doubt_features import ASKED, FEATURES, Told, features
from lab.evaluation.habits import FOLDER, KeyPoint, load
from lab.evaluation.judging import BAD, JUDGED, same
from lab.evaluation.judging import rows as judged_rows
from lab.evaluation.logistic import Floats, Marks, fitted, ranked
from lab.evaluation.proven import form_of, turns_of, words_of

PENALTY: Final = 6.0
SHARES: Final = (0.05, 0.1, 0.15, 0.2, 0.3)
MOST_OF_ITS_WORDS: Final = 0.8  # of a sentence: then it is told with the one after it


@dataclass(frozen=True, slots=True)
class Row:
    """A judged sentence: `told` is what the engine would look at, None where it is not asked.

    `untrue` is the first reader's word, `share` that of both: 0, 0.5 or 1. `points`: the key points that it tells.
    """

    split: str
    discussion: str
    family: str
    text: str
    told: Told | None
    untrue: bool
    share: float
    points: frozenset[int]


def rows(judged: Path = JUDGED, folder: Path = FOLDER) -> list[Row]:
    """Return all judged sentences, each once; of two judgements the blind readers'. Raises: OSError, KeyError."""
    found: dict[tuple[str, str], Row] = {}
    for each in judged_rows(judged):
        row = _row(each, folder)
        found[row.discussion, same(row.text)] = row
    return list(found.values())


def _row(each: dict[str, Any], folder: Path) -> Row:
    path = folder / each["split"] / f"{each['discussion']}.jsonl"
    text, first = each["text"], each["first"] in BAD
    second = (each.get("second") or each["first"]) in BAD
    return Row(
        each["split"],
        each["discussion"],
        form_of(each["kind"], text),
        text,
        _told(each["kind"], text, path),
        first,
        (first + second) / 2,
        frozenset(at for at, point in enumerate(_points(path)) if point.met_by(text)),
    )


@lru_cache(maxsize=256)
def _points(path: Path) -> tuple[KeyPoint, ...]:
    return load(path)[1]


def _told(kind: str, text: str, path: Path) -> Told | None:
    """Return what the engine would look at: the sentence beside the one of the discussion that it shares most with."""
    if SpokenKind(kind) not in ASKED or text.rstrip(".").endswith("on the page"):
        return None
    words = said_words(same_case(text))
    spoken = words_of(words)
    turns = turns_of(path)
    places = [(turn, at) for turn, said in enumerate(turns) for at in range(len(said))]
    turn, at = max(
        places,
        key=lambda place: (
            len(spoken & words_of(turns[place[0]][place[1]])),
            -len(turns[place[0]][place[1]]),
        ),
    )
    source = turns[turn][at]
    while at and len(spoken & words_of(turns[turn][at - 1])) >= MOST_OF_ITS_WORDS * len(
        words_of(turns[turn][at - 1])
    ):
        at -= 1
    before = turns[turn][at - 1] if at else ""
    asked = turns[turn - 1][-1] if turn and turns[turn - 1] else ""
    return Told(SpokenKind(kind), words, source, before, asked)


def same_case(text: str) -> str:
    """Return a spoken sentence without what the voice adds at its end."""
    return re.sub(r"(?: I repeat: .*| [\w-]+ items? not read\.)\Z", "", text.strip())


def matrix(asked: Sequence[Row]) -> Floats:
    """Return a line of features for each row that is asked."""
    return np.array([features(row.told) for row in asked if row.told is not None], np.float64)


@dataclass(frozen=True, slots=True)
class Scores:
    """The doubt of each row by a model of the other sets, and for each share what of them goes beyond which doubt."""

    doubt: Floats
    bounds: dict[float, Floats]


def left_out(asked: Sequence[Row]) -> Scores:
    """Score each row by what was learned on the other sets."""
    x, y = matrix(asked), np.array([row.share for row in asked])
    doubt, bounds = np.zeros(len(asked)), {share: np.zeros(len(asked)) for share in SHARES}
    for split in sorted({row.split for row in asked}):
        out = np.array([row.split == split for row in asked])
        bias, weights = fitted(x[~out], y[~out], PENALTY)
        doubt[out] = x[out] @ weights + bias
        others = x[~out] @ weights + bias
        for share in SHARES:
            bounds[share][out] = np.quantile(others, 1 - share)
    return Scores(doubt, bounds)


def points_lost(every: Iterable[Row], dropped: Iterable[Row]) -> tuple[int, int]:
    """Return how many key points no sentence tells any more, and of how many."""
    gone = {id(row) for row in dropped}
    told: dict[tuple[str, int], bool] = defaultdict(bool)
    for row in every:
        for point in row.points:
            told[row.discussion, point] |= id(row) not in gone
    return sum(not still for still in told.values()), len(told)


def family_lines(every: Sequence[Row]) -> Iterator[str]:
    """Yield each family, with how many of it were untrue and in how many sets."""
    families: dict[str, list[Row]] = defaultdict(list)
    for row in every:
        families[row.family].append(row)
    for name, members in sorted(families.items(), key=lambda each: -len(each[1])):
        bad = Share(sum(row.untrue for row in members), len(members))
        sets = len({row.split for row in members if row.untrue})
        yield f"{name:42} {bad.whole:4} {bad.part:3}  {bad.value:.2f} {bad.span()} in {sets} sets"


def worst_families(every: Sequence[Row], bound: float) -> list[Row]:
    """Return the rows whose family was untrue more often than `bound` in the other sets; alarms and closings stay."""
    dropped = []
    for row in every:
        others = [each for each in every if each.family == row.family and each.split != row.split]
        bad = sum(each.untrue for each in others)
        if not row.family.startswith(("alarm", "closing")) and others and bad > bound * len(others):
            dropped.append(row)
    return dropped


def drop_line(name: str, every: Sequence[Row], dropped: Sequence[Row]) -> str:
    """Return what is caught and lost where some rows are dropped."""
    bad, all_bad = sum(row.untrue for row in dropped), sum(row.untrue for row in every)
    left = Share(all_bad - bad, len(every) - len(dropped))
    lost, points = points_lost(every, dropped)
    return (
        f"{name:34} drops {len(dropped):4}: {bad:3} of {all_bad} untrue, {len(dropped) - bad:4} true; "
        f"left {left.part} of {left.whole} ({left.value:.3f} {left.span(3)}); "
        f"points {lost} of {points}"
    )


def _would_be_told(row: Row) -> bool:
    """Tell whether what the engine looks at today would let a sentence be told alone."""
    return row.told is not None and hangs(row.told.words) is None and not is_scrap(row.told.words)


def report(every: Sequence[Row]) -> Iterator[str]:
    """Yield the families, and what each way to drop sentences catches and loses with sets left out."""
    yield from family_lines(every)
    asked = [row for row in every if row.told is not None]
    yield drop_line("all that is judged", every, [])
    yield drop_line("all that is asked", asked, [])
    for bound in (0.12, 0.15, 0.2):
        yield drop_line(f"families untrue beyond {bound:.2f}", every, worst_families(every, bound))
    scores = left_out(asked)
    bad: Marks = np.array([row.untrue for row in asked])
    still: Marks = np.array([_would_be_told(row) for row in asked])
    yield f"each set left out: ranks an untrue one higher in {ranked(scores.doubt, bad):.3f}"
    now = ranked(scores.doubt[still], bad[still])
    yield f"  of the {still.sum()} that no rule stops today, {bad[still].sum()} untrue: {now:.3f}"
    for split in dict.fromkeys(row.split for row in asked):
        own = np.array([row.split == split for row in asked])
        if bad[own].any():
            among = f"{int(own.sum())}, {int(bad[own].sum())} untrue"
            yield f"  {split}: {ranked(scores.doubt[own], bad[own]):.3f} ({among})"
    for share in SHARES:
        over = scores.doubt > scores.bounds[share]
        dropped = [row for row, gone in zip(asked, over, strict=True) if gone]
        yield drop_line(f"doubt, {share:.0%} of the other sets", every, dropped)
        yield drop_line("  … of what is asked", asked, dropped)
        told = [row for row, stands in zip(asked, still, strict=True) if stands]
        ids = {id(row) for row in told}
        yield drop_line("  … of what no rule stops today", told, [row for row in dropped if id(row) in ids])
    _, weights = fitted(matrix(asked), np.array([row.share for row in asked]), PENALTY)
    spread = matrix(asked).std(axis=0)
    for name, weight in sorted(zip(FEATURES, weights * spread, strict=True), key=lambda each: -abs(each[1])):
        yield f"    {weight:+.2f} {name}"


def main() -> int:
    """Print the report."""
    sys.stdout.writelines(f"{line}\n" for line in report(rows()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
