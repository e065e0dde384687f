"""Which families of spoken sentences are proven, and could a small model tell the untrue ones, with habits left out?

`python -m lab.evaluation.proven` lays all judged sentences beside the agents' sentence that they rest on (the one
that shares most words), with features that need no list of words of their own. It prints:
* by family (kind and form), how many were not true, in how many habits, and the lower bound of its precision;
* what a rule "say only families that are proven in the other habits" would keep and stop, each habit left out in turn;
* the same for a logistic regression on the features, learned on the other habits;
* what is stopped where a sentence has to name what it is about (`lexicon/alone.py`), by split: alarms, closings and
  what is computed are not asked.

A judged sentence may no longer be spoken; what was mended since still counts here as it was judged.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.shares import wilson
from exaim_core.lexicon.alone import hangs
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.words.templates import said_words
from lab.evaluation.discussions import read
from lab.evaluation.habits import FOLDER
from lab.evaluation.judging import BAD, JUDGED, same
from lab.evaluation.judging import rows as judged_rows

PROVEN: Final = 0.90  # a family's share of true sentences in the other habits
LEAST: Final = 10  # of a family in the other habits: of fewer nothing is proven
PENALTY: Final = 2.0
_WORD: Final = re.compile(r"\w+(?:[.,]\d+)?")
_OPENING: Final = re.compile(r"\A(?:(?:Critical|Caution|Check)[^:]{0,60}: |Finished\. |[^:]{2,40}: )")
_LABEL: Final = re.compile(r"\A(?:Consensus|Correction|Decision|Check)[^:]*: ")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_POINTS: Final = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|then|item|one|both)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Row:
    """A judged sentence: where it was spoken, its family, the words that it rests on, and the verdicts."""

    split: str
    habit: str
    family: str
    text: str
    source: str
    before: str
    first: bool  # not true, says the first reader
    second: bool


def form_of(kind: str, text: str) -> str:
    """Return a sentence's family: its kind, and whether it is computed, labelled, quoted or stated."""
    if text.startswith("Finished"):
        return "closing, unread" if "could not be read" in text else "closing"
    if kind == "critical":
        if text.startswith("Critical, check"):
            return "alarm, an order against what is known"
        return "alarm, name and value" if text.startswith("Critical") else "alarm, quoted"
    if text.startswith("Caution"):
        return "caution, labelled with its holder" if text.startswith("Caution, ") else "caution, labelled"
    return f"{kind}, quoted" if re.match(r"[^:]{2,40}: ", text) else f"{kind}, stated"


def rows(judged: Path = JUDGED, folder: Path = FOLDER) -> list[Row]:
    """Return all judged sentences, each once. Raises: OSError, KeyError."""
    found: dict[tuple[str, str], Row] = {}
    for each in judged_rows(judged):
        said = _sentences(folder / each["split"] / f"{each['discussion']}.jsonl")
        source, before = _source(each["text"], said)
        first = each["first"] in BAD
        second = (each.get("second") or each["first"]) in BAD
        found[each["discussion"], same(each["text"])] = Row(
            each["split"],
            re.sub(r"-\d+\Z", "", each["discussion"]),
            form_of(each["kind"], each["text"]),
            each["text"],
            source,
            before,
            first,
            second,
        )
    return list(found.values())


@lru_cache(maxsize=128)
def _sentences(path: Path) -> tuple[str, ...]:
    return tuple(
        part.strip() for _, text in read(path).turns for part in _SENTENCE.split(text) if part.strip()
    )


def _source(text: str, said: Sequence[str]) -> tuple[str, str]:
    """Return the sentence that shares most words with `text`, and the one before it."""
    words = {word.lower() for word in _WORD.findall(_OPENING.sub("", same(text)))}
    shared = [len(words & {word.lower() for word in _WORD.findall(each)}) for each in said]
    at = max(range(len(said)), key=lambda each: (shared[each], -len(said[each])))
    return said[at], said[at - 1] if at else ""


FORMS: Final = ("alarm, name", "alarm, an", "caution, l", "closing", "quoted")
NAMES: Final = (
    *FORMS,
    *(f"its words: {status}" for status in Status),
    *(f"the sentence before: {status}" for status in Status),
    "words spoken",
    "share of its words that were spoken",
    "share of the spoken words that are its",
    "it points to something",
    "it ends without a stop",
    "a number",
    "the speaker says I",
    "long words",
)


def features(row: Row) -> list[float]:
    """Return what is known of a sentence without a list of words made for it, in the order of `NAMES`."""
    bare = _OPENING.sub("", same(row.text))
    spoken = {word.lower() for word in _WORD.findall(bare)}
    source = {word.lower() for word in _WORD.findall(row.source)}
    shared = len(spoken & source)
    here, there = statuses_of(row.source, ""), statuses_of(row.before, "") if row.before else frozenset()
    return [
        *(float(row.family.startswith(form) or row.family.endswith(form)) for form in FORMS),
        *(float(status in here) for status in Status),
        *(float(status in there) for status in Status),
        min(1.0, len(spoken) / 20),
        shared / max(1, len(source)),
        shared / max(1, len(spoken)),
        float(_POINTS.search(bare) is not None),
        float(not row.source.endswith((".", "!", ";"))),
        float(re.search(r"\d", bare) is not None),
        float(re.search(r"\bI\b", row.source) is not None),
        min(1.0, sum(len(word) > 6 for word in spoken) / 6),
    ]


def learned(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return a logistic regression of `y` on `x`, by Newton's steps with a penalty on the weights."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6

    def scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.column_stack([np.ones(len(values)), (values - mean) / spread])

    inside, weights = scaled(x), np.zeros(x.shape[1] + 1)
    penalty = np.eye(len(weights)) * PENALTY
    penalty[0, 0] = 0.0
    for _ in range(30):
        p = 1 / (1 + np.exp(-inside @ weights))
        slope = inside.T @ (p - y) + penalty @ weights
        bend = (inside * (p * (1 - p))[:, None]).T @ inside + penalty
        weights = weights - np.linalg.solve(bend, slope)
    return lambda values: np.asarray(1 / (1 + np.exp(-scaled(values) @ weights)))


def by_family(found: Iterable[Row]) -> Mapping[str, list[Row]]:
    """Return the rows by their family."""
    families: dict[str, list[Row]] = defaultdict(list)
    for row in found:
        families[row.family].append(row)
    return families


def stopped_by_family(found: Sequence[Row]) -> list[bool]:
    """Return for each row whether its family is not proven in the other habits."""
    families = by_family(found)

    def unproven(row: Row) -> bool:
        others = [each for each in families[row.family] if each.habit != row.habit]
        true = sum(not each.first for each in others)
        return len(others) < LEAST or true < PROVEN * len(others)

    return [unproven(row) for row in found]


def risks(found: Sequence[Row]) -> NDArray[np.float64]:
    """Return how probably each row is not true, by a model that was learned on the other habits."""
    x = np.array([features(row) for row in found])
    y = np.array([float(row.first) for row in found])
    risk = np.zeros(len(found))
    for habit in sorted({row.habit for row in found}):
        out = np.array([row.habit == habit for row in found])
        risk[out] = learned(x[~out], y[~out])(x[out])
    return risk


def ranked(risk: NDArray[np.float64], bad: NDArray[np.bool_]) -> float:
    """Return how often an untrue sentence has a greater risk than a true one; 0.5 is chance."""
    wins = (risk[bad][:, None] > risk[~bad][None, :]).mean()
    ties = (risk[bad][:, None] == risk[~bad][None, :]).mean()
    return float(wins + ties / 2)


def nameless(row: Row) -> bool:
    """Tell whether a sentence in an agent's own words hangs on words that are not in it."""
    own = not row.family.startswith(("alarm", "closing", "disagreement"))
    return own and hangs(said_words(_LABEL.sub("", row.text))) is not None


def _line(name: str, stopped: Sequence[bool], found: Sequence[Row]) -> str:
    kept = [row for row, stop in zip(found, stopped, strict=True) if not stop]
    bad, gone = sum(row.first for row in kept), sum(stopped)
    caught = sum(row.first for row, stop in zip(found, stopped, strict=True) if stop)
    low, high = wilson(bad, len(kept))
    return (
        f"{name:44} stops {gone:3} ({caught:2} untrue); of the {len(kept):3} left "
        f"{bad:2} untrue, {bad / max(1, len(kept)):.3f} [{low:.2f}, {high:.2f}]\n"
    )


def main() -> int:
    """Print the families, and what each gate would stop with habits left out."""
    out, found = sys.stdout.write, rows()
    for family, members in sorted(by_family(found).items(), key=lambda each: -len(each[1])):
        first, second = sum(row.first for row in members), sum(row.second for row in members)
        low, _ = wilson(len(members) - first, len(members))
        habits = len({row.habit for row in members if row.first})
        out(
            f"{family:40} {len(members):3}  untrue {first:2} and {second:2}, in {habits:2} habits; right ≥ {low:.2f}\n"
        )
    bad = np.array([row.first for row in found])
    out(_line("no gate", [False] * len(found), found))
    out(_line(f"families proven elsewhere ({PROVEN:.2f})", stopped_by_family(found), found))
    for split in dict.fromkeys(row.split for row in found):
        rows_of = [
            row for row in found if row.split == split and not row.family.startswith(("alarm", "closing"))
        ]
        out(_line(f"no gate, {split}", [False] * len(rows_of), rows_of))
        out(_line(f"names what it is about, {split}", [*map(nameless, rows_of)], rows_of))
    risk = risks(found)
    out(f"logistic regression, each habit left out: ranks an untrue one higher in {ranked(risk, bad):.2f}\n")
    for share in (0.05, 0.1, 0.2, 0.3):
        bound = float(np.quantile(risk, 1 - share))
        out(_line(f"  stops what is above {bound:.2f}", [bool(each > bound) for each in risk], found))
    weights = np.array([features(row) for row in found])
    for name, column in zip(NAMES, weights.T, strict=True):
        with_it = column > np.median(column)
        if 5 <= with_it.sum() <= len(found) - 5:
            out(
                f"    {name:44} {bad[with_it].mean():.2f} with ({with_it.sum()}), {bad[~with_it].mean():.2f} without\n"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
