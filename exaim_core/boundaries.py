"""Where a piece of an agent's text may end: the seed's rule, and one that knows clinical writing."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

TAIL_CHARS: Final = 48  # enough for the longest abbreviation with its closers and the line start before it


class BoundaryRule(StrEnum):
    """How the end of a sentence is recognised."""

    SEED = "seed"
    CLINICAL = "clinical"


ABBREVIATIONS: Final = (
    r"(?i:vs|cf|figs?|approx|incl|esp|e\.g|i\.e|al|ca|resp)|Drs?|Mrs?|Ms|Prof|St|No|Nos|Vol|Pt|dx|hx"
)
_SEED: Final = re.compile(r"""(?:\n|[.?!][)\]}'"]*)[ \t]*\Z""")
_CLOSERS: Final = r"""[)\]}'"”’»*_`]*"""
_END: Final = re.compile(rf"(?:\n[ \t]*|(?P<mark>[.?!…]){_CLOSERS}(?P<blank>[ \t]*))\Z")
_ABBREVIATED: Final = re.compile(rf"(?:^|[\s(\[“\"'*])(?:{ABBREVIATIONS}|[A-Z])\Z")
_LIST_MARKER: Final = re.compile(r"(?:^|\n)[ \t]*(?:[*_]{1,2})?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})\Z")


def at_seed_boundary(tail: str) -> bool:
    r"""Tell whether `tail` ends in a newline or in . ? ! with any of ) ] } ' \" after it."""
    return _SEED.search(tail) is not None


def at_clinical_boundary(tail: str) -> bool:
    """Tell whether `tail` ends a sentence or a line.

    Curly quotes and asterisks may close a sentence. No end: a list marker ("2."), an abbreviation
    ("vs.", "Dr.", an initial), and a full stop after a digit while no blank follows, since a decimal
    may be on its way.
    """
    match = _END.search(tail)
    if match is None:
        return False
    if match["mark"] != ".":
        return True
    before = tail[: match.start("mark")]
    if _LIST_MARKER.search(before) or _ABBREVIATED.search(before):
        return False
    closed = match.end() - match.start("mark") > 1
    return closed or not before[-1:].isdigit()


def at_boundary(tail: str, rule: BoundaryRule) -> bool:
    """Tell whether `tail`, the last `TAIL_CHARS` characters of a text or all of it, ends at a boundary."""
    return at_seed_boundary(tail) if rule is BoundaryRule.SEED else at_clinical_boundary(tail)
