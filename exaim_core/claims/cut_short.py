"""Decide what is told of a sentence without an end: nothing, or what is urgent in it.

A program's cut falls anywhere: in a word, in a number, in the name of what is forbidden. So a clause without an end is
not told, nor is one told without a condition that would have narrowed it.

A speaker breaks off between words, with a dash at the end of the turn. What was said so far states and orders nothing.
A dash at the end of a list's item, or of a line that others follow, is only how it is written.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.critical import may_not_wait
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.quantities import is_unit
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

LEAST_BROKEN_OFF: Final = 3  # words; "Stop—" and "No, no—" are whole
_BREAKS_OFF: Final = re.compile(r"\w[\"'”’)]?\s?(?:[—–]|--)+[\"'”’]?\Z")
_FORMS: Final = lexicon("claims/cut_short")
_LAST: Final = re.compile(r"[^\s,;:()]+\Z")
_GOES_ON: Final = re.compile(r"[\w,;:(–—-]\s*\Z")
_NUMBER: Final = re.compile(r"\d+[.,]\d+%?|\d+%")  # "7" may be half of 7.2, and 7.2 is near enough to 7.24


def broken_off(unit: Sentence) -> Sentence:
    """Return the last sentence of a turn as one that states and orders nothing if its speaker broke it off.

    An alarm and a ban in it stand. In a table a dash says that there is nothing.
    """
    if unit.row or unit.keyed or unit.listed or unit.doubted or not breaks_off(unit.full):
        return unit
    return replace(unit, doubted=True)


def breaks_off(text: str) -> bool:
    """Return whether `text` ends with the dash of a speaker who did not finish."""
    return _BREAKS_OFF.search(text) is not None and word_count(text) >= LEAST_BROKEN_OFF


def told_of(text: str) -> int:
    """Return how many characters of a cut sentence are told, 0 for none.

    Told are the whole clauses before the cut one, if they forbid or alarm. The clause that was cut counts if its last
    word is known to be whole: a drug, a unit, a number with its fraction.
    """
    if not _warns(text):
        return 0
    if _is_whole(text) or not _GOES_ON.search(text):
        return len(text)
    begun = _FORMS["begins"].search(text)  # everything after this depends on what was cut
    if begun is None:
        begun = max(_FORMS["joint"].finditer(text), key=re.Match.start, default=None)
    if begun is None or not _warns(head := text[: begun.start()]):
        return 0
    narrowed = _FORMS["restrains"].match(text[begun.end() :].lstrip())
    return 0 if narrowed and not may_not_wait(head) else len(head)


def _warns(text: str) -> bool:
    return prohibits(text) or may_not_wait(text)


def _is_whole(text: str) -> bool:
    """Return whether the last word of a text is known to be whole."""
    last = _LAST.search(text.rstrip())
    if last is None:
        return False
    word = last.group()
    return bool(_NUMBER.fullmatch(word) or drugs_named(word)) or (len(word) > 1 and is_unit(word))
