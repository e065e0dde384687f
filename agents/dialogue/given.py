"""What a text names that may be given to a patient or done with one, and whether it is of an allergy."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agents.dialogue.meaning import everyday_words
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.lexicon.drugs import DRUG, drugs_named

ALLERGY: Final = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|hypersensitiv\w+)\b|\breactions?\s*[=:]", re.IGNORECASE
)
# What an allergy is told by where nobody calls it one: "penicillin brings her out in hives".
_PARTS: Final = r"(?:tongue|lips?|face|throat|eyes?|airway)"
_REACTION: Final = re.compile(
    rf"\b(?:rash(?:es)?|hives|urticaria\w*|weals?|wheals?|welts?|blotch\w*|swell(?:s|ed)? up|swollen {_PARTS}|swelling of the {_PARTS}|{_PARTS} (?:swell\w*|swollen|swelled|closed|tightened)|tight throat|angio-?o?edema|blister\w*|peel(?:s|ed|ing)?|wheez\w+|bronchospasm|collapsed?|dystoni\w+|jaw locked|eyes? roll\w*|shaking chills|came? out in|br(?:ings?|ought) (?:her|him|them) (?:out|up) in)\b",
    re.IGNORECASE,
)
# ... beside what nobody here knows as a drug: "hives with gadolinium", "cefalexin: collapse, 2016", "latex he swells up with".
_REACTED_TO: Final = re.compile(
    rf"(?:{_REACTION.pattern})[^.;:]{{0,20}}\b(?:with|to|from|after|on) (?!the\b|his\b|her\b|it\b|this\b|that\b)[a-z-]{{5,}}|\b[A-Za-z-]{{5,}}(?: ?[:,(=–-] ?| (?:made|gave) (?:him|her|his|them)? ?)[^.;]{{0,20}}(?:{_REACTION.pattern})",
    re.IGNORECASE,
)
NO_ALLERGY: Final = re.compile(r"\b(?:no|not|nil|without|denies|never|missed|check)\b[^.;]{0,30}\b(?:allerg\w+|anaphyla\w+)", re.IGNORECASE)  # fmt: skip
_KINDS: Final = frozenset({"drugs", "drug groups", "procedures", "allergens"})


@lru_cache(maxsize=4096)
def reacted_to(text: str) -> bool:
    """Tell whether a sentence is of an allergy: it says so, or names a drug beside what an allergy looks like."""
    if ALLERGY.search(text):
        return NO_ALLERGY.search(text) is None
    if text.endswith("?") or not _REACTION.search(text):
        return False
    return bool(names_given(text)) or _REACTED_TO.search(text) is not None


@lru_cache(maxsize=4096)
def names_given(text: str) -> frozenset[str]:
    """Return what a clause names that may be given or done."""
    names = {match.group().lower() for match in DRUG.finditer(text)} | {
        name.lower() for name in drugs_named(text)
    }
    names |= {word.lower() for word in re.findall(r"[A-Za-z][\w-]{2,}", text) if is_given(word.lower())}
    vocabulary = known_vocabulary()
    for match in vocabulary.spelled_in(vocabulary.key(text)):
        names |= {name.lower() for name in match.names if vocabulary.entries[name].kind in _KINDS}
    return frozenset(name.removesuffix("s") for name in names)


@lru_cache(maxsize=4096)
def is_given(word: str) -> bool:
    """Tell whether one word names a drug or an operation, long or cut short."""
    if DRUG.fullmatch(word) or re.search(r"(?:otomy|ectomy|ostomy|plasty)\Z", word):
        return True
    return any(DRUG.search(other) for other in everyday_words(word))
