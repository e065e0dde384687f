"""Lists made by hand of what matters in a case, and whether a text holds a point of them.

Two forms of list exist: `cases/gold/*.json` (`must_terms`, `t_s`) and the YAML list of recorded traces
(`terms`, `after_s`; spoken: `must_terms`, `at_s`). They are scored alike: in lower case, with curly quotes
made straight and line ends and hyphens taken as blanks, one blank put before and after.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from lab.evaluation.telling import Telling
from lab.yamlfile import read_yaml

Terms = tuple[tuple[str, ...], ...]
ROUNDED_S: Final = 0.1  # times in the lists are rounded up to this
_BLANKS: Final = re.compile(r"[\s\-‐‑–]")
_QUOTES: Final = str.maketrans("‘’“”", "''\"\"")


class Wanted(Protocol):
    """Something that ought to be told: from when it may be, and from when it is due (s)."""

    @property
    def point_id(self) -> str:
        """Its name in its list."""
        ...

    @property
    def from_s(self) -> float:
        """From when it can rightly be told."""
        ...

    @property
    def at_s(self) -> float:
        """From when it is waited for."""
        ...

    def met_by(self, text: str) -> bool:
        """Return whether a text tells it."""
        ...


def flat(text: str) -> str:
    """Return a text as terms are looked up in it."""
    return f" {_BLANKS.sub(' ', text.lower().translate(_QUOTES))} "


@dataclass(frozen=True, slots=True)
class Point:
    """Something that matters; `at_s` is when the reasoning has said it, in seconds from its first delta."""

    point_id: str
    at_s: float
    terms: Terms
    text: str = ""
    kind: str = ""

    @property
    def from_s(self) -> float:
        """The same as `at_s`: who says it sooner can't know it."""
        return self.at_s

    def met_by(self, text: str) -> bool:
        """Return whether every entry of the terms has an alternative in `text`."""
        return met(self.terms, text)


@dataclass(frozen=True, slots=True)
class Gold:
    """The lists of one case; `also_fair` may be spoken and counts neither for nor against."""

    case_id: str
    points: tuple[Point, ...]
    spoken: tuple[Point, ...] = ()
    also_fair: tuple[Terms, ...] = ()


def met(terms: Terms, text: str) -> bool:
    """Return whether every entry has an alternative in `text`."""
    looked_in = flat(text)
    return all(any(_flat_term(term) in looked_in for term in entry) for entry in terms)


def shipped(folder: Path, case_id: str) -> Gold:
    """Return the lists of a case in a folder of JSON lists."""
    return Gold(
        case_id,
        _of_json(folder / f"{case_id}.key_points.json"),
        _of_json(folder / f"{case_id}.spoken.json"),
    )


def of_traces(path: Path) -> dict[str, Gold]:
    """Return the lists of recorded traces, by case."""
    document = read_yaml(path)
    return {case["case_id"]: _of_yaml(case) for case in document["cases"]}


def told(points: Sequence[Wanted], telling: Telling, *, with_spoken: bool = False) -> list[str]:
    """Return the ids of the points that one summary holds, made no earlier than the point was said.

    `with_spoken`: what a summary gives the voice counts as part of it.
    """
    texts = [
        (each.made_s, each.closing, " ".join((each.whole, *each.spoken)) if with_spoken else each.whole)
        for each in telling.told
    ]
    return [
        point.point_id
        for point in points
        if any(
            (closing or made_s >= point.from_s - ROUNDED_S) and point.met_by(text)
            for made_s, closing, text in texts
        )
    ]


def _of_json(path: Path) -> tuple[Point, ...]:
    return tuple(
        _point(row, row["t_s"], row["must_terms"]) for row in json.loads(path.read_text("utf-8"))["items"]
    )


def _of_yaml(case: Mapping[str, Any]) -> Gold:
    return Gold(
        case["case_id"],
        tuple(_point(row, row["after_s"], row["terms"]) for row in case["points"]),
        tuple(_point(row, row["at_s"], row["must_terms"]) for row in case.get("spoken", ())),
        tuple(_terms(row["terms"]) for row in case.get("also_fair", ())),
    )


def _point(row: Mapping[str, Any], at_s: float, terms: Iterable[Iterable[str]]) -> Point:
    return Point(row["id"], float(at_s), _terms(terms), row.get("text", ""), row.get("kind", ""))


def _terms(given: Iterable[Iterable[str]]) -> Terms:
    return tuple(tuple(str(term) for term in entry) for entry in given)


def _flat_term(term: str) -> str:
    return _BLANKS.sub(" ", term.lower().translate(_QUOTES))
