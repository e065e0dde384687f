"""Test quickly whether any of many patterns can match a text at all.

Each word is tested once and remembered: it may belong to a match if it holds a piece of four letters or
more from one of the patterns, or is one of their short words. Most sentences are ruled out here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

LEAST: Final = 4
OPENING: Final = 3  # letters by which pieces are looked up, as many as the shortest piece has
_MARKS: Final = ".,;:()[]*_\"'’“”?!-–+0123456789"
_JOINTS: Final = re.compile(r"[-/+]")
_COMMON: Final = frozenset(
    "with from left right after days weeks week hours year years month months ago this that have been blood "
    "level into test tests first last other small large major over under more most time known very severe acute "
    "about because patient line under three four five seven eight nine twelve thirteen yesterday morning another "
    "mean scan shows confirms both there still some complete tion ation ations tional type types order brain metal "
    "system similar structural high white chronic gastrointestinal disorder syndrome impairment deficien degeneration "
    "of in at by an no on is the and are to for has his her she he it had was now not all its one two six ten up us "
    "way new old red end per are re non per day also ing ion ed er ly al ic es te pre co".split()
)


def _tells(word: str) -> bool:
    """Return whether a piece is long enough to be looked for inside words: "gfr" is, in "eGFR"."""
    return word not in _COMMON and (
        len(word) >= LEAST or (len(word) == LEAST - 1 and not re.search("[aeiouy]", word))
    )


def _by_opening(pieces: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the pieces by their first `OPENING` letters."""
    found: dict[str, list[str]] = {}
    for piece in sorted(pieces):
        found.setdefault(piece[:OPENING], []).append(piece)
    return {opening: tuple(each) for opening, each in found.items()}


class Hints:
    """The pieces of some patterns; `also` are patterns that are tried on single words."""

    def __init__(self, patterns: Iterable[str], also: Iterable[re.Pattern[str]] = ()) -> None:
        """Take the patterns as they are written for `re`."""
        bare = [re.sub(r"(?<!\\)\w\?", " ", pattern) for pattern in patterns]  # without optional letters
        whole = [re.sub(r"\\[a-zA-Z]|\(\?<?[!=:]|\[[^\]]*\]", " ", pattern) for pattern in bare]
        words = {word.lower() for pattern in whole for word in re.findall(r"[^\W\d_]+", pattern)}
        self._pieces = _by_opening(word for word in words if _tells(word))
        self._short = frozenset(word for word in words if 1 < len(word) < LEAST and word not in _COMMON)
        self._also = tuple(also)
        self._word = lru_cache(maxsize=16384)(self._looks)

    def _looks(self, word: str) -> bool:
        bare = word.strip(_MARKS)
        if bare in self._short or any(part in self._short for part in _JOINTS.split(bare)):
            return True
        for at in range(len(word) - OPENING + 1):
            if word.startswith(self._pieces.get(word[at : at + OPENING], ()), at):
                return True
        return any(pattern.search(word) for pattern in self._also)

    def may(self, text: str) -> bool:
        """Return whether a match is possible."""
        return any(map(self._word, text.lower().split()))
