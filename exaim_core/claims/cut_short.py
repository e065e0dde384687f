"""Decide what is told of a sentence that its speaker's program cut off: nothing, or urgent clauses.

A cut falls anywhere: in a word, in a number, in the name of what is forbidden. So a clause without an end is not told,
nor is one told without a condition that would have narrowed it.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.claims.critical import may_not_wait
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.quantities import is_unit
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/cut_short")
_LAST: Final = re.compile(r"[^\s,;:()]+\Z")
_GOES_ON: Final = re.compile(r"[\w,;:(–—-]\s*\Z")
_NUMBER: Final = re.compile(r"\d+[.,]\d+%?|\d+%")  # "7" may be half of 7.2, and 7.2 is near enough to 7.24


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
