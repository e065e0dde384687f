"""Decide what may be a term, and what is too general to be spoken; wordings of cautions and findings."""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

MAX_TERM_WORDS: Final = 9
LEADING_WORDS: Final = 13  # a leading diagnosis is named with its place and cause
_FORMS: Final = lexicon("lexicon/terms")
IMPERATIVE: Final = _FORMS.late("imperative")
USE: Final = _FORMS.late("use")
ALLERGY: Final = _FORMS.late("allergy")
CONTRA: Final = _FORMS.late("contra")
LIMIT: Final = _FORMS.late("limit")
DURATION: Final = frozenset({"", "year", "month", "week", "day", "hour", "minute", "s", "%", "point", "m"})
NEGATIVE_FINDING: Final = _FORMS.late("negative_finding")
NO_DISPUTE: Final = _FORMS.late("no_dispute")
OPEN_PREFIX: Final = _FORMS.late("open_prefix")


def is_generic(name: str) -> bool:
    """Return whether `name` names no test in particular, as "further evaluation" does."""
    return _FORMS["generic"].match(name) is not None


def is_term(name: str) -> bool:
    """Return whether `name` may be a diagnosis or a test, rather than a heading or a sentence."""
    return (
        bool(name)
        and word_count(name) <= MAX_TERM_WORDS
        and not _FORMS["not_a_term"].match(name)
        and len(name) > 2
    )


def may_lead(name: str) -> bool:
    """Return whether `name`, in the place of the leading diagnosis, may be one; it may be longer there."""
    return is_term(name) or (MAX_TERM_WORDS < word_count(name) <= LEADING_WORDS and mostly_term(name))


def names_a_view(name: str) -> bool:
    """Return whether `name` may be a diagnosis: no bare side, time, number or adjective."""
    return _FORMS["no_view"].fullmatch(name.strip()) is None


def mostly_term(text: str) -> bool:
    """Return whether a short line names something rather than says something."""
    return not re.search(
        r"\b(?:agree\w*|supported|remains|conclusion|widely|is|are|was|were|has|have|should|could|would|may|can|we|i|there|this)\b",
        text,
        re.IGNORECASE,
    )


def sentence_like(text: str) -> bool:
    """Return whether a possible term is a piece of a sentence."""
    return _FORMS["verbs"].search(text) is not None
