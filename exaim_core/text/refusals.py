"""Decide whether a key beside a name says no to it.

    {"medication": {"name": "morphine", "give": false}}          no
    {"diagnosis": {"name": "sepsis", "status": "ruled out"}}     no
    {"drug": "heparin", "dose": "5000 U", "bridging": true}      says nothing about it

If a key says no, the object is not stated; its own words are told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exaim_core.text.keys import AGAINST, KeySense, agrees, hangs_on, key_name, meaning, names_by, refuses
from exaim_core.text.sections import DRAFTED, VIEWS, Section, classify_key

MOST_WORDS: Final = 8  # words under a key that say no; a longer text is read by itself
_SAID: Final = {"yes": True, "true": True, "y": True, "no": False, "false": False, "n": False}
_RULES: Final = frozenset({KeySense.OTHER, KeySense.VERDICT, KeySense.DOUBT})
_ANSWERS: Final = AGAINST | {KeySense.OTHER, KeySense.VERDICT, KeySense.TO_DO, KeySense.ARGUES}
ASKS: Final = frozenset({"recommendation", "recommended action", "advice", "action"})
"""Keys that ask for something, which may be something other than the thing beside them."""
_BESIDE: Final = frozenset({Section.DISAGREEMENT, Section.CRITICAL})
"""What a key announces if its "no" says nothing about the name beside it: "disagreement": false."""
_ITEMS: Final = frozenset({"diagnosis", "test"})


def flag(key: str, value: object) -> bool | None:
    """Return the value of a key as yes or no; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and meaning(key).sense in _ANSWERS:
        return _SAID.get(value.strip(" .").lower())
    return None


def doubts(key: str, value: object) -> bool:
    """Return whether a key beside a name says no to it: by a refusing word, or a "no" to an agreeing key.

    Any other yes or no says nothing about the name: "stat": true, "interaction": false.
    """
    if (said := flag(key, value)) is not None:
        against = meaning(key).sense in AGAINST or refuses(key.replace("_", " "))
        return against if said else agrees(key) and classify_key(key) not in _BESIDE
    known = meaning(key).sense
    if not isinstance(value, str) or known not in _RULES or len(value.split()) > MOST_WORDS:
        return False
    if known is KeySense.DOUBT:
        return refuses(value) and not hangs_on(value)  # "urgency": "if rigidity persists" is worded
    if known is KeySense.VERDICT and key.lower() in {*ASKS, "decision"}:
        return meaning(value).sense in AGAINST  # the advice may be about something else
    stated = known is KeySense.OTHER and (names_by(key) or classify_key(key) is not Section.OTHER)
    return not stated and refuses(value)


def is_view(key: str) -> bool:
    """Return whether a key names what an object holds to be true: a diagnosis, or an item of a draft."""
    return names_by(key) in _ITEMS or classify_key(key) in VIEWS


def view_named(value: Mapping[str, object], key: str = "") -> str | None:
    """Return which key of an object under `key` names a diagnosis, or an item of a draft; None if none does."""
    drafted = classify_key(key) in DRAFTED
    fields = {key_name(name): inner for name, inner in value.items()}
    views = [name for name, inner in fields.items() if isinstance(inner, str) and flag(name, inner) is None]
    return next((name for name in views if is_view(name) or (drafted and names_by(name))), None)


def is_doubted_view(value: Mapping[str, object], key: str = "") -> bool:
    """Return whether an object under `key` names a diagnosis, or an item of a draft, and says no to it."""
    named = view_named(value, key) is not None
    return named and any(doubts(key_name(name), inner) for name, inner in value.items())
