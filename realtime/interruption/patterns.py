"""Phrases written as patterns: "go back [one|to the last {item}]" is three of them, and more.

A pattern is words, `(one|other)` of which one is said, `[this|that]` of which one may be said, and the name
of a class in braces. They nest. A phrase without these signs is a pattern of itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

MOST: Final = 5_000  # phrases of one pattern; more is a slip in the writing
_SIGNS: Final = re.compile(r"[\[\](){}|]|[^\[\](){}|\s]+")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}


class BadPattern(ValueError):
    """A pattern can't be read; the message says which."""


def expand(pattern: str, classes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return every phrase of `pattern`. Raises: BadPattern: it can't be read, or gives too many."""
    signs = _SIGNS.findall(pattern)
    phrases, at = _either(signs, 0, classes, pattern)
    if at != len(signs):
        raise BadPattern(f"{pattern!r}: {signs[at]!r} closes nothing")
    return tuple(dict.fromkeys(" ".join(each) for each in phrases if each))


_Phrases = list[tuple[str, ...]]


def _either(
    signs: Sequence[str], at: int, classes: Mapping[str, Sequence[str]], whole: str
) -> tuple[_Phrases, int]:
    """Return the phrases of all alternatives from `at` on, and where they end."""
    found: _Phrases = []
    row: _Phrases = [()]
    while at < len(signs) and signs[at] not in _CLOSES.values():
        sign = signs[at]
        if sign == "|":
            found, row, at = found + row, [()], at + 1
            continue
        parts, at = _part(signs, at, classes, whole)
        row = [(*one, *other) for one in row for other in parts]
        if len(row) > MOST:
            raise BadPattern(f"{whole!r} stands for more than {MOST} phrases")
    return found + row, at


def _part(
    signs: Sequence[str], at: int, classes: Mapping[str, Sequence[str]], whole: str
) -> tuple[_Phrases, int]:
    """Return the phrases of the word, the group or the class at `at`, and where it ends."""
    sign = signs[at]
    if sign not in _CLOSES:
        return [(sign,)], at + 1
    if sign == "{":
        name = "".join(signs[at + 1 : at + 2])
        if name not in classes or signs[at + 2 : at + 3] != ["}"]:
            raise BadPattern(f"{whole!r} names no class with {{{name}}}")
        return [tuple(phrase.split()) for each in classes[name] for phrase in expand(each, classes)], at + 3
    parts, end = _either(signs, at + 1, classes, whole)
    if signs[end : end + 1] != [_CLOSES[sign]]:
        raise BadPattern(f"{whole!r}: {sign!r} is not closed")
    return parts + ([()] if sign == "[" else []), end + 1


def expanded(patterns: Sequence[str], classes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Return the phrases of all `patterns`, in their order."""
    for pattern in patterns:
        yield from expand(pattern, classes)
