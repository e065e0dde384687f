"""Typed answers against quoted sentences: what holds more of a question is told, a typed answer first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.beside import reason_beside
from agents.dialogue.facts import PAPER, Fact, FactKind
from agents.dialogue.fit import ScoredPassage, is_one_thing
from agents.dialogue.given import reacted_to
from agents.dialogue.look_up import MEASURED, FactGroup
from agents.dialogue.meaning import asked_in
from agents.dialogue.passages import Passages
from agents.dialogue.quotes import as_told
from agents.dialogue.restraints import bars, restrains
from agents.dialogue.stated import may_state
from agents.dialogue.ties import share_asked
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent

LEAST: Final = 0.36  # of a question's weight that a sentence must hold to be told as its answer
LIKELY: Final = 0.35  # ... or how like it must be in meaning, of 1: docs/decisions/085
SURELY: Final = 0.5
_TYPED: Final = (
    0.35  # what a typed answer gains by being like the question: it is put in our words, not the speaker's
)
SURE: Final = 0.5  # ... and to be told without saying that it is no more than the nearest
_ASKED_AGAIN: Final = 0.7  # so like the question is one of the discussion that asks the very same
BETTER: Final = 0.05  # a sentence is told before the typed answer where it scores that much more
_BESIDE: Final = 0.6  # of the best one's share: so much a further sentence or a typed answer must hold
_REFUSES: Final = 0.6  # ... and of its score what refuses, where it is asked why something is not done
_ASKS_WHY_NOT: Final = re.compile(
    r"n[’']t\b|\b(?:wasnt|werent|isnt|arent|didnt|doesnt|dont|cant|couldnt|shouldnt|wont)\b|"
    r"\b(?:not?|never|without|against|stop(?:ped)?|off|held|hold|refuse[ds]?)\b"
)
# Of these a list of the board is the answer: no sentence of it says as much.
_OF_THE_BOARD: Final = frozenset({Intent.SUMMARY, Intent.TESTS, Intent.OTHERS, Intent.COUNT, Intent.FIRST})

_ALLERGIC: Final = re.compile(
    r"\ballerg|\banaphyla|\bhypersensitiv|\breact(?:s|ed)? to\b|\breactions? (?:to|with)\b", re.IGNORECASE
)
_OF_NO_SENTENCE: Final = frozenset({Intent.COUNT, Intent.SUMMARY})
_HELD: Final = frozenset({FactKind.LEAD, FactKind.CHANGED, FactKind.VOTE})
_SECTIONS: Final = frozenset(
    {"medicines", "allergies", "history", "observations", "blood results", "imaging"}
)
_OF_VALUES: Final = frozenset({Intent.FACT, Intent.TREND, Intent.CHANGED})
_OF_A_VIEW: Final = frozenset({Intent.WHY, Intent.CHANGED, Intent.CERTAINTY, Intent.VIEW})


def best_of(
    asked: UnderstoodQuestion,
    typed: tuple[FactGroup, ...],
    text: str,
    passages: Passages,
    typed_like: float = 0.0,
) -> tuple[FactGroup, ...]:
    """Return what is told: the typed answer, then what else holds the question; what holds more first.

    `typed_like` is how like the question the typed answer is in meaning, 0 to 1. What holds little of the
    question is told as no more than the nearest (`FactGroup.nearest`).
    """
    groups = _weighed(asked, typed, text, passages, typed_like)
    told = [fact for group in groups for fact in group.facts]
    if asked.intent is not Intent.HOW_MUCH or not told:
        return groups
    if told[0].numbers:  # what has no number says nothing of how much, but that there be none
        groups = _split(groups, lambda fact: fact is told[0] or bool(fact.numbers) or _bars(fact))
    if told[0].told is not FactKind.ACTION:
        return groups
    # "How much calcium?" is answered by its dose: what was measured of it is another number.
    return _split(groups, lambda fact: fact.told not in MEASURED)


def _bars(fact: Fact) -> bool:
    """Tell whether a fact is a warning, or bars a thing that it names."""
    return fact.told in {FactKind.CAUTION, FactKind.ALLERGY} or any(bars(text) for text in fact.rests_on)


def _weighed(
    asked: UnderstoodQuestion, typed: tuple[FactGroup, ...], text: str, passages: Passages, typed_like: float
) -> tuple[FactGroup, ...]:
    if asked.topics and asked.topics[0].names == ("allergies",):
        typed = of_allergies(typed)
    told = [fact for group in typed for fact in group.facts]
    plain = asked.agent is None and not asked.strange
    if told and not asked.topics and (asked.intent in _OF_THE_BOARD or plain):
        return typed
    found = passages.ranked(text, asked.agent)
    found = [one for one in found if one.share >= LEAST or one.like >= LIKELY]
    if asked.topics and asked.topics[0].names == ("allergies",):
        found = [one for one in found if _is_allergy(one.passage.text)]
    # The look-up tells a sentence only where it states the newest value that can be read: a newer one may not be.
    states = any(fact.told is FactKind.SAID for fact in told[:1]) and not is_of_a_value(told)
    likest = found[0].passage if states and found else None
    newer = likest and likest.said and passages.fact_of(likest).order > told[0].order
    if likest and newer and may_state(likest.text):
        typed = tuple(
            replace(group, facts=tuple(fact for fact in group.facts if fact.told is not FactKind.SAID))
            for group in typed
        )
        told, states = [fact for group in typed for fact in group.facts], False
    score, held = passages.score_of(text, [group.facts[0] for group in typed if group.facts])
    score += _TYPED * typed_like
    if not found:
        beside = told and held < LEAST and not any(fact.told is FactKind.ALLERGY for fact in told)
        return tuple(replace(group, nearest=True) for group in typed) if beside else typed
    if asked.intent is Intent.WHY and _ASKS_WHY_NOT.search(text.lower()):
        found = _refusals_first(found)
    best = found[0]
    if (
        held >= SURE
        and told
        and told[0].told in PAPER
        and told[0].head.names & _SECTIONS & set(asked.topics[0].names)
    ):
        return typed  # a list of the paper was asked for
    if told and asked.intent is Intent.WHO and any(fact.told in _HELD for fact in told):
        return (*typed, *_group(asked, passages.told(found)))
    if (states or is_of_a_value(told)) and asked.intent in _OF_VALUES and not passages.course(text, found):
        return typed
    facts = passages.course(text, found)
    measured = any(fact.told in MEASURED for fact in told)
    of_view = asked.agent is not None and not asked.topics and asked.intent in _OF_A_VIEW
    if told and (best.score <= score + BETTER or (measured and facts) or of_view):
        more = facts or passages.told([one for one in found if one.share >= _BESIDE * best.share])
        known = {text for fact in told for text in fact.rests_on}
        more = tuple(fact for fact in more if not known & set(fact.rests_on))
        if asked.intent is Intent.WHY and not of_view:
            more = (*reason_beside(passages, told), *more)
        return (*typed, *_group(asked, more))
    kept = tuple(group for group in typed if group.facts) if held >= _BESIDE * best.share else ()
    unsure = (best.share < SURE or passages.misses(text, best)) and held < SURE and best.like < SURELY
    chosen = facts or passages.told(found)
    if asked.intent is Intent.WHY:
        chosen = (*chosen[:1], *reason_beside(passages, chosen), *chosen[1:])
    if facts or not kept or kept[0].facts[0].told not in PAPER:
        return (*_group(asked, chosen, nearest=unsure), *kept)
    second = replace(kept[0], facts=kept[0].facts[:1])  # what is on record comes before a further sentence
    rest = _split(kept, lambda fact: fact not in second.facts)
    first, further = (_group(asked, some, nearest=unsure) for some in (chosen[:1], chosen[1:]))
    return (*first, second, *further, *rest)


def is_of_a_value(told: Sequence[Fact]) -> bool:
    """Tell whether the first fact is a value on record, or stands before one: what was stated of it since."""
    return any(fact.told in MEASURED for fact in told[:1]) or (
        len(told) > 1 and told[0].told is FactKind.SAID and any(fact.told in MEASURED for fact in told[1:3])
    )


def _refusals_first(found: Sequence[ScoredPassage]) -> list[ScoredPassage]:
    """Return what refuses before what orders: why something is not done stands beside who refused it."""
    refuses = [
        one
        for one in found
        if one.score >= _REFUSES * found[0].score and any(restrains(said) for said in one.passage.said)
    ]
    return [*refuses, *(one for one in found if one not in refuses)]


def _split(groups: tuple[FactGroup, ...], keep: Callable[[Fact], bool]) -> tuple[FactGroup, ...]:
    """Return groups with the facts that are kept; one that held others alone goes, one that was empty stays."""
    made = (replace(group, facts=tuple(filter(keep, group.facts))) for group in groups)
    return tuple(new for new, group in zip(made, groups, strict=True) if new.facts or not group.facts)


def with_likest(
    asked: UnderstoodQuestion, groups: tuple[FactGroup, ...], text: str, passages: Passages
) -> tuple[FactGroup, ...]:
    """Return what is told; where nothing was found, or no more than the nearest, what is likest the question instead.

    It is said to be no more than the nearest.
    """
    told = [fact for group in groups for fact in group.facts]
    if asked.intent in _OF_NO_SENTENCE or (told and not any(group.nearest for group in groups)):
        return groups
    again = passages.asked_alike(_ASKED_AGAIN) if asked.agent is None else None
    if again is not None:  # nobody has said what answers it: it was asked, and stands open
        return (FactGroup("that", (again,)),)
    likest = passages.likest(text, asked.agent)
    if any(is_one_thing(unit) for unit in asked_in(text)):  # of another thing nothing is near
        likest = tuple(fact for fact in likest if share_asked(text, as_told(fact)))
        groups = tuple(
            replace(group, facts=tuple(fact for fact in group.facts if share_asked(text, as_told(fact))))
            if group.nearest
            else group
            for group in groups
        )
    if not likest:
        return groups
    opening = groups[0].opening if told else "that"
    return (FactGroup(opening, likest, nearest=True),)


def of_allergies(groups: tuple[FactGroup, ...]) -> tuple[FactGroup, ...]:
    """Return groups with those of their facts that are of an allergy."""
    return tuple(replace(group, facts=tuple(f for f in group.facts if _of_allergy(f))) for group in groups)


def _of_allergy(fact: Fact) -> bool:
    """Tell whether a fact is of an allergy: "a sarcoid-like reaction" is none."""
    return fact.told is FactKind.ALLERGY or any(_is_allergy(text) for text in fact.rests_on)


def _is_allergy(text: str) -> bool:
    return _ALLERGIC.search(text) is not None or reacted_to(text)


def _group(
    asked: UnderstoodQuestion, facts: tuple[Fact, ...], *, nearest: bool = False
) -> tuple[FactGroup, ...]:
    if not facts:
        return ()
    opening = asked.topics[0].spoken if asked.topics and asked.topics[0].label else "that"
    return (FactGroup(opening, facts, nearest=nearest),)
