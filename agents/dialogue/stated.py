"""The values of the patient that were stated in the discussion, with or without a unit: docs/decisions/149.

The core reads the value behind a name, and what keeps it from being hers now: a limit, a question, somebody else's, one
that is past. What is aimed at, expected or told as it was, unless minutes or an hour ago, is left out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.dialogue.facts import STOP
from agents.dialogue.unnamed_values import with_name
from agents.dialogue.vocabulary import Vocabulary
from agents.dialogue.words import spelled
from exaim_core.board.shown import SaidView
from exaim_core.claims.values import newest_value
from exaim_core.lexicon.statements import is_general, told_clauses
from exaim_core.lexicon.terms import DURATION
from exaim_core.text.assertion import is_of_another, statuses_around
from exaim_core.text.quantities import Quantity

_MEASURED: Final = frozenset({"labs", "signs"})
_WORD: Final = re.compile(r"\w+")
_AIM: Final = re.compile(
    r"\b(?:if|unless|until|targets?|aim\w*|goal|want\w*|keep|should|limit|less than|more than|at (?:least|most)"
    r"|expect\w*|hope\w*)\b",
    re.IGNORECASE,
)
_WAS: Final = re.compile(r"\b(?:was|were|had been)\b", re.IGNORECASE)
_JUST_NOW: Final = re.compile(
    r"\b(?:(?:half )?an?|one|two|a couple of|[12]) h(?:ou)?rs? ago\b|\bmin(?:ute)?s? ago\b", re.IGNORECASE
)
"""What was then still counts as now, beside a record that is older as a rule."""
_NOT_HERS: Final = re.compile(
    r"\b(?:means?|normal|usual|typical\w*|art[ei]facts?|haemolysed|hemolyzed)\b", re.IGNORECASE
)
"""Of books, or no value at all: "a lactate of 4 means shock"."""
# "Potassium at 9" may be when it is to be taken.
_AT_HOUR: Final = re.compile(r"\bat (?:1?\d|2[0-4])\b(?![.:/]?\d)", re.IGNORECASE)
# A limit and an interval are no value: "BP <150/100, FVC 2 hrly".
_NO_VALUE: Final = re.compile(
    rf"{_AT_HOUR.pattern}|[<>≤≥] ?\d[\d./]*|\b\d+[- ]?(?:hourly|hrly|h|hrs?|hours?|min|minutes?|days?)\b"
)
_BREAK: Final = re.compile(r"[.;:!?](?=\s)|, ")


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of one thing: where its sentence stands in the discussion, and the number as written."""

    place: int
    quantity: Quantity


def stated(
    said: Sequence[SaidView], names: Collection[str], units: Collection[str], vocabulary: Vocabulary
) -> tuple[Stated, ...]:
    """Return the values that were stated of one of `names`, the newest first.

    `units` are those on record for it; with none any unit will do but one of time.
    """

    def reads(unit: str) -> bool:
        return not unit or (unit in units if units else unit not in DURATION)

    found = (
        Stated(place, value)
        for place, one in enumerate(said)
        if not one.past and (value := _value_at(said, place, names, vocabulary, reads)) is not None
    )
    return tuple(found)[::-1]


def _value_at(
    said: Sequence[SaidView],
    place: int,
    names: Collection[str],
    vocabulary: Vocabulary,
    reads: Callable[[str], bool],
) -> Quantity | None:
    """Return the value that a sentence states of one of `names`, also where it leaves the name out."""
    text = said[place].text
    value = _value_of(text, names, vocabulary, reads) if any(map(str.isdigit, text)) else None
    if value is not None:
        return value
    named = with_name(said, place, names, lambda of: measured_in(of, vocabulary))
    return _value_of(named, names, vocabulary, reads) if named is not None else None


def measured_in(text: str, vocabulary: Vocabulary) -> frozenset[str]:
    """Return what is measured that a text names."""
    found = vocabulary.spelled_in(vocabulary.key(text))
    every = (name for match in found for name in match.names if name in vocabulary.entries)
    return frozenset(name for name in every if vocabulary.entries[name].kind in _MEASURED)


def may_state(text: str) -> bool:
    """Tell whether a sentence may state a value of hers now: it has a number, and is no aim and no question."""
    if not any(letter.isdigit() for letter in _NO_VALUE.sub("", text)) or _is_aim(text) or _is_of_none(text):
        return False
    return all(one.own for one in told_clauses(text))


def _is_aim(text: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether a value in a part of `text` is aimed at, expected, or told as it was some time ago."""
    end = len(text) if end is None else end
    if _AIM.search(text, start, end):
        return True
    behind = _BREAK.search(text, end)
    just_now = _JUST_NOW.search(text, start, behind.start() if behind else len(text))
    return _WAS.search(text, start, end) is not None and just_now is None


def _is_of_none(text: str) -> bool:
    return bool(text.endswith("?") or is_general(text) or is_of_another(text) or _NOT_HERS.search(text))


def _value_of(
    text: str, names: Collection[str], vocabulary: Vocabulary, reads: Callable[[str], bool]
) -> Quantity | None:
    """Return the value that a sentence states of one of `names`; None where it states none."""
    if _is_of_none(text):
        return None
    last: Quantity | None = None
    for start, end in _places(text, names, vocabulary):
        given = newest_value(text, start, end, len(text), reads)
        if given is None or (given.beyond and not given.now):
            continue
        value = given.quantity
        if not value.unit and any(hour.end() == value.end for hour in _AT_HOUR.finditer(text)):
            continue
        clause = max((match.end() for match in _BREAK.finditer(text, 0, start)), default=0)
        own = all(one.own for one in told_clauses(text) if one.start <= start < one.end)
        if own and not _is_aim(text, clause, value.start) and not statuses_around(text, start, value.end):
            last = value
    return last


def _places(text: str, names: Collection[str], vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """Give where `text` has one of `names`.

    A short name behind another noun is of another thing: "airway pressure".
    """
    words = list(_WORD.finditer(text))
    key = tuple(vocabulary.word(word.group().lower()) for word in words)
    for match in vocabulary.spelled_in(key):
        if not set(match.names) & set(names):
            continue
        whole = any(key[match.begins : match.ends] == vocabulary.key(name) for name in match.names)
        before = text[: words[match.begins].start()].rstrip(" ")
        noun = (
            match.begins
            and before[-1:].isalpha()
            and spelled(words[match.begins - 1].group().lower()) not in STOP
        )
        if whole or not noun:
            yield words[match.begins].start(), words[match.ends - 1].end()
