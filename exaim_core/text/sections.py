"""Decide what a heading announces."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final

from exaim_core.text.rows import lexicon


class Section(StrEnum):
    """What stands under a heading."""

    LEADING = "leading"
    DIFFERENTIAL = "differential"
    TESTS = "tests"
    ACTIONS = "actions"
    CAUTION = "caution"
    CRITICAL = "critical"
    DISAGREEMENT = "disagreement"
    AGREEMENT = "agreement"
    REVISION = "revision"
    PRIORITY = "priority"
    WITHDRAWN = "withdrawn"
    OTHER = "other"


_FORMS: Final = lexicon("text/sections")
# The first that fits wins, in the order of the file. Wordings from headings of multi-agent traces and of the shipped
# case.
_HEADINGS: Final = _FORMS.by(Section, "heading_")
_LEAD_IN: Final = re.compile(r"^(?:\d{1,2}[.)]|[-*•]|#+)\s*")


_ALLERGIES: Final = re.compile(
    r"(?:(?:known|drug|medication|confirmed|documented|his|her|the|patient) )*allerg(?:y|ies)(?: list| status)?",
    re.IGNORECASE,
)


def is_of_allergies(heading: str) -> bool:
    """Return whether a patient's allergies stand under this heading, label or key, and nothing else."""
    return _ALLERGIES.fullmatch(heading.strip(" :")) is not None


def _norm(text: str) -> str:
    return _LEAD_IN.sub("", text.strip().strip("*").strip()).rstrip(" :").lower()


@lru_cache(maxsize=1024)
def classify(heading: str) -> Section:
    """Return what `heading` announces; OTHER if that is unknown."""
    text = _norm(heading)
    if len(text) > 90:
        return Section.OTHER
    return next((section for section, rule in _HEADINGS if rule.fullmatch(text)), Section.OTHER)


# Keys are short where headings are long. Only those that say outright what stands under them.
_KEYS: Final = _FORMS.by(Section, "key_")


@lru_cache(maxsize=4096)
def classify_key(key: str) -> Section:
    """Return what stands under a key of a JSON object, written as words; OTHER if it does not say."""
    text = _norm(key)
    found = classify(text)
    if found is not Section.OTHER:
        return found
    return next((section for section, rule in _KEYS if rule.fullmatch(text)), Section.OTHER)


@lru_cache(maxsize=4096)
def classify_label(label: str) -> Section:
    """Return what a list item's label announces if the label is a heading of its own, else OTHER."""
    text = _norm(label)
    return classify(text) if _FORMS["labels"].fullmatch(text) else Section.OTHER


@lru_cache(maxsize=1024)
def is_other_title(heading: str) -> bool:
    """Return whether `heading` is the title of a part of a note that announces no view: "Plan", "Rationale"."""
    return _FORMS["other_title"].fullmatch(_norm(heading)) is not None


@lru_cache(maxsize=4096)
def forbids(title: str) -> bool:
    """Return whether a heading, a key or a label says that its content must not be given."""
    return len(title) < 60 and _FORMS["forbids"].fullmatch(title.strip(" :")) is not None


@lru_cache(maxsize=4096)
def only_forbids(label: str) -> bool:
    """Return whether a label forbids what follows, and names nothing itself ("Avoid")."""
    return len(label) < 60 and _FORMS["label_forbids"].fullmatch(label.strip(" :")) is not None


LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT, Section.PRIORITY})
VIEWS: Final = frozenset({Section.DIFFERENTIAL, Section.LEADING})  # their items name diagnoses
DRAFTED: Final = frozenset(
    {Section.LEADING, Section.DIFFERENTIAL, Section.TESTS, Section.DISAGREEMENT, Section.CRITICAL}
)
"""Sections of a JSON block that are read as a draft, key by key (`claims/list_claims.py`)."""
