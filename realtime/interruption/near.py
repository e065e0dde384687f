"""Compare how two words sound, by their spelling: "Star," and "stop" differ in one sound."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

NEAR: Final = 0.45  # share of the sounds that may differ; "scared"/"skip" 0.4, "stop"/"okay" 1.0

_SPELLINGS: Final = (
    (r"mm+", "m"),
    (r"ph", "f"),
    (r"ck|q", "k"),
    (r"c(?=[eiy])", "s"),
    (r"c", "k"),
    (r"x", "ks"),
    (r"z", "s"),
    (r"gh", ""),
    (r"wh", "w"),
    (r"kn", "n"),
    (r"wr", "r"),
    (r"(?<=[^aeiou])e(?=d?$)", ""),  # silent: "make", "baked"
    (r"y(?=[aeiou])", "j"),
    (r"[aeiouy]+[hw]?", "a"),
    (r"(.)\1+", r"\1"),
)
_RULES: Final = tuple((re.compile(pattern), said) for pattern, said in _SPELLINGS)
_FAMILIES: Final = ("pb", "td", "kg", "fv", "mn", "lr", "sj")  # told apart by voicing or little else
_KIN: Final = frozenset((x, y) for family in _FAMILIES for x in family for y in family)


@lru_cache(maxsize=512)
def sounds(words: str) -> str:
    """Return a coarse spelling of how `words` sound: consonants in order, every vowel an "a"."""
    heard = words.replace(" ", "")[:40]
    for pattern, said in _RULES:
        heard = pattern.sub(said, heard)
    return heard


def distance(one: str, other: str) -> float:
    """Return the share of sounds in which two phrases differ: 0 the same, 1 nothing in common."""
    return _distance(sounds(one), sounds(other))


def alike(words: str, known: Iterable[str], most: float) -> bool:
    """Return whether `words` differ by a share of `most` or less from one of `known` (as `sounds` gives).

    What differs by more in length alone is not compared.
    """
    heard = sounds(words)
    return any(
        abs(len(heard) - len(each)) <= most * max(len(heard), len(each))
        and _distance(heard, each, most) <= most
        for each in known
    )


def consonants(words: str) -> str:
    """Return the consonants of `words` as they sound, in order: "holed on" has those of "hold on"."""
    return sounds(words).replace("a", "")


def _distance(a: str, b: str, most: float = 1.0) -> float:
    """Return the share of sounds that differ; 1 as soon as it is known to be over `most`."""
    if not a or not b:
        return 1.0
    limit = most * max(len(a), len(b))
    row = [float(at) for at in range(len(b) + 1)]
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], float(i)
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + _cost(x, y))
        if min(row) > limit:
            return 1.0
    return row[-1] / max(len(a), len(b))


def _cost(x: str, y: str) -> float:
    if x == y:
        return 0.0
    return 0.5 if (x, y) in _KIN else 1.0
