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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import numpy as np

from agents.shares import Share
from exaim_core.lexicon.alone import hangs
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.words.templates import said_words
from lab.evaluation.discussions import read
from lab.evaluation.habits import FOLDER
from lab.evaluation.judging import BAD, JUDGED, same
from lab.evaluation.judging import rows as judged_rows
from lab.evaluation.logistic import Floats, likely, ranked

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
        turns = turns_of(folder / each["split"] / f"{each['discussion']}.jsonl")
        source, before = _source(each["text"], [*chain.from_iterable(turns)])
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


@lru_cache(maxsize=256)
def turns_of(path: Path) -> tuple[tuple[str, ...], ...]:
    """Return the sentences of each turn of a discussion. Raises: NotADiscussion, OSError."""
    return tuple(
        tuple(part.strip() for part in _SENTENCE.split(text) if part.strip()) for _, text in read(path).turns
    )


def words_of(text: str) -> frozenset[str]:
    """Return the words and numbers of a text, in small letters."""
    return frozenset(word.lower() for word in _WORD.findall(text))


def _source(text: str, said: Sequence[str]) -> tuple[str, str]:
    """Return the sentence that shares most words with `text`, and the one before it."""
    words = words_of(_OPENING.sub("", same(text)))
    at = max(range(len(said)), key=lambda each: (len(words & words_of(said[each])), -len(said[each])))
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
    spoken, source = words_of(bare), words_of(row.source)
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


def risks(found: Sequence[Row]) -> Floats:
    """Return how probably each row is not true, by a model that was learned on the other habits."""
    x = np.array([features(row) for row in found])
    y = np.array([float(row.first) for row in found])
    risk = np.zeros(len(found))
    for habit in sorted({row.habit for row in found}):
        out = np.array([row.habit == habit for row in found])
        risk[out] = likely(x[~out], y[~out], PENALTY, x[out])
    return risk


def nameless(row: Row) -> bool:
    """Tell whether a sentence in an agent's own words hangs on words that are not in it."""
    own = not row.family.startswith(("alarm", "closing", "disagreement"))
    return own and hangs(said_words(_LABEL.sub("", row.text))) is not None


def _line(name: str, stopped: Sequence[bool], found: Sequence[Row]) -> str:
    kept = [row for row, stop in zip(found, stopped, strict=True) if not stop]
    bad, gone = Share(sum(row.first for row in kept), len(kept)), sum(stopped)
    caught = sum(row.first for row, stop in zip(found, stopped, strict=True) if stop)
    return (
        f"{name:44} stops {gone:3} ({caught:2} untrue); of the {bad.whole:3} left "
        f"{bad.part:2} untrue, {bad.value:.3f} {bad.span()}\n"
    )


def main() -> int:
    """Print the families, and what each gate would stop with habits left out."""
    out, found = sys.stdout.write, rows()
    for family, members in sorted(by_family(found).items(), key=lambda each: -len(each[1])):
        first, second = sum(row.first for row in members), sum(row.second for row in members)
        low, _ = Share(len(members) - first, len(members)).interval
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
