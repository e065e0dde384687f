"""Where a piece of an agent's text may end: the seed's rule, and one that knows clinical writing."""

from __future__ import annotations

import re
from enum import StrEnum
from itertools import pairwise
from typing import Final

TAIL_CHARS: Final = 48  # enough for the longest abbreviation with its closers and the line start before it
MOST_CHARS: Final = 2_000  # of one sentence; of 6,515 in the recorded discussions the longest has 396


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


def forced_ends(text: str, start: int, end: int, most: int = MOST_CHARS) -> list[int]:
    """Return where text without a boundary from `start` to `end` is cut: no part has over `most` characters.

    Each cut is behind a blank, rather one after a comma or a semicolon if that is near; inside a word only
    where a word alone is too long.
    """
    cuts: list[int] = []
    while end - start > most:
        start = _last_blank(text, start, start + most)
        cuts.append(start)
    return cuts


def _last_blank(text: str, start: int, end: int) -> int:
    near = end - (end - start) // 4
    pause = max(text.rfind(", ", near, end), text.rfind("; ", near, end))
    if pause >= 0:
        return pause + 2
    blank = max(text.rfind(each, start + 1, end) for each in " \t\n")
    return blank + 1 if blank >= 0 else end


def parts(text: str, most: int = MOST_CHARS) -> tuple[str, ...]:
    """Return `text` in parts of at most `most` characters, none empty."""
    if len(text) <= most:
        return (text,) if text else ()
    return tuple(text[a:b] for a, b in pairwise([0, *forced_ends(text, 0, len(text), most), len(text)]))
