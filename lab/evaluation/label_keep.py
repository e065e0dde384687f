"""Which of the words that must not be lost are missing in what was told: five classes of them.

A negation, hedge or condition is kept if any word of its class stands in what was told ("not" may be told as
"warns against"). A side or a number has to stand there itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lab.evaluation.labelled import words

_NEGATIONS: Final = frozenset(
    (
        "no not never none nothing nobody nor neither without avoid avoids against denies denied negative off stop "
        "stops hold holds withhold withheld excluded excludes out absent cannot unlikely doubts rejects "
        "contraindicated forbids isn't don't doesn't won't can't wasn't aren't didn't couldn't wouldn't "
        "shouldn't haven't hasn't free"
    ).split()
)
_HEDGES: Final = frozenset(
    (
        "may might could possible possibly perhaps maybe probable probably likely unlikely suspected suspects suspect "
        "seems appears poss prob presumed presumably candidate considers consider think thinks favours favoured lean "
        "leans query almost suggests suggestive tentative tentatively uncertain unsure doubtful rather about roughly"
    ).split()
)
_CONDITIONS: Final = frozenset(
    "if unless until till only before after when once provided except should depending pending".split()
)
_SIDES: Final = frozenset(("left", "right", "bilateral", "both"))
CLASSES: Final = ("negation", "hedge", "condition", "side", "number")


def lost(keep: Iterable[str], told: str) -> list[tuple[str, bool]]:
    """Return the class of each word of `keep` that is of one, and whether it is missing in `told`."""
    there = set(words(told))
    found: list[tuple[str, bool]] = []
    for word in (word for phrase in keep for word in words(phrase)):
        for name, of in (("negation", _NEGATIONS), ("hedge", _HEDGES), ("condition", _CONDITIONS)):
            if word in of:
                found.append((name, not there & of))
        if word in _SIDES:
            found.append(("side", word not in there))
        if word[0].isdigit():
            found.append(("number", word not in there))
    return found
