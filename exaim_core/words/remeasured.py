"""Read whether a newer sentence gives a value anew that older words give.

A finding that waits goes then (`withdrawn.py`): told late, its value would be heard as the present one. An alarm is
told with the newer value (`newer.py`), and an order stays with the one that it was given for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import key_of, may_be_of_before, readings
from exaim_core.text.quantities import quantities

Value = tuple[frozenset[str], str]
"""The words that name what is measured, and the number as written, or in the unit of its limit."""

_EMPTY: Final = frozenset(
    "an and at by for has her his is its now of on only since so still the to was with".split()
)
_NEAR: Final = 12  # characters between the name of a thing without limits and its number


def gives_anew(words: str, newer: str) -> bool:
    """Return whether `newer` gives a value that `words` give, with another number that they don't give of it."""
    given = _given_now(words)
    return bool(given) and any(
        (name <= other or other <= name) and number != before and (other, number) not in given
        for name, number in _given_now(newer)
        for other, before in given
    )


@lru_cache(maxsize=2048)  # all items that are kept (`kept.TOLD`), and the sentences since
def _given_now(sentence: str) -> frozenset[Value]:
    """Return the values that `sentence` gives for this patient now; none if it asks, or says what is aimed at."""
    if is_aside(sentence):
        return frozenset()
    of_before = may_be_of_before(sentence)
    limited = {
        (frozenset({each.limit.name}), key_of(each.limit, each.given.quantity))
        for each in readings(sentence)
        if each.given.now or not of_before
    }
    return frozenset(limited if of_before else limited | set(_without_limits(sentence)))


def is_aside(sentence: str) -> bool:
    """Return whether `sentence` asks for a value, or names one that is no measurement of now."""
    return sentence.endswith("?") or _ASIDE.search(sentence) is not None


_ASIDE: Final = re.compile(
    r"\b(?:cut-?offs?|thresholds?|limits?|aim(?:s|ing)?|targets?|goals?|needs?|wants?|if|unless"
    r"|in (?:January|February|March|April|May|June|July|August|September|October|November|December))\b",
    re.IGNORECASE,
)


def _without_limits(text: str) -> Iterator[Value]:
    """Yield numbers with the name of what has no critical limit here, or with the words and the unit beside them."""
    numbers = quantities(text)
    if not numbers:
        return
    mentions = {each.start: each for each in analytes_named(text)}
    for number, before in zip(numbers, (0, *(each.end for each in numbers)), strict=False):
        start = max((at for at in mentions if before <= at < number.start), default=None)
        if start is not None:
            mention = mentions[start]
            if mention.limit is None and number.start < mention.end + _NEAR:
                yield frozenset({text[mention.start : mention.end].lower()}), number.number
            continue
        part = re.split(r"[.,;:(]", text[before : number.start])[-1]
        words = [word.lower() for word in re.findall(r"[^\W\d_]{2,}", part)]
        named = frozenset(word for word in words if word not in _EMPTY)
        if number.unit and named:
            yield named | {f"in {number.unit}"}, number.number
