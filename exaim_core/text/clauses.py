"""How a sentence is cut into clauses: the one place that does.

A semicolon, a dash, or a colon with a small letter behind it ends a segment. Within one, a comma, "and", "but" or the
like parts two clauses where both sides have a verb of their own; what has none stays with what it stands beside. That
is as fine as what is told may be cut. How a clause is meant ends sooner: at any colon and full stop, and at "but" and
the like without a verb ("no clot but a bleed").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("text/clauses")
FINITE: Final = _FORMS.part("finite")
"""Finite verbs, as a pattern: what has one of them may be a clause."""
_STOP: Final = re.compile(r";(?=\s)|\s[–—](?=\s)|:(?=\s+[a-z])")
_FINE_STOP: Final = re.compile(r"[;:.?!](?=\s)|\s[–—](?=\s)")


@dataclass(frozen=True, slots=True)
class Part:
    """Where a clause stands: from what joins it to the one before, its own words, and its stop.

    `joined` ≤ `start` < `end` ≤ `stopped`; the next one is joined where this one is stopped, and `segment` counts.
    """

    joined: int
    start: int
    end: int
    stopped: int
    segment: int


@lru_cache(maxsize=8192)
def parts(text: str, *, fine: bool = False) -> tuple[Part, ...]:
    """Return the clauses of a sentence in order; together they are the whole of it. `fine`: as each is meant."""
    made: list[Part] = []
    for number, (joined, start, end, stopped) in enumerate(_segments(text, _FINE_STOP if fine else _STOP)):
        says = _FORMS["says_that"].match(text, start, end)  # "I'd only add that": no part of what is said
        start = says.end() if says else start
        bounds = [*_joints(text, start, end, fine=fine)]
        firsts, lasts = [start, *(last for _, last in bounds)], [*(first for first, _ in bounds), end]
        for first, last in zip(firsts, lasts, strict=True):
            made.append(Part(joined, first, last, stopped if last == end else last, number))
            joined = last
    return tuple(made)


def _segments(text: str, ends: re.Pattern[str]) -> Iterator[tuple[int, int, int, int]]:
    joined = 0
    for stop in ends.finditer(text):
        yield joined, _words(text, joined), stop.start(), stop.end()
        joined = stop.end()
    if text[joined:].strip() or not joined:
        yield joined, _words(text, joined), len(text), len(text)


def _words(text: str, start: int) -> int:
    """Return where the words begin that stand behind blanks at `start`; of a text of blanks its start."""
    return len(text) - len(text[start:].lstrip()) if text[start:].strip() else start


def _joints(text: str, start: int, end: int, *, fine: bool) -> Iterator[tuple[int, int]]:
    """Yield what joins two clauses of a segment, from and to where."""
    verb_from = start
    against = {each.span() for each in _FORMS["against"].finditer(text, start, end)} if fine else set()
    joints = {each.span() for each in _FORMS["joint"].finditer(text, start, end)}
    for first, last in sorted(against | joints):
        if first < verb_from:
            continue
        opens = _FORMS["opens"].match(text, last, end) is not None
        if (first, last) in against or (opens and _FORMS["has_verb"].search(text, verb_from, first)):
            yield first, last
            verb_from = last
