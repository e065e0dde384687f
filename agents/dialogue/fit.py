"""How well a passage answers: what it holds of a question's units, and whether its form and its place fit."""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from agents.dialogue.forbids import doings, names_eating
from agents.dialogue.given import names_given
from agents.dialogue.meaning import Unit, meaning_of
from agents.dialogue.segments import Passage, hangs
from agents.dialogue.shapes import form_of
from agents.dialogue.slots import says_of
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.lexicon.drugs import DRUG
from exaim_core.text.wording import word_count

SPEAKER: Final = 0.6  # what a unit is worth that the speaker is called by
_LONG: Final = 0.004  # of the score for each word beyond ten: of two that hold as much the shorter is told
_GIVEN_UP: Final = 0.12  # against what its speaker has given up since
_NEWER: Final = 0.05  # for the last sentence of a discussion over the first
_BARE: Final = 0.12  # against a sentence that hangs on one before it
BOUND: Final = 0.15  # for what says it of the thing itself
UNBOUND: Final = -0.045  # against what says it of another, or not at all
_ONE_THING: Final = frozenset({"drugs", "labs", "allergens", "tests"})
_PAST: Final = re.compile(
    r"\b(?:at first|initially|in the beginning|originally|first thought|was meant|were meant|used to|early on|before (?:he|she|the|that)|to start with|very first|start of|ran at|first (?:idea|view|plan|opinion)|what did \w+ (?:think|base)|ran|in the beginning|base[ds]? (?:on|his|her|it|their))\b"
)
_FIRST_TO: Final = re.compile(
    r"\bwho(?:se)?\b|\bwhich (?:one|of (?:them|the \w+)|doctor|agent|reg)\b|\bbefore any(?:one|body)\b"
)


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage with its score, the share of the question's weight that it holds, and of which unit how much.

    `like` is how like the question it is in meaning, 0 to 1; 0 without vectors.
    """

    passage: Passage
    score: float
    share: float
    held: tuple[float, ...]
    like: float = 0.0


def bound(
    asks: str, about: Sequence[Unit], found: Sequence[ScoredPassage], *, value: bool
) -> list[ScoredPassage]:
    """Return passages in a new order: first what says of the thing itself what is asked for."""
    made = []
    for one in found:
        passage = one.passage
        texts = [each.text for each in passage.said] if len(passage.said) > 1 else [passage.text]
        says = [says_of(asks, text, about, value=value) for text in texts]
        if None in says:
            return list(found)
        made.append(replace(one, score=one.score + (BOUND if any(says) else UNBOUND)))
    return sorted(made, key=lambda one: (-one.score, -one.passage.place))


def held_by(met: Sequence[float], passage: Passage) -> float:
    """Return how far a passage meets a unit, of which `met` says how far each text does."""
    best = max(met[at] for at in passage.own)
    if best >= 1.0:
        return best
    around = max((lends * met[at] for at, lends in passage.around), default=0.0)
    speaker = met[passage.speaker] if passage.speaker is not None else 0.0
    return max(best, around, SPEAKER * speaker)


def asks_value(units: Sequence[Unit]) -> bool:
    """Tell whether a laboratory value or a sign is asked about: its number is the answer."""
    entries = known_vocabulary().entries
    return any(entries[name].kind in {"labs", "signs"} for unit in units for name in unit.names)


def is_one_thing(unit: Unit) -> bool:
    """Tell whether a unit names a drug, a laboratory value or an allergen: what is told must be about it."""
    entries = known_vocabulary().entries
    if any(entries[name].kind in _ONE_THING for name in unit.names):
        return True
    return not unit.names and DRUG.search(" ".join(unit.stems)) is not None


def names_one_thing(passage: Passage) -> bool:
    """Tell whether a passage names a drug, a laboratory value or an allergen itself."""
    return any(_names_one(one.text) for one in passage.said) or passage.paper is not None


@lru_cache(maxsize=4096)
def _names_one(text: str) -> bool:
    entries = known_vocabulary().entries
    return any(entries[name].kind in _ONE_THING for name in meaning_of(text).names if name in entries)


def is_drug(unit: Unit) -> bool:
    """Tell whether a unit names a drug or a group of drugs."""
    entries = known_vocabulary().entries
    if any(entries[name].kind in {"drugs", "drug groups"} for name in unit.names):
        return True
    return DRUG.search(" ".join(unit.stems)) is not None


def is_given_or_done(unit: Unit) -> bool:
    """Tell whether a unit names something that is given to a patient or done with one."""
    entries = known_vocabulary().entries
    if any(entries[name].kind in {"drugs", "drug groups", "procedures", "allergens"} for name in unit.names):
        return True
    text = " ".join(unit.stems)
    return bool(names_given(text) or doings(text)) or names_eating(text)


def fit(asks: str, passage: Passage, share: float, of_one: bool, value: bool) -> float:
    """Return what a passage gains and loses by its form and its place, as a part of the share that it holds."""
    text = passage.text
    made = form_of(asks, text, value)
    early = _PAST.search(asks) is not None
    if passage.past and not (early or of_one):
        made -= _GIVEN_UP
    if early or _FIRST_TO.search(asks):
        made += 2 * _NEWER * (1 - 2 * passage.place)
    if passage.said and hangs(passage.said[0]):
        made -= _BARE
    made -= _LONG * max(0, word_count(text) - 10)
    return (made + _NEWER * passage.place) * min(1.0, 1.6 * share)
