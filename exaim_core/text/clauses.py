"""Cut a sentence into clauses, in two grains.

What is *told* is cut into segments (at semicolons, dashes, and colons with a small letter behind them) and these at a
comma, "and", "but" or the like if both sides have a verb: a part without a verb stays with its neighbour.

How a clause is *meant* ends sooner, with or without a verb: at any colon and stop, at "but" and "which", before ", the"
and ", she". "If you look at it, the potassium is 6.9" supposes no potassium, "no clot but a bleed" denies no bleed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("text/clauses")
FINITE: Final = _FORMS.part("finite")
"""Finite verbs, as a pattern: words with one of them may be a clause."""
_SEGMENT: Final = re.compile(r";\s+|\s[–—]\s|:\s+(?=[a-z])")


def segments(text: str) -> Iterator[tuple[int, int]]:
    """Yield the segments of a sentence, without the marks between them."""
    start = 0
    for stop in _SEGMENT.finditer(text):
        yield start, stop.start()
        start = stop.end()
    yield start, len(text)


def told_apart(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the clauses of a segment that may be told separately, without the words that join them."""
    says = _FORMS["says_that"].match(text, start, end)
    first = verb_from = says.end() if says else start
    for joint in _FORMS["joint"].finditer(text, start, end):
        opens = _FORMS["opens"].match(text, joint.end(), end)
        if opens and _FORMS["has_verb"].search(text, verb_from, joint.start()):
            yield first, joint.start()
            first = verb_from = joint.end()
    yield first, end


def meant_apart(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence that may be meant differently; together they make up all of it."""
    ends = [match.end() for match in _FORMS["meant_apart"].finditer(text)]
    bounds = [0, *ends] if ends and ends[-1] == len(text) else [0, *ends, len(text)]
    return ((start, end) for start, end in pairwise(bounds) if text[start:end].strip())
