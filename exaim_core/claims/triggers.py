"""Find words that say when to act, ask, or weigh, and state nothing of the patient now.

A *bound* is a comparator with its number ("under 90", "12 or less") that no verb asserts. Bounds that are joined by
"or", stand under "call me for", or lead to what somebody is to do are triggers, and so is each sign in their list. A
clause with a subject of its own ("…, he's blue") is none of the list. "A blown pupil gets mannitol" is a rule, "is that
a silent chest" a question, "15 % for sepsis" a weight.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.withdrawn import Span
from exaim_core.text.figures import NUMBER_WORDS
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/triggers", words=NUMBER_WORDS)
_PART: Final = re.compile(r"[,;:.!]\s|\s[–—-]\s")
_OR: Final = re.compile(r"\bor\b", re.IGNORECASE)


def bounds(sentence: str) -> tuple[Span, ...]:
    """Return where `sentence` gives a comparator and its number, and asserts neither of the patient."""
    compared = [found.span() for found in _FORMS["bound"].finditer(sentence)]
    found = [span for span in compared if not _FORMS["asserted"].search(sentence, 0, span[0])]
    less = (each.span() for each in _FORMS["or_less"].finditer(sentence))
    found += [span for span in less if not _FORMS["asserted"].search(sentence, 0, span[0])]
    return tuple(sorted(found))


@lru_cache(maxsize=2048)
def lists_triggers(sentence: str, earlier: str = "") -> bool:
    """Return whether `sentence` lists at what somebody is to act.

    A fragment that goes on with "and" goes on from `earlier`, the sentence before it, if that lists them.
    """
    if _FORMS["asks_for_a_call"].match(sentence):
        return True
    found = bounds(sentence)
    if len(found) > 1 and _OR.search(sentence, found[0][1], found[-1][0]):
        return True
    if any(_FORMS["then_you"].match(sentence, end) for _, end in found):
        return True
    return bool(earlier) and _FORMS["goes_on"].match(sentence) is not None and lists_triggers(earlier)


def is_asked(sentence: str, start: int) -> bool:
    """Return whether the part of `sentence` that holds `start` opens as a question does, whatever ends it.

    Blanks at its start stand for words that were left out ("not only is …"): then it does not.
    """
    begins = _part_from(sentence, start)
    return not sentence.startswith("  ", begins) and _FORMS["asks"].match(sentence, begins) is not None


def is_of_a_rule(sentence: str, start: int, end: int) -> bool:
    """Return whether the words at [start, end) are the indefinite subject of what is then to be done."""
    if _FORMS["what_follows"].match(sentence, end) is None:
        return False
    return _FORMS["indefinite"].match(sentence, _part_from(sentence, start), end) is not None


def is_weighed(sentence: str, start: int, end: int) -> bool:
    """Return whether the words at [start, end) are given a probability."""
    return (
        _FORMS["weight_before"].search(sentence, 0, start) is not None
        or _FORMS["weight_behind"].match(sentence, end) is not None
    )


def _part_from(sentence: str, start: int) -> int:
    return max((stop.end() for stop in _PART.finditer(sentence, 0, start)), default=0)
