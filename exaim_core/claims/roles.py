"""Read the role of each number of a sentence: measured now, or a limit, the usual value, or somebody else's.

A role is given by the words that govern the number: the noun for a limit ("against a threshold of 70"), what is to be
done beyond it ("call me below 120"), or whose it is. Such a number is left out, with its words, where another number
is said to be the patient's: by its name beside it ("Hb 52 against a threshold of 70"), or by words that point to it
("target potassium 4–5, hers is 6.8"). A number whose role cannot be read stays as it is, and so does its sentence.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.claims.limits import analytes_named
from exaim_core.lexicon.withdrawn import Span, blank
from exaim_core.text.assertion import Status, marks
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/roles")
OWNER_WORDS: Final = 4  # words from somebody else to the number that is theirs
_PAUSES: Final = frozenset(",)")  # breaks behind which a condition may go on


@lru_cache(maxsize=2048)
def measured_only(text: str) -> str:
    """Return `text` with blanks for numbers that are only compared with one of this patient, so that places stay."""
    found = _ranges_joined(text)
    if len(found) < 2:
        return text
    gone: list[Span] = []
    for one, other in pairwise(found):
        since = max((each.end for each in found if each.end <= one.start), default=0)
        if (role := _role(text, since, one)) is not None and _points(text, role, other):
            gone += _without_names(text, role[0], other.start)
        elif role is None and (end := _set_against(text, one, other)):
            gone.append((one.end, end))
    return blank(text, gone)


def _ranges_joined(text: str) -> list[Quantity]:
    """Return the numbers of `text`; the two ends of a range without a unit are one ("4-5")."""
    found: list[Quantity] = []
    for each in quantities(text):
        if found and _RANGE.fullmatch(text, found[-1].end, each.start):
            found[-1] = replace(found[-1], end=each.end)
        else:
            found.append(each)
    return found


_RANGE: Final = re.compile(r"\s?(?:[-–]|to)\s?")


def _role(text: str, since: int, number: Quantity) -> Span | None:
    """Return where the words that give `number` a role begin and end; None if they give none."""
    limited = _FORMS["limited"].search(text, since, number.start)
    if limited is not None:
        return limited.start(), number.end
    behind = _FORMS["to_someone"].match(text, number.end)
    if behind is not None:
        return number.start, behind.end()
    owners = [
        each
        for each in marks(text)
        if each.status is Status.OTHER_PERSON and since <= each.start and each.end <= number.start
    ]
    if not owners or len(text[owners[-1].end : number.start].split()) > OWNER_WORDS:
        return None
    if _BREAK.search(text, owners[-1].end, number.start):
        return None
    whose = _WHOSE.search(text, since, owners[-1].start)
    return whose.start() if whose else owners[-1].start, number.end


_WHOSE: Final = re.compile(r"\b(?:his|her|their|the|my|our)\s+\Z", re.IGNORECASE)
_BREAK: Final = re.compile(r"[,;:.](?=\s)")


def _points(text: str, role: Span, other: Quantity) -> bool:
    """Return whether the words behind a number with a role point to `other` as the patient's value."""
    words = (_nameless(text), role[1], other.start)
    found = _FORMS["points"].fullmatch(*words) or _FORMS["named_again"].fullmatch(*words)
    if found is None or _FORMS["supposed"].match(text, other.end):
        return False
    mark = found["mark"].strip() or ","
    pauses = mark[-1] in _PAUSES or mark[-1].isalpha()
    return not (pauses and _FORMS["conditional"].search(text, 0, role[1]))


def _set_against(text: str, one: Quantity, other: Quantity) -> int:
    """Return where a number ends that is only set against the measured one before it; 0 if it is not."""
    limited = _FORMS["limited"].search(text, one.end, other.start)
    named = [each for each in analytes_named(text) if each.end <= one.start]
    if limited is None or not named or _FORMS["of_any"].search(text, 0, named[-1].start):
        return 0
    if _FORMS["set_against"].fullmatch(text, one.end, limited.start()) is None:
        return 0
    return other.end + text.startswith(")", other.end)


def _without_names(text: str, start: int, end: int) -> list[Span]:
    """Return the parts of [start, end) that name nothing that is measured, and are not "now"."""
    names = [(each.start, each.end) for each in analytes_named(text) if start <= each.start < end]
    kept = sorted([*names, *(each.span() for each in _NOW.finditer(text, start, end))])
    edges = [start, *(at for name in kept for at in name), end]
    return list(zip(edges[::2], edges[1::2], strict=True))


_NOW: Final = re.compile(r"\b(?:now|currently)\b", re.IGNORECASE)


@lru_cache(maxsize=512)
def _nameless(text: str) -> str:
    """Return `text` with blanks for what is measured."""
    return blank(text, [(each.start, each.end) for each in analytes_named(text)])
