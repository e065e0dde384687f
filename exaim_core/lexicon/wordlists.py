"""Lists of words and terms as patterns: what a condition, a test or a measure is called (`data/terms`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from exaim_core.text.datafiles import data_lines
from exaim_core.text.patterns import late

_SHORT: Final = re.compile(r"\w*[A-Z]\w*[A-Z]|[A-Z]\b")
"""An abbreviation, by two capitals in a word or one at its end: it counts as it is written, for "ten" is no TEN."""


def alternation(words: Iterable[str]) -> str:
    """Return a pattern for exactly these words, branching by letter for speed."""
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _branches(tree)


def _branches(node: dict[str, Any]) -> str:
    ends = "" in node
    parts = [re.escape(char) + _branches(below) for char, below in sorted(node.items()) if char]
    if not parts:
        return ""
    inside = parts[0] if len(parts) == 1 and not ends else f"(?:{'|'.join(parts)})"
    return f"{inside}?" if ends else inside


def terms(file: str) -> re.Pattern[str]:
    """Return a late pattern for the terms of a list of `data/terms`, as whole words.

    A term may have an "s" behind it. A blank may be a hyphen. A term that has a word with two capitals, or with one at
    its end, counts as it is written. Any other counts in any case.
    """
    return late(partial(_compiled, file))


def _compiled(file: str) -> re.Pattern[str]:
    words = data_lines(f"terms/{file}.txt")
    short = alternation(word for word in words if _SHORT.search(word))
    long = alternation(word.lower() for word in words if not _SHORT.search(word))
    either = f"{_any_blank(short)}|(?i:{_any_blank(long)})"
    return re.compile(rf"(?<![\w-])(?:{either})s?(?!\w)")


def _any_blank(pattern: str) -> str:
    return pattern.replace(r"\ ", r"[\s-]")
