"""Other words for the same thing: phrases in one form, words as concepts, and words that state nothing.

The lists are in `data/paraphrase.json`. What is dangerous to mix up has no synonyms there: numbers, sides,
times, names of drugs and of diseases.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.datafiles import data_json
from exaim_core.drugs import DRUG
from exaim_core.names import NUMBER_WORDS
from exaim_core.shorthand import written_out

WORD: Final = re.compile(r"[^\W\d_]+(?:[’'][^\W\d_]+)?")
_DISEASE: Final = re.compile(r"(?:itis|itides|osis|oses|oma|omas|[ae]mia|uria|pathy|plegia|paresis|penia|philia|algia|rrhage|rrhoea|rrhea|ectomy|otomy|ostomy|plasty|scopy|gram|graphy)\Z")  # fmt: skip
_DRUGLIKE: Final = re.compile(r"(?:ine|ol|ide|ate|one|am|an|in|il|ab|ib|cid|azole|statin|ium)\Z")
_ENDINGS: Final = ("ational", "ations", "ation", "ically", "ities", "ical", "ions", "ings", "edly", "ally", "ness", "ment", "ity", "ies", "ing", "ion", "ied", "ely", "ive", "ous", "al", "ed", "es", "er", "ly", "ic", "e", "s", "y")  # fmt: skip
LEAST_STEM: Final = 5


@dataclass(frozen=True, slots=True)
class _Lists:
    phrases: tuple[tuple[re.Pattern[str], str], ...]
    groups: dict[str, str]
    free: frozenset[str]
    strict: frozenset[str]
    things: frozenset[str]
    plain: frozenset[str]
    by_value: dict[str, frozenset[str]]
    opposites: tuple[tuple[str, ...], ...]


@cache
def _lists() -> _Lists:
    raw = data_json("paraphrase.json")
    groups: dict[str, str] = {}
    for line in raw["groups"]:
        first, *others = (_spelling(word) for word in line.split())
        for word in (first, *others):
            groups.setdefault(word, first)
    phrases = tuple((re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in raw["phrases"])
    return _Lists(
        phrases,
        groups,
        frozenset(_spelling(word) for word in raw["free"].split()),
        frozenset(_spelling(word) for word in raw["strict"].split()),
        frozenset(_spelling(word) for line in raw["things"].values() for word in line.split()),
        frozenset(_spelling(word) for word in raw["plain"].split()),
        {
            _spelling(word): frozenset(_spelling(one) for one in measures.split())
            for word, measures in raw["by_value"].items()
        },
        tuple(tuple(pair.split()) for pair in raw["opposites"].split(";")),
    )


@lru_cache(maxsize=2048)
def canonical(text: str) -> str:
    """Return `text` with units, short forms and set phrases in one form."""
    text = written_out(text)
    for pattern, instead in _lists().phrases:
        text = pattern.sub(instead, text)
    return text


def _spelling(word: str) -> str:
    word = re.sub(r"gra(?:phy|phies|phic|ms|phs?)\Z", "gram", re.sub(r"[’']s?\Z", "", word.lower()))
    return word.replace("ae", "e").replace("oe", "e").replace("our", "or").replace("sulph", "sulf")


@lru_cache(maxsize=8192)
def concept(word: str) -> str:
    """Return the same string for words that mean the same, or that differ in their ending only."""
    lists, spelt = _lists(), _spelling(word)
    if spelt in lists.groups:
        return lists.groups[spelt]
    if DRUG.fullmatch(word) or _DISEASE.search(spelt):
        return spelt.removesuffix("s")
    stem = spelt
    for _ in range(2):  # "delivered" as "deliver"
        ending = next(
            (end for end in _ENDINGS if stem.endswith(end) and len(stem) - len(end) >= LEAST_STEM - 1), ""
        )
        stem = stem.removesuffix(ending)
        if stem in lists.groups:
            return lists.groups[stem]
    return stem


@lru_cache(maxsize=4096)
def concepts(text: str) -> tuple[str, ...]:
    """Return the concepts of the words of `text`, in order; number words are left out."""
    words = (word for word in WORD.findall(text) if word.lower() not in NUMBER_WORDS)
    return tuple(concept(word) for word in words)


@lru_cache(maxsize=8192)
def is_free(word: str) -> bool:
    """Tell whether `word` states nothing about a patient by itself."""
    spelt = _spelling(word)
    return len(spelt) == 1 or spelt in _lists().free


@cache
def _free_concepts() -> frozenset[str]:
    return frozenset(concept(word) for word in _lists().free)


def telling(text: str) -> tuple[str, ...]:
    """Return the concepts of `text` that state something, in order."""
    return tuple(
        concept(word)
        for word in WORD.findall(text)
        if word.lower() not in NUMBER_WORDS and not is_free(word) and concept(word) not in _free_concepts()
    )


@cache
def _thing_concepts() -> frozenset[str]:
    return frozenset(concept(word) for word in _lists().things)


@cache
def opposites() -> tuple[tuple[str, str], ...]:
    """Return pairs of concepts of which one may not stand for the other, both ways round."""
    pairs = [(concept(one), concept(other)) for one, other in _lists().opposites]
    return tuple(pairs + [(other, one) for one, other in pairs])


@lru_cache(maxsize=8192)
def measures_of(word: str) -> frozenset[str]:
    """Return the concepts of what is measured where `word` names a high or a low value, as "neutropenia" does."""
    return frozenset(concept(one) for one in _lists().by_value.get(_spelling(word), ()))


@lru_cache(maxsize=8192)
def is_strict(word: str) -> bool:
    """Tell whether `word` may never be added: a time, a side, a person, how sure it is, a drug, a disease, a part, a test."""
    lists, spelt = _lists(), _spelling(word)
    if spelt in lists.free and spelt not in lists.strict:
        return False
    if (
        spelt in lists.strict
        or lists.groups.get(spelt) in lists.strict
        or concept(word) in _thing_concepts()
        or spelt in _thing_concepts()
        or any(char.isupper() for char in word[1:])
    ):
        return True
    return spelt not in lists.plain and bool(
        DRUG.search(word) or _DISEASE.search(spelt) or (len(spelt) >= 7 and _DRUGLIKE.search(spelt))
    )


def like(one: str, known: frozenset[str]) -> bool:
    """Tell whether a concept is in `known`, or shares so much of its beginning with one there that both are forms."""
    if one in known:
        return True
    if len(one) < LEAST_STEM or DRUG.search(one) or _DISEASE.search(one):
        return False
    return any(_same_stem(one, other) for other in known)


def _same_stem(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    if shorter < LEAST_STEM or DRUG.search(other) or _DISEASE.search(other):
        return False
    common = next((k for k in range(shorter) if one[k] != other[k]), shorter)
    return common >= LEAST_STEM and common >= 0.8 * shorter and max(len(one), len(other)) - common <= 4
