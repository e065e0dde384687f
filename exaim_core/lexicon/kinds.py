"""Decide what kind of thing a term names: a patient's condition, a test, a measure, or none of them."""

# ruff: noqa: E501 - a word list is read more easily on long lines

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.wordlists import terms
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/kinds")
_CONDITIONS: Final = terms("conditions")
_TESTS: Final = terms("tests")
_MEASURES: Final = terms("measures")
_SHORT: Final = re.compile(
    r"(?-i:\b[A-Z][A-Za-z]?[A-Z][A-Za-z0-9-]{0,8}\b)"
)  # an abbreviation: TTP, AD-HIES, SLE
_NAMED: Final = re.compile(r"\b[A-Z][a-zà-ÿ-]+(?:['’]s| type\b)")


@lru_cache(maxsize=4096)
def names_condition(term: str) -> bool:
    """Return whether `term` names a disease, an injury or a state of a patient, in full or in short."""
    if _FORMS["no_condition"].search(term):
        return False
    return any(pattern.search(term) for pattern in (_FORMS["condition"], _CONDITIONS, _SHORT, _NAMED))


@lru_cache(maxsize=4096)
def states_condition(text: str) -> bool:
    """Return whether a sentence holds a word for a condition; an abbreviation may be a test's."""
    return _FORMS["condition"].search(text) is not None


@lru_cache(maxsize=4096)
def is_listed(text: str) -> bool:
    """Return whether a sentence has a term of the lists of conditions, tests and measures (`data/terms`).

    That says what it is about. A ban, an order or a history needs the forms: "no central line yet" is none.
    """
    return any(pattern.search(text) is not None for pattern in (_CONDITIONS, _TESTS, _MEASURES))


@lru_cache(maxsize=4096)
def may_be_named(term: str) -> bool:
    """Return whether `term` may be a condition if its place says so: it is no word of the debate itself."""
    return _FORMS["no_condition"].search(term) is None and any(
        word.lower() not in _HEDGES and word.lower() not in _EMPTY for word in _WORD.findall(term)
    )


@lru_cache(maxsize=4096)
def names_test(term: str) -> bool:
    """Return whether `term` names an investigation, and neither an order of another kind nor a disease."""
    return _FORMS["test"].search(term) is not None and _FORMS["no_test"].search(term) is None


@lru_cache(maxsize=4096)
def names_measure(term: str) -> bool:
    """Return whether `term` names something done for a patient: an operation, a treatment."""
    return _FORMS["measure"].search(term) is not None


_HEDGES: Final = frozenset(
    "likely unlikely probable probably possible possibly perhaps maybe sure certain uncertain unsure unclear "
    "suspected more less most least than still now then yet not here there above below same before after working "
    "leading undetermined undecided open pending imaging results result confirmed agreed favoured".split()
)
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_TELLS: Final = re.compile(r"\d|\b[A-Z]{2,}")
_EMPTY: Final = frozenset(
    "the and for with this that these those from into about would could should have has had was were are been being will can may might must not "
    "overall confidence score rank ranking top choice diagnosis diagnoses probability likelihood per cent percent evidence rationale support supports supporting "
    "high low medium moderate very quite option options answer reason reasons none yes total round vote votes points point final initial primary".split()
)


def says_something(text: str) -> bool:
    """Return whether `text` has words that may say something about a case: "90 %" and "High." do not.

    Two words are enough, or one with a number or an abbreviation: "CRP 88 mg/L", "The CT was normal."
    """
    words = [word for word in _WORD.findall(text) if word.lower() not in _EMPTY]
    return len(words) >= 2 or (bool(words) and _TELLS.search(text) is not None)
