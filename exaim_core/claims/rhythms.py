"""Find a life-threatening rhythm that is said to be there, whatever verb stands before it: "he's flipped back into VT".

| what leads to its name | example |
|---|---|
| somebody, or what shows the rhythm, comes to be in it, is in it or goes back to it | "the monitor's back in VF" |
| it is what "that" or the monitor is called, or what somebody sees | "that's VT again" |
| it stands alone, as there again or as on the monitor | "VF again" |

How these words are meant (denied, past, supposed, somebody else's) is read by `emergencies.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/rhythms")
_NAMES: Final = tuple(zip((row.name for row in _FORMS.rows()["names"]), _FORMS.each("names"), strict=True))
NAMES: Final = tuple(row.pattern for row in _FORMS.rows()["names"])
"""The names of the rhythms as patterns, for a quick test."""


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A rhythm that is said to be there: the kind of emergency, and the place of its name.

    `since`: where the words begin that say so. `named`: they name who is in it, or what shows it.
    """

    kind: str
    start: int
    end: int
    since: int
    named: bool


def rhythms(sentence: str) -> Iterator[Rhythm]:
    """Yield the life-threatening rhythms that `sentence` says to be there."""
    for kind, pattern in _NAMES:
        for name in pattern.finditer(sentence):
            since, named = _led(sentence, name)
            if since >= 0:
                yield Rhythm(kind, *name.span(), since, named)


def _led(sentence: str, name: re.Match[str]) -> tuple[int, bool]:
    """Return where the words begin that say that the rhythm of a `name` is there, and whether they name who is in it.

    The place is -1 if there are none.
    """
    start, end = name.span()
    if _FORMS["other"].match(sentence, end):
        return -1, False
    ends = _FORMS["ends_part"].match(sentence, end) is not None
    shown = _FORMS["behind"].match(sentence, end) is not None
    forms = (("led", True, True), ("called", ends, True), ("elliptic", True, False), ("alone", shown, False))
    for form, may_be, named in forms:
        led = _FORMS[form].search(sentence, 0, start) if may_be else None
        if led is not None and not drugs_named(led.group()):
            return led.start(), named
    return -1, False


def is_taken_back(sentence: str, rhythm: Rhythm) -> bool:
    """Return whether words behind a rhythm end it or take it back: "for ten seconds, self-terminated"."""
    return _FORMS["taken_back"].search(sentence, rhythm.end) is not None


def is_waited_for(sentence: str, rhythm: Rhythm) -> bool:
    """Return whether words right before a rhythm wait for it, fear it or tell of an arrival with it."""
    return _FORMS["waited_for"].search(sentence, 0, rhythm.start) is not None
