"""How a term is written in a sentence, and when two terms mean the same thing."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from exaim_core.text.datafiles import data_text
from exaim_core.text.rows import lexicon

_WORD: Final = re.compile(r"[^\W_]+(?:[’'][^\W_]+)?")
_PARENS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_ABBREVIATION: Final = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,9})(?:[,;][^)]*)?\)")
_LEAST_NAME: Final = 4  # characters before the parenthesis
_FORMS: Final = lexicon("text/wording")
_SMALL: Final = frozenset(
    "a an and as at by for from in into of on or the to with without her his their its this that these patient "
    "patients s type types disease disorder syndrome condition conditions possible possibly potential likely suspected "
    "associated secondary related due made worse case level levels test tests testing study studies analysis examination "
    "evaluation assessment other such".split()
)
_SIDES: Final = frozenset({"left", "right", "bilateral"})


@cache
def eponyms() -> frozenset[str]:
    """Return the proper names that keep their capital, from `data/eponyms.txt`."""
    text = data_text("eponyms.txt")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


_SYMBOLS: Final = frozenset("Na Mg Ca Cl Hb Fe Li Zn Cu Cr Pb Hg".split())
"""Symbols with one capital that are no words: "Na is 138" follows a colon as it is."""


def _lowered(word: str) -> str:
    bare = re.sub(r"[’']s\Z", "", word)
    if not word[:1].isupper() or len(bare) == 1 or re.match(r"I[’']", word):
        return word
    if any(char.isupper() or char.isdigit() for char in bare[1:]) or bare in eponyms() or bare in _SYMBOLS:
        return word
    return word.lower()


@lru_cache(maxsize=8192)
def mid_sentence(term: str) -> str:
    """Return `term` as it is written inside a sentence: capitals only for names, abbreviations and units (20 Gy)."""
    opened = re.sub(r"\AA(?= [a-z])", "a", term)
    return _WORD.sub(lambda match: match.group() if _is_unit(match) else _lowered(match.group()), opened)


def _is_unit(word: re.Match[str]) -> bool:
    """Return whether a short word stands right behind a number."""
    return len(word.group()) <= MOST_OF_A_UNIT and word.string[: word.start()].rstrip()[-1:].isdigit()


MOST_OF_A_UNIT: Final = 3  # letters, of those with a capital: Gy, MBq


def lower_first(sentence: str) -> str:
    """Return `sentence` as it follows a colon: its first word in lower case unless it is a name."""
    match = _WORD.match(sentence)
    if match is None:
        return sentence
    first = "a" if match.group() == "A" else _lowered(match.group())
    return sentence[: match.start()] + first + sentence[match.end() :]


def upper_first(text: str) -> str:
    """Return `text` with a capital at its start."""
    return text[:1].upper() + text[1:]


def abbreviations(text: str) -> list[tuple[str, str]]:
    """Return the (abbreviation, name) pairs that `text` introduces, as in "Marfan syndrome (MFS)"."""
    found = []
    for match in _ABBREVIATION.finditer(text):
        opened, closed = (text.rfind(mark, 0, match.start()) for mark in "()")
        name = text[max(opened, closed) + 1 : match.start()]
        if len(name) >= _LEAST_NAME:
            found.append((match[1], name.strip()))
    return found


@lru_cache(maxsize=8192)
def term(text: str) -> str:
    """Return the term in `text`, fit to be spoken: no parentheses, no article, lower case."""
    bare = _PARENS.sub("", text)
    bare = re.sub(r"\s*\([^)]*\Z", "", bare)
    bare = _FORMS["opening"].sub("", bare.strip(" \t.,;:-–—\"“”'*"))
    bare = re.sub(r"^(?:\d{1,2}[.)]\s+)", "", bare)
    bare = re.sub(r"(?<=[A-Za-z]{2})\s*/\s*(?=[A-Za-z]{2})", " or ", bare.replace("and/or", "or"))
    return mid_sentence(" ".join(bare.split()))


def _stem(word: str) -> str:
    word = re.sub(r"[’']s\Z", "", word.lower())
    word = word.replace("aemia", "emia").replace("oedema", "edema").replace("tumour", "tumor")
    return word if len(word) <= 4 or any(char.isdigit() for char in word) else word[:6].rstrip("s")


@lru_cache(maxsize=8192)
def key_words(text: str) -> tuple[str, ...]:
    """Return the stems of the content words of `text`, in order, each once."""
    words = (word.lower() for word in _WORD.findall(_PARENS.sub("", text).replace("-", " ")))
    return tuple(dict.fromkeys(_stem(word) for word in words if word not in _SMALL))


@lru_cache(maxsize=8192)
def head_words(text: str) -> tuple[str, ...]:
    """Return the stems of the part of `text` before "with", "due to" and the like."""
    return key_words(_FORMS["tail"].split(_PARENS.sub("", text), maxsplit=1)[0])


def topic_of(text: str) -> str:
    """Return the normalised name of a clinical problem, the same for other wordings of it."""
    return " ".join(sorted(head_words(text) or key_words(text))) or text.strip().lower()


@lru_cache(maxsize=16384)
def same_problem(one: str, other: str) -> bool:
    """Return whether two terms name the same problem, in other words or with more or less detail.

    The words of one are all in the other, or the heads are the same and long enough to be no
    accident. Left and right are never the same.
    """
    first, second = set(key_words(one)), set(key_words(other))
    if not first or not second:
        return one.strip().lower() == other.strip().lower()
    sides = first & _SIDES, second & _SIDES
    if sides[0] and sides[1] and sides[0] != sides[1]:
        return False
    shorter, longer = sorted((first, second), key=len)
    if shorter <= longer:
        if first != second and _both(one) != _both(other):
            return False  # "A and B" is more than either
        return len(shorter) > 1 or len(head_words(_longer(one, other))) <= 2
    heads = set(head_words(one)), set(head_words(other))
    return heads[0] == heads[1] and len(heads[0]) >= 3


def _both(text: str) -> bool:
    return re.search(r"\b(?:and|or)\b", _PARENS.sub("", text)) is not None


def common_wording(one: str, other: str) -> str:
    """Return the words that two terms for one problem share, as one of them writes them."""
    first, second = set(key_words(one)), set(key_words(other))
    if first == second:
        return min(one, other, key=len)
    if first <= second or second <= first:
        return one if first <= second else other
    return _FORMS["tail"].split(_PARENS.sub("", one), maxsplit=1)[0].strip()


def _longer(one: str, other: str) -> str:
    return one if len(key_words(one)) >= len(key_words(other)) else other


@lru_cache(maxsize=16384)
def same_item(one: str, other: str) -> bool:
    """Return whether a list item repeats another: the meaning of one is contained in the other."""
    first, second = set(key_words(one)), set(key_words(other))
    if not first or not second:
        return one.strip().lower() == other.strip().lower()
    if (first & _SIDES) != (second & _SIDES) and first & _SIDES and second & _SIDES:
        return False
    shorter, longer = sorted((first, second), key=len)
    common = len(first & second)
    return shorter <= longer or (common >= 2 and common / len(longer) >= 0.6)


def word_count(text: str) -> int:
    """Return how many words `text` has, split at whitespace."""
    return len(text.split())


def series(parts: Sequence[str]) -> str:
    """Return "a", "a and b" or "a, b and c"; with semicolons if a part has a comma or an "and" itself."""
    if len(parts) <= 1:
        return "".join(parts)
    if any("," in part or " and " in part for part in parts[:-1]) and len(parts) > 2:
        return "; ".join(parts[:-1]) + "; and " + parts[-1]
    return ", ".join(parts[:-1]) + " and " + parts[-1]
