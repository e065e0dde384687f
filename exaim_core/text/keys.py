"""Decide how a JSON key, or a table column's head, makes its content be meant: one typed table.

    "only_if": "no bleed on CT"      hangs:    … only if no bleed on CT
    "avoid": ["metformin"]           forbids:  Avoid metformin
    "pending": "CT angiography"      asked:    Pending: CT angiography

A row of `data/forms/text/keys.toml` holds the keys, and how it is said. Code that words an object asks here.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from exaim_core.text.rows import lexicon
from exaim_core.text.sections import forbids, only_forbids
from exaim_core.text.wording import lower_first, upper_first

_FORMS: Final = lexicon("text/keys")
_JOINTS: Final = re.compile(r"_+|(?<=[a-z\d])(?=[A-Z])")
_HERE: Final = "{}"
_DENIED: Final = re.compile(r"(?:do|must|should) not\b|don.t\b|never\b|avoid\b|no\b|not\b", re.IGNORECASE)
MOST_CAPITALS: Final = 5  # letters of an abbreviation; a longer word in capitals is a word


class KeySense(StrEnum):
    """How a key says that its content is meant. The first that fits wins."""

    ELSEWHERE = "elsewhere"  # about somebody else, or another time
    EXCLUDES = "excludes"
    FORBIDS = "forbids"
    HANGS = "hangs"
    INSTEAD = "instead"
    HOW = "how"  # dose, route, time
    WHY = "why"
    VERDICT = "verdict"
    DOUBT = "doubt"
    ASKED = "asked"
    ARGUES = "argues"
    TO_DO = "to_do"
    OTHER = "other"


class KeyMeaning(NamedTuple):
    """A sense, and the wording of the content, with "{}" for its words."""

    sense: KeySense
    say: str = _HERE


AGAINST: Final = frozenset({KeySense.ELSEWHERE, KeySense.EXCLUDES, KeySense.FORBIDS})
"""Senses that an outer key gives to everything within it."""


def key_name(key: str) -> str:
    """Return a key as words: "final_diagnosis" and "finalDiagnosis" are "final diagnosis"."""
    return " ".join(_JOINTS.sub(" ", key).split())


def plain_key(key: str) -> str:
    """Return a key as it is said: in lower case, except for names that are known by their capitals."""
    words = key_name(key).split()
    if meaning(key).sense is not KeySense.OTHER:
        return " ".join(words).lower()
    shouted = len(words) > 1 and all(word.isupper() for word in words)
    return " ".join(word.lower() if shouted or _is_plain_word(word) else word for word in words)


def _is_plain_word(word: str) -> bool:
    """Return whether a word has capitals only because it is in a key: "Score", "IMMEDIATE", not "INR"."""
    return len(word) > 1 and (word.istitle() or (word.isupper() and len(word) > MOST_CAPITALS))


@lru_cache(maxsize=4096)
def meaning(key: str) -> KeyMeaning:
    """Return the sense of a key, or of a column's head, and its wording."""
    name = key_name(key).strip(" :.!").lower()
    for sense in KeySense:
        if sense is not KeySense.OTHER and (said := _row(sense.value, name)) is not None:
            return KeyMeaning(sense, said or _HERE)
    if only_forbids(name):
        return KeyMeaning(KeySense.FORBIDS, f"{upper_first(name)}: {_HERE}")
    return KeyMeaning(KeySense.OTHER)


@lru_cache(maxsize=4096)
def forbidden_by(words: str) -> str:
    """Return the wording of a ban if the verdict `words` forbid a thing; else ""."""
    return _row("forbids", words.strip(" .:!").lower()) or ""


@lru_cache(maxsize=4096)
def names_by(key: str) -> str:
    """Return the row that says how a key names an object's thing; "" if it does not."""
    return _row("names", key_name(key).lower()) or ""


SUREST_FIRST: Final = tuple(row.name for row in _FORMS.rows()["names"])


def _row(form: str, name: str) -> str | None:
    rows = zip(_FORMS.rows()[form], _FORMS.each(form), strict=True)
    return next((row.name for row, pattern in rows if pattern.fullmatch(name)), None)


def hangs_on(words: str) -> bool:
    """Return whether words state a condition themselves: "if CT shows no bleed"."""
    return _FORMS["hanging"].match(words) is not None


def agrees(key: str) -> bool:
    """Return whether a key that is true says yes to the thing beside it: "approved", "give"."""
    known = meaning(key).sense in {KeySense.TO_DO, KeySense.ARGUES}
    return known or _FORMS["agrees"].match(key_name(key)) is not None


def refuses(words: str) -> bool:
    """Return whether words under a key say no to the thing beside them, or give its condition."""
    bare = words.strip(" .")
    against = meaning(bare).sense in AGAINST or forbidden_by(bare) != ""
    return not is_empty(bare) and (against or _FORMS["refuses"].match(bare) is not None)


def rules(words: str) -> bool:
    """Return whether words open with an act, or say no to the thing beside them: "start 6 units"."""
    first = words.split(maxsplit=1)[0] if words.strip() else ""
    ruled = meaning(first).sense in {*AGAINST, KeySense.TO_DO}
    return ruled or refuses(words) or _FORMS["acts"].match(words) is not None


def is_known(key: str) -> bool:
    """Return whether a key says how its content is meant, what it names, or when."""
    return meaning(key).sense is not KeySense.OTHER or names_by(key) != "" or says_when(key)


def says_when(key: str) -> bool:
    """Return whether a key says only when something is: "now", "step 2"."""
    return _FORMS["times"].fullmatch(key_name(key)) is not None


@lru_cache(maxsize=4096)
def limits(key: str) -> bool:
    """Return whether a key limits what stands beside it, or says when that ends: "stop_if", "max", "avoid_in"."""
    name = key_name(key).lower()
    plain = meaning(key).sense in {KeySense.OTHER, KeySense.FORBIDS, KeySense.HANGS}
    return plain and (meaning(key).sense is KeySense.HANGS or _FORMS["limits"].fullmatch(name) is not None)


def conditions(key: str) -> bool:
    """Return whether what a key that limits says is a condition: "only_if", "stop_if", "avoid_in", not "max"."""
    opens = _FORMS["opens_limit"].search(key_name(key).lower()) is not None
    return limits(key) and (opens or meaning(key).sense is KeySense.HANGS)


def names_a_finding(key: str) -> bool:
    """Return whether a key names what was looked at or found: "structure", "site"."""
    return _FORMS["found"].fullmatch(key_name(key).lower()) is not None


def counts(key: str) -> bool:
    """Return whether a number under a key only counts the objects: "id"."""
    return _FORMS["counts"].fullmatch(key_name(key).lower()) is not None


def is_empty(words: str) -> bool:
    """Return whether the words under a key say that there is nothing: "none known"."""
    return _FORMS["empty"].fullmatch(words.strip()) is not None


_LIMITS: Final = re.compile(r"(?:until|unless|before|except|not)\b", re.IGNORECASE)


def said_under(key: KeyMeaning, words: str) -> str:
    """Return `words` as their key means them: "metformin" under "avoid" is "Avoid metformin"."""
    say = key.say
    if key.sense is KeySense.HANGS and (hangs_on(words) or _FORMS["timed"].match(words)):
        limit = _LIMITS.match(say)  # "until" and "after surgery" is until after it
        if limit is None or words.lower().startswith(limit.group().lower()):
            return words
        return f"{limit.group()} {words.removeprefix('if ') if limit.group() == 'unless' else words}"
    if key.sense is KeySense.FORBIDS:
        if _DENIED.match(words) or forbids(words.partition(":")[0]) or _FORMS["allows"].search(words):
            return words
        if _FORMS["acts"].match(words):
            return f"Do not {lower_first(words)}"
    if key.sense is KeySense.TO_DO and _FORMS["acts"].match(words):
        return words
    if say == _HERE:
        return words
    if say.startswith(_HERE):
        words = upper_first(words)
    return say.replace(_HERE, words if ":" in say or say.startswith(_HERE) else lower_first(words))
