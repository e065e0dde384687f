"""Find what says that an allergy is none of this patient: removed, disproved, borne since, or somebody else's.

Whoever only doubts it, or says that the label was removed in error, takes nothing off. What was borne takes off only
what was stated of an earlier time. Which known allergies fall is decided where they are kept (`patient/allergies.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from typing import Final

from exaim_core.claims.whose import is_said_to_be_anothers
from exaim_core.text.assertion import Status, clauses, statuses_at
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/no_allergy")
_ALLERG: Final = re.compile(r"\b(?:allerg|anaphyla|hypersensitiv|reaction)", re.IGNORECASE)
_OPEN: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED})
"""How a denial is meant that takes nothing off: "if she is not allergic"."""
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")


class Ground(StrEnum):
    """Why an allergy is none."""

    DENIED = "denied"
    REMOVED = "removed"
    ANOTHERS = "somebody else's"
    BORNE = "borne"


_REASONED: Final = frozenset({Ground.REMOVED, Ground.ANOTHERS})


@dataclass(frozen=True, slots=True)
class NoAllergy:
    """A part of a text, [start, end), that says so, and why; `words` name what it is about.

    `above`: where the part before it begins, to which it points back if it names nothing; -1 if it does not.
    """

    start: int
    end: int
    ground: Ground
    words: str
    above: int = -1


@lru_cache(maxsize=1024)
def denials(text: str) -> tuple[NoAllergy, ...]:
    """Return the parts of `text` that say of an allergy that it is none."""
    if text.rstrip(" \"'”’*)").endswith("?"):
        return ()
    found = [*_denied(text), *_borne(text)]
    if not any(each.ground is Ground.ANOTHERS for each in found) and is_said_to_be_anothers(text):
        parts = [text[start:end] for start, end in _parts(text)]
        if not any(map(is_said_to_be_anothers, parts)) and _ALLERG.search(text):
            found.append(NoAllergy(0, len(text), Ground.ANOTHERS, text))
    return tuple(found)


def _denied(text: str) -> Iterator[NoAllergy]:
    """Yield the parts that deny: each is about what it names, or about the part before it if it points back."""
    above = (0, 0)
    for start, end in _parts(text):
        part, before = text[start:end], text[slice(*above)]
        ground = _ground(part)
        points = _FORMS["points_back"].search(part) is not None
        of_it = _FORMS["of_allergy"].search(part) is not None
        of_that = points and _FORMS["of_allergy"].search(before) is not None
        if ground is not None and (of_it or of_that) and not statuses_at(text, start, end) & _OPEN:
            yield NoAllergy(start, end, ground, part, above[0] if of_that else -1)
        above = (start, end)


def only_denies(text: str) -> bool:
    """Return whether all that `text` says of allergies is that they are none, for a reason, or somebody else's."""
    spans = [(each.start, each.end) for each in denials(text) if each.ground in _REASONED]
    told = [match.start() for match in _ALLERG.finditer(text)]
    return bool(spans) and all(any(start <= at < end for start, end in spans) for at in told)


def points_back(text: str) -> bool:
    """Return whether `text` speaks of the allergy that was stated last: "that is not an allergy"."""
    return _FORMS["points_back"].search(text) is not None


def _ground(part: str) -> Ground | None:
    if _FORMS["undone"].search(part):
        return None
    if is_said_to_be_anothers(part):
        return Ground.ANOTHERS
    if _FORMS["removed"].search(part):
        return Ground.REMOVED
    return Ground.DENIED if _FORMS["denied"].search(part) else None


def _borne(text: str) -> Iterator[NoAllergy]:
    """Yield what says that a drug was borne, with the words that name it."""
    for match in (each for form in _FORMS.each("tolerated") for each in form.finditer(text)):
        words = next((each for each in match.groups() if each), "")
        if _FORMS["intolerant"].search(text[max(0, match.start() - 20) : match.end()]):
            continue
        if statuses_at(text, *match.span()) & (_OPEN | {Status.OTHER_PERSON}):
            continue
        yield NoAllergy(*match.span(), Ground.BORNE, words)


def outlives(borne: str, stated: str, *, severe: bool) -> bool:
    """Return whether an allergy that is `stated` stands, though its drug was `borne`.

    It stands if it was borne before, or if the reaction is of now or of late. A severe one falls only to what is said
    to be later: a year is later than that of the reaction, or than a childhood, and than no unknown time. What the
    reaction says of its time is asked first.
    """
    years = [[int(year) for year in _YEAR.findall(text)] for text in (borne, stated)]
    if all(years):
        return max(years[0]) <= max(years[1])
    if _FORMS["of_now"].search(stated) or (not years[1] and _FORMS["of_late"].search(stated)):
        return True
    if _FORMS["long_before"].search(borne):
        return True
    if _FORMS["since"].search(borne):
        return False
    later = _FORMS["lately"].search(borne) or (years[0] and _FORMS["of_old"].search(stated))
    return severe and not later


def said_of(text: str, said: NoAllergy) -> str:
    """Return the words of a denial in `text`, to the end of the part that it ends in."""
    return text[said.start : next((end for _, end in _parts(text) if end >= said.end), len(text))]


def only_cites(text: str) -> bool:
    """Return whether `text` states an allergy only as a record has it: "the chart lists a penicillin allergy"."""
    return _FORMS["cites"].search(text) is not None and _FORMS["affirms"].search(text) is None


def _parts(text: str) -> list[tuple[int, int]]:
    """Return the places of the parts of `text`, of which one may deny what another states."""
    bounds = {0, len(text), *(clause.start for clause in clauses(text))}
    bounds |= {match.end() for match in _FORMS["part"].finditer(text)}
    return [*pairwise(sorted(bounds))]


def part_at(text: str, place: int) -> str:
    """Return the part of `text` with `place`: what another part says does not deny what it states."""
    return next((text[start:end] for start, end in _parts(text) if start <= place < end), text)
