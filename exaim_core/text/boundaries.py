"""Decide where text may be cut: at the ends of sentences, at stops within them, or by force.

Two rules say where a piece may end: the seed's, and one that knows clinical writing. Clauses are cut in `clauses.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice, pairwise
from typing import Final

from exaim_core.text.quantities import quantities

TAIL_CHARS: Final = 48  # enough for the longest abbreviation with its closers and the line start before it
MOST_CHARS: Final = 600  # of one sentence; of 6,515 in the recorded discussions the longest has 396
MOST_NUMBERS: Final = 24  # in one sentence; in the recorded discussions the most is 6
MOST_LINE_CHARS: Final = 2_000  # of a heading, or of a row of a table


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
    r"""Return whether `tail` ends in a newline or in . ? ! followed by any of ) ] } ' \"."""
    return _SEED.search(tail) is not None


def at_clinical_boundary(tail: str) -> bool:
    """Return whether `tail` ends a sentence or a line.

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
    """Return whether `tail`, the last `TAIL_CHARS` characters of a text or all of it, ends at a boundary."""
    return at_seed_boundary(tail) if rule is BoundaryRule.SEED else at_clinical_boundary(tail)


_STOP: Final = re.compile(rf"[.?!…]{_CLOSERS}(?=\s|\Z)")
_BETWEEN: Final = re.compile(r";\s+|\s+[–—]\s+|(?<=[a-z0-9)])\.\s+(?=[A-Z])")
_STOPPED: Final = re.compile(r"(?<=[.;!?])\s+")


def sentence_ends(text: str, *, whole: bool = True) -> list[int]:
    """Return where sentences end in `text`, after their closing quotes and brackets.

    If it is not `whole` yet, its end counts only with care. A sentence that is too long is cut by force.
    """
    found: list[int] = []
    done = 0
    for match in _STOP.finditer(text):
        end = match.end()
        blank = " " if whole or end < len(text) else ""
        if at_clinical_boundary(text[max(0, end - TAIL_CHARS) : end] + blank):
            found += [*forced_ends(text, done, end), end]
            done = end
    return found + forced_ends(text, done, len(text) if whole else len(text) - TAIL_CHARS)


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text`, in order, with their stops."""
    bounds = pairwise([0, *sentence_ends(text), len(text)])
    return tuple(part for start, end in bounds if (part := text[start:end].strip()))


def between_stops(text: str) -> list[str]:
    """Return the parts of `text` between semicolons, dashes and full stops, without these."""
    return _BETWEEN.split(text)


def stopped(text: str) -> list[str]:
    """Return the parts of `text` that end with a full stop, a semicolon or the like, each with its stop."""
    return _STOPPED.split(text)


_NUMBER: Final = re.compile(r"\d++(?:[.,:/-]\d++)*+")
_APART: Final = re.compile(r"[\s,;]*+")


def forced_ends(text: str, start: int, end: int, most: int = MOST_CHARS) -> list[int]:
    """Return where text without a boundary from `start` to `end` is cut.

    No part has over `most` characters or `MOST_NUMBERS` numbers: the cost of reading grows faster than
    the part. Each cut is after a blank, preferably one after a comma or a semicolon if that is near; inside a
    word only if that word alone is too long.
    """
    cuts: list[int] = []
    while (cut := _cut(text, start, end, most)) is not None:
        cuts.append(cut)
        start = cut
    return cuts


def _cut(text: str, start: int, end: int, most: int) -> int | None:
    limit = min(end, start + most)
    numbers = [match.start() for match in islice(_NUMBER.finditer(text, start, limit), MOST_NUMBERS + 1)]
    if len(numbers) > MOST_NUMBERS:
        return _behind_number(text, numbers[MOST_NUMBERS * 3 // 4], numbers[-2], numbers[-1])
    return _last_blank(text, start, limit) if end > limit else None


def _behind_number(text: str, near: int, number: int, following: int) -> int:
    """Return a cut between the number at `number` and the one at `following`, after the first one's unit."""
    pause = max(text.rfind(", ", near, following), text.rfind("; ", near, following))
    if pause >= 0:
        return pause + 2
    found = quantities(text[number:following])
    after = _APART.match(text, number + found[0].end, following) if found else None
    return after.end() if after else following


def _last_blank(text: str, start: int, end: int) -> int:
    near = end - (end - start) // 4
    pause = max(text.rfind(", ", near, end), text.rfind("; ", near, end))
    if pause >= 0:
        return pause + 2
    blank = max(text.rfind(each, start + 1, end) for each in " \t\n")
    return blank + 1 if blank >= 0 else end


def parts(text: str, most: int = MOST_CHARS) -> tuple[str, ...]:
    """Return `text` in parts of at most `most` characters, none empty."""
    return tuple(part for part in _parted(text, most) if part)


def _parted(text: str, most: int) -> Iterator[str]:
    return (text[a:b] for a, b in pairwise([0, *forced_ends(text, 0, len(text), most), len(text)]))
