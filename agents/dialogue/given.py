"""What a text names that may be given to a patient or done with one, and whether it is of an allergy."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agents.dialogue.forbids import is_record
from agents.dialogue.meaning import asked_in, clinical, everyday_words
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.reactions import REACTIONS
from exaim_core.text.assertion import Status, statuses_around

ALLERGY: Final = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|hypersensitiv\w+)\b|\breactions?\s*[=:]", re.IGNORECASE
)
# What an allergy is told by where nobody calls it one: "penicillin brings her out in hives". `shown` tells it by
# itself, `much` as often is a symptom of the case, and is read so beside what is known to be given alone.
_OF_ALLERGY: Final = REACTIONS.part("shown")
_PARTS: Final = REACTIONS.part("part")
_SHOWN: Final = REACTIONS.late("shown")
_REACTION: Final = re.compile(f"{_OF_ALLERGY}|{REACTIONS.part('much')}", re.IGNORECASE)
# Beside what nobody here knows: "hives with gadolinium", "Kiwifruit: swollen lips", "Relivan made her eyes roll up".
_REACTED_TO: Final = re.compile(
    rf"(?:{_OF_ALLERGY})[^.,;:]{{0,20}}?\b(?:with|to|from|after) (?P<to>[a-z-]{{5,}})(?P<more>(?: [a-z-]{{3,}}){{0,2}})|\b(?P<by>[A-Za-z-]{{5,}})(?: ?[:(=] ?| (?:made|gave) (?:him|her|his|them)? ?)[^.;]{{0,20}}(?:{_OF_ALLERGY})",
    re.IGNORECASE,
)
NO_ALLERGY: Final = re.compile(r"\b(?:no|not|nil|without|denies|never|missed|check)\b[^.;]{0,30}\b(?:allerg\w+|anaphyla\w+)", re.IGNORECASE)  # fmt: skip
# An allergy that somebody has not, in so many words; and how what follows such a word begins.
_QUALIFIED: Final = r"(?: (?:any|known|drug|medicine|medication|food|other|true|history of|previous|have|had|has|been|got|aware of|an?|to be))*"
_NONE: Final = re.compile(
    rf"\b(?:no|nil|not|without|denies|denied|never){_QUALIFIED}(?: (?!(?:one|the|his|her|their|this|that|its?)\b)[\w-]+)? (?:allerg|anaphyla|hypersens)|\ballerg(?:y|ies)\W+(?:are |is )?(?:none|nil)\b|\bnkda\b",
    re.IGNORECASE,
)
_NOT_SO: Final = re.compile(
    r"(?:\b(?:no|not|neither|nor|never|without|denies|denied)|n['’]t)(?P<between>(?: (?!(?:since|because|as|it|that|which)\b)[\w-]+){0,3}) ?\Z",
    re.IGNORECASE,
)
_DASHED: Final = re.compile(r"(?<=[a-z])[‐‑–](?=[A-Za-z])")
_SUBSTANCES: Final = frozenset({"drugs", "drug groups", "allergens"})
_KINDS: Final = _SUBSTANCES | {"procedures"}


@lru_cache(maxsize=4096)
def reacted_to(text: str, heading: str = "") -> bool:
    """Tell whether a sentence is of an allergy: it says so, or names a drug beside what an allergy looks like.

    Under a heading of allergies what one looks like will do. A word that nobody knows may be a drug; a symptom, a
    part of the body, a test and a heading are none.
    """
    text = _DASHED.sub("-", text)  # "Stevens–Johnson"
    if ALLERGY.search(text):
        return NO_ALLERGY.search(text) is None and not denies_allergy(text)
    if text.endswith("?"):
        return False
    if _is_named(text):
        return True
    if all(_is_denied(text[: shown.start()]) for shown in _REACTION.finditer(text)):
        return False
    if ALLERGY.search(heading) or names_given(text):
        return True
    return any(
        not any(
            known_otherwise(word) for word in f"{match['to'] or match['by']}{match['more'] or ''}".split()
        )
        for match in _REACTED_TO.finditer(text)
    )


def looks_allergic(text: str) -> bool:
    """Tell whether a sentence says what an allergy looks like, of whatever it came: "he had hives after the scan"."""
    if text.endswith("?"):
        return False
    text = _DASHED.sub("-", text)
    return _is_named(text) or any(not _is_denied(text[: shown.start()]) for shown in _SHOWN.finditer(text))


def _is_named(text: str) -> bool:
    """Tell whether a sentence states a reaction that only drugs give, by its name: "(DRESS)"; no doubt of one."""
    return any(
        not (statuses_around(text, *match.span()) - {Status.PAST, Status.OTHER_PERSON})
        for match in REACTIONS["named"].finditer(text)
    )


def denies_allergy(text: str) -> bool:
    """Tell whether a sentence says that there is no allergy; a question does not."""
    return not text.endswith("?") and _NONE.search(text) is not None


def _is_denied(before: str) -> bool:
    """Tell whether what stands before a symptom denies it; what names a thing there is denied itself."""
    denied = _NOT_SO.search(before)
    return denied is not None and not names_given(denied["between"])


@lru_cache(maxsize=4096)
def known_otherwise(word: str) -> bool:
    """Tell whether a word is known as something else than what may be given."""
    one = word.lower()
    vocabulary = known_vocabulary()
    kinds = {
        vocabulary.entries[name].kind
        for match in vocabulary.spelled_in(vocabulary.key(one))
        for name in match.names
    }
    if kinds & _KINDS:
        return False
    if kinds or _REACTION.search(one) or re.fullmatch(rf"{_PARTS}|\w+ing", one):
        return True
    if is_record(one) or names_condition(one) or names_test(one) or names_measure(one):
        return True
    asked = asked_in(one)
    return not asked or any(clinical(unit) for unit in asked)


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
def substances(text: str) -> frozenset[str]:
    """Return what a sentence names that a patient may react to: drugs, their classes, materials and foods."""
    names = {match.group().lower() for match in (*DRUG.finditer(text), *REACTIONS["material"].finditer(text))}
    names |= {name.lower() for name in drugs_named(text)}
    vocabulary = known_vocabulary()
    for match in vocabulary.spelled_in(vocabulary.key(text)):
        names |= {name.lower() for name in match.names if vocabulary.entries[name].kind in _SUBSTANCES}
    return frozenset(name.removesuffix("s") for name in names)


@lru_cache(maxsize=4096)
def is_given(word: str) -> bool:
    """Tell whether one word names a drug or an operation, long or cut short."""
    if DRUG.fullmatch(word) or re.search(r"(?:otomy|ectomy|ostomy|plasty)\Z", word):
        return True
    return any(DRUG.search(other) for other in everyday_words(word))
