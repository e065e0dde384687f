"""How gold rows are read strictly, and how a told text is compared with their terms."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, TypeAlias

Terms: TypeAlias = tuple[tuple[str, ...], ...]


class GoldError(ValueError):
    """A gold file holds what it must not hold, or lacks what it needs; the message says where."""


def met(text: str, terms: Terms) -> bool:
    """Say whether every entry of `terms` has an alternative that the text holds.

    Both in lower case, with straight quotes; marks of layout, hyphens and line ends are blanks; 2,400 is
    2400. An alternative is met as a part of the text, but a digit at its end is the end of a number ("6.9" is
    not in "16.9" or "6.92"), and a blank at its end the end of a word.
    """
    plain = _plain(text)
    return all(any(_pattern(one).search(plain) for one in entry) for entry in terms)


@cache
def words(text: str) -> int:
    """Return how many words a text has; marks that stand alone are none."""
    return sum(any(char.isalnum() for char in word) for word in text.split())


def sentences(text: str) -> tuple[str, ...]:
    """Return a text's sentences; a line's end ends one too."""
    return tuple(part.strip() for part in re.split(r"\n+|(?<=[.!?])\s+", text) if part.strip())


def pieces(text: str) -> tuple[str, ...]:
    """Cut a text into pieces of about one token, as a model streams them; joined they are the text."""
    return tuple(re.findall(r"\n+| ?[^\W\d_]{1,7}| ?\d{1,3}| ?[^\w\s]{1,3}|[^\S\n]+|_", text))


def _plain(text: str) -> str:
    """Lower case, straight quotes; marks of layout and hyphens as blanks; 2,400 as 2400."""
    lowered = text.lower().replace("’", "'").replace("‑", "-")
    return " ".join(re.sub(r"(?<=\d),(?=\d{3}\b)", "", re.sub(r"[-–*_#`\s]", " ", lowered)).split())


@cache
def _pattern(alternative: str) -> re.Pattern[str]:
    """A part of the text; a blank at its end, or a digit there, is a border of a word or a number."""
    core = re.escape(_plain(alternative))
    if alternative[0] == " ":
        core = r"(?<![a-z0-9])" + core
    if alternative[-1] == " ":
        core += r"(?![a-z0-9])"
    if alternative[0].isdigit():
        core = r"(?<!\d)(?<!\d[.,])" + core
    if alternative[-1].isdigit():
        core += r"(?!\d)(?![.,]\d)"
    return re.compile(core)


def terms_of(where: str, made: Any) -> Terms:
    """Return the entries of a row, or raise `GoldError` when one is empty or no lower-case string."""
    for entry in made:
        for one in entry:
            if not isinstance(one, str) or not one.strip() or one != one.lower():
                raise GoldError(f"{where}: not a lower-case string: {one!r}")
    if not made or not all(made):
        raise GoldError(f"{where}: an empty entry")
    return tuple(tuple(entry) for entry in made)


def strict(where: str, row: dict[str, Any], needed: str, optional: str = "") -> dict[str, Any]:
    """Return a row that has all keys of `needed` and no other but `optional` ones, or raise `GoldError`."""
    wanted = set(needed.split())
    if not wanted <= row.keys() <= wanted | set(optional.split()):
        raise GoldError(f"{where}: keys are {sorted(row)}, not {sorted(wanted)} (and perhaps {optional!r})")
    return row
